// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QEvent>
#include <QPointer>
#include <QWidget>

namespace slipway::ui {

// Passes the focus of `page` on to `first`. A focus proxy would also do this, but Tab would then skip the widgets that
// precede `first` on the page.
inline void setFirstFocus(QWidget &page, QWidget &first)
{
    class Filter : public QObject {
    public:
        Filter(QWidget &page, QWidget &first) : QObject(&page), m_first(&first) { page.installEventFilter(this); }
        bool eventFilter(QObject *, QEvent *event) override
        {
            if (event->type() == QEvent::FocusIn && m_first)
                m_first->setFocus();
            return false;
        }

    private:
        QPointer<QWidget> m_first;
    };
    new Filter(page, first);
}

} // namespace slipway::ui
