// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Defines the flags of the commands that predict, validate and calibrate, and of the catalogue.
#include "cli/command_line.h"

#include "cli/setting_flags.h"
#include "hardware/calibration.h"

namespace slipway::cli {

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
        "Also plan the step on every other GPU that has a price; with --csv F.csv, write this table to F-offers.csv");
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
    sub->add_flag(
        "--check", m_servePlan.check, "Exit with status 1 if the batch does not fit; with --grid, if no point fits");
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
    sub->add_option("--csv", m_servePlan.csv,
           "With --grid: write the points as a CSV table: all, or those of --best-by or --pareto")
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
    sub->add_option("--csv", m_sweep.csv, "Write the points as a CSV table: all, or those of --best-by or --pareto")
        ->type_name("FILE");
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
    sub->add_option("--only", m_validate.only, "Use only rows that have VALUE in COLUMN")->type_name("COLUMN=VALUE");
    CLI::Option *const calibration =
        sub->add_option("--calibration", m_validate.calibration, "Name of a calibration fitted to other runs")
            ->type_name("NAME");
    CLI::Option *const annotations =
        sub->add_option("--annotations", m_validate.annotations,
               "Annotations of published sources to use: all, consistent (those that no column contradicts) or none")
            ->type_name("WHICH");
    sub->add_flag("--leave-one-out", m_validate.leaveOneOut,
           "Check the ranges for unknown software: predict each row also without profiles and annotations")
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
           "Runs (name or directory), measurement tables (CSV), or GEMM timings of slipway-train bench ops --gemms "
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
        "Fit constants for the framework version or option that explains the runs best, if the evidence is clear");
    sub->add_option("--as", m_calibrate.name, "Name of the calibration, for --calibration; default: the GPU's id")
        ->type_name("NAME");
    sub->add_option("--remove", m_calibrate.remove, "Delete a saved calibration instead of fitting one")
        ->type_name("NAME");
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

} // namespace slipway::cli
