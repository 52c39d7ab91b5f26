// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What the window remembers from one session to the next.
#pragma once

#include <QSettings>
#include <optional>
#include <string>

#include "ui/window/main_window.h"

namespace slipway::ui {

void saveWindowState(const MainWindow &window, const Theme &theme, QSettings &settings);
// Saves it at once where it changes, because not every session ends well.
void keepWindowState(const MainWindow &window, const Theme &theme, QSettings &settings);
// Damaged or missing settings leave the defaults.
void restoreWindowState(MainWindow &window, const QSettings &settings);
// "system" where none was chosen. It takes effect at the next start.
std::string savedLanguage(const QSettings &settings);
void saveLanguage(QSettings &settings, const std::string &language);
void restoreTheme(Theme &theme, const QSettings &settings);
// Nothing was ever saved: the window begins with the welcome page.
bool isFirstStart(const QSettings &settings);
// By the name that the command line uses; empty: no such page.
std::optional<MainWindow::Page> pageNamed(const QString &name);
// The page that was open last.
MainWindow::Page lastPage(const QSettings &settings);

} // namespace slipway::ui
