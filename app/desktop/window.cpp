// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <QSettings>

#include <algorithm>

#include "base/unknown_name.h"
#include "desktop/session.h"
#include "ui/runs/notifier.h"

namespace slipway::desktop {

namespace {

const QString kGeometry = QStringLiteral("window/geometry");
const QString kRunsLayout = QStringLiteral("runs/layout");
const QString kTheme = QStringLiteral("window/dark"); // absent: as the system has it

void restore(Session &session, const QSettings &settings, bool themeGiven)
{
    session.window().restoreGeometry(settings.value(kGeometry).toByteArray());
    session.window().runsPage().restoreLayout(settings.value(kRunsLayout).toByteArray());
    if (!themeGiven && settings.contains(kTheme))
        session.theme().setScheme(settings.value(kTheme).toBool() ? ui::Scheme::Dark : ui::Scheme::Light);
}

void keep(Session &session, QSettings &settings)
{
    settings.setValue(kGeometry, session.window().saveGeometry());
    settings.setValue(kRunsLayout, session.window().runsPage().layoutState());
    if (session.theme().scheme() != ui::Scheme::System)
        settings.setValue(kTheme, session.theme().dark());
}

Result<void> showPage(Session &session, const Options &options)
{
    const std::vector<std::string> pages{"plan", "explore", "runs", "hosts"};
    if (std::find(pages.begin(), pages.end(), options.page) == pages.end())
        return unknownName("page", options.page, pages, "--page");
    if (options.page == "explore")
        return showGrid(session, options);
    if (options.page == "hosts")
        session.window().show(ui::MainWindow::Page::Hosts);
    else if (options.page == "runs" || !options.runs.empty())
        session.window().show(ui::MainWindow::Page::Runs);
    else
        return showPlan(session, options);
    return {};
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
    if (const Result<void> shown = showPage(open, options); !shown)
        return fail(shown.error());
    QSettings settings;
    restore(open, settings, options.theme != "system");
    open.window().show();
    const int status = QApplication::exec();
    keep(open, settings);
    return status;
}

} // namespace slipway::desktop
