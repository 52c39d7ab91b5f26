// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>

#include "base/unknown_name.h"
#include "desktop/session.h"
#include "ui/runs/notifier.h"
#include "ui/window/window_settings.h"

namespace slipway::desktop {

namespace {

Result<void> showPage(Session &session, const Options &options, ui::MainWindow::Page last)
{
    using Page = ui::MainWindow::Page;
    const std::vector<std::string> pages{"plan", "explore", "runs", "hosts"};
    const auto named = std::find(pages.begin(), pages.end(), options.page);
    if (named == pages.end() && !options.page.empty())
        return unknownName("page", options.page, pages, "--page");
    const Page page = named != pages.end()           ? static_cast<Page>(named - pages.begin())
                      : !options.runs.empty()        ? Page::Runs
                      : !options.source.file.empty() ? Page::Plan
                                                     : last;
    if (page == Page::Explore)
        return showGrid(session, options);
    session.window().show(page);
    return page == Page::Plan ? showPlan(session, options) : Result<void>();
}

} // namespace

int openWindow(const Options &options, int &argc, char **argv)
{
    QApplication application(argc, argv);
    QApplication::setOrganizationName(QStringLiteral("slipway"));
    QApplication::setApplicationName(QStringLiteral("slipway"));
    QApplication::setDesktopFileName(QStringLiteral("slipway"));
    Result<std::unique_ptr<Session>> session = Session::open(options, application);
    if (!session)
        return fail(session.error());
    Session &open = **session;
    if (const Result<void> chosen = chooseRuns(open, options); !chosen)
        return fail(chosen.error());
    open.window().runsPage().setNotifier(std::make_unique<ui::DesktopNotifier>());
    QSettings settings;
    if (const Result<void> shown = showPage(open, options, ui::lastPage(settings)); !shown)
        return fail(shown.error());
    ui::restoreWindowState(open.window(), settings);
    if (options.theme == "system")
        ui::restoreTheme(open.theme(), settings);
    open.window().show();
    const int status = QApplication::exec();
    ui::saveWindowState(open.window(), open.theme(), settings);
    return status;
}

} // namespace slipway::desktop
