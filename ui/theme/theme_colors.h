// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Colors by meaning. No widget names a color itself; each entry has a light and a dark value that keep their
// contrast.
#pragma once

#include <QColor>
#include <QPalette>

#include "plan/step_plan.h"

namespace slipway::ui {

enum class ThemeColor {
    Window,  // behind everything
    Surface, // cards, fields
    Raised,  // hovered rows, buttons
    Border,
    Grid, // lines inside charts
    Text,
    Muted,  // labels, units
    Accent, // what can be acted on
    AccentWash,
    OnAccent,
    Good,
    GoodWash,
    Warn,
    WarnWash,
    Bad,
    BadWash,
    Measured,  // what a run did: solid
    Predicted, // what was foretold: band and dashes
    PredictedWash,
    Raw, // measured points behind their smoothed line
};

QColor themeColor(ThemeColor id, bool dark);
// The part of memory that a role is: model states are cool, activations warm, the rest neutral.
QColor roleColor(Role role, bool dark);
// The part of a step that a cost class is.
QColor costColor(CostClass kind, bool dark);

// The n-th of several curves side by side: eight hues that stay apart for every kind of color vision (Okabe and Ito),
// darkened or lightened until they stand out of the ground. Beyond eight they repeat: the dash pattern tells them
// apart.
QColor seriesColor(std::size_t n, bool dark);

// A palette says itself whether it is dark, so that a widget needs nothing but its own palette.
bool isDark(const QPalette &palette);
inline QColor themeColor(ThemeColor id, const QPalette &palette) { return themeColor(id, isDark(palette)); }
// `over` laid on `under` at `alpha`, as an opaque color: PDF/A and stacked bands need opaque ones.
QColor blended(const QColor &over, const QColor &under, double alpha);

QPalette applicationPalette(bool dark);

} // namespace slipway::ui
