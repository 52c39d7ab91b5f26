// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QEvent>
#include <QPointer>
#include <QWidget>

namespace slipway::ui {

// When `page` gets the focus, `first` has it. A focus proxy would do that too, but Tab would jump to it over what comes
// before it on the page.
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
