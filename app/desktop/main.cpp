// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The program slipway-desktop: the window, and what it draws without one.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>

#include "cli/setting_flags.h"
#include "cli/unknown_argument.h"
#include "desktop/commands.h"

namespace slipway::desktop {

int fail(const Error &error)
{
    std::fprintf(stderr, "slipway: %s\n", error.message().c_str());
    return error.fault == Fault::Outside ? 3 : 2;
}

namespace {

void addView(CLI::App &command, Options &options)
{
    command.add_option("--plan", options.source.file, "Configuration (YAML) to show on the Plan page")
        ->type_name("FILE");
    command
        .add_option("--run", options.runs,
            "Run to show on the Runs page: its name or directory; given several times, runs to compare")
        ->type_name("RUN");
    command.add_option("--tab", options.tab, "Of a run: charts, comparison, alerts, log, events, configuration")
        ->type_name("TAB");
    command.add_option("--grid", options.grid, "Grid to explore: paper, or a YAML file")->type_name("GRID");
    command
        .add_option("--view", options.view,
            "Of explore: table, heat, pareto, attention, gpu, scheme, batch, sequence; of plan: step, first, textbook")
        ->type_name("VIEW");
    command.add_option("--theme", options.theme, "system, light or dark")->capture_default_str();
    command.add_flag_callback("--dark", [&options] { options.theme = "dark"; }, "The same as --theme dark");
}

} // namespace

int run(int argc, char **argv)
{
    Options options;
    CLI::App app("Slipway's desktop: plan training runs, launch and watch them", "slipway-desktop");
    app.require_subcommand(0, 1);
    addView(app, options);
    app.add_option("--page", options.page, "Page to open: plan, explore, runs, hosts")->capture_default_str();
    std::function<int(const Options &, int &, char **)> command = openWindow;

    CLI::App *shot = app.add_subcommand("shot", "Draw a page as PNG, without a screen");
    shot->footer(
        "Example:\n  slipway-desktop shot plan --out plan.png --theme dark --model 1B --gpus 8 --parallel ddp");
    shot->add_option(
        "PAGE,--page", options.page, "plan, explore, runs, hosts, or report: the pages of --run's, else of the plan's");
    shot->add_option("--out", options.out, "The picture")->type_name("FILE.png");
    shot->add_option("--size", options.size, "Width and height")->type_name("WxH")->capture_default_str();
    addView(*shot, options);
    cli::addSettingFlags(*shot, options.source, true);
    shot->callback([&command] { command = drawShot; });

    CLI::App *pdf = app.add_subcommand("pdf", "Write a report as PDF");
    pdf->footer("Example:\n  slipway-desktop pdf run my-run --out report.pdf");
    pdf->add_option("KIND", options.kind, "plan, run, sweep")->required();
    pdf->add_option("--plan", options.source.file, "With sweep: what the grid does not vary (YAML)")->type_name("FILE");
    pdf->add_option("SUBJECT", options.subject, "A configuration (YAML), a run's name or directory, or a grid")
        ->required();
    pdf->add_option("--out", options.out, "The report")->type_name("FILE.pdf");
    pdf->callback([&command] { command = drawPdf; });

    CLI::App *timing = app.add_subcommand("bench", "Measure the window: milliseconds a change, a frame");
    timing->add_flag("--json", options.json, "One JSON document (always so)");
    timing->add_option("--live-seconds", options.liveSeconds, "How long a growing run is watched")
        ->check(CLI::Range(1, 900))
        ->capture_default_str();
    timing->callback([&command] { command = bench; });

    try {
        app.parse(argc, argv);
    } catch (const CLI::Success &help) {
        return app.exit(help);
    } catch (const CLI::ParseError &error) {
        if (const auto unknown = cli::unknownArgument(app, {argv + 1, argv + argc}))
            return fail(*unknown);
        app.exit(error);
        return 2;
    }
    return command(options, argc, argv);
}

} // namespace slipway::desktop

int main(int argc, char **argv) { return slipway::desktop::run(argc, argv); }
