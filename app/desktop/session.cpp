// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "desktop/session.h"

#include <algorithm>
#include <array>

#include "base/unknown_name.h"
#include "hardware/user_prices.h"
#include "predict/predict.h"
#include "ui/language/language.h"
#include "ui/plan/memory_card.h"
#include "ui/window/draft.h"

namespace slipway::desktop {

OffscreenPlatform::OffscreenPlatform(double scale)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    qputenv("QT_SCALE_FACTOR", QByteArray::number(scale));
    if (!qEnvironmentVariableIsEmpty("XDG_RUNTIME_DIR"))
        return;
    m_runtimeFolder.emplace(); // only this user can read it, as Qt requires
    if (m_runtimeFolder->isValid())
        qputenv("XDG_RUNTIME_DIR", m_runtimeFolder->path().toUtf8());
}

Result<ui::Scheme> schemeOf(const std::string &name)
{
    if (name == "system")
        return ui::Scheme::System;
    if (name == "light")
        return ui::Scheme::Light;
    if (name == "dark")
        return ui::Scheme::Dark;
    return unknownName("theme", name, std::vector<std::string>{"system", "light", "dark"}, "--theme");
}

Result<void> startLanguage(const Options &options, const std::string &otherwise)
{
    const std::vector<std::string> known(ui::kLanguages.begin(), ui::kLanguages.end());
    const bool asked = !options.language.empty();
    if (asked && options.language != ui::kPseudoLanguage && std::ranges::find(known, options.language) == known.end())
        return unknownName("language", options.language, known, "--language");
    ui::useLanguage(asked ? options.language : otherwise);
    return {};
}

Result<std::unique_ptr<Session>> Session::open(const Options &options, QApplication &application)
{
    const Result<ui::Scheme> scheme = schemeOf(options.theme);
    if (!scheme)
        return scheme.error();
    Result<RunConfig> config = cli::configFrom(options.source);
    if (!config)
        return config.error();
    cli::knowProcessor(*config);
    Result<Catalogue> catalogue = loadUserCatalogue();
    if (!catalogue)
        return catalogue.error();
    Result<std::unique_ptr<Host>> host = makeHost("local");
    if (!host)
        return host.error();

    std::unique_ptr<Session> session(new Session(application, *scheme));
    session->m_catalogue = *std::move(catalogue);
    session->m_host = *std::move(host);
    const Catalogue &tables = session->m_catalogue;
    const ui::Planner planner{.predict = [&tables](const RunConfig &c) { return predict(c, tables); },
        .memoryOverStep = [&tables](const RunConfig &c, std::size_t stage) { return memoryOverStep(c, tables, stage); },
        .timeline = [&tables](const RunConfig &c, std::size_t stage) { return timelineOf(c, tables, stage); },
        .buffersAt = [&tables](const RunConfig &c, std::size_t instant,
                         std::size_t stage) { return buffersAt(c, tables, instant, stage); },
        .firstSteps = [&tables](const RunConfig &c, std::size_t stage) { return firstSteps(c, tables, stage); },
        .offers = [&tables](const RunConfig &c) { return offersFor(c, tables); },
        .searchSettings = [&tables](const RunConfig &c) -> ui::Planner::SettingsWork {
            return [c, copy = std::make_shared<const Catalogue>(tables)](
                       const std::function<bool()> &cancelled) { return searchSettings(c, *copy, cancelled); };
        }};
    session->m_document = std::make_unique<ui::PlanDocument>(planner, *std::move(config));
    if (!options.source.file.empty())
        session->m_document->setFile(QString::fromStdString(std::filesystem::absolute(options.source.file).string()));
    session->m_window = std::make_unique<ui::MainWindow>(
        ui::WindowParts{*session->m_document, planner, tables, session->m_registry, *session->m_host, session->m_theme,
            [&loaded = session->m_catalogue]() -> Result<void> {
                Result<Catalogue> again = loadUserCatalogue();
                if (!again)
                    return again.error();
                loaded = *std::move(again);
                return {};
            },
            options.keepsDrafts ? ui::DraftKeeper::defaultFolder() : std::filesystem::path()});
    return session;
}

Result<void> showGrid(Session &session, const Options &options)
{
    ui::ExplorePage &page = session.window().explorePage();
    const auto &views = ui::ExplorePage::kViewNames;
    const auto view = std::find(views.begin(), views.end(), options.view);
    if (view == views.end())
        return unknownName("view", options.view, namesOf(views), "--view");
    const Result<Grid> grid = readGrid(options.grid);
    if (!grid)
        return grid.error();
    page.explore(*grid);
    page.show(static_cast<ui::ExplorePage::View>(view - views.begin()));
    session.window().show(ui::MainWindow::Page::Explore);
    return {};
}

Result<void> showPlan(Session &session, const Options &options)
{
    using Form = ui::MemoryCard::Form;
    const std::vector<std::string> forms{"step", "first", "textbook"};
    const auto form = std::find(forms.begin(), forms.end(),
        options.view == "table" ? "step" : options.view); // "table" is the default for the Explore page
    if (form == forms.end())
        return unknownName("view", options.view, forms, "--view");
    constexpr std::array shown{Form::Step, Form::FirstSteps, Form::Textbook};
    session.window().planPage().results().memory().show(shown[static_cast<std::size_t>(form - forms.begin())]);
    return {};
}

Result<void> showServe(Session &session, const Options &options)
{
    // "table" is the default for the Explore page.
    const auto chart = options.view == "table" ? ServeChart::Models : enumFromName<ServeChart>(options.view);
    if (!chart)
        return unknownName("view", options.view, namesOf(EnumNames<ServeChart>::names), "--view");
    session.window().servePage().results().figures().setChart(*chart);
    session.window().show(ui::MainWindow::Page::Serve);
    return {};
}

Result<void> chooseRuns(Session &session, const Options &options)
{
    ui::RunsPage &page = session.window().runsPage();
    std::vector<std::filesystem::path> runs;
    for (const std::string &name : options.runs) {
        const Result<std::filesystem::path> run = session.registry().find(name);
        if (!run)
            return run.error();
        runs.push_back(*run);
    }
    if (runs.size() > kMostCompared)
        return Error{.what = std::to_string(runs.size()) + " runs are too many to compare",
            .where = "--run",
            .accepted = "1 to " + std::to_string(kMostCompared) + " runs"};
    const std::vector<std::string> tabs{"charts", "comparison", "alerts", "log", "events", "configuration"};
    if (!options.tab.empty()) {
        const auto tab = std::find(tabs.begin(), tabs.end(), options.tab);
        if (tab == tabs.end())
            return unknownName("tab", options.tab, tabs, "--tab");
        page.detail().show(static_cast<ui::RunDetail::Tab>(tab - tabs.begin()));
        if (options.tab == "comparison")
            page.comparison().showTable();
    }
    if (runs.size() == 1)
        page.select(runs.front());
    else if (runs.size() > 1)
        page.compare(runs);
    return {};
}

} // namespace slipway::desktop
