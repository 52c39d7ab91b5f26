// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QMainWindow>
#include <QStackedWidget>
#include <QStringList>
#include <QUrl>
#include <filesystem>
#include <functional>

#include "ui/explore/explore_page.h"
#include "ui/hosts/hosts_page.h"
#include "ui/plan/plan_page.h"
#include "ui/runs/runs_page.h"
#include "ui/serve/serve_page.h"
#include "ui/theme/theme.h"

class QButtonGroup;

namespace slipway::ui {

class CalibrationFlow;
class DraftKeeper;
class WelcomePage;
class WindowMenus;
struct OpenRequest;

// The objects that the window uses. They must outlive the window.
struct WindowParts {
    PlanDocument &document;
    Planner planner;
    const Catalogue &catalogue;
    const Registry &registry;
    Host &host;
    Theme &theme;
    std::function<Result<void>()> reload = {}; // reads the user's tables into `catalogue` again
    std::filesystem::path drafts = {};         // folder of drafts; if it is empty, no drafts are kept
};

class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    enum class Page { Plan, Explore, Runs, Hosts, Serve, Welcome };
    explicit MainWindow(const WindowParts &parts);

    void show(Page page);
    using QMainWindow::show;
    // Opens any file or folder that the window supports, or reports an error in a dialog.
    void openPath(const QString &path);
    // Opens the paths one after another. While a dialog waits for an answer, the remaining paths wait too.
    void openPaths(const QStringList &paths);
    // Raises the window, and opens what a second instance was asked to open.
    void takeOver(const OpenRequest &request);
    // Offers to restore the plan of a window that ended unexpectedly. Returns false if there is none.
    bool offerDraft();

    [[nodiscard]] Page page() const { return static_cast<Page>(m_pages->currentIndex()); }
    [[nodiscard]] PlanPage &planPage() const { return *m_plan; }
    [[nodiscard]] ExplorePage &explorePage() const { return *m_explore; }
    [[nodiscard]] RunsPage &runsPage() const { return *m_runs; }
    [[nodiscard]] HostsPage &hostsPage() const { return *m_hosts; }
    [[nodiscard]] ServePage &servePage() const { return *m_serve; }
    [[nodiscard]] WelcomePage &welcomePage() const { return *m_welcome; }
    [[nodiscard]] const ExploreCommands &exploreCommands() const { return m_explore->commands(); }
    [[nodiscard]] PlanDocument &document() const { return m_parts.document; }
    [[nodiscard]] const Catalogue &catalogue() const { return m_parts.catalogue; }
    [[nodiscard]] Theme &theme() const { return m_parts.theme; }
    [[nodiscard]] WindowMenus &menus() const { return *m_menus; }
    [[nodiscard]] DraftKeeper &drafts() const { return *m_drafts; }

Q_SIGNALS:
    void pageShown(slipway::ui::MainWindow::Page page);

protected:
    bool event(QEvent *event) override;                         // detects whether a dialog blocks the window
    void closeEvent(QCloseEvent *event) override;               // asks first if the plan has unsaved changes
    bool eventFilter(QObject *watched, QEvent *event) override; // handles files dropped anywhere on the window
    void openDropped(const QList<QUrl> &files);

private:
    QWidget *makeNavigationRail();
    void connectTables();
    void connectWelcome();
    void showStatus(const QString &message);
    void editPrices(const QString &book, const std::filesystem::path &list = {});
    void openPlan(const QString &path);
    void openWaiting();
    void refreshTitle();
    void reloadTables();
    void launch(const RunConfig &config);
    void toggleScheme();

    WindowParts m_parts;
    CalibrationFlow *m_calibration;
    bool m_mayClose = false; // true after the user was asked about unsaved changes
    bool m_blocked = false;  // whether a modal dialog blocks the window
    QStringList m_waiting;   // files that remain to be opened
    QStackedWidget *m_pages;
    QButtonGroup *m_navigation;
    PlanPage *m_plan;
    ExplorePage *m_explore;
    RunsPage *m_runs;
    HostsPage *m_hosts;
    ServePage *m_serve;
    WelcomePage *m_welcome;
    WindowMenus *m_menus;
    DraftKeeper *m_drafts;
};

} // namespace slipway::ui
