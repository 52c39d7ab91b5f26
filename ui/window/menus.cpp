// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/window/menus.h"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QLineEdit>
#include <QMenuBar>
#include <QSettings>
#include <QStatusBar>

#include "ui/language/core_texts.h"
#include "ui/language/language.h"
#include "ui/plan/display_names.h"
#include "ui/report/report_pdf.h"
#include "ui/runs/run_actions.h"
#include "ui/runs/run_exports.h"
#include "ui/widgets/text.h"
#include "ui/window/about_dialog.h"
#include "ui/window/guide_window.h"
#include "ui/window/window_settings.h"

namespace slipway::ui {

namespace {

constexpr int kNoticeMs = 8000;

} // namespace

WindowMenus::WindowMenus(MainWindow &window) : QObject(&window), m_window(window), m_bar(window.menuBar())
{
    addFile();
    addEdit();
    addView();
    addPlan();
    addExplore();
    addRuns();
    addHosts();
    addServe();
    addHelp();
    connect(&window, &MainWindow::pageShown, this, &WindowMenus::setKeysOf);
    setKeysOf(MainWindow::Page::Plan); // shown until the window shows another page
}

void WindowMenus::setKeysOf(MainWindow::Page page)
{
    using Page = MainWindow::Page;
    const PlanCommands &plan = m_window.planPage().commands();
    const ExploreCommands &explore = m_window.exploreCommands();
    const ServeCommands &serve = m_window.servePage().commands();
    const RunsPage &runs = m_window.runsPage();
    m_otherPart->setEnabled(page == Page::Plan || page == Page::Serve);
    const QKeySequence undo(QKeySequence::Undo), pdf(QKeySequence::Print), csv(QStringLiteral("Ctrl+E")),
        copy(QStringLiteral("Ctrl+Shift+C")), list(QStringLiteral("Ctrl+Shift+E"));
    for (const auto &[action, keys, own] : std::initializer_list<std::tuple<QAction *, QKeySequence, bool>>{
             {plan.undo, undo, page != Page::Runs},
             {runs.actionsOfRun().restoring(), undo, page == Page::Runs},
             {plan.pdf, pdf, page == Page::Plan},
             {plan.csv, csv, page == Page::Plan},
             {plan.copy, copy, page == Page::Plan},
             {explore.pdf, pdf, page == Page::Explore},
             {explore.csv, csv, page == Page::Explore},
             {runs.exports().pdfCommand(), pdf, page == Page::Runs},
             {runs.exports().csvCommand(), csv, page == Page::Runs},
             {runs.exports().listCommand(), list, page == Page::Runs},
             {serve.pdf, pdf, page == Page::Serve},
             {serve.csv, csv, page == Page::Serve},
             {serve.copy, copy, page == Page::Serve},
         })
        action->setShortcut(own ? keys : QKeySequence());
}

QMenu *WindowMenus::add(const QString &title)
{
    QMenu *menu = m_bar->addMenu(title);
    menu->setToolTipsVisible(true);
    return menu;
}

QAction *WindowMenus::add(QMenu *menu, const QString &words, const QKeySequence &keys, const std::function<void()> &act)
{
    QAction *action = menu->addAction(words);
    action->setShortcut(keys);
    connect(action, &QAction::triggered, this, act);
    return action;
}

void WindowMenus::addFile()
{
    QMenu *menu = add(tr("&File"));
    const PlanCommands &plan = m_window.planPage().commands();
    menu->addAction(plan.open);
    menu->addMenu(plan.recent);
    menu->addSeparator();
    menu->addAction(plan.save);
    menu->addAction(plan.saveAs);
    menu->addSeparator();
    menu->addAction(m_window.runsPage().importCommand());
    menu->addSeparator();
    addPapers(menu);
    menu->addSeparator();
    add(menu, tr("&Quit"), QKeySequence(QStringLiteral("Ctrl+Q")), [this] { m_window.close(); });
}

void WindowMenus::addPapers(QMenu *file)
{
    QMenu *menu = file->addMenu(tr("&Paper size of reports"));
    auto *group = new QActionGroup(menu);
    const QString saved = QSettings().value(QString::fromLatin1(kPaperSetting)).toString();
    for (const auto &[name, words] : {std::pair(QString(), tr("As the &system")),
             std::pair(QStringLiteral("a4"), tr("&A4")), std::pair(QStringLiteral("letter"), tr("US &Letter"))}) {
        QAction *action = menu->addAction(words);
        action->setCheckable(true);
        action->setChecked(name == saved);
        group->addAction(action);
        connect(action, &QAction::triggered, this, [paper = name] {
            QSettings settings;
            if (paper.isEmpty())
                settings.remove(QString::fromLatin1(kPaperSetting));
            else
                settings.setValue(QString::fromLatin1(kPaperSetting), paper);
        });
    }
}

void WindowMenus::addEdit()
{
    QMenu *menu = add(tr("&Edit"));
    menu->addAction(m_window.planPage().commands().undo);
    menu->addAction(m_window.planPage().commands().redo);
    menu->addAction(m_window.runsPage().actionsOfRun().restoring());
    menu->addSeparator();
    menu->addAction(m_window.exploreCommands().prices);
}

void WindowMenus::addView()
{
    QMenu *menu = add(tr("&View"));
    using Page = MainWindow::Page;
    for (const auto &[page, words, keys] : {std::tuple(Page::Plan, tr("&Plan"), QStringLiteral("Ctrl+1")),
             std::tuple(Page::Explore, tr("&Explore"), QStringLiteral("Ctrl+2")),
             std::tuple(Page::Runs, tr("&Runs"), QStringLiteral("Ctrl+3")),
             std::tuple(Page::Hosts, tr("&Hosts"), QStringLiteral("Ctrl+4")),
             std::tuple(Page::Serve, tr("&Serve"), QStringLiteral("Ctrl+5"))})
        add(menu, words, QKeySequence(keys), [this, which = page] { m_window.show(which); });
    m_otherPart = add(menu, tr("S&witch between settings and results"), QKeySequence(Qt::Key_F6), [this] {
        const bool serving = m_window.page() == MainWindow::Page::Serve;
        (serving ? m_window.servePage().split() : m_window.planPage().split()).switchPart();
    });
    menu->addSeparator();
    add(menu, tr("Light or dark &theme"), QKeySequence(QStringLiteral("Ctrl+Shift+D")),
        [this] { Q_EMIT schemeRequested(); });
    addThemes(menu);
    addLanguages(menu);
    menu->addSeparator();
    add(menu, tr("&Command palette…"), QKeySequence(QStringLiteral("Ctrl+K")), [this] { showPalette(); });
}

void WindowMenus::addThemes(QMenu *view)
{
    QMenu *menu = view->addMenu(tr("The&me"));
    auto *group = new QActionGroup(menu);
    Theme &theme = m_window.theme();
    for (const auto &[scheme, words] : {std::pair(Scheme::System, tr("As the &system")),
             std::pair(Scheme::Light, tr("&Light")), std::pair(Scheme::Dark, tr("&Dark"))}) {
        QAction *action = menu->addAction(words);
        action->setCheckable(true);
        group->addAction(action);
        connect(action, &QAction::triggered, this, [&theme, chosen = scheme] { theme.setScheme(chosen); });
        const auto mark = [action, &theme, own = scheme] { action->setChecked(theme.scheme() == own); };
        connect(&theme, &Theme::changed, action, mark);
        connect(menu, &QMenu::aboutToShow, action, mark); // a restored scheme may emit no changed()
        mark();
    }
}

// Adds the languages. The chosen language takes effect at the next start, because most texts are created together with
// their widgets.
void WindowMenus::addLanguages(QMenu *view)
{
    QMenu *menu = view->addMenu(tr("&Language"));
    auto *group = new QActionGroup(menu);
    const std::string saved = savedLanguage(QSettings());
    for (const std::string name : kLanguages) {
        // Each language is listed under its own name, so that users who read only that language can find it.
        QAction *action = menu->addAction(name == "de"   ? QStringLiteral("&Deutsch")
                                          : name == "en" ? QStringLiteral("&English")
                                                         : tr("As the &system"));
        action->setCheckable(true);
        action->setChecked(name == saved);
        group->addAction(action);
        connect(action, &QAction::triggered, this, [this, name] {
            QSettings settings;
            saveLanguage(settings, name);
            m_window.statusBar()->showMessage(tr("The language changes when Slipway starts again."), kNoticeMs);
        });
    }
}

void WindowMenus::addPlan()
{
    QMenu *menu = add(tr("&Plan"));
    const PlanCommands &plan = m_window.planPage().commands();
    menu->addAction(plan.keep);
    menu->addAction(plan.back);
    menu->addAction(plan.computation);
    add(menu, tr("Calib&rate from a log…"), {}, [this] {
        m_window.show(MainWindow::Page::Plan);
        Q_EMIT m_window.planPage().form().logRequested();
    });
    menu->addSeparator();
    for (QAction *action : {plan.copy, plan.pdf, plan.html, plan.csv, plan.trace}) {
        if (action)
            menu->addAction(action);
    }
    menu->addSeparator();
    menu->addAction(plan.launch);
}

void WindowMenus::addExplore()
{
    QMenu *menu = add(tr("E&xplore"));
    const ExploreCommands &explore = m_window.exploreCommands();
    for (QAction *action : {explore.run, explore.editGrid, explore.openGrid, explore.csv, explore.pdf}) {
        menu->addAction(action);
        connect(action, &QAction::triggered, this, [this] { m_window.show(MainWindow::Page::Explore); });
    }
}

void WindowMenus::addRuns()
{
    QMenu *menu = add(tr("&Runs"));
    add(menu, tr("&Find runs"), QKeySequence::Find, [this] {
        m_window.show(MainWindow::Page::Runs);
        m_window.runsPage().focusFilter();
    });
    menu->addSeparator();
    for (QAction *action : m_window.runsPage().actionsOfRun().all())
        menu->addAction(action);
    menu->addSeparator();
    menu->addAction(m_window.runsPage().exports().pdfCommand());
    menu->addAction(m_window.runsPage().exports().htmlCommand());
    menu->addAction(m_window.runsPage().exports().csvCommand());
    menu->addAction(m_window.runsPage().exports().listCommand());
    menu->addSeparator();
    menu->addMenu(m_window.runsPage().table()->columnsMenu());
    menu->addMenu(m_window.runsPage().table()->groupsMenu());
}

void WindowMenus::addHosts()
{
    QMenu *menu = add(tr("H&osts"));
    const HostsCommands &hosts = m_window.hostsPage().commands();
    for (QAction *action : {hosts.add, hosts.test, hosts.remove}) {
        menu->addAction(action);
        connect(action, &QAction::triggered, this, [this] { m_window.show(MainWindow::Page::Hosts); });
    }
}

void WindowMenus::addServe()
{
    QMenu *menu = add(tr("&Serve"));
    const ServeCommands &serve = m_window.servePage().commands();
    for (QAction *action : {serve.fromPlan, serve.cancel, serve.copy, serve.pdf, serve.csv, serve.figuresCsv}) {
        menu->addAction(action);
        connect(action, &QAction::triggered, this, [this] { m_window.show(MainWindow::Page::Serve); });
    }
}

void WindowMenus::addHelp()
{
    QMenu *menu = add(tr("&Help"));
    add(menu, tr("&Guide"), QKeySequence::HelpContents, [this] { showGuide(); });
    add(menu, tr("&First steps"), {}, [this] { m_window.show(MainWindow::Page::Welcome); });
    add(menu, tr("&Keyboard shortcuts"), QKeySequence(QStringLiteral("Ctrl+Shift+K")), [this] { showShortcuts(); });
    menu->addSeparator();
    add(menu, tr("&About Slipway"), {}, [this] { showAbout(); });
}

std::vector<Command> WindowMenus::commands() const { return commandsOf(*m_bar); }

GuideWindow *WindowMenus::guide() const { return m_guide; }

std::vector<Command> WindowMenus::paletteEntries()
{
    if (m_beyondMenus.empty()) {
        addSettings();
        addGpus();
    }
    std::vector<Command> entries = commands();
    entries.insert(entries.end(), m_beyondMenus.begin(), m_beyondMenus.end());
    return entries;
}

// Adds the settings in the plan's form. Choosing one puts the cursor into its field.
void WindowMenus::addSettings()
{
    for (const Setting &setting : settings()) {
        const std::string key(setting.key);
        if (m_window.planPage().form().row(key) == nullptr)
            continue;
        const QString name = settingName(key);
        auto *action = new QAction(name, this);
        action->setToolTip(coreText(setting.help));
        connect(action, &QAction::triggered, this, [this, key] {
            m_window.show(MainWindow::Page::Plan);
            m_window.planPage().focusSetting(key);
        });
        m_beyondMenus.push_back({.action = action,
            .words = tr("Setting › %1").arg(name),
            .also = qs(key) + u' ' + englishText(name) + QStringLiteral(" setting"),
            .inMenu = false});
    }
}

// Adds the GPUs of the catalogue. Choosing one plans with it.
void WindowMenus::addGpus()
{
    for (const Gpu &gpu : m_window.catalogue().gpus) {
        auto *action = new QAction(qs(gpu.name), this);
        action->setToolTip(tr("Plan with this GPU"));
        connect(action, &QAction::triggered, this, [this, id = gpu.id] {
            m_window.show(MainWindow::Page::Plan);
            (void)m_window.document().edit("gpu", id);
        });
        QString also = qs(gpu.id);
        for (const std::string &alias : gpu.aliases)
            also += u' ' + qs(alias);
        m_beyondMenus.push_back(
            {.action = action, .words = tr("GPU › %1").arg(qs(gpu.name)), .also = also, .inMenu = false});
    }
}

CommandPalette *WindowMenus::showPalette()
{
    auto *palette = new CommandPalette(paletteEntries(), &m_window);
    palette->setAttribute(Qt::WA_DeleteOnClose);
    palette->open();
    palette->searchField().setFocus();
    return palette;
}

void WindowMenus::showGuide(const QString &page)
{
    const QStringList byPage{QStringLiteral("planning"), QStringLiteral("exploring"), QStringLiteral("watching"),
        QStringLiteral("hosts"), QStringLiteral("serving"), QStringLiteral("README")};
    if (!m_guide)
        m_guide = new GuideWindow(&m_window);
    m_guide->open(page.isEmpty() ? byPage.value(static_cast<int>(m_window.page())) : page);
    m_guide->show();
    m_guide->raise();
    m_guide->activateWindow();
}

void WindowMenus::showShortcuts()
{
    auto *dialog = new ShortcutsDialog(commands(), &m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

void WindowMenus::showAbout()
{
    auto *dialog = new AboutDialog(&m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

} // namespace slipway::ui
