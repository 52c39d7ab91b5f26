// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>
#include <optional>

#include "base/unknown_name.h"
#include "desktop/session.h"
#include "ui/runs/notifier.h"
#include "ui/window/single_instance.h"
#include "ui/window/window_settings.h"

namespace slipway::desktop {

namespace {

using Page = ui::MainWindow::Page;

// The page that the options name. Empty: they name none.
Result<std::optional<Page>> namedPage(const Options &options)
{
    const std::vector<std::string> pages{"plan", "explore", "runs", "hosts", "serve"};
    const auto named = std::find(pages.begin(), pages.end(), options.page);
    if (named != pages.end())
        return std::optional(static_cast<Page>(named - pages.begin()));
    if (!options.page.empty())
        return unknownName("page", options.page, pages, "--page");
    return std::optional<Page>();
}

Result<void> showPage(Session &session, const Options &options, Page page)
{
    if (page == Page::Explore)
        return showGrid(session, options);
    if (page == Page::Serve) {
        if (const Result<void> shown = showServe(session, options); !shown)
            return shown;
    }
    session.window().show(page);
    return page == Page::Plan ? showPlan(session, options) : Result<void>();
}

QStringList absolutePaths(const std::vector<std::string> &files)
{
    QStringList paths;
    for (const std::string &file : files)
        paths << QString::fromStdString(std::filesystem::absolute(file).string());
    return paths;
}

ui::OpenRequest requestOf(const Options &options)
{
    std::vector<std::string> files = options.files;
    if (!options.source.file.empty())
        files.insert(files.begin(), options.source.file);
    for (const std::string &run : options.runs) { // finds the directory of a run given by its name
        const Result<std::filesystem::path> directory = Registry().find(run);
        files.push_back(directory ? directory->string() : run);
    }
    return {.page = QString::fromStdString(options.page), .files = absolutePaths(files)};
}

} // namespace

int openWindow(const Options &options, int &argc, char **argv)
{
    QApplication application(argc, argv);
    QApplication::setOrganizationName(QStringLiteral("slipway"));
    QApplication::setApplicationName(QStringLiteral("slipway"));
    ui::setProgramIdentity();
    QSettings settings;
    if (const Result<void> spoken = startLanguage(options, ui::savedLanguage(settings)); !spoken)
        return fail(spoken.error());
    const Result<std::optional<Page>> named = namedPage(options); // before a running window is asked to show it
    if (!named)
        return fail(named.error());
    ui::SingleInstance instance;
    if (instance.sendToRunning(requestOf(options)))
        return 0;
    Options shown = options;
    shown.keepsDrafts = true;
    Result<std::unique_ptr<Session>> session = Session::open(shown, application);
    if (!session)
        return fail(session.error());
    Session &open = **session;
    instance.listen();
    QObject::connect(&instance, &ui::SingleInstance::requested, &open.window(), &ui::MainWindow::takeOver);
    if (const Result<void> chosen = chooseRuns(open, options); !chosen)
        return fail(chosen.error());
    open.window().runsPage().setNotifier(std::make_unique<ui::DesktopNotifier>());
    const bool firstStart =
        ui::isFirstStart(settings) && options.page.empty() && options.runs.empty() && options.source.file.empty();
    const Page page = named->has_value()             ? **named
                      : !options.runs.empty()        ? Page::Runs
                      : !options.source.file.empty() ? Page::Plan
                                                     : ui::lastPage(settings);
    if (const Result<void> paged = showPage(open, options, page); !paged)
        return fail(paged.error());
    if (firstStart)
        open.window().show(ui::MainWindow::Page::Welcome);
    ui::restoreWindowState(open.window(), settings);
    if (options.theme == "system")
        ui::restoreTheme(open.theme(), settings);
    open.window().show();
    ui::keepWindowState(open.window(), open.theme(), settings);
    open.window().offerDraft();
    open.window().openPaths(absolutePaths(options.files));
    const int status = QApplication::exec();
    ui::saveWindowState(open.window(), open.theme(), settings);
    return status;
}

} // namespace slipway::desktop
