// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QDBusVariant>
#include <QObject>
#include <QString>
#include <optional>

namespace slipway::ui {

// Whether the desktop is set to dark, and when that changes: the portal's setting org.freedesktop.appearance
// color-scheme (1 dark, 2 light, 0 no preference). Qt tells it itself only from 6.5 on.
class SystemScheme : public QObject {
    Q_OBJECT
public:
    explicit SystemScheme(QObject *parent = nullptr);
    [[nodiscard]] std::optional<bool> dark() const { return m_dark; } // empty: nobody says

public Q_SLOTS:
    void onSettingChanged(
        const QString &space, const QString &key, const QDBusVariant &value); // as the portal's signal has it

Q_SIGNALS:
    void changed();

private:
    void ask();

    std::optional<bool> m_dark;
};

} // namespace slipway::ui
