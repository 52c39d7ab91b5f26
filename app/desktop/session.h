// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a window is made of, put together once: catalogue, planner, registry, host.
#pragma once

#include <QApplication>
#include <memory>

#include "desktop/commands.h"
#include "hosts/host.h"
#include "ui/window/main_window.h"

namespace slipway::desktop {

// Pictures and paper need no screen, and look the same with one.
void drawWithoutScreen();

class Session;
// Shows the runs that were named: one in full, several side by side.
Result<void> chooseRuns(Session &session, const Options &options);

// Starts the grid in the view that was asked for; it goes on behind.
Result<void> showGrid(Session &session, const Options &options);
// Which form of memory over time.
Result<void> showPlan(Session &session, const Options &options);

class Session {
public:
    static Result<std::unique_ptr<Session>> open(const Options &options, QApplication &application);

    [[nodiscard]] ui::MainWindow &window() { return *m_window; }
    [[nodiscard]] ui::Theme &theme() { return m_theme; }
    [[nodiscard]] ui::PlanDocument &document() { return *m_document; }
    [[nodiscard]] const Registry &registry() const { return m_registry; }

private:
    Session(QApplication &application, ui::Scheme scheme) : m_theme(application, scheme) {}

    Catalogue m_catalogue;
    Registry m_registry;
    std::unique_ptr<Host> m_host;
    ui::Theme m_theme;
    std::unique_ptr<ui::PlanDocument> m_document;
    std::unique_ptr<ui::MainWindow> m_window;
};

} // namespace slipway::desktop
