// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QDBusVariant>
#include <QObject>
#include <QString>
#include <optional>

namespace slipway::ui {

// Reads and follows the desktop's color scheme from the portal setting org.freedesktop.appearance color-scheme (1 dark,
// 2 light, 0 no preference). Qt itself offers this only since version 6.5.
class SystemScheme : public QObject {
    Q_OBJECT
public:
    explicit SystemScheme(QObject *parent = nullptr);
    [[nodiscard]] std::optional<bool> dark() const { return m_dark; } // empty if unknown

public Q_SLOTS: // NOLINT(readability-redundant-access-specifiers): moc reads it
    void onSettingChanged(
        const QString &space, const QString &key, const QDBusVariant &value); // slot of the portal's signal

Q_SIGNALS:
    void changed();

private:
    void ask();

    std::optional<bool> m_dark;
};

} // namespace slipway::ui
