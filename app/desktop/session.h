// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Owns all objects that the window needs: catalogue, planner, registry and host.
#pragma once

#include <QApplication>
#include <QTemporaryDir>
#include <memory>
#include <optional>

#include "desktop/commands.h"
#include "hosts/host.h"
#include "ui/window/main_window.h"

namespace slipway::desktop {

// Makes Qt draw without a screen, for pictures and PDF. Construct it before the QApplication. Qt expects a runtime
// folder (XDG_RUNTIME_DIR). If there is none, Qt gets a private one for the lifetime of this object.
class OffscreenPlatform {
public:
    explicit OffscreenPlatform(double scale = 1);

private:
    std::optional<QTemporaryDir> m_runtimeFolder;
};

class Session;
// Shows the named runs: a single run in full, or several runs as a comparison.
Result<void> chooseRuns(Session &session, const Options &options);

// Opens the requested view and starts its grid in the background.
Result<void> showGrid(Session &session, const Options &options);
// Selects the comparison of the Serve page.
Result<void> showServe(Session &session, const Options &options);
// Selects the form of the memory chart.
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
