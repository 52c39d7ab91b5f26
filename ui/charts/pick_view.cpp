// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/pick_view.h"

#include <QKeyEvent>
#include <QMouseEvent>

#include "ui/charts/reading_box.h"

namespace slipway::ui {

PickView::PickView(QWidget *parent) : QWidget(parent)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setFont(chartFont(font()));
}

void PickView::pick(std::optional<std::size_t> item)
{
    if (item == m_picked)
        return;
    m_picked = item;
    setCursor(item && idOf(*item) ? Qt::PointingHandCursor : Qt::ArrowCursor);
    update();
}

bool PickView::choose()
{
    const auto id = m_picked ? idOf(*m_picked) : std::nullopt;
    if (id)
        Q_EMIT chosen(*id);
    return id.has_value();
}

void PickView::mouseMoveEvent(QMouseEvent *event) { pick(itemAt(event->position())); }

void PickView::mouseReleaseEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton)
        choose();
}

void PickView::leaveEvent(QEvent *) { pick({}); }

void PickView::keyPressEvent(QKeyEvent *event)
{
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (enter && choose())
        return;
    if (const auto beside = itemBeside(m_picked, event->key()))
        pick(beside);
    else
        QWidget::keyPressEvent(event);
}

} // namespace slipway::ui
