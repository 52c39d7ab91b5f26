// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A word to somebody who looks elsewhere: the desktop's notifications (org.freedesktop.Notifications), or notify-send
// where the session bus cannot be reached.
#pragma once

#include <QString>
#include <QStringList>
#include <functional>

namespace slipway::ui {

class Notifier {
public:
    virtual ~Notifier() = default;
    virtual void notify(const QString &title, const QString &text) = 0;
};

class DesktopNotifier final : public Notifier {
public:
    // Each says whether it was taken; the second is asked where the first says no.
    using Bus = std::function<bool(const QString &title, const QString &body)>;
    using Command = std::function<bool(const QString &program, const QStringList &arguments)>;

    DesktopNotifier(); // the session bus, and programs on PATH
    DesktopNotifier(Bus bus, Command command) : m_bus(std::move(bus)), m_command(std::move(command)) {}
    void notify(const QString &title, const QString &text) override;

private:
    Bus m_bus;
    Command m_command;
};

} // namespace slipway::ui
