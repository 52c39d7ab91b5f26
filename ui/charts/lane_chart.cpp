// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/lane_chart.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "ui/charts/chart_tooltip.h"
#include "ui/charts/ticks.h"
#include "ui/language/local_text.h"
#include "ui/theme/theme_colors.h"

namespace slipway::ui {

namespace {

constexpr double kNames = 74, kLaneHeight = 30, kLaneGap = 6, kTimes = 22;
constexpr double kShortest = 1e-6; // shortest visible range, in seconds

} // namespace

LaneChart::LaneChart(QWidget *parent) : QWidget(parent)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    offerTable(*this, [this] { return table(); });
    setFont(chartFont(font()));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

QSize LaneChart::sizeHint() const
{
    const auto lanes = static_cast<double>(std::max<std::size_t>(1, m_data.lanes.size()));
    return {640, static_cast<int>(lanes * (kLaneHeight + kLaneGap) + kTimes + 4)};
}

void LaneChart::setData(LaneData data)
{
    m_data = std::move(data);
    m_hovered.reset();
    m_from = 0;
    m_to = std::max(m_data.end, kShortest);
    updateGeometry();
    update();
}

ChartTable LaneChart::table() const
{
    ChartTable table{.columns = {tr("Lane"), tr("Operation"), tr("Category"), tr("Start"), tr("Duration")}};
    for (const LaneData::Lane &lane : m_data.lanes) {
        for (const LaneItem &item : lane.items)
            table.rows.push_back(
                {lane.name, item.name, item.kind < m_data.kinds.size() ? m_data.kinds[item.kind].name : QString(),
                    localText(formatSeconds(item.start)), localText(formatSeconds(item.end - item.start))});
    }
    return table;
}

void LaneChart::show(double from, double to)
{
    const double width = std::clamp(to - from, std::min(kShortest, m_data.end), std::max(m_data.end, kShortest));
    m_from = std::clamp(from, 0.0, std::max(0.0, m_data.end - width));
    m_to = m_from + width;
    update();
}

QRectF LaneChart::plot() const { return QRectF(rect()).adjusted(kNames, 2, -8, -kTimes); }

QRectF LaneChart::laneRect(std::size_t lane) const
{
    const QRectF area = plot();
    return {area.left(), area.top() + static_cast<double>(lane) * (kLaneHeight + kLaneGap), area.width(), kLaneHeight};
}

double LaneChart::timeAt(double x) const
{
    return m_from + (x - plot().left()) / std::max(1.0, plot().width()) * (m_to - m_from);
}
double LaneChart::pixelAt(double time) const
{
    return plot().left() + (time - m_from) / (m_to - m_from) * plot().width();
}

// Merges neighboring items of one kind that are narrower than a pixel, because a step can have thousands of them.
void LaneChart::drawLane(QPainter &painter, std::size_t lane) const
{
    const QRectF row = laneRect(lane);
    const auto &items = m_data.lanes[lane].items;
    const QFontMetricsF metrics(font());
    painter.setPen(themeColor(ThemeColor::Muted, palette()));
    painter.drawText(
        QRectF(0, row.top(), kNames - 10, row.height()), Qt::AlignRight | Qt::AlignVCenter, m_data.lanes[lane].name);
    painter.fillRect(row, themeColor(ThemeColor::Raised, palette()));
    auto item = std::lower_bound(
        items.begin(), items.end(), m_from, [](const LaneItem &i, double from) { return i.end < from; });
    double drawnTo = row.left();
    for (; item != items.end() && item->start <= m_to; ++item) {
        const double left = std::max(row.left(), pixelAt(item->start)),
                     right = std::min(row.right(), pixelAt(item->end));
        if (right - left < 0.5 && right < drawnTo + 0.5)
            continue;
        const LaneKind &kind = m_data.kinds[item->kind];
        const QColor color = isDark(palette()) ? kind.dark : kind.light;
        const QRectF box(left, row.top(), std::max(1.0, right - left - (right - left > 3 ? 0.8 : 0.0)), row.height());
        painter.fillRect(box, color);
        drawnTo = right;
        if (box.width() > metrics.horizontalAdvance(item->name) + 8) {
            painter.setPen(color.lightnessF() < 0.55F ? QColor(Qt::white) : QColor(Qt::black));
            painter.drawText(box, Qt::AlignCenter, item->name);
        }
    }
}

void LaneChart::drawTimes(QPainter &painter) const
{
    const QRectF area = plot();
    const QFontMetricsF metrics(font());
    const bool micro = m_to - m_from < 2e-3, seconds = m_to - m_from > 5;
    const double unit = micro ? 1e-6 : seconds ? 1 : 1e-3;
    const std::vector<double> ticks =
        niceTicks(m_from / unit, m_to / unit, static_cast<int>(std::clamp(area.width() / 90, 2.0, 10.0)));
    const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 1;
    const double bottom = laneRect(m_data.lanes.empty() ? 0 : m_data.lanes.size() - 1).bottom();
    for (const double tick : ticks) {
        const double x = pixelAt(tick * unit);
        painter.setPen(QPen(themeColor(ThemeColor::Border, palette()), 1));
        painter.drawLine(QPointF(x, bottom), QPointF(x, bottom + 4));
        painter.setPen(themeColor(ThemeColor::Muted, palette()));
        painter.drawText(QRectF(x - 50, bottom + 5, 100, metrics.height()), Qt::AlignHCenter | Qt::AlignTop,
            localText(compactNumber(tick, step)) + (micro        ? QStringLiteral(" µs")
                                                       : seconds ? QStringLiteral(" s")
                                                                 : QStringLiteral(" ms")));
    }
}

void LaneChart::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setFont(font());
    for (std::size_t lane = 0; lane < m_data.lanes.size(); ++lane)
        drawLane(painter, lane);
    drawTimes(painter);
    painter.setRenderHint(QPainter::Antialiasing);
    if (hasFocus()) {
        painter.setPen(QPen(themeColor(ThemeColor::Accent, palette()), 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(plot().adjusted(-2, -2, 2, 2), 3, 3);
    }
    if (!m_hovered || !m_data.describe)
        return;
    const LaneItem &item = m_data.lanes[m_hovered->lane].items[m_hovered->item];
    const QRectF row = laneRect(m_hovered->lane);
    const double left = std::max(row.left(), pixelAt(item.start)), right = std::min(row.right(), pixelAt(item.end));
    painter.setPen(QPen(themeColor(ThemeColor::Text, palette()), 1.4));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(left, row.top(), std::max(1.0, right - left), row.height()));
    drawTooltip(painter, QRectF(rect()).adjusted(2, 1, -2, -1), {right, row.center().y()},
        m_data.describe(m_hovered->lane, m_hovered->item), palette());
}

std::optional<LaneChart::Hit> LaneChart::itemAt(QPointF at) const
{
    const double pixel = (m_to - m_from) / std::max(1.0, plot().width());
    for (std::size_t lane = 0; lane < m_data.lanes.size(); ++lane) {
        if (!laneRect(lane).contains(at))
            continue;
        const double time = timeAt(at.x());
        const auto &items = m_data.lanes[lane].items;
        const auto item =
            std::lower_bound(items.begin(), items.end(), time, [](const LaneItem &i, double t) { return i.end < t; });
        if (item != items.end() && item->start <= time + pixel)
            return Hit{lane, static_cast<std::size_t>(item - items.begin())};
    }
    return std::nullopt;
}

void LaneChart::wheelEvent(QWheelEvent *event)
{
    // The wheel scrolls the page. The chart uses it with Ctrl, or while it has the focus.
    if (!hasFocus() && !(event->modifiers() & Qt::ControlModifier)) {
        event->ignore();
        return;
    }
    const double factor = std::pow(0.8, event->angleDelta().y() / 120.0), around = timeAt(event->position().x());
    show(around - (around - m_from) * factor, around + (m_to - around) * factor);
    event->accept();
}

void LaneChart::mousePressEvent(QMouseEvent *event)
{
    m_pressed = event->position();
    m_pressedFrom = m_from;
}

void LaneChart::mouseMoveEvent(QMouseEvent *event)
{
    if (event->buttons() & Qt::LeftButton) {
        const double width = m_to - m_from,
                     moved = (event->position().x() - m_pressed.x()) / std::max(1.0, plot().width()) * width;
        show(m_pressedFrom - moved, m_pressedFrom - moved + width);
        return;
    }
    if (const auto hit = itemAt(event->position()); hit != m_hovered) {
        m_hovered = hit;
        update();
    }
}

void LaneChart::mouseDoubleClickEvent(QMouseEvent *) { show(0, m_data.end); }

void LaneChart::leaveEvent(QEvent *)
{
    m_hovered.reset();
    update();
}

void LaneChart::keyPressEvent(QKeyEvent *event)
{
    const double width = m_to - m_from, middle = (m_from + m_to) / 2;
    switch (event->key()) {
    case Qt::Key_Left:
        show(m_from - width / 5, m_to - width / 5);
        break;
    case Qt::Key_Right:
        show(m_from + width / 5, m_to + width / 5);
        break;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        show(middle - width * 0.4, middle + width * 0.4);
        break;
    case Qt::Key_Minus:
        show(middle - width * 0.625, middle + width * 0.625);
        break;
    case Qt::Key_0:
        show(0, m_data.end);
        break;
    default:
        QWidget::keyPressEvent(event);
    }
}

} // namespace slipway::ui
