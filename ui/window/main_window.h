// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QMainWindow>
#include <QStringList>
#include <functional>

#include "ui/explore/explore_page.h"
#include "ui/hosts/hosts_page.h"
#include "ui/plan/plan_page.h"
#include "ui/runs/runs_page.h"
#include "ui/theme/theme.h"

class QButtonGroup;
class QStackedWidget;

namespace slipway::ui {

// What the window needs from outside. The owner keeps it alive longer than the window.
struct WindowParts {
    PlanDocument &document;
    Planner planner;
    const Catalogue &catalogue;
    const Registry &registry;
    Host &host;
    Theme &theme;
    std::function<Result<void>()> reload = {}; // reads the user's tables into `catalogue` again
};

class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    enum class Page { Plan, Explore, Runs, Hosts };
    explicit MainWindow(const WindowParts &parts);

    void show(Page page);
    using QMainWindow::show;
    [[nodiscard]] PlanPage &planPage() const { return *m_plan; }
    [[nodiscard]] ExplorePage &explorePage() const { return *m_explore; }
    [[nodiscard]] RunsPage &runsPage() const { return *m_runs; }
    [[nodiscard]] HostsPage &hostsPage() const { return *m_hosts; }

private:
    QWidget *makeNavigationRail();
    void connectTables();
    void reloadTables();
    void launch(const RunConfig &config);
    void turnScheme();

    WindowParts m_parts;
    QStackedWidget *m_pages;
    QButtonGroup *m_navigation;
    PlanPage *m_plan;
    ExplorePage *m_explore;
    RunsPage *m_runs;
    HostsPage *m_hosts;
};

} // namespace slipway::ui
