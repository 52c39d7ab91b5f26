// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QObject>
#include <QPalette>
#include <QString>

#include "ui/theme/system_scheme.h"

class QApplication;

namespace slipway::ui {

enum class Scheme { System, Light, Dark };

// Applies the style and the palette of a color scheme to the application, and can follow the system. Widgets receive a
// QEvent::PaletteChange. The application has one Theme, which main() owns.
class Theme : public QObject {
    Q_OBJECT
public:
    explicit Theme(QApplication &application, Scheme scheme = Scheme::System);

    void setScheme(Scheme scheme);
    [[nodiscard]] Scheme scheme() const { return m_scheme; }
    [[nodiscard]] bool dark() const { return m_dark; }
    [[nodiscard]] SystemScheme &system() { return m_system; }

Q_SIGNALS:
    void changed();

private:
    void apply();

    QApplication &m_application;
    QPalette m_systemPalette; // the platform's palette, before it is replaced
    SystemScheme m_system;
    Scheme m_scheme;
    bool m_dark = false;
};

} // namespace slipway::ui
