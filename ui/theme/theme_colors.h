// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Colors by meaning, each with a light and a dark value of sufficient contrast. Widgets use no other colors.
#pragma once

#include <QColor>
#include <QPalette>

#include "plan/step_plan.h"

namespace slipway::ui {

enum class ThemeColor {
    Window,  // window background
    Surface, // cards, fields
    Raised,  // hovered rows, buttons
    Border,
    Grid, // lines inside charts
    Text,
    Muted,  // labels, units
    Accent, // interactive elements
    AccentWash,
    OnAccent,
    Good,
    GoodWash,
    Warn,
    WarnWash,
    Bad,
    BadWash,
    Measured,  // measured values: solid lines
    Predicted, // predictions: bands and dashed lines
    PredictedWash,
    Raw, // unsmoothed values behind a smoothed line
};

QColor themeColor(ThemeColor id, bool dark);
// Memory categories: cool colors for model states, warm ones for activations, neutral ones for the rest.
QColor roleColor(Role role, bool dark);
// Kernel categories of a step.
QColor costColor(CostClass kind, bool dark);

inline constexpr std::size_t kSeriesHues = 8;

// The n-th of several curves: the eight hues of Okabe and Ito, which people with color-blindness can distinguish,
// adjusted for contrast and distance. Beyond eight they repeat with other dashes (series_mark.h).
QColor seriesColor(std::size_t n, bool dark);

// Derived from the palette, so that a widget needs only its own palette.
bool isDark(const QPalette &palette);
inline QColor themeColor(ThemeColor id, const QPalette &palette) { return themeColor(id, isDark(palette)); }
// `over` blended onto `under` with `alpha`. The result is opaque, as PDF/A and stacked bands require.
QColor blended(const QColor &over, const QColor &under, double alpha);

QPalette applicationPalette(bool dark);

} // namespace slipway::ui
