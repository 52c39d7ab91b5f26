// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/theme/theme.h"

#include <QApplication>
#include <QFont>
#include <QToolTip>

#include "ui/theme/theme_colors.h"
#include "ui/theme/style.h"

namespace slipway::ui {

Theme::Theme(QApplication &application, Scheme scheme)
    : m_application(application),
      m_systemPalette(QApplication::palette()),
      m_scheme(scheme)
{
    QApplication::setStyle(new Style); // the application owns it
    apply();
    connect(&m_system, &SystemScheme::changed, this, [this] {
        if (m_scheme != Scheme::System)
            return;
        apply();
        Q_EMIT changed();
    });
}

void Theme::setScheme(Scheme scheme)
{
    if (m_scheme == scheme)
        return;
    m_scheme = scheme;
    apply();
    Q_EMIT changed();
}

void Theme::apply()
{
    // If the desktop does not report its color scheme, the initial palette of the platform decides.
    m_dark =
        m_scheme == Scheme::Dark || (m_scheme == Scheme::System && m_system.dark().value_or(isDark(m_systemPalette)));
    const QPalette palette = applicationPalette(m_dark);
    QApplication::setPalette(palette);
    QToolTip::setPalette(palette);
}

} // namespace slipway::ui
