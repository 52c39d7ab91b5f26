// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/runs/notifier.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QProcess>
#include <QVariantMap>

namespace slipway::ui {

namespace {

constexpr int kShownMs = 15'000;

bool overBus(const QString &title, const QString &body)
{
    const QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected())
        return false;
    QDBusMessage message = QDBusMessage::createMethodCall(QStringLiteral("org.freedesktop.Notifications"),
        QStringLiteral("/org/freedesktop/Notifications"), QStringLiteral("org.freedesktop.Notifications"),
        QStringLiteral("Notify"));
    // The arguments are: application, id of a notification to replace, icon, title, body, actions, hints, milliseconds.
    message.setArguments({QStringLiteral("Slipway"), 0U, QStringLiteral("slipway"), title, body, QStringList(),
        QVariantMap{{QStringLiteral("desktop-entry"), QStringLiteral("slipway")}}, kShownMs});
    return bus.send(message); // does not wait for the reply
}

bool overCommand(const QString &program, const QStringList &arguments)
{
    return QProcess::startDetached(program, arguments);
}

} // namespace

DesktopNotifier::DesktopNotifier() : DesktopNotifier(overBus, overCommand) {}

void DesktopNotifier::notify(const QString &title, const QString &text)
{
    const QString body = text.toHtmlEscaped(); // a body is markup, but names of runs are plain text
    if (m_bus && m_bus(title, body))
        return;
    if (m_command)
        m_command(
            QStringLiteral("notify-send"), {QStringLiteral("--app-name=Slipway"), QStringLiteral("--icon=slipway"),
                                               QStringLiteral("--"), title, body});
}

} // namespace slipway::ui
