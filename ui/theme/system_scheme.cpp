// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/theme/system_scheme.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>

namespace slipway::ui {

namespace {

const QString kService = QStringLiteral("org.freedesktop.portal.Desktop");
const QString kPath = QStringLiteral("/org/freedesktop/portal/desktop");
const QString kInterface = QStringLiteral("org.freedesktop.portal.Settings");
const QString kSpace = QStringLiteral("org.freedesktop.appearance");
const QString kKey = QStringLiteral("color-scheme");

// Older portals wrap the value in two variants.
QVariant unwrapped(QVariant value)
{
    while (value.canConvert<QDBusVariant>())
        value = value.value<QDBusVariant>().variant();
    return value;
}

} // namespace

SystemScheme::SystemScheme(QObject *parent) : QObject(parent)
{
    // Without a bus address, Qt would try to start a bus.
    if (!qEnvironmentVariableIsEmpty("DBUS_SESSION_BUS_ADDRESS"))
        ask();
}

void SystemScheme::ask()
{
    QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected())
        return;
    bus.connect(kService, kPath, kInterface, QStringLiteral("SettingChanged"), this,
        SLOT(onSettingChanged(QString, QString, QDBusVariant)));
    QDBusMessage read = QDBusMessage::createMethodCall(kService, kPath, kInterface, QStringLiteral("Read"));
    read.setArguments({kSpace, kKey});
    auto *answer = new QDBusPendingCallWatcher(bus.asyncCall(read), this);
    connect(answer, &QDBusPendingCallWatcher::finished, this, [this, answer] {
        const QDBusPendingReply<QDBusVariant> reply = *answer;
        if (reply.isValid())
            onSettingChanged(kSpace, kKey, reply.value());
        answer->deleteLater();
    });
}

void SystemScheme::onSettingChanged(const QString &space, const QString &key, const QDBusVariant &value)
{
    if (space != kSpace || key != kKey)
        return;
    const uint scheme = unwrapped(value.variant()).toUInt();
    const std::optional<bool> now = scheme == 1   ? std::optional(true)
                                    : scheme == 2 ? std::optional(false)
                                                  : std::nullopt;
    if (now == m_dark)
        return;
    m_dark = now;
    Q_EMIT changed();
}

} // namespace slipway::ui
