// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The commands as functions. Their options are plain values, and their result is an exit status. Only command_line.h
// defines how they are written on a command line.
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
    std::string csv, pdf, stepPlan, trace; // files to write; if empty, the file is not written
};
int plan(const PlanOptions &options);

struct ServePlanOptions {
    std::string file;                                          // YAML configuration of a server; empty: the defaults
    std::vector<std::pair<std::string, std::string>> settings; // key and text, in the order on the command line
    bool json = false, check = false;
    std::string grid;    // YAML file with a grid, of which every point is planned
    std::string bestBy;  // keys for the best points of the grid, separated by commas
    std::string csv;     // file to which the points of the grid are written; none if empty
    bool pareto = false; // selects only the points of the grid that no other point beats
};
int servePlan(const ServePlanOptions &options);

struct CatalogOptions {
    std::string table; // gpus, nodes, models, frameworks, prices, laws, import-prices
    std::string file;  // price list for import-prices
    std::string name;  // name of the book for import-prices; if empty, that of the file
    bool json = false;
};
int catalog(const CatalogOptions &options);
int importPrices(const CatalogOptions &options);

struct SweepOptions {
    ConfigSource source;
    std::string grid;   // "paper", or a file
    std::string bestBy; // keys, separated by commas
    std::string csv, pdf;
    bool json = false, pareto = false;
};
int sweepGrid(const SweepOptions &options);

struct FindingsOptions {
    std::string out; // Markdown file; if it is empty, standard output is used
    bool json = false;
};
// Compares the paper's findings with Slipway's predictions.
int findings(const FindingsOptions &options);

struct ValidateOptions {
    std::string table; // a measurement table
    std::string only;  // COLUMN=VALUE; all rows are used if it is empty
    std::string csv;
    std::string calibration; // name of a calibration; the shipped constants are used if it is empty
    std::string annotations; // which annotations of sources apply; all apply if it is empty
    bool json = false, leaveOneOut = false;
};
int validateTable(const ValidateOptions &options);

struct CalibrateOptions {
    std::vector<std::string> subjects; // runs and measurement tables
    std::vector<std::string> logs;     // log files; "-" is standard input
    std::vector<std::string> configs;  // configurations of the logs: one for each log, or one for all
    ConfigSource source;               // flags that override the configurations
    std::string fit;                   // constants to fit, separated by commas; if empty, those that the data support
    std::string name;                  // name of the calibration; if empty, that of the GPU
    std::string remove;                // name of a saved calibration to remove; nothing is fitted
    bool dryRun = false, json = false;
    bool choose = false; // chooses for each run the version or option that matches it best
};
int calibrateConstants(const CalibrateOptions &options);

struct LaunchOptions {
    ConfigSource source;
    std::string host = "local";
    std::string runDirectory;         // a new directory is used if it is empty
    std::vector<std::string> sbatch;  // options for Slurm
    std::string grid;                 // grid file, of which every point becomes a run
    std::vector<std::string> command; // words after `--`, which start another training script
    std::vector<std::string> thenOn;  // hosts that take over the run if its host is gone
    std::string checkpointsIn;        // folder in which another training script writes its checkpoints
    bool keepCheckpoints = false;     // copies checkpoints to this machine during the run
    bool detach = false, dryRun = false, json = false;
    bool force = false; // launches although an out-of-memory failure is predicted
    // Launches a short probe in place of the planned run, and fits a calibration to it.
    bool probe = false;
};
int launch(const LaunchOptions &options);
int launchGrid(const LaunchOptions &options);
int launchProbe(const LaunchOptions &options);

struct AttachOptions {
    std::string log;     // a local file, HOST:/FILE, or slurm:JOB
    ConfigSource source; // configuration of the training; --framework selects how the log is parsed
    bool detach = false, json = false;
};
// Follows the log of a training that was started by other means.
int attach(const AttachOptions &options);

struct RunOptions {
    std::string run;     // name or directory of a run
    bool detach = false; // resume: returns without following the run
    bool now = false;    // stop: does not request a checkpoint first
    // For stop: the time that the current step and the checkpoint may take. The usual time applies if it is empty.
    std::string wait;
    bool checkpoint = false; // fetch: includes the checkpoint
};
int stop(const RunOptions &options);
int resume(const RunOptions &options);
int watch(const RunOptions &options);
int fetchRun(const RunOptions &options);

struct RunsOptions {
    // Search words. Each word must occur in the run's name, tags, notes, model, GPU or state.
    std::string words;
    std::vector<std::string> states, tags;
    std::string sortBy = "changed"; // changed, name, loss, speed, cost
    bool json = false;
    std::string csv;      // file to which the list is written; none if empty
    bool rebuild = false; // reads every run directory again
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
    std::string baseline; // one of the runs; the first run is the baseline if it is empty
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
    std::string subject; // a run or a configuration file
    std::string pdf, csv, html;
    std::string paper; // paper size of the PDF; a4 if it is empty
};
int report(const ReportOptions &options);

struct ExportOptions {
    ConfigSource source;
    std::string target; // slurm, skypilot or torchrun; tensorboard for a run
    std::string folder;
};
int exportFiles(const ExportOptions &options);

struct BenchOptions {
    bool json = false;
    int repeats = 200;
    bool window = true; // includes the timings of the desktop, if it is installed
    int liveSeconds = 60;
};
int bench(const BenchOptions &options);

// Replaces this process with slipway-desktop, which gets these arguments.
int desktop(const std::vector<std::string> &arguments);
struct PdfRequest {
    std::string kind; // plan, run, sweep or comparison
    std::vector<std::string> subjects;
    std::string file;
    std::string plan;  // configuration file for a sweep; may be empty
    std::string paper; // a4 or letter; a4 if it is empty
};
// Runs `slipway-desktop pdf KIND SUBJECT... --out FILE` and waits for it.
int drawPdf(const PdfRequest &request);

// Draws the PDF of a configuration. The page is drawn from a file, so the changes by flags are written to a file. That
// file is the subject if there is no other subject.
int drawConfigPdf(
    const std::string &kind, const std::string &subject, const RunConfig &config, const std::string &file);

} // namespace slipway::cli
