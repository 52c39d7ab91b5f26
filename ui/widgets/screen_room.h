// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Sizes of windows and dialogs. On a magnified screen, the usual sizes can exceed the screen.
#pragma once

#include <QScreen>
#include <QWidget>

namespace slipway::ui {

// Returns `usual`, or less if the screen of `window` is smaller.
inline QSize withinScreen(const QWidget &window, const QSize &usual)
{
    constexpr int kFrame = 40; // space for the title bar and the borders
    const QScreen *screen = window.screen();
    return screen == nullptr ? usual : usual.boundedTo(screen->availableSize() - QSize(0, kFrame));
}

} // namespace slipway::ui
