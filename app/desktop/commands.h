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
    std::string page = "plan";
    cli::ConfigSource source;      // of the Plan page
    std::vector<std::string> runs; // names or directories: none, the newest; several, compared
    std::string tab;               // of a run: charts, comparison, alerts, log, events, configuration
    std::string grid = "paper";    // of the Explore page
    std::string view = "table";    // of the Explore page
    std::string theme = "system";
    std::string size = "1280x800";
    std::string out;
    std::string kind, subject; // of a report
    bool json = false;
    int liveSeconds = 60; // of bench: how long a run is watched while it grows
};

// Each gives the program's exit status (contract, section 1).
int openWindow(const Options &options, int &argc, char **argv);
int drawShot(const Options &options, int &argc, char **argv);
int drawPdf(const Options &options, int &argc, char **argv);
int bench(const Options &options, int &argc, char **argv);

// Of `kind`: plan, run or sweep.
Result<Report> reportOf(const Options &options);

// Message to standard error, exit status as the result.
int fail(const Error &error);

Result<ui::Scheme> schemeOf(const std::string &name);

} // namespace slipway::desktop
