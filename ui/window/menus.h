// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QObject>
#include <QPointer>

#include "ui/window/command_palette.h"
#include "ui/window/main_window.h"

class QAction;
class QMenu;
class QMenuBar;

namespace slipway::ui {

class GuideWindow;

// Creates the menu bar, and the windows that its Help menu opens.
class WindowMenus : public QObject {
    Q_OBJECT
public:
    explicit WindowMenus(MainWindow &window);

    [[nodiscard]] std::vector<Command> commands() const; // the entries of the menus
    // The entries of the command palette: those of the menus, the settings of the plan, and the GPUs for it.
    [[nodiscard]] std::vector<Command> paletteEntries();
    CommandPalette *showPalette();
    void showGuide(const QString &page = {}); // by default, the page about the page that is shown
    void showShortcuts();
    void showAbout();
    [[nodiscard]] GuideWindow *guide() const; // nullptr if it was never opened

Q_SIGNALS:
    // Requests to switch between the light and the dark scheme.
    void schemeRequested();

private:
    void addFile(), addEdit(), addView(), addPlan(), addExplore(), addRuns(), addHosts(), addServe(), addHelp();
    // Gives the shortcuts for undoing, exporting and copying to the actions of the page that is shown, so that they act
    // on what the user sees.
    void setKeysOf(MainWindow::Page page);
    void addPapers(QMenu *file);
    void addThemes(QMenu *view);
    void addLanguages(QMenu *view);
    QMenu *add(const QString &title);
    QAction *add(QMenu *menu, const QString &words, const QKeySequence &keys, const std::function<void()> &act);

    MainWindow &m_window;
    void addSettings(), addGpus();

    QMenuBar *m_bar;
    QAction *m_otherPart = nullptr;
    std::vector<Command> m_beyondMenus; // created when the palette is first shown
    QPointer<GuideWindow> m_guide;
};

} // namespace slipway::ui
