// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cli/arguments.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "cli/command_line.h"
#include "cli/console.h"
#include "cli/unknown_argument.h"
#include "config/settings.h"

namespace slipway::cli {

namespace {

const std::string kExitStatus = "Exit status: 0 success; 1 negative result (does not fit, run failed); 2 wrong usage "
                                "or bad input; 3 external failure (host, disk).";

// A file or folder with an empty name, such as "$FILE" without a value, would count as none. Returns the first one.
std::optional<Error> emptyName(const CLI::App &command)
{
    for (const CLI::Option *option : command.get_options()) {
        const std::string name = option->get_name(), type = option->get_type_name();
        const bool isFile = type == "FILE" || type == "DIR" || type == "GRID";
        if (option->get_positional() ? name == "WORDS" : !isFile || findSetting(name))
            continue;
        const std::vector<std::string> &values = option->results();
        if (std::find(values.begin(), values.end(), "") != values.end())
            return Error{.what = "is empty", .where = name, .accepted = "see " + command.get_name() + " --help"};
    }
    return std::nullopt;
}

} // namespace

CommandLine::CommandLine()
{
    m_app.set_version_flag("--version", "slipway " SLIPWAY_VERSION);
    m_app.require_subcommand(0, 1);
    m_app.allow_extras();
    m_app.footer("Without a command, the desktop program opens.\n`slipway COMMAND --help` shows the flags of a "
                 "command and an example.\n\n" +
                 kExitStatus);
    addPlan();
    addServePlan();
    addSweep();
    addFindings();
    addValidate();
    addCalibrate();
    addCatalog();
    addLaunch();
    addAttach();
    addRuns();
    addReport();
    addExport();
    addBench();
    addDesktop();
}

CLI::App *CommandLine::add(
    const std::string &name, const std::string &what, const std::string &example, std::function<int()> command)
{
    CLI::App *const sub = m_app.add_subcommand(name, what);
    sub->footer("Examples:\n  " + example + "\n\n" + kExitStatus);
    sub->allow_extras(); // run() refuses them and names the nearest flag
    m_commands.emplace(sub, std::move(command));
    return sub;
}

void CommandLine::addBench()
{
    CLI::App *const sub = add("bench", "Benchmark Slipway itself: planning, start-up, charts", "slipway bench --json",
        [this] { return bench(m_bench); });
    sub->add_flag("--json", m_bench.json, "Print the result as one JSON document");
    sub->add_flag_callback("--no-window", [this] { m_bench.window = false; }, "Skip the desktop benchmarks");
    sub->add_option("--live-seconds", m_bench.liveSeconds, "Duration of the live-chart benchmark in seconds")
        ->type_name("N")
        ->check(CLI::Range(1, 900));
    sub->add_option("--repeats", m_bench.repeats, "Number of plans to time")
        ->type_name("N")
        ->check(CLI::Range(1, 1'000'000));
}

void CommandLine::addDesktop()
{
    CLI::App *const sub = add("shot", "Render a page of the desktop program to a PNG file, without a display",
        "slipway shot plan --out plan.png --theme dark", [] { return Done; });
    sub->add_option("PAGE", "Page: plan, explore, runs, hosts, serve or report")->type_name("");
    sub->add_option("--out", "Image file to write")->type_name("F.png");
    sub->add_option("--plan", "Configuration file")->type_name("FILE");
    sub->add_option("--run", "Name or directory of a run")->type_name("RUN");
    sub->add_option("--grid", "For explore: paper, or a YAML file")->type_name("GRID");
    sub->add_option("--view",
           "For explore: table, heat, pareto, attention, gpu, scheme, batch, sequence; "
           "for plan: step, first, textbook; for serve: models, heads, experts, attention, cache, load")
        ->type_name("VIEW");
    sub->add_option("--theme", "Theme: light or dark")->type_name("THEME");
    sub->add_option("--language", "Language: en or de")->type_name("LANGUAGE");
    sub->add_option("--size", "Width x height in pixels, such as 1280x800")->type_name("WxH");
    sub->add_option("--scale", "Magnification from 1 to 4: at 2, a picture of 1280x800 has 2560x1600 pixels")
        ->type_name("N");
}

int CommandLine::run(const std::vector<std::string> &given)
{
    // Arguments after `launch ... --` belong to another program, whatever they look like.
    std::vector<std::string> arguments = given;
    const auto end = std::find(arguments.begin(), arguments.end(), "--");
    if (!arguments.empty() && arguments.front() == "launch" && end != arguments.end()) {
        m_launch.command.assign(end + 1, arguments.end());
        arguments.erase(end, arguments.end());
    }
    try {
        m_app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend())); // CLI11 expects reverse order
    } catch (const CLI::Success &success) {                                          // thrown for --help and --version
        return m_app.exit(success);
    } catch (const CLI::ParseError &error) {
        if (const auto explained = argumentError(m_app, arguments, error))
            return fail(*explained);
        return fail({.what = error.what(), .where = arguments.empty() ? "" : arguments[0], .accepted = "see --help"});
    }
    const std::vector<CLI::App *> subcommands = m_app.get_subcommands();
    const CLI::App &command = subcommands.empty() ? m_app : *subcommands[0];
    if (command.remaining_size() > 0)
        return fail(unknownArgument(m_app, arguments)
                .value_or(Error{.what = "unknown argument",
                    .where = command.remaining().front(),
                    .accepted = "see " + command.get_name() + " --help"}));
    if (const std::optional<Error> empty = emptyName(command))
        return fail(*empty);
    if (subcommands.empty())
        return desktop({});
    return m_commands.at(subcommands[0])();
}

int runCommand(const std::vector<std::string> &arguments)
{
    const bool help = std::find(arguments.begin(), arguments.end(), "--help") != arguments.end() ||
                      std::find(arguments.begin(), arguments.end(), "-h") != arguments.end();
    if (!arguments.empty() && arguments[0] == "shot" && !help)
        return desktop(arguments); // slipway-desktop parses the flags and draws the page
    return CommandLine().run(arguments);
}

} // namespace slipway::cli
