// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/area_chart.h"

#include <QEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <ranges>

#include "ui/charts/plot_view.h"
#include "ui/language/local_text.h"

namespace slipway::ui {

namespace {

constexpr std::size_t kMostPoints = 500;

std::size_t lengthOf(const std::vector<AreaLayer> &layers) { return layers.empty() ? 0 : layers.front().values.size(); }

double sumAt(const std::vector<AreaLayer> &layers, std::size_t position)
{
    double sum = 0.0;
    for (const AreaLayer &layer : layers)
        sum += layer.values[position];
    return sum;
}

} // namespace

std::vector<std::size_t> decimateKeepingPeaks(const std::vector<AreaLayer> &layers, std::size_t most)
{
    const std::size_t count = lengthOf(layers);
    const std::size_t width = most == 0 ? 1 : std::max<std::size_t>(1, (count + most - 1) / most);
    std::vector<std::size_t> kept;
    for (std::size_t first = 0; first < count; first += width) {
        std::size_t best = first;
        double highest = -1.0;
        for (std::size_t i = first; i < std::min(count, first + width); ++i) {
            if (const double sum = sumAt(layers, i); sum > highest) {
                highest = sum;
                best = i;
            }
        }
        if (first == 0 && best != 0)
            kept.push_back(0);
        kept.push_back(best);
    }
    if (count > 0 && kept.back() != count - 1)
        kept.push_back(count - 1);
    return kept;
}

struct AreaChart::Impl {
    PlotView *view = nullptr;
    AreaData data;
    std::optional<std::size_t> cursor, pinned;
    std::optional<bool> fixedDark;
    double highest = 0.0;
    std::function<void()> moved;

    void rebuild();
    void drawLine(QPainter &painter) const;
    void drawSpans(QPainter &painter) const;
    void drawLimit(QPainter &painter) const;
    void drawCursor(QPainter &painter) const;
    void drawHeld(QPainter &painter) const;
    [[nodiscard]] std::optional<std::size_t> positionAt(double pixel) const;
    void drawMark(QPainter &painter) const;
    void moveCursor(std::optional<std::size_t> to);
};

void AreaChart::Impl::rebuild()
{
    const std::size_t count = lengthOf(data.layers);
    highest = 0.0;
    for (std::size_t i = 0; i < count; ++i)
        highest = std::max({highest, sumAt(data.layers, i), i < data.line.values.size() ? data.line.values[i] : 0.0});
    const double end = std::max(highest, data.limit.value_or(0.0));
    view->setRanges({0.0, std::max<double>(1.0, static_cast<double>(count) - 1.0)}, {0.0, end > 0 ? end * 1.06 : 1.0});
    view->setFormats(
        [](double, double) { return QString(); }, data.tick ? TickFormat(data.tick) : TickFormat(compactNumber));
    const std::vector<std::size_t> kept = decimateKeepingPeaks(data.layers, kMostPoints);
    std::vector<double> top;
    for (const std::size_t position : kept)
        top.push_back(sumAt(data.layers, position));
    std::size_t drawn = 0;
    // Each area reaches down to zero and is covered by the layers below it. If two areas only touched, their smooth
    // edges would let the background shine through as a line.
    for (const AreaLayer &layer : std::views::reverse(data.layers)) {
        QList<QPointF> low, high;
        bool any = false;
        for (std::size_t k = 0; k < kept.size(); ++k) {
            const auto x = static_cast<double>(kept[k]);
            low.append({x, 0.0});
            high.append({x, std::max(0.0, top[k])});
            any = any || layer.values[kept[k]] > 0;
            top[k] -= layer.values[kept[k]];
        }
        if (any)
            view->setArea(drawn++, low, high, view->dark() ? layer.dark : layer.light, Qt::NoPen);
    }
    view->hideAreasFrom(drawn);
}

// The value is piecewise constant, so points are drawn only where it changes.
void AreaChart::Impl::drawLine(QPainter &painter) const
{
    if (data.line.values.empty())
        return;
    QPolygonF steps;
    double last = -1;
    for (std::size_t i = 0; i < data.line.values.size(); ++i) {
        const double value = data.line.values[i], x = static_cast<double>(i);
        if (value != last && i > 0)
            steps << view->toPixel({x, last});
        if (value != last || i + 1 == data.line.values.size())
            steps << view->toPixel({x, value});
        last = value;
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(view->colorOf(ThemeColor::Text), 1.4));
    painter.drawPolyline(steps);
}

void AreaChart::Impl::drawSpans(QPainter &painter) const
{
    const QRectF area = view->plotRect();
    QFont font = view->font();
    font.setPointSizeF(font.pointSizeF() * 0.86);
    painter.setFont(font);
    const QFontMetricsF metrics(font);
    const double count = static_cast<double>(lengthOf(data.layers));
    double free = -1e9;
    for (std::size_t i = 0; i < data.spans.size(); ++i) {
        const double first = static_cast<double>(data.spans[i].first);
        const double next = i + 1 < data.spans.size() ? static_cast<double>(data.spans[i + 1].first) : count - 1;
        const double a = view->toPixel({first, 0}).x(), b = view->toPixel({next, 0}).x();
        if (i > 0) {
            painter.setPen(QPen(view->colorOf(ThemeColor::Muted), 1, Qt::DotLine));
            painter.drawLine(QPointF(a, area.top()), QPointF(a, area.bottom() + 6));
        }
        const double width = metrics.horizontalAdvance(data.spans[i].name);
        const double x = std::clamp((a + b - width) / 2, area.left(), std::max(area.left(), area.right() - width));
        if (x < free)
            continue;
        free = x + width + 10;
        painter.setPen(view->colorOf(ThemeColor::Muted));
        painter.drawText(QPointF(x, area.bottom() + 6 + metrics.ascent()), data.spans[i].name);
    }
}

void AreaChart::Impl::drawLimit(QPainter &painter) const
{
    if (!data.limit)
        return;
    const QRectF area = view->plotRect();
    const double y = view->toPixel({0, *data.limit}).y();
    painter.setPen(QPen(view->colorOf(highest > *data.limit ? ThemeColor::Bad : ThemeColor::Text), 1.4, Qt::DashLine));
    painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    QFont font = view->font();
    font.setPointSizeF(font.pointSizeF() * 0.86);
    painter.setFont(font);
    const QFontMetricsF metrics(font);
    const double width = metrics.horizontalAdvance(data.limitName);
    const QRectF box(area.right() - width - 4, y - metrics.height() - 3, width + 8, metrics.height());
    painter.fillRect(box, view->colorOf(ThemeColor::Surface));
    painter.drawText(box, Qt::AlignCenter, data.limitName);
}

void AreaChart::Impl::drawMark(QPainter &painter) const
{
    if (!data.mark || *data.mark >= lengthOf(data.layers) || cursor || pinned)
        return;
    const QPointF at = view->toPixel({static_cast<double>(*data.mark), sumAt(data.layers, *data.mark)});
    painter.setPen(QPen(view->colorOf(ThemeColor::Surface), 2));
    painter.setBrush(view->colorOf(ThemeColor::Text));
    painter.drawEllipse(at, 4.5, 4.5);
    QFont font = view->font();
    font.setPointSizeF(font.pointSizeF() * 0.86);
    painter.setFont(font);
    const QFontMetricsF metrics(font);
    const QRectF area = view->plotRect();
    const double width = metrics.horizontalAdvance(data.markName);
    double x = at.x() + 8;
    if (x + width > area.right())
        x = at.x() - 8 - width;
    const QRectF box(x - 4, at.y() - metrics.height() - 5, width + 8, metrics.height() + 2);
    painter.setPen(Qt::NoPen);
    painter.setBrush(view->colorOf(ThemeColor::Surface));
    painter.drawRoundedRect(box, 3, 3);
    painter.setPen(view->colorOf(ThemeColor::Text));
    painter.drawText(box, Qt::AlignCenter, data.markName);
}

void AreaChart::Impl::drawCursor(QPainter &painter) const
{
    if (!cursor || *cursor >= lengthOf(data.layers))
        return;
    const QRectF area = view->plotRect();
    const double x = view->toPixel({static_cast<double>(*cursor), 0}).x();
    painter.setPen(QPen(view->colorOf(ThemeColor::Text), 1));
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    const auto text = [this](double value) { return data.text ? data.text(value) : QString::number(value); };
    std::vector<TooltipLine> lines;
    for (const auto &layer : std::views::reverse(data.layers)) {
        if (layer.values[*cursor] > 0)
            lines.push_back({view->dark() ? layer.dark : layer.light, layer.name, text(layer.values[*cursor])});
    }
    lines.push_back({{}, QObject::tr("total"), text(sumAt(data.layers, *cursor))});
    if (*cursor < data.line.values.size())
        lines.push_back({view->colorOf(ThemeColor::Text), data.line.name, text(data.line.values[*cursor])});
    drawCursorTooltip(painter, *view, {x, area.center().y()},
        *cursor < data.positions.size() ? data.positions[*cursor] : QString(), lines);
}

// Draws the pinned position as a thin line with a handle on top. The cursor still works elsewhere in the chart.
void AreaChart::Impl::drawHeld(QPainter &painter) const
{
    if (!pinned || *pinned >= lengthOf(data.layers))
        return;
    const QRectF area = view->plotRect();
    const double x = view->toPixel({static_cast<double>(*pinned), 0}).x();
    painter.setPen(QPen(view->colorOf(ThemeColor::Accent), 1.6));
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    painter.setBrush(view->colorOf(ThemeColor::Accent));
    painter.drawEllipse(QPointF(x, area.top()), 3.5, 3.5);
}

std::optional<std::size_t> AreaChart::Impl::positionAt(double pixel) const
{
    const std::size_t count = lengthOf(data.layers);
    const double x = view->xAt(pixel);
    return count > 0 && x >= 0 && x <= static_cast<double>(count - 1)
               ? std::optional(static_cast<std::size_t>(std::lround(x)))
               : std::nullopt;
}

void AreaChart::Impl::moveCursor(std::optional<std::size_t> to)
{
    if (to == cursor)
        return;
    cursor = to;
    view->viewport()->update();
    moved();
}

AreaChart::AreaChart(QWidget *parent) : QWidget(parent), m(std::make_unique<Impl>())
{
    m->moved = [this] { Q_EMIT positionChanged(); };
    m->view = new PlotView(this);
    m->view->setMargins({56, 20, 12, 26});
    m->view->setColors(isDark(palette()));
    m->view->viewport()->setMouseTracking(true);
    m->view->viewport()->installEventFilter(this);
    m->view->overlay = [this](QPainter &painter) {
        painter.setRenderHint(QPainter::Antialiasing);
        m->drawSpans(painter);
        m->drawLine(painter);
        m->drawLimit(painter);
        m->drawMark(painter);
        m->drawHeld(painter);
        m->drawCursor(painter);
    };
    setFocusPolicy(Qt::StrongFocus);
    setMinimumHeight(170);
    offerTable(*this, [this] { return table(); });
}

AreaChart::~AreaChart() = default;

void AreaChart::setData(AreaData content)
{
    m->data = std::move(content);
    m->cursor.reset();
    m->pinned.reset();
    m->rebuild();
    setAccessibleDescription(m->data.markName);
    Q_EMIT positionChanged();
}

ChartTable AreaChart::table() const
{
    ChartTable table{.columns = {tr("Position")}};
    for (const AreaLayer &layer : m->data.layers)
        table.columns << layer.name;
    table.columns << tr("Total");
    if (!m->data.line.values.empty())
        table.columns << m->data.line.name;
    const auto text = [this](double value) { return m->data.text ? m->data.text(value) : QString::number(value); };
    for (std::size_t i = 0; i < lengthOf(m->data.layers); ++i) {
        QStringList row{i < m->data.positions.size() ? m->data.positions[i] : QString::number(i)};
        double total = 0;
        for (const AreaLayer &layer : m->data.layers) {
            row << text(layer.values[i]);
            total += layer.values[i];
        }
        row << text(total);
        if (i < m->data.line.values.size())
            row << text(m->data.line.values[i]);
        table.rows.push_back(std::move(row));
    }
    return table;
}

std::optional<std::size_t> AreaChart::position() const
{
    return m->cursor ? m->cursor : m->pinned ? m->pinned : m->data.mark;
}

std::optional<std::size_t> AreaChart::pinned() const { return m->pinned; }

void AreaChart::pin(std::optional<std::size_t> position)
{
    m->pinned = position && *position < lengthOf(m->data.layers) ? position : std::nullopt;
    m->view->viewport()->update();
    Q_EMIT positionChanged();
}

void AreaChart::setFixedScheme(bool dark)
{
    m->fixedDark = dark;
    m->view->setColors(dark);
    m->rebuild();
}

void AreaChart::paintTo(QPainter &painter, const QRectF &target)
{
    m->view->render(&painter, target, m->view->rect(), Qt::KeepAspectRatio);
}

void AreaChart::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange) {
        m->view->setColors(m->fixedDark.value_or(isDark(palette())));
        m->rebuild();
    }
    QWidget::changeEvent(event);
}

void AreaChart::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    m->view->setGeometry(rect());
}

void AreaChart::keyPressEvent(QKeyEvent *event)
{
    const std::size_t count = lengthOf(m->data.layers);
    const std::size_t now = m->cursor.value_or(m->pinned.value_or(m->data.mark.value_or(0)));
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter,
               home = event->key() == Qt::Key_Home, end = event->key() == Qt::Key_End;
    if (count > 0 && enter && m->cursor) {
        pin(m->cursor);
        return;
    }
    if (event->key() == Qt::Key_Escape && (m->pinned || m->cursor)) {
        m->cursor.reset();
        pin({});
        return;
    }
    if (count > 0 && (home || end)) {
        m->moveCursor(home ? 0 : count - 1);
        return;
    }
    if (count == 0 || (event->key() != Qt::Key_Left && event->key() != Qt::Key_Right)) {
        QWidget::keyPressEvent(event);
        return;
    }
    if (event->key() == Qt::Key_Left)
        m->moveCursor(now > 0 ? now - 1 : 0);
    else
        m->moveCursor(std::min(count - 1, now + 1));
}

void AreaChart::focusOutEvent(QFocusEvent *event)
{
    m->moveCursor({});
    QWidget::focusOutEvent(event);
}

bool AreaChart::eventFilter(QObject *watched, QEvent *event)
{
    constexpr double kSamePixels = 4;
    if (event->type() == QEvent::Leave) {
        m->moveCursor({});
    } else if (event->type() == QEvent::MouseMove) {
        m->moveCursor(m->positionAt(static_cast<QMouseEvent *>(event)->position().x()));
    } else if (event->type() == QEvent::MouseButtonPress &&
               static_cast<QMouseEvent *>(event)->button() == Qt::LeftButton) {
        const double pixel = static_cast<QMouseEvent *>(event)->position().x();
        const bool letsGo =
            m->pinned && std::abs(m->view->toPixel({static_cast<double>(*m->pinned), 0}).x() - pixel) < kSamePixels;
        pin(letsGo ? std::nullopt : m->positionAt(pixel));
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace slipway::ui
