// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cli/arguments.h"

#include <algorithm>
#include <functional>
#include <map>

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/setting_flags.h"
#include "cli/unknown_argument.h"
#include "hardware/calibration.h"

namespace slipway::cli {

namespace {

const std::string kExitStatus = "Exit status: 0 success; 1 negative result (does not fit, run failed); 2 wrong usage "
                                "or bad input; 3 external failure (host, disk).";

// The parser and what it fills in. One lives for one command line.
class CommandLine {
public:
    CommandLine();
    int run(const std::vector<std::string> &arguments);

private:
    CLI::App *add(
        const std::string &name, const std::string &what, const std::string &example, std::function<int()> command);
    void addPlan();
    void addServePlan();
    void addCatalog();
    void addSweep();
    void addFindings();
    void addValidate();
    void addCalibrate();
    void addLaunch();
    void addAttach();
    void addRuns();
    void addRunTools();
    void addReport();
    void addExport();
    void addBench();
    void addDesktop();

    CLI::App m_app{"Plan, launch and monitor the training of small language models.", "slipway"};
    std::map<const CLI::App *, std::function<int()>> m_commands;
    PlanOptions m_plan;
    ServePlanOptions m_servePlan;
    std::string m_servedModel;
    CatalogOptions m_catalog;
    ValidateOptions m_validate;
    CalibrateOptions m_calibrate;
    SweepOptions m_sweep;
    FindingsOptions m_findings;
    LaunchOptions m_launch;
    AttachOptions m_attach;
    RunOptions m_run;
    RunsOptions m_runs;
    LabelOptions m_label;
    std::string m_noteText;
    CLI::Option *m_notes = nullptr; // given and empty is not the same as not given
    CompareOptions m_compare;
    ImportOptions m_import;
    ReportOptions m_report;
    ExportOptions m_export;
    BenchOptions m_bench;
    std::vector<std::string> m_shot;
};

CommandLine::CommandLine()
{
    m_app.set_version_flag("--version", "slipway " SLIPWAY_VERSION);
    m_app.require_subcommand(0, 1);
    m_app.allow_extras();
    m_app.footer("Without a command, the desktop application opens.\n`slipway COMMAND --help` shows the flags of a "
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
    sub->allow_extras(); // refused in run(), with the nearest flag
    m_commands.emplace(sub, std::move(command));
    return sub;
}

void CommandLine::addPlan()
{
    CLI::App *const sub = add("plan", "Predict memory, speed and cost of one configuration",
        "slipway plan --model 1B --gpu a100-sxm-80gb --gpus 8 --parallel ddp --micro-batch 8\n  slipway plan "
        "my-run.yaml --gpu h100 --check\n  slipway plan my-run.yaml --offers --pdf plan.pdf",
        [this] { return plan(m_plan); });
    sub->add_option("FILE", m_plan.source.file, "Configuration file (YAML); flags override it")->type_name("");
    sub->add_flag("--json", m_plan.json, "Print the result as one JSON document");
    sub->add_flag("--check", m_plan.check, "Exit with status 1 if the configuration does not fit");
    sub->add_flag("--offers", m_plan.offers,
        "Compare the step on every other GPU with a price: fit, speed and cost; with --csv F.csv also writes "
        "F-offers.csv");
    sub->add_option("--csv", m_plan.csv, "Write the plan as a CSV table")->type_name("FILE");
    sub->add_option("--pdf", m_plan.pdf, "Write the plan as a PDF report")->type_name("FILE");
    sub->add_option("--trace", m_plan.trace, "Write the timeline of the step as a Chrome trace (opens in Perfetto)")
        ->type_name("FILE");
    sub->add_option("--step-plan", m_plan.stepPlan, "Write the step plan as text")->type_name("FILE");
    addSettingFlags(*sub, m_plan.source, false);
}

void CommandLine::addServePlan()
{
    CLI::App *const sub = add("serve-plan", "Predict memory, speed, latency and cost of serving a model",
        "slipway serve-plan llama-3.1-8b --gpu h100 --prompt 512 --generate 256 --batch 64\n  slipway serve-plan 1B "
        "--gpu l4 --weights int4 --requests-per-s 5 --json\n  slipway serve-plan --config serve.yaml --tpot 0.02",
        [this] {
            if (!m_servedModel.empty())
                m_servePlan.settings.emplace_back("model", m_servedModel);
            return servePlan(m_servePlan);
        });
    sub->add_option(
           "MODEL", m_servedModel, "A preset, a public model, a size such as 700M, a YAML file or a config.json")
        ->type_name("");
    sub->add_option("--config", m_servePlan.file, "Serving configuration (YAML); flags override it")->type_name("FILE");
    sub->add_flag("--json", m_servePlan.json, "Print the result as one JSON document");
    sub->add_flag("--check", m_servePlan.check, "Exit with status 1 if the batch does not fit, or no point of --grid");
    CLI::Option *const grid = sub->add_option("--grid", m_servePlan.grid,
                                     "Predict every point of a grid: a YAML file that lists values per setting")
                                  ->type_name("GRID");
    sub->add_option(
           "--best-by", m_servePlan.bestBy, "With --grid: show the best point for each combination of these settings")
        ->type_name("KEY,KEY")
        ->needs(grid);
    sub->add_flag("--pareto", m_servePlan.pareto,
           "With --grid: show only Pareto-optimal points in time per output token and tokens per dollar")
        ->needs(grid);
    sub->add_option("--csv", m_servePlan.csv, "With --grid: write all points as a CSV table")
        ->type_name("FILE")
        ->needs(grid);
    addServeFlags(*sub, m_servePlan.settings);
}

void CommandLine::addSweep()
{
    CLI::App *const sub = add("sweep", "Predict every point of a grid",
        "slipway sweep --grid paper --best-by model,gpu,gpus\n  slipway sweep my-run.yaml --grid grid.yaml --pareto "
        "--csv points.csv",
        [this] { return sweepGrid(m_sweep); });
    sub->add_option("FILE", m_sweep.source.file,
           "Configuration file (YAML) for all settings that the grid does not vary; flags override it")
        ->type_name("");
    sub->add_option("--grid", m_sweep.grid, "paper, or a YAML file that lists values per setting")
        ->type_name("GRID")
        ->required();
    sub->add_option("--best-by", m_sweep.bestBy, "Show the best point for each combination of these settings")
        ->type_name("KEY,KEY");
    sub->add_flag("--pareto", m_sweep.pareto, "Show only Pareto-optimal points in speed, tokens per dollar and memory");
    sub->add_flag("--json", m_sweep.json, "Print the result as one JSON document");
    sub->add_option("--csv", m_sweep.csv, "Write all points as a CSV table")->type_name("FILE");
    sub->add_option("--pdf", m_sweep.pdf, "Write the best points and the paper's figures as a PDF report")
        ->type_name("FILE");
    addSettingFlags(*sub, m_sweep.source, false);
}

void CommandLine::addFindings()
{
    CLI::App *const sub = add("findings", "Compare each finding of the paper with Slipway's predictions",
        "slipway findings --out docs/findings.md", [this] { return findings(m_findings); });
    sub->add_option("--out", m_findings.out, "Write a Markdown page")->type_name("FILE");
    sub->add_flag("--json", m_findings.json, "Print the result as one JSON document");
}

void CommandLine::addValidate()
{
    CLI::App *const sub = add("validate", "Compare predictions with a table of measured runs",
        "slipway validate measured.csv\n  slipway validate measured.csv --only gpu=H100-80GB --csv compared.csv",
        [this] { return validateTable(m_validate); });
    sub->add_option("TABLE", m_validate.table, "Measurement table (CSV)")->type_name("")->required();
    sub->add_flag("--json", m_validate.json, "Print the result as one JSON document");
    sub->add_option("--csv", m_validate.csv, "Write measured and predicted values of every row")->type_name("FILE");
    sub->add_option("--only", m_validate.only, "Use only rows whose column has this value")->type_name("COLUMN=VALUE");
    CLI::Option *const calibration =
        sub->add_option("--calibration", m_validate.calibration, "Name of a calibration fitted to other runs")
            ->type_name("NAME");
    CLI::Option *const annotations =
        sub->add_option("--annotations", m_validate.annotations,
               "Annotations of published sources to use: all, consistent (those that no column contradicts) or none")
            ->type_name("WHICH");
    sub->add_flag("--leave-one-out", m_validate.leaveOneOut,
           "Print how well the ranges hold for sources and software that are left out in turn")
        ->excludes("--csv")
        ->excludes(calibration)
        ->excludes(annotations);
}

void CommandLine::addCalibrate()
{
    CLI::App *const sub = add("calibrate", "Fit device constants to your own runs",
        "slipway calibrate run-a run-b run-c --as mine\n  slipway calibrate --log train.log --config run.yaml "
        "--framework pytorch-eager",
        [this] { return calibrateConstants(m_calibrate); });
    sub->add_option("RUN", m_calibrate.subjects,
           "Runs (name or directory), measurement tables (CSV), or GEMM timings of slipway-train bench ops --products "
           "(CSV)")
        ->type_name("");
    sub->add_option("--log", m_calibrate.logs,
           "Log of a training program (PyTorch script, torchtitan, Megatron-LM, nanoGPT and others); - reads standard "
           "input; repeatable")
        ->type_name("FILE")
        ->take_all()
        ->expected(1);
    sub->add_option("--config", m_calibrate.configs, "Configuration file (YAML) of the logged run; flags override it")
        ->type_name("FILE")
        ->take_all()
        ->expected(1);
    sub->add_option("--fit", m_calibrate.fit,
           "Fit only these constants: " + enumChoices<Constant>() + "; default: all that the data support")
        ->type_name("NAME,NAME");
    sub->add_flag("--choose", m_calibrate.choose,
        "Fit the runs as the framework version or option that they look like, where the evidence is clear");
    sub->add_option("--as", m_calibrate.name, "Name of the calibration, for --calibration; default: the GPU's id")
        ->type_name("NAME");
    sub->add_option("--remove", m_calibrate.remove, "Delete a saved calibration; fits nothing")->type_name("NAME");
    sub->add_flag("--dry-run", m_calibrate.dryRun, "Show the result without saving it");
    sub->add_flag("--json", m_calibrate.json, "Print the result as one JSON document");
    addSettingFlags(*sub, m_calibrate.source, false);
}

void CommandLine::addCatalog()
{
    CLI::App *const sub = add("catalog", "List GPUs, nodes, models, frameworks, prices and scaling laws",
        "slipway catalog gpus\n  slipway catalog prices --json\n  slipway catalog import-prices vms.csv --as mine",
        [this] { return m_catalog.table == "import-prices" ? importPrices(m_catalog) : catalog(m_catalog); });
    sub->add_option("TABLE", m_catalog.table,
           "gpus, nodes, models, frameworks, prices or laws; import-prices imports FILE as your own price book")
        ->type_name("")
        ->required();
    sub->add_option("FILE", m_catalog.file, "With import-prices: a vms.csv file of SkyPilot's catalogue")
        ->type_name("");
    sub->add_option("--as", m_catalog.name, "With import-prices: name of the price book, for --prices")
        ->type_name("BOOK");
    sub->add_flag("--json", m_catalog.json, "Print the result as one JSON document");
}

void CommandLine::addLaunch()
{
    CLI::App *const sub = add("launch", "Launch a run and follow it until it ends",
        "slipway launch my-run.yaml --detach\n  slipway launch my-run.yaml --on node7 --dry-run\n  slipway launch "
        "my-run.yaml --on slurm: --sbatch=--partition=gpu\n  slipway launch my-run.yaml --probe\n  slipway launch "
        "my-run.yaml --on node1,node2 --gpus 16 --gpus-per-node 8\n  slipway launch --framework hf-trainer -- python3 "
        "train.py",
        [this] { return launch(m_launch); });
    sub->add_option("FILE", m_launch.source.file,
           "Configuration file (YAML); flags override it; may be left out before -- COMMAND")
        ->type_name("");
    sub->add_option("--on", m_launch.host,
           "Host: local, an ssh alias, node1,node2 for one run on several machines, slurm: or slurm:ALIAS; append "
           ":/FOLDER to keep runs and data there")
        ->type_name("HOST");
    sub->add_option("--sbatch", m_launch.sbatch, "Option for sbatch, such as --sbatch=--partition=gpu; repeatable")
        ->type_name("OPTION")
        ->take_all()
        ->expected(1);
    sub->add_option("--run-dir", m_launch.runDirectory, "Run directory; default: a new one in your data folder")
        ->type_name("DIR");
    sub->add_option("--grid", m_launch.grid,
           "Launch every point of this grid (YAML file that lists values per setting) as one Slurm job array")
        ->type_name("GRID");
    sub->add_flag("--keep-checkpoints-here", m_launch.keepCheckpoints,
        "Copy new checkpoints to this machine while `slipway watch` or the desktop follows the run");
    sub->add_option("--then-on", m_launch.thenOn,
           "Hosts that take the run, in this order, when its host is gone; it resumes from the latest checkpoint that "
           "was copied here")
        ->type_name("HOST,...")
        ->delimiter(',');
    sub->add_option("--checkpoints-in", m_launch.checkpointsIn,
           "Folder, from workdir, into which a command of your own writes its checkpoints")
        ->type_name("FOLDER");
    sub->add_flag("--probe", m_launch.probe,
        "Launch the short run that tells most about the speed of FILE instead, and calibrate with its result");
    sub->add_flag("--detach", m_launch.detach, "Return as soon as the run has started");
    sub->add_flag("--dry-run", m_launch.dryRun, "Show what would be launched, without launching it");
    sub->add_flag("--force", m_launch.force, "Launch even if the plan does not fit the host's GPUs");
    sub->add_flag("--json", m_launch.json, "With --detach or --dry-run: print the result as one JSON document");
    addSettingFlags(*sub, m_launch.source, true);
}

void CommandLine::addAttach()
{
    CLI::App *const sub = add("attach", "Follow the log of a training that somebody else has started",
        "slipway attach train.log --framework nanogpt\n  slipway attach train.log --framework hf-trainer my-plan.yaml "
        "--detach\n  slipway attach node7:/data/train.log\n  slipway attach slurm:login:4242 --framework torchtitan",
        [this] { return attach(m_attach); });
    sub->add_option("LOG", m_attach.log,
           "Log file, HOST:/FILE over ssh, or slurm:JOB or slurm:ALIAS:JOB; nothing is written into its folder")
        ->type_name("")
        ->required();
    sub->add_option("FILE,--config", m_attach.source.file, "Configuration (YAML) of what is trained; flags override it")
        ->type_name("FILE");
    sub->add_flag("--detach", m_attach.detach, "Return at once");
    sub->add_flag("--json", m_attach.json, "With --detach: print the result as one JSON document");
    addSettingFlags(*sub, m_attach.source, true);
}

void CommandLine::addRuns()
{
    CLI::App *const list = add("runs", "List runs with state, step, loss and speed",
        "slipway runs\n  slipway runs baseline --state running,succeeded --sort loss", [this] { return runs(m_runs); });
    list->add_option(
            "WORDS", m_runs.words, "Only runs whose name, tags, notes, model, GPU or state contain these words")
        ->type_name("");
    list->add_option("--state", m_runs.states, "Only runs in these states")->type_name("STATE,STATE")->delimiter(',');
    list->add_option("--tag", m_runs.tags, "Only runs with all of these tags")->type_name("TAG,TAG")->delimiter(',');
    list->add_option("--sort", m_runs.sortBy, "Sort by changed, name, loss, speed or cost")->type_name("KEY");
    list->add_flag("--rebuild", m_runs.rebuild, "Rebuild the list from all run directories");
    list->add_flag("--json", m_runs.json, "Print the result as one JSON document");
    addRunTools();
    const auto addRun = [this](const char *name, const char *what, const char *example,
                            int (*command)(const RunOptions &)) {
        CLI::App *const sub = add(name, what, example, [this, command] { return command(m_run); });
        sub->add_option("RUN", m_run.run, "Name or directory of a run")->type_name("")->required();
        return sub;
    };
    addRun("watch", "Follow a run until it ends", "slipway watch my-run", watch);
    CLI::App *const end = addRun("stop",
        "Stop a run within 10 s, with a checkpoint if time allows; SIGTERM after 5.5 s, SIGKILL 2 s later",
        "slipway stop my-run --wait 10m", stop);
    CLI::Option *const now =
        end->add_flag("--now", m_run.now, "Do not request a checkpoint: SIGTERM at once, SIGKILL 4 s later");
    end->add_option(
           "--wait", m_run.wait, "Wait up to TIME for the current step and its checkpoint, so that no step is lost")
        ->type_name("TIME")
        ->excludes(now);
    CLI::App *const fetch = addRun("fetch", "Copy the files of a run on another host to this machine",
        "slipway fetch my-run --checkpoint", fetchRun);
    fetch->add_flag("--checkpoint", m_run.checkpoint, "Copy the latest checkpoint instead of the small files");
    CLI::App *const again = addRun(
        "resume", "Resume a run from its latest checkpoint and follow it", "slipway resume my-run --detach", resume);
    again->add_flag("--detach", m_run.detach, "Return as soon as the run has started");
}

void CommandLine::addRunTools()
{
    CLI::App *const tags = add("label", "Set the tags and notes of a run",
        "slipway label my-run --tag baseline --notes 'the first that converged'", [this] {
            if (m_notes->count() > 0)
                m_label.notes = m_noteText;
            return label(m_label);
        });
    tags->add_option("RUN", m_label.run, "Name or directory of a run")->type_name("")->required();
    tags->add_option("--tag", m_label.add, "Tags to add")->type_name("TAG,TAG")->delimiter(',');
    tags->add_option("--untag", m_label.remove, "Tags to remove")->type_name("TAG,TAG")->delimiter(',');
    m_notes = tags->add_option("--notes", m_noteText, "Notes; an empty text removes them")->type_name("TEXT");
    tags->add_flag("--json", m_label.json, "Print the result as one JSON document");

    CLI::App *const side =
        add("compare", "Compare runs: different settings, metrics, and predicted versus measured values",
            "slipway compare run-a run-b run-c --baseline run-a", [this] { return compare(m_compare); });
    side->add_option("RUN", m_compare.runs, "Names or directories of 2 to 20 runs")->type_name("")->required();
    side->add_option("--baseline", m_compare.baseline, "Run to compare the others with; default: the first")
        ->type_name("RUN");
    side->add_flag("--json", m_compare.json, "Print the result as one JSON document");
    side->add_option("--csv", m_compare.csv, "Write differing settings and figures as CSV")->type_name("FILE");
    side->add_option("--html", m_compare.html, "Write the comparison as a single HTML file")->type_name("FILE");
    side->add_option("--pdf", m_compare.pdf, "Write the comparison as PDF")->type_name("FILE");

    CLI::App *const theirs = add("import", "Import metrics exported from W&B or TensorBoard as a run, for comparison",
        "slipway import wandb_export.csv --name theirs", [this] { return importExports(m_import); });
    theirs->add_option("FILE", m_import.files, "CSV or JSON files of one run")->type_name("")->required();
    theirs->add_option("--name", m_import.name, "Name of the run; default: the name of the first file")
        ->type_name("NAME");
    theirs->add_flag("--json", m_import.json, "Print the result as one JSON document");
}

void CommandLine::addReport()
{
    CLI::App *const sub = add("report", "Report on a run or a planned configuration as text, PDF, HTML or CSV",
        "slipway report my-run\n  slipway report my-run --pdf report.pdf --csv report.csv\n  slipway report my-run "
        "--html report.html",
        [this] { return report(m_report); });
    sub->add_option("SUBJECT", m_report.subject, "Name or directory of a run, or a configuration file")
        ->type_name("")
        ->required();
    sub->add_option("--pdf", m_report.pdf, "Write a PDF report")->type_name("FILE");
    sub->add_option("--paper", m_report.paper, "Paper size of the PDF: a4 (default) or letter")->type_name("SIZE");
    sub->add_option("--html", m_report.html, "Write an HTML report as a single self-contained file")->type_name("FILE");
    sub->add_option("--csv", m_report.csv, "Write a CSV table")->type_name("FILE");
}

void CommandLine::addExport()
{
    CLI::App *const sub = add("export", "Write files that launch a run without the slipway command",
        "slipway export my-run.yaml --to slurm --out job\n  slipway export my-run --to tensorboard",
        [this] { return exportFiles(m_export); });
    sub->add_option("FILE", m_export.source.file, "Configuration file (YAML); flags override it")
        ->type_name("")
        ->required();
    sub->add_option(
           "--to", m_export.target, "slurm, skypilot, torchrun or kubernetes; tensorboard with a run instead of FILE")
        ->type_name("KIND")
        ->required();
    sub->add_option("--out", m_export.folder, "Folder to create; default: named after the run")->type_name("DIR");
    addSettingFlags(*sub, m_export.source, true);
}

void CommandLine::addBench()
{
    CLI::App *const sub = add("bench", "Benchmark Slipway itself: planning, start-up, charts", "slipway bench --json",
        [this] { return bench(m_bench); });
    sub->add_flag("--json", m_bench.json, "Print the result as one JSON document");
    sub->add_flag("!--no-window", m_bench.window, "Skip the desktop benchmarks");
    sub->add_option("--live-seconds", m_bench.liveSeconds, "Duration of the live-chart benchmark in seconds")
        ->type_name("N")
        ->check(CLI::Range(1, 900));
    sub->add_option("--repeats", m_bench.repeats, "Number of plans to time")
        ->type_name("N")
        ->check(CLI::Range(1, 1'000'000));
}

void CommandLine::addDesktop()
{
    CLI::App *const sub = add("shot", "Render a page of the desktop to an image; needs no screen",
        "slipway shot plan --out plan.png --theme dark", [] { return Done; });
    sub->add_option("PAGE", "Page: plan, explore, runs, hosts or report")->type_name("");
    sub->add_option("--out", "Image file to write")->type_name("F.png");
    sub->add_option("--plan", "Configuration file")->type_name("FILE");
    sub->add_option("--run", "Name or directory of a run")->type_name("RUN");
    sub->add_option("--grid", "For explore: paper, or a YAML file")->type_name("GRID");
    sub->add_option("--view",
           "For explore: table, heat, pareto, attention, gpu, scheme, batch, sequence; for plan: step, first, textbook")
        ->type_name("VIEW");
    sub->add_option("--theme", "Theme: light or dark")->type_name("THEME");
    sub->add_option("--language", "Language: en or de")->type_name("LANGUAGE");
    sub->add_option("--size", "Width x height in pixels, such as 1280x800")->type_name("WxH");
    sub->add_option("--scale", "Magnification from 1 to 4: at 2, a picture of 1280x800 has 2560x1600 pixels")
        ->type_name("N");
}

int CommandLine::run(const std::vector<std::string> &given)
{
    // What stands behind `launch ... --` is another program's, whatever it looks like.
    std::vector<std::string> arguments = given;
    const auto end = std::find(arguments.begin(), arguments.end(), "--");
    if (!arguments.empty() && arguments.front() == "launch" && end != arguments.end()) {
        m_launch.command.assign(end + 1, arguments.end());
        arguments.erase(end, arguments.end());
    }
    try {
        m_app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend())); // CLI11 takes them from the back
    } catch (const CLI::Success &success) {                                          // --help, --version
        return m_app.exit(success);
    } catch (const CLI::ParseError &error) {
        if (const auto unknown = unknownArgument(m_app, arguments))
            return fail(*unknown);
        return fail({.what = error.what(), .where = arguments.empty() ? "" : arguments[0], .accepted = "see --help"});
    }
    const std::vector<CLI::App *> subcommands = m_app.get_subcommands();
    const CLI::App &command = subcommands.empty() ? m_app : *subcommands[0];
    if (command.remaining_size() > 0)
        return fail(unknownArgument(m_app, arguments)
                .value_or(Error{.what = "unknown argument",
                    .where = command.remaining().front(),
                    .accepted = "see " + command.get_name() + " --help"}));
    if (subcommands.empty())
        return desktop({});
    return m_commands.at(subcommands[0])();
}

} // namespace

int runCommand(const std::vector<std::string> &arguments)
{
    const bool help = std::find(arguments.begin(), arguments.end(), "--help") != arguments.end() ||
                      std::find(arguments.begin(), arguments.end(), "-h") != arguments.end();
    if (!arguments.empty() && arguments[0] == "shot" && !help)
        return desktop(arguments); // drawn there, and its flags are read there
    return CommandLine().run(arguments);
}

} // namespace slipway::cli
