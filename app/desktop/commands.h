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
    std::string page;               // if empty, the page that was open last
    cli::ConfigSource source;       // configuration of the Plan page
    std::vector<std::string> files; // any files that the window can open
    std::vector<std::string> runs;  // names or directories; several are compared; if empty, the latest run
    std::string tab;                // tab of the run: charts, comparison, alerts, log, events, configuration
    std::string grid = "paper";     // grid of the Explore page
    std::string view = "table";     // view of the Explore page
    std::string theme = "system";
    std::string language; // if empty, the language of the window's settings
    std::string size = "1280x800";
    double scale = 1; // pixels of a picture per pixel of `size`
    std::string out;
    std::string kind;                  // kind of a report
    std::vector<std::string> subjects; // one subject of a report, or the runs of a comparison
    std::string paper = "a4";          // paper size of a report
    bool json = false;
    bool keepsDrafts = false; // saves drafts of unsaved changes; not used for pictures
    int liveSeconds = 60;     // for bench: seconds for which a growing run is observed
};

// Each returns the exit status of the program.
int openWindow(const Options &options, int &argc, char **argv);
int drawShot(const Options &options, int &argc, char **argv);
int drawPdf(const Options &options, int &argc, char **argv);
int bench(const Options &options, int &argc, char **argv);

// Creates a report of `kind`, which is plan, run, sweep or comparison.
Result<Report> reportOf(const Options &options);

// Prints the message to standard error and returns the exit status.
int fail(const Error &error);

Result<ui::Scheme> schemeOf(const std::string &name);

// Sets the requested language, or `otherwise` if none was requested. Call it after creating the application and before
// showing any widget.
Result<void> startLanguage(const Options &options, const std::string &otherwise);

} // namespace slipway::desktop
