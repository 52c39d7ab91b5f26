// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/selectable_chart.h"

#include <QKeyEvent>
#include <QLineF>
#include <QMouseEvent>
#include <QPainter>
#include <limits>

#include "ui/charts/chart_tooltip.h"
#include "ui/theme/theme_colors.h"

namespace slipway::ui {

SelectableChart::SelectableChart(QWidget *parent) : QWidget(parent)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setFont(chartFont(font()));
}

void SelectableChart::setItems(std::vector<std::optional<std::size_t>> ids, std::size_t itemsPerRow)
{
    m_ids = std::move(ids);
    m_itemsPerRow = itemsPerRow;
    pick({});
}

void SelectableChart::pick(std::optional<std::size_t> item)
{
    if (item == m_picked)
        return;
    m_picked = item;
    setCursor(item ? Qt::PointingHandCursor : Qt::ArrowCursor);
    update();
}

bool SelectableChart::choose()
{
    if (m_picked)
        Q_EMIT chosen(*m_ids[*m_picked]);
    return m_picked.has_value();
}

std::optional<std::size_t> SelectableChart::itemAt(QPointF at) const
{
    std::optional<std::size_t> nearest;
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < m_ids.size(); ++i) {
        const QRectF box = itemRect(i);
        const double distance = QLineF(box.center(), at).length();
        if (m_ids[i] && distance < best && box.contains(at)) {
            best = distance;
            nearest = i;
        }
    }
    return nearest;
}

std::optional<std::size_t> SelectableChart::itemBeside(int key) const
{
    const auto row = static_cast<std::ptrdiff_t>(m_itemsPerRow), count = std::ssize(m_ids);
    const std::ptrdiff_t step = key == Qt::Key_Left    ? -1
                                : key == Qt::Key_Right ? 1
                                : key == Qt::Key_Up    ? -row
                                : key == Qt::Key_Down  ? row
                                                       : 0;
    if (step == 0)
        return std::nullopt;
    for (std::ptrdiff_t at = m_picked ? static_cast<std::ptrdiff_t>(*m_picked) + step : 0; at >= 0 && at < count;
        at += m_picked ? step : 1) {
        if (m_ids[static_cast<std::size_t>(at)])
            return static_cast<std::size_t>(at);
    }
    return m_picked;
}

void SelectableChart::drawFocus(QPainter &painter) const
{
    if (!hasFocus())
        return;
    painter.setPen(QPen(themeColor(ThemeColor::Accent, palette()), 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 5, 5);
}

void SelectableChart::mouseMoveEvent(QMouseEvent *event) { pick(itemAt(event->position())); }

void SelectableChart::mouseReleaseEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton)
        choose();
}

void SelectableChart::leaveEvent(QEvent *) { pick({}); }

void SelectableChart::keyPressEvent(QKeyEvent *event)
{
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (enter && choose())
        return;
    if (const auto beside = itemBeside(event->key()))
        pick(beside);
    else
        QWidget::keyPressEvent(event);
}

} // namespace slipway::ui
