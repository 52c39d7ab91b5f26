// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/stacked_bar.h"

#include <QEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

#include "ui/charts/plot_view.h"
#include "ui/language/local_text.h"

namespace slipway::ui {

namespace {

constexpr double kBarLow = 0.12, kBarHigh = 0.88; // fractions of the plot's height

double weight(double value) { return std::isfinite(value) && value > 0 ? value : 0.0; }

} // namespace

std::vector<double> stackedEdges(const std::vector<BarPart> &parts)
{
    std::vector<double> edges{0.0};
    edges.reserve(parts.size() + 1);
    for (const BarPart &part : parts)
        edges.push_back(edges.back() + weight(part.value));
    return edges;
}

struct StackedBar::Impl {
    PlotView *view = nullptr;
    BarData data;
    std::vector<double> edges;
    std::optional<int> hovered;
    std::optional<bool> fixedDark;

    void rebuild();
    void drawLimit(QPainter &painter) const;
    void drawRange(QPainter &painter) const;
    void drawHover(QPainter &painter) const;
};

// Each part is an area series. A bar series would leave gaps at both ends and could not fill the width.
void StackedBar::Impl::rebuild()
{
    edges = stackedEdges(data.parts);
    const double end = std::max({edges.back(), data.limit.value_or(0.0), data.high.value_or(0.0)});
    view->setRanges({0.0, end > 0 ? end * 1.04 : 1.0}, {0.0, 1.0});
    view->setAxisTitle(data.axisTitle);
    view->setFormats(data.tick ? TickFormat(data.tick) : TickFormat(compactNumber), compactNumber);
    std::size_t drawn = 0;
    for (std::size_t i = 0; i < data.parts.size(); ++i) {
        if (edges[i + 1] <= edges[i])
            continue;
        view->setArea(drawn++, {{edges[i], kBarLow}, {edges[i + 1], kBarLow}},
            {{edges[i], kBarHigh}, {edges[i + 1], kBarHigh}}, view->dark() ? data.parts[i].dark : data.parts[i].light,
            QPen(view->colorOf(ThemeColor::Surface), 1));
    }
    view->hideAreasFrom(drawn);
}

void StackedBar::Impl::drawLimit(QPainter &painter) const
{
    if (!data.limit)
        return;
    const double x = view->toPixel({*data.limit, 0}).x();
    const QRectF area = view->plotRect();
    const bool over = edges.back() > *data.limit;
    painter.setPen(QPen(view->colorOf(over ? ThemeColor::Bad : ThemeColor::Text), 2));
    painter.drawLine(QPointF(x, area.top() - 2), QPointF(x, area.bottom() + 2));
    QFont font = view->font();
    font.setPointSizeF(font.pointSizeF() * 0.86);
    painter.setFont(font);
    const QFontMetricsF metrics(font);
    const double width = metrics.horizontalAdvance(data.limitName);
    const double left = std::clamp(x - width / 2, 0.0, view->width() - width - 2.0);
    painter.drawText(QPointF(left, area.top() - 6), data.limitName);
}

void StackedBar::Impl::drawRange(QPainter &painter) const
{
    if (!data.low || !data.high || *data.high <= *data.low)
        return;
    const double a = view->toPixel({*data.low, 0}).x(), b = view->toPixel({*data.high, 0}).x();
    const double y = view->plotRect().center().y();
    painter.setPen(QPen(view->colorOf(ThemeColor::Surface), 5, Qt::SolidLine, Qt::RoundCap));
    const auto whisker = [&] {
        painter.drawLine(QPointF(a, y), QPointF(b, y));
        painter.drawLine(QPointF(a, y - 6), QPointF(a, y + 6));
        painter.drawLine(QPointF(b, y - 6), QPointF(b, y + 6));
    };
    whisker();
    painter.setPen(QPen(view->colorOf(ThemeColor::Text), 1.6, Qt::SolidLine, Qt::RoundCap));
    whisker();
}

void StackedBar::Impl::drawHover(QPainter &painter) const
{
    if (!hovered || *hovered >= static_cast<int>(data.parts.size()))
        return;
    const auto i = static_cast<std::size_t>(*hovered);
    const BarPart &part = data.parts[i];
    const QPointF anchor = view->toPixel({(edges[i] + edges[i + 1]) / 2, 0.5});
    const double share = edges.back() > 0 ? 100.0 * weight(part.value) / edges.back() : 0.0;
    drawCursorTooltip(painter, *view, anchor, {},
        {{view->dark() ? part.dark : part.light, part.name,
            (data.text ? data.text(part.value) : QString::number(part.value)) +
                QStringLiteral(" · %1 %").arg(localNumber(share, share < 10 ? 1 : 0))}});
}

StackedBar::StackedBar(QWidget *parent) : QWidget(parent), m(std::make_unique<Impl>())
{
    m->view = new PlotView(this);
    m->view->showYAxis(false);
    m->view->setMargins({6, 20, 12, 22});
    m->view->setColors(isDark(palette()));
    m->view->viewport()->setMouseTracking(true);
    m->view->viewport()->installEventFilter(this);
    m->view->overlay = [this](QPainter &painter) {
        painter.setRenderHint(QPainter::Antialiasing);
        m->drawRange(painter);
        m->drawLimit(painter);
        m->drawHover(painter);
    };
    setMinimumHeight(80);
    offerTable(*this, [this] { return table(); });
}

StackedBar::~StackedBar() = default;

void StackedBar::setData(BarData content)
{
    m->data = std::move(content);
    m->hovered.reset();
    m->rebuild();
    QStringList words;
    for (const BarPart &part : m->data.parts)
        words << part.name + u' ' + (m->data.text ? m->data.text(part.value) : QString::number(part.value));
    setAccessibleDescription(words.join(QStringLiteral(", ")));
}

ChartTable StackedBar::table() const
{
    ChartTable table{.columns = {tr("Part"), tr("Value"), tr("Share")}};
    const auto text = [this](double value) { return m->data.text ? m->data.text(value) : QString::number(value); };
    const double total = m->edges.empty() ? 0 : m->edges.back();
    for (const BarPart &part : m->data.parts)
        table.rows.push_back({part.name, text(part.value),
            total > 0 ? localNumber(100 * weight(part.value) / total, 1) + QStringLiteral(" %") : QString()});
    table.rows.push_back({tr("Total"), text(total), {}});
    if (m->data.low && m->data.high)
        table.rows.push_back({tr("P10–P90"), text(*m->data.low) + QStringLiteral(" – ") + text(*m->data.high), {}});
    if (m->data.limit)
        table.rows.push_back({m->data.limitName, text(*m->data.limit), {}});
    return table;
}

void StackedBar::setFixedScheme(bool dark)
{
    m->fixedDark = dark;
    m->view->setColors(dark);
    m->rebuild();
}

void StackedBar::paintTo(QPainter &painter, const QRectF &target)
{
    m->view->render(&painter, target, m->view->rect(), Qt::KeepAspectRatio);
}

void StackedBar::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange) {
        m->view->setColors(m->fixedDark.value_or(isDark(palette())));
        m->rebuild();
    }
    QWidget::changeEvent(event);
}

void StackedBar::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    m->view->setGeometry(rect());
}

bool StackedBar::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::MouseMove || event->type() == QEvent::Leave) {
        std::optional<int> now;
        if (event->type() == QEvent::MouseMove) {
            const double x = m->view->xAt(static_cast<QMouseEvent *>(event)->position().x());
            for (std::size_t i = 0; i + 1 < m->edges.size(); ++i) {
                if (x >= m->edges[i] && x < m->edges[i + 1])
                    now = static_cast<int>(i);
            }
        }
        if (now != m->hovered) {
            m->hovered = now;
            m->view->viewport()->update();
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace slipway::ui
