// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Colors by their meaning, each with a light and a dark value of sufficient contrast. Widgets use no other colors.
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
// Returns the color of a memory category: cool colors for model states, warm ones for activations, neutral ones for the
// others.
QColor roleColor(Role role, bool dark);
// Returns the color of a kernel category of a step.
QColor costColor(CostClass kind, bool dark);

inline constexpr std::size_t kSeriesHues = 8;

// Returns the color of the n-th of several curves: the eight hues of Okabe and Ito, which people with color blindness
// can distinguish, adjusted for contrast and distance. Beyond eight curves, the colors repeat with other dashes
// (series_mark.h).
QColor seriesColor(std::size_t n, bool dark);

// The scheme is derived from the palette, so that a widget needs only its own palette.
bool isDark(const QPalette &palette);
inline QColor themeColor(ThemeColor id, const QPalette &palette) { return themeColor(id, isDark(palette)); }
// Returns `over` blended onto `under` with `alpha`. The result is opaque, because PDF/A and stacked bands require this.
QColor blended(const QColor &over, const QColor &under, double alpha);

QPalette applicationPalette(bool dark);

} // namespace slipway::ui
