// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The state that the window saves between sessions, and what it tells the system about the program.
#pragma once

#include <QSettings>
#include <optional>
#include <string>

#include "ui/window/main_window.h"

namespace slipway::ui {

void saveWindowState(const MainWindow &window, const Theme &theme, QSettings &settings);
// Saves the state whenever it changes, because a session may end unexpectedly.
void keepWindowState(const MainWindow &window, const Theme &theme, QSettings &settings);
// Damaged or missing settings leave the defaults.
void restoreWindowState(MainWindow &window, const QSettings &settings);
// Returns "system" if no language was chosen. A change takes effect at the next start.
std::string savedLanguage(const QSettings &settings);
void saveLanguage(QSettings &settings, const std::string &language);
void restoreTheme(Theme &theme, const QSettings &settings);
// Returns whether nothing was ever saved. The window then begins with the welcome page.
bool isFirstStart(const QSettings &settings);
// Finds a page by the name that the command line uses. Empty if there is no such page.
std::optional<MainWindow::Page> pageNamed(const QString &name);
// Returns the page that was open last.
MainWindow::Page lastPage(const QSettings &settings);
// Sets the name of the desktop entry and the icon of all windows. The icon is that of the system's icon theme, or the
// program's own if it is not installed.
void setProgramIdentity();

} // namespace slipway::ui
