// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The commands as functions: their options as plain values, their result an exit status. command_line.h alone knows how
// they are written on a command line.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/config_source.h"

namespace slipway::cli {

struct PlanOptions {
    ConfigSource source;
    bool json = false, check = false, offers = false;
    std::string csv, pdf, stepPlan, trace; // files to write; empty: not
};
int plan(const PlanOptions &options);

struct ServePlanOptions {
    std::string file;                                          // YAML of serving; empty: the defaults
    std::vector<std::pair<std::string, std::string>> settings; // key -> text, in the order in which they were given
    bool json = false, check = false;
    std::string grid;    // YAML file: every point of it is planned instead
    std::string bestBy;  // of the grid: keys, comma-separated
    std::string csv;     // file to write the grid's points to; empty: none
    bool pareto = false; // of the grid's points only those that none beats
};
int servePlan(const ServePlanOptions &options);

struct CatalogOptions {
    std::string table; // gpus, nodes, models, frameworks, prices, laws, import-prices
    std::string file;  // import-prices: the list
    std::string name;  // import-prices: of the book; empty: after the file
    bool json = false;
};
int catalog(const CatalogOptions &options);
int importPrices(const CatalogOptions &options);

struct SweepOptions {
    ConfigSource source;
    std::string grid;   // paper, or a file
    std::string bestBy; // keys, comma-separated
    std::string csv, pdf;
    bool json = false, pareto = false;
};
int sweepGrid(const SweepOptions &options);

struct FindingsOptions {
    std::string out; // Markdown file; empty: to standard output
    bool json = false;
};
// The paper's findings against our numbers.
int findings(const FindingsOptions &options);

struct ValidateOptions {
    std::string table; // a measurement table
    std::string only;  // COLUMN=VALUE; empty: all rows
    std::string csv;
    std::string calibration; // its name; empty: as shipped
    std::string annotations; // of sources that count; empty: all
    bool json = false, leaveOneOut = false;
};
int validateTable(const ValidateOptions &options);

struct CalibrateOptions {
    std::vector<std::string> subjects; // runs, measurement tables
    std::vector<std::string> logs;     // files; "-": standard input
    std::vector<std::string> configs;  // of the logs: one each, or one for all
    ConfigSource source;               // flags on top of them
    std::string fit;                   // constants, comma-separated; empty: what the data support
    std::string name;                  // of the calibration; empty: after the GPU
    std::string remove;                // a kept calibration's name: nothing is fitted
    bool dryRun = false, json = false;
    bool choose = false; // fits the runs as the version or option that they look like
};
int calibrateConstants(const CalibrateOptions &options);

struct LaunchOptions {
    ConfigSource source;
    std::string host = "local";
    std::string runDirectory;         // empty: a new one
    std::vector<std::string> sbatch;  // options for Slurm
    std::string grid;                 // a file: every point of it is a run
    std::vector<std::string> command; // words behind `--`: another training script
    std::vector<std::string> thenOn;  // hosts that take the run when its host is gone
    std::string checkpointsIn;        // of another training script: its folder of checkpoints
    bool keepCheckpoints = false;     // copy them here while it runs
    bool detach = false, dryRun = false, json = false;
    bool force = false; // though it is predicted not to fit
    bool probe = false; // launches a short probe in place of the planned run, and fits a calibration to it
};
int launch(const LaunchOptions &options);
int launchGrid(const LaunchOptions &options);
int launchProbe(const LaunchOptions &options);

struct AttachOptions {
    std::string log;     // a file here, HOST:/FILE, slurm:JOB
    ConfigSource source; // of what is trained; --framework says how the log is read
    bool detach = false, json = false;
};
// Follows the log of a training that somebody else has started.
int attach(const AttachOptions &options);

struct RunOptions {
    std::string run;         // name or directory
    bool detach = false;     // resume: do not follow
    bool now = false;        // stop: do not ask for a checkpoint first
    std::string wait;        // stop: how long its step and its checkpoint may take; empty: as long as every run has
    bool checkpoint = false; // fetch
};
int stop(const RunOptions &options);
int resume(const RunOptions &options);
int watch(const RunOptions &options);
int fetchRun(const RunOptions &options);

struct RunsOptions {
    std::string words; // search words: each must occur in the run's name, tags, notes, model, GPU or state
    std::vector<std::string> states, tags;
    std::string sortBy = "changed"; // changed, name, loss, speed, cost
    bool json = false;
    bool rebuild = false; // read every run directory again
};
int runs(const RunsOptions &options);

struct LabelOptions {
    std::string run;
    std::vector<std::string> add, remove;
    std::optional<std::string> notes;
    bool json = false;
};
int label(const LabelOptions &options);

struct CompareOptions {
    std::vector<std::string> runs;
    std::string baseline; // one of them; empty: the first
    std::string csv, html, pdf;
    bool json = false;
};
int compare(const CompareOptions &options);

struct ImportOptions {
    std::vector<std::string> files;
    std::string name;
    bool json = false;
};
int importExports(const ImportOptions &options);

struct ReportOptions {
    std::string subject; // a run, or a configuration's file
    std::string pdf, csv, html;
    std::string paper; // of the PDF; empty: a4
};
int report(const ReportOptions &options);

struct ExportOptions {
    ConfigSource source;
    std::string target; // slurm, skypilot, torchrun; tensorboard, of a run
    std::string folder;
};
int exportFiles(const ExportOptions &options);

struct BenchOptions {
    bool json = false;
    int repeats = 200;
    bool window = true; // the desktop's figures too, where it is there
    int liveSeconds = 60;
};
int bench(const BenchOptions &options);

// Replaces this process by slipway-desktop with these arguments.
int desktop(const std::vector<std::string> &arguments);
struct PdfRequest {
    std::string kind; // plan, run, sweep or comparison
    std::vector<std::string> subjects;
    std::string file;
    std::string plan;  // of a sweep: a configuration file, or empty
    std::string paper; // a4 or letter; empty: a4
};
// Runs `slipway-desktop pdf KIND SUBJECT... --out FILE` and waits for it.
int drawPdf(const PdfRequest &request);

// The page is drawn from a file, so what flags changed is written into one, which is the subject where there is no
// other.
int drawConfigPdf(
    const std::string &kind, const std::string &subject, const RunConfig &config, const std::string &file);

} // namespace slipway::cli
