// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A user of a window: presses keys and mouse buttons of the window itself, and can reach only what can be seen.
#pragma once

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QApplication>
#include <QScrollArea>
#include <QTest>
#include <QTimer>
#include <QWindow>
#include <functional>
#include <gmock/gmock.h>

#include "ui/widgets/text.h"

namespace slipway::ui {

class User {
public:
    explicit User(QWidget &window, const QSize &size = {1280, 800}) : m_window(window)
    {
        window.resize(size);
        window.show();
        QApplication::setActiveWindow(&window);
        pause();
    }

    static void pause()
    {
        for (int round = 0; round < 8; ++round)
            QApplication::processEvents();
    }

    // Scrolls to `target`, and presses the left button in its middle, if nothing else is there.
    void click(QWidget &target)
    {
        pause();
        const QWidget &top = *target.window();
        scrollTo(target);
        const QPoint at = target.mapTo(&top, target.rect().center());
        const QWidget *hit = top.childAt(at);
        ASSERT_TRUE(target.isVisible()) << nameOf(target) << " is hidden";
        ASSERT_TRUE(hit == &target || target.isAncestorOf(hit))
            << nameOf(target) << " is covered by " << (hit != nullptr ? nameOf(*hit) : "nothing");
        ASSERT_NE(top.windowHandle(), nullptr);
        QTest::mouseClick(top.windowHandle(), Qt::LeftButton, {}, at);
        pause();
    }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {})
    {
        QTest::keyClick(focusedWindow(), key, modifiers);
        pause();
    }
    void type(const QString &text)
    {
        for (const QChar c : text)
            QTest::keyClick(focusedWindow(), c.toLatin1());
        pause();
    }
    // Replaces the text of the focused field.
    void retype(const QString &text)
    {
        press(Qt::Key_A, Qt::ControlModifier);
        type(text);
    }
    // Presses Tab until `target`, or something in it, has the focus.
    [[nodiscard]] bool tabTo(const QWidget &target, int most = 120)
    {
        m_visited.clear();
        for (int presses = 0; presses < most; ++presses) {
            const QWidget *focused = QApplication::focusWidget();
            if (focused == &target || target.isAncestorOf(focused))
                return true;
            m_visited += (focused != nullptr ? nameOf(*focused) : std::string("nothing")) + "\n";
            press(Qt::Key_Tab);
        }
        return false;
    }
    // Where the last walk by Tab went.
    [[nodiscard]] const std::string &visited() const { return m_visited; }
    // Acts on the dialog that comes next, while the call that opened it waits for its answer.
    template<typename Dialog>
    static void whenAsked(const std::function<void(Dialog &)> &act)
    {
        auto *timer = new QTimer(qApp);
        timer->setInterval(5);
        QObject::connect(timer, &QTimer::timeout, timer, [timer, act] {
            auto *dialog = qobject_cast<Dialog *>(QApplication::activeModalWidget());
            if (dialog == nullptr || !dialog->isVisible())
                return;
            timer->stop();
            timer->deleteLater();
            act(*dialog);
        });
        timer->start();
    }

    // "QPushButton 'Launch' &Launch...", for messages.
    static std::string nameOf(const QWidget &widget)
    {
        const auto *button = qobject_cast<const QAbstractButton *>(&widget);
        return std::string(widget.metaObject()->className()) + " '" + widget.accessibleName().toStdString() + "' " +
               (button != nullptr ? button->text().toStdString() : std::string());
    }

private:
    static void scrollTo(QWidget &target)
    {
        for (QWidget *outer = target.parentWidget(); outer != nullptr; outer = outer->parentWidget()) {
            if (auto *area = qobject_cast<QScrollArea *>(outer))
                area->ensureWidgetVisible(&target, 20, 20);
        }
        pause();
    }
    [[nodiscard]] QWindow *focusedWindow() const
    {
        const QWidget *focused = QApplication::focusWidget();
        return (focused != nullptr ? focused->window() : &m_window)->windowHandle();
    }

    QWidget &m_window;
    std::string m_visited;
};

} // namespace slipway::ui
