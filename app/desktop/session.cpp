// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "desktop/session.h"

#include "hardware/user_prices.h"
#include "predict/predict.h"

namespace slipway::desktop {

void drawWithoutScreen()
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    qputenv("QT_SCALE_FACTOR", "1");
}

Result<ui::Scheme> schemeOf(const std::string &name)
{
    if (name == "system")
        return ui::Scheme::System;
    if (name == "light")
        return ui::Scheme::Light;
    if (name == "dark")
        return ui::Scheme::Dark;
    return Error{.what = "there is no theme '" + name + "'", .where = "--theme", .accepted = "system, light, dark"};
}

Result<std::unique_ptr<Session>> Session::open(const Options &options, QApplication &application)
{
    const Result<ui::Scheme> scheme = schemeOf(options.theme);
    if (!scheme)
        return scheme.error();
    Result<RunConfig> config = cli::configFrom(options.source);
    if (!config)
        return config.error();
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
    const ui::Planner planner{[&tables](const RunConfig &c) { return predict(c, tables); }, [&tables](const RunConfig &c) { return memoryOverStep(c, tables); }};
    session->m_document = std::make_unique<ui::PlanDocument>(planner, *std::move(config));
    session->m_window = std::make_unique<ui::MainWindow>(ui::WindowParts{*session->m_document, planner, tables, session->m_registry, *session->m_host, session->m_theme});
    return session;
}

} // namespace slipway::desktop
