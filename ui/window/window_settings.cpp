// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/window/window_settings.h"

#include <QGuiApplication>
#include <QIcon>
#include <algorithm>
#include <array>

#include "ui/language/language.h"

namespace slipway::ui {

namespace {

const QString kGeometry = QStringLiteral("window/geometry"), kPage = QStringLiteral("window/page");
const QString kTheme = QStringLiteral("window/dark"); // if missing, the system's theme is used
const QString kLanguage = QStringLiteral("window/language");
const QString kRunsLayout = QStringLiteral("runs/layout"), kRunsColumns = QStringLiteral("runs/columns");
const QString kRecentFiles = QStringLiteral("files/recent");

const std::array kPages{QStringLiteral("plan"), QStringLiteral("explore"), QStringLiteral("runs"),
    QStringLiteral("hosts"), QStringLiteral("serve")};
const QString kWelcomed = QStringLiteral("window/welcomed");

} // namespace

void saveWindowState(const MainWindow &window, const Theme &theme, QSettings &settings)
{
    settings.setValue(kGeometry, window.saveGeometry());
    if (window.page() != MainWindow::Page::Welcome)
        settings.setValue(kPage, kPages[static_cast<std::size_t>(window.page())]);
    settings.setValue(kWelcomed, true);
    settings.setValue(kRunsLayout, window.runsPage().layoutState());
    settings.setValue(kRunsColumns, window.runsPage().columnState());
    settings.setValue(kRecentFiles, window.planPage().recentFiles());
    if (theme.scheme() == Scheme::System)
        settings.remove(kTheme);
    else
        settings.setValue(kTheme, theme.dark());
}

void keepWindowState(const MainWindow &window, const Theme &theme, QSettings &settings)
{
    const auto save = [&window, &theme, &settings] {
        if (window.page() == MainWindow::Page::Welcome) // there is nothing to save yet
            return;
        saveWindowState(window, theme, settings);
        settings.sync();
    };
    QObject::connect(&window, &MainWindow::pageShown, &window, save);
    QObject::connect(&theme, &Theme::changed, &window, save);
    QObject::connect(&window.planPage(), &PlanPage::recentFilesChanged, &window, save);
    QObject::connect(&window.runsPage(), &RunsPage::layoutChanged, &window, save);
    save();
}

void restoreWindowState(MainWindow &window, const QSettings &settings)
{
    window.restoreGeometry(settings.value(kGeometry).toByteArray());
    window.runsPage().restoreLayout(settings.value(kRunsLayout).toByteArray());
    window.runsPage().restoreColumns(settings.value(kRunsColumns).toByteArray());
    QStringList recent = window.planPage().recentFiles(); // files opened from the command line
    for (const QString &file : settings.value(kRecentFiles).toStringList()) {
        if (!recent.contains(file))
            recent << file;
    }
    window.planPage().setRecentFiles(recent);
}

std::string savedLanguage(const QSettings &settings)
{
    return settings.value(kLanguage, QString::fromLatin1(kLanguages.front())).toString().toStdString();
}

void saveLanguage(QSettings &settings, const std::string &language)
{
    settings.setValue(kLanguage, QString::fromStdString(language));
}

void restoreTheme(Theme &theme, const QSettings &settings)
{
    if (settings.contains(kTheme))
        theme.setScheme(settings.value(kTheme).toBool() ? Scheme::Dark : Scheme::Light);
}

bool isFirstStart(const QSettings &settings) { return !settings.contains(kWelcomed) && !settings.contains(kPage); }

std::optional<MainWindow::Page> pageNamed(const QString &name)
{
    const auto at = std::find(kPages.begin(), kPages.end(), name);
    return at == kPages.end() ? std::nullopt : std::optional(static_cast<MainWindow::Page>(at - kPages.begin()));
}

MainWindow::Page lastPage(const QSettings &settings)
{
    return pageNamed(settings.value(kPage).toString()).value_or(MainWindow::Page::Plan);
}

void setProgramIdentity()
{
    const QString id = QStringLiteral("org.slipway.slipway");
    QGuiApplication::setDesktopFileName(id); // by which Wayland finds the icon
    QGuiApplication::setWindowIcon(QIcon::fromTheme(id, QIcon(QStringLiteral(":/icon/%1.svg").arg(id))));
}

} // namespace slipway::ui
