// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What the window remembers from one session to the next.
#pragma once

#include <QSettings>

#include "ui/window/main_window.h"

namespace slipway::ui {

void saveWindowState(const MainWindow &window, const Theme &theme, QSettings &settings);
// Damaged or missing settings leave the defaults.
void restoreWindowState(MainWindow &window, const QSettings &settings);
void restoreTheme(Theme &theme, const QSettings &settings);
// The page that was open last.
MainWindow::Page lastPage(const QSettings &settings);

} // namespace slipway::ui
