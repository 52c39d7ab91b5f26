// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/scrolling.h"

#include <QScrollArea>
#include <QScrollBar>
#include <QWheelEvent>

#include <cstdlib>

namespace slipway::ui {

namespace {

class WheelFilter : public QObject {
public:
    explicit WheelFilter(QAbstractScrollArea &area) : QObject(&area), m_area(area)
    {
        area.viewport()->installEventFilter(this);
        area.horizontalScrollBar()->installEventFilter(this); // it would turn the wheel into a move to the side
    }
    bool eventFilter(QObject *watched, QEvent *event) override
    {
        if (event->type() != QEvent::Wheel || m_area.hasFocus())
            return false;
        const QPoint turned = static_cast<QWheelEvent *>(event)->angleDelta();
        if (watched != m_area.viewport() && std::abs(turned.x()) > std::abs(turned.y()))
            return false;
        event->ignore(); // passes the event on to the parent of the table
        return true;
    }

private:
    QAbstractScrollArea &m_area;
};

} // namespace

void passWheel(QAbstractScrollArea &area) { new WheelFilter(area); }

QScrollArea *makeScrolling(QWidget *content)
{
    auto *area = new QScrollArea;
    area->setWidget(content);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    // Tab would stop at the area, where nothing shows the focus. It scrolls to the widget that has the focus, and by
    // the keys that this widget leaves to it.
    area->setFocusPolicy(Qt::NoFocus);
    area->viewport()->setAutoFillBackground(false);
    content->setAutoFillBackground(false);
    return area;
}

} // namespace slipway::ui
