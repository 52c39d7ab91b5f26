// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The program slipway-desktop: the window, and commands that draw pictures and reports without a window.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "base/unknown_name.h"
#include "base/visible_text.h"
#include "cli/setting_flags.h"
#include "cli/unknown_argument.h"
#include "desktop/commands.h"

namespace slipway::desktop {

int fail(const Error &error)
{
    std::fprintf(stderr, "slipway: %s\n", visibleText(error.message(), "\n\t").c_str());
    return error.fault == Fault::Outside ? 3 : 2;
}

namespace {

void addView(CLI::App &command, Options &options)
{
    command.add_option("--plan", options.source.file, "Configuration file (YAML) for the Plan page")->type_name("FILE");
    command.add_option("--run", options.runs, "Run for the Runs page, by name or directory; repeat it to compare runs")
        ->type_name("RUN");
    command.add_option("--tab", options.tab, "Tab of the run: charts, comparison, alerts, log, events, configuration")
        ->type_name("TAB");
    command.add_option("--grid", options.grid, "Grid for the Explore page: paper, or a YAML file")->type_name("GRID");
    command
        .add_option("--view", options.view,
            "View of the page; explore: table, heat, pareto, attention, gpu, scheme, batch, sequence; plan: step, "
            "first, textbook; serve: models, heads, experts, attention, cache, load")
        ->type_name("VIEW");
    command.add_option("--theme", options.theme, "Color theme: system, light or dark")->capture_default_str();
    command.add_option("--language", options.language,
        "Language of the window: system, de or en; by default the one chosen under View > Language");
    command.add_flag_callback("--dark", [&options] { options.theme = "dark"; }, "Same as --theme dark");
}

using Command = int (*)(const Options &, int &, char **);

void addShot(CLI::App &app, Options &options, Command &command)
{
    CLI::App *shot = app.add_subcommand("shot", "Render a page to a PNG file, without a display");
    shot->footer(
        "Example:\n  slipway-desktop shot plan --out plan.png --theme dark --model 1B --gpus 8 --parallel ddp");
    shot->add_option("PAGE,--page", options.page,
        "Page to draw: plan, explore, runs, hosts, serve or report (of --run, else of the plan)");
    shot->add_option("--out", options.out, "Output file")->type_name("FILE.png");
    shot->add_option("--size", options.size, "Picture size in pixels")->type_name("WxH")->capture_default_str();
    shot->add_option("--scale", options.scale, "Scale factor, as on a high-resolution display")
        ->type_name("N")
        ->check(CLI::Range(1.0, 4.0))
        ->capture_default_str();
    addView(*shot, options);
    cli::addSettingFlags(*shot, options.source, true);
    shot->callback([&command] { command = drawShot; });
}

void addPdf(CLI::App &app, Options &options, Command &command)
{
    CLI::App *pdf = app.add_subcommand("pdf", "Write a report as PDF");
    pdf->footer("Example:\n  slipway-desktop pdf run my-run --out report.pdf");
    pdf->add_option("KIND", options.kind, "Kind of report: plan, run, sweep or comparison")->required();
    pdf->add_option("--plan", options.source.file,
           "For sweep: configuration file (YAML) of the settings that the grid does not vary")
        ->type_name("FILE");
    pdf->add_option("SUBJECT", options.subjects,
           "Configuration file (YAML), name or directory of a run, or grid; for comparison: 2 to 20 runs, the baseline "
           "first")
        ->required();
    pdf->add_option("--paper", options.paper, "Paper size: a4 or letter")->capture_default_str();
    pdf->add_option("--out", options.out, "Output file")->type_name("FILE.pdf");
    pdf->callback([&command] { command = drawPdf; });
}

void addBench(CLI::App &app, Options &options, Command &command)
{
    CLI::App *timing = app.add_subcommand("bench", "Measure the response times of the window");
    timing->add_flag("--json", options.json, "Print one JSON document (the default)");
    timing->add_option("--live-seconds", options.liveSeconds, "Seconds for which a growing run is watched")
        ->check(CLI::Range(1, 900))
        ->capture_default_str();
    timing->callback([&command] { command = bench; });
}

} // namespace

int run(int argc, char **argv)
{
    Options options;
    Command command = openWindow;
    CLI::App app("Slipway's desktop window: plan, launch and watch training runs", "slipway-desktop");
    app.require_subcommand(0, 1);
    addView(app, options);
    app.add_option(
        "--page", options.page, "Page to open: plan, explore, runs, hosts or serve; by default the last one");
    app.add_option("FILE", options.files,
           "Files to open: plan or grid (YAML), a model's config.json, run directory, metrics, prices, measurements, "
           "log")
        ->type_name("");
    app.footer(
        "Example:\n  slipway-desktop plan.yaml --page plan\n\nIf the window is already open, the files open in it.");
    addShot(app, options, command);
    addPdf(app, options, command);
    addBench(app, options, command);

    try {
        app.parse(argc, argv);
    } catch (const CLI::Success &help) {
        return app.exit(help);
    } catch (const CLI::ParseError &error) {
        if (const auto explained = cli::argumentError(app, {argv + 1, argv + argc}, error))
            return fail(*explained);
        app.exit(error);
        return 2;
    }
    for (const std::string &file : options.files) {
        std::error_code ignored;
        if (!std::filesystem::exists(file, ignored))
            return fail(unknownName("file or command", file, std::vector<std::string>{"shot", "pdf", "bench"}, "FILE",
                "a file that exists"));
    }
    return command(options, argc, argv);
}

} // namespace slipway::desktop

int main(int argc, char **argv) { return slipway::desktop::run(argc, argv); }
