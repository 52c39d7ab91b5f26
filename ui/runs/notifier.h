// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Shows desktop notifications through D-Bus (org.freedesktop.Notifications), or with notify-send if there is no session
// bus.
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
    // Both return whether they delivered the notification. The command is used if the bus failed.
    using Bus = std::function<bool(const QString &title, const QString &body)>;
    using Command = std::function<bool(const QString &program, const QStringList &arguments)>;

    DesktopNotifier(); // uses the session bus and programs on PATH
    DesktopNotifier(Bus bus, Command command) : m_bus(std::move(bus)), m_command(std::move(command)) {}
    void notify(const QString &title, const QString &text) override;

private:
    Bus m_bus;
    Command m_command;
};

} // namespace slipway::ui
