// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/report/report_layout.h"

#include <QFontMetricsF>
#include <QPaintDevice>

#include <algorithm>
#include <numeric>

#include "ui/report/figure_painter.h"
#include "ui/theme/theme_colors.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

constexpr double kNoLigatures = 0.02; // letter spacing in device pixels
constexpr double kCellGap = 7;        // points between the texts of neighboring columns

class Setter {
public:
    Setter(QPainter &painter, const PageFrame &frame)
        : m_painter(painter),
          m_frame(frame),
          m_unit(painter.device()->logicalDpiY() / 72.0),
          m_y(frame.page.top())
    {
        footer();
    }

    [[nodiscard]] int page() const { return m_page; }
    // Returns the area from the current position to the right margin, `points` high.
    [[nodiscard]] PlaceOnPage place(double points) const
    {
        return {m_page, QRectF(m_frame.page.left(), m_y, m_frame.page.width(), pt(points))};
    }
    // Writes a line with the page number at the right margin.
    PlaceOnPage contentsLine(const QString &title, const QString &page);
    [[nodiscard]] double pt(double points) const { return points * m_unit; }
    void skip(double points) { m_y += pt(points); }
    void text(const QString &words, double points, bool strong, ThemeColor id);
    void rule();
    void table(const ReportTable &table);
    // Arranges the figures in rows of `across`.
    void figures(const std::vector<ReportFigure> &figures, int across);
    void newPage();
    [[nodiscard]] static double heightOf(const ReportFigure &figure); // in points
    // Begins a new page if less than `points` are left.
    void need(double points);

private:
    struct Columns {
        std::vector<double> left, width;
    };
    void footer();
    void setFont(double points, bool strong);
    [[nodiscard]] double bottom() const { return m_frame.page.bottom() - pt(20); }
    [[nodiscard]] Columns columnsOf(const ReportTable &table);
    [[nodiscard]] double rowHeight(const std::vector<std::string> &row, const Columns &columns, bool head = false);
    void drawRow(const std::vector<std::string> &row, const ReportTable &table, const Columns &columns, bool head);

    QPainter &m_painter;
    const PageFrame &m_frame;
    double m_unit, m_y;
    int m_page = 1;
};

void Setter::setFont(double points, bool strong)
{
    QFont font;
    font.setPointSizeF(points);
    font.setWeight(strong ? QFont::DemiBold : QFont::Normal);
    // Any letter spacing disables ligatures. A search for "figures" would not find the single glyph of "fi".
    font.setLetterSpacing(QFont::AbsoluteSpacing, kNoLigatures);
    m_painter.setFont(font);
}

void Setter::footer()
{
    setFont(7.5, false);
    m_painter.setPen(themeColor(ThemeColor::Muted, kPaper));
    const QRectF box(m_frame.page.left(), m_frame.page.bottom() - pt(11), m_frame.page.width(), pt(11));
    m_painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter, m_frame.footer);
    m_painter.drawText(box, Qt::AlignRight | Qt::AlignVCenter,
        m_frame.known.pages > 0 ? QStringLiteral("Page %1 of %2").arg(m_page).arg(m_frame.known.pages)
                                : QString::number(m_page));
}

void Setter::need(double points)
{
    if (m_y + pt(points) > bottom())
        newPage();
}

void Setter::newPage()
{
    m_frame.nextPage();
    ++m_page;
    m_y = m_frame.page.top();
    footer();
}

void Setter::text(const QString &words, double points, bool strong, ThemeColor id)
{
    setFont(points, strong);
    const QFontMetricsF metrics(m_painter.font(), m_painter.device());
    const QRectF box(m_frame.page.left(), m_y, m_frame.page.width(), 1e6);
    const double height = metrics.boundingRect(box, Qt::TextWordWrap, words).height();
    need(height / m_unit);
    setFont(points, strong); // restores the font, because the footer of a new page sets its own
    m_painter.setPen(themeColor(id, kPaper));
    m_painter.drawText(QRectF(m_frame.page.left(), m_y, m_frame.page.width(), height + pt(2)), Qt::TextWordWrap, words);
    m_y += height;
}

PlaceOnPage Setter::contentsLine(const QString &title, const QString &page)
{
    setFont(9, false);
    const double number = pt(30), height = QFontMetricsF(m_painter.font(), m_painter.device()).height();
    need(height / m_unit);
    setFont(9, false);
    m_painter.setPen(themeColor(ThemeColor::Text, kPaper));
    const PlaceOnPage line = place(height / m_unit);
    m_painter.drawText(line.box.adjusted(0, 0, -number, 0), Qt::AlignLeft | Qt::AlignVCenter, title);
    m_painter.drawText(line.box, Qt::AlignRight | Qt::AlignVCenter, page);
    m_y += height + pt(1.5);
    return line;
}

void Setter::rule()
{
    m_painter.setPen(QPen(themeColor(ThemeColor::Border, kPaper), pt(0.6)));
    m_painter.drawLine(QPointF(m_frame.page.left(), m_y), QPointF(m_frame.page.right(), m_y));
}

Setter::Columns Setter::columnsOf(const ReportTable &table)
{
    setFont(8, true);
    const QFontMetricsF strong(m_painter.font(), m_painter.device());
    setFont(8, false);
    const QFontMetricsF plain(m_painter.font(), m_painter.device());
    Columns columns;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        double width = strong.horizontalAdvance(qs(table.columns[c]));
        for (const auto &row : table.rows)
            width = std::max(width, c < row.size() ? plain.horizontalAdvance(qs(row[c])) : 0.0);
        columns.width.push_back(width + pt(kCellGap + 1)); // avoids that rounding elides the text
    }
    // Repeatedly narrows the widest column until the columns share the available width.
    while (std::accumulate(columns.width.begin(), columns.width.end(), 0.0) > m_frame.page.width()) {
        const auto widest = std::max_element(columns.width.begin(), columns.width.end());
        if (*widest < pt(40))
            break;
        *widest -= pt(4);
    }
    double x = m_frame.page.left();
    for (const double width : columns.width) {
        columns.left.push_back(x);
        x += width;
    }
    return columns;
}

double Setter::rowHeight(const std::vector<std::string> &row, const Columns &columns, bool head)
{
    setFont(8, head);
    const QFontMetricsF metrics(m_painter.font(), m_painter.device());
    double height = metrics.height();
    for (std::size_t c = 0; c < row.size() && c < columns.width.size(); ++c)
        height = std::max(height,
            metrics.boundingRect(QRectF(0, 0, columns.width[c] - pt(kCellGap), 1e6), Qt::TextWordWrap, qs(row[c]))
                .height());
    return height + pt(5);
}

void Setter::drawRow(const std::vector<std::string> &row, const ReportTable &table, const Columns &columns, bool head)
{
    const double height = rowHeight(row, columns, head);
    m_painter.setPen(themeColor(head ? ThemeColor::Muted : ThemeColor::Text, kPaper));
    for (std::size_t c = 0; c < row.size() && c < columns.width.size(); ++c) {
        const bool right = c < table.numeric.size() && table.numeric[c];
        m_painter.drawText(QRectF(columns.left[c], m_y + pt(2.5), columns.width[c] - pt(kCellGap), height),
            (right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignTop | Qt::TextWordWrap, qs(row[c]));
    }
    m_y += height;
    m_painter.setPen(QPen(themeColor(head ? ThemeColor::Muted : ThemeColor::Grid, kPaper), pt(head ? 0.7 : 0.4)));
    m_painter.drawLine(QPointF(columns.left.front(), m_y), QPointF(columns.left.back() + columns.width.back(), m_y));
}

void Setter::table(const ReportTable &table)
{
    if (table.columns.empty())
        return;
    need(60);
    if (!table.title.empty()) {
        text(qs(table.title), 9, true, ThemeColor::Text);
        skip(3);
    }
    const Columns columns = columnsOf(table);
    drawRow(table.columns, table, columns, true);
    for (const auto &row : table.rows) {
        const int before = m_page;
        need(rowHeight(row, columns) / m_unit);
        if (m_page != before)
            drawRow(table.columns, table, columns, true);
        drawRow(row, table, columns, false);
    }
    skip(10);
}

double Setter::heightOf(const ReportFigure &figure)
{
    const auto rows = static_cast<double>(figure.categories.size());
    switch (figure.kind) {
    case FigureKind::Bars:
        return 30 + 17 * rows;
    case FigureKind::StackedBars:
        return 62 + 36 * rows;
    case FigureKind::Lines:
    case FigureKind::StackedAreas:
        break;
    }
    return figure.doublings ? 285 : 190;
}

void Setter::figures(const std::vector<ReportFigure> &figures, int across)
{
    const double gap = pt(16), width = (m_frame.page.width() - gap * (across - 1)) / across;
    for (std::size_t first = 0; first < figures.size(); first += static_cast<std::size_t>(across)) {
        const std::size_t last = std::min(figures.size(), first + static_cast<std::size_t>(across));
        double height = 0;
        for (std::size_t i = first; i < last; ++i)
            height = std::max(height, heightOf(figures[i]));
        need(height);
        for (std::size_t i = first; i < last; ++i)
            paintFigure(m_painter,
                QRectF(m_frame.page.left() + static_cast<double>(i - first) * (width + gap), m_y, width, pt(height)),
                figures[i]);
        m_y += pt(height);
        skip(10);
    }
}

} // namespace

ReportLayout layOutReport(QPainter &painter, const PageFrame &frame, const Report &report)
{
    constexpr std::size_t kFewSections = 4; // reports with fewer sections have no table of contents
    Setter set(painter, frame);
    ReportLayout layout;
    set.text(qs(report.title), 19, true, ThemeColor::Text);
    set.skip(3);
    set.text(qs(report.subtitle), 9.5, false, ThemeColor::Muted);
    set.skip(10);
    set.text(qs(report.headline), 12, true, ThemeColor::Accent);
    set.skip(12);
    for (std::size_t i = 0; report.sections.size() >= kFewSections && i < report.sections.size(); ++i) {
        if (i == 0) {
            set.text(QStringLiteral("Contents"), 10, true, ThemeColor::Muted);
            set.skip(3);
        }
        const QString page =
            i < frame.known.sections.size() ? QString::number(frame.known.sections[i].page) : QString();
        layout.contents.push_back(set.contentsLine(qs(report.sections[i].title), page));
    }
    if (!layout.contents.empty())
        set.skip(12);
    for (const ReportSection &section : report.sections) {
        if (section.newPage)
            set.newPage();
        // A title is never left alone at the foot of a page.
        set.need(60 + (section.figures.empty() ? 50 : Setter::heightOf(section.figures.front())));
        set.rule();
        set.skip(8);
        layout.sections.push_back(set.place(13));
        set.text(qs(section.title), 13, true, ThemeColor::Text);
        set.skip(5);
        for (const std::string &paragraph : section.paragraphs) {
            set.text(qs(paragraph), 9, false, ThemeColor::Text);
            set.skip(6);
        }
        set.figures(section.figures, section.figuresAcross);
        for (const ReportTable &table : section.tables)
            set.table(table);
        set.skip(4);
    }
    layout.pages = set.page();
    return layout;
}

} // namespace slipway::ui
