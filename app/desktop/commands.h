// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QSize>
#include <string>
#include <vector>

#include "cli/config_source.h"
#include "report/report.h"
#include "ui/theme/theme.h"

namespace slipway::desktop {

struct Options {
    std::string page;               // empty: the page that was open last
    cli::ConfigSource source;       // of the Plan page
    std::vector<std::string> files; // any that the window opens
    std::vector<std::string> runs;  // names or directories; none: the newest run; several: a comparison
    std::string tab;                // tab of the run: charts, comparison, alerts, log, events, configuration
    std::string grid = "paper";     // of the Explore page
    std::string view = "table";     // of the Explore page
    std::string theme = "system";
    std::string language; // empty: as in the window's settings
    std::string size = "1280x800";
    double scale = 1; // of a picture: its pixels per pixel of the size
    std::string out;
    std::string kind;                  // of a report
    std::vector<std::string> subjects; // of a report: one, or the runs of a comparison
    std::string paper = "a4";          // of a report
    bool json = false;
    bool keepsDrafts = false; // of the plan with unsaved changes; pictures have none
    int liveSeconds = 60;     // for bench: seconds for which a growing run is watched
};

// Each returns the exit status of the program.
int openWindow(const Options &options, int &argc, char **argv);
int drawShot(const Options &options, int &argc, char **argv);
int drawPdf(const Options &options, int &argc, char **argv);
int bench(const Options &options, int &argc, char **argv);

// The report of `kind`: plan, run, sweep or comparison.
Result<Report> reportOf(const Options &options);

// Prints the message to standard error and returns the exit status.
int fail(const Error &error);

Result<ui::Scheme> schemeOf(const std::string &name);

// Once the application is there, and before anything is shown: the language that was asked for, else `otherwise`.
Result<void> startLanguage(const Options &options, const std::string &otherwise);

} // namespace slipway::desktop
