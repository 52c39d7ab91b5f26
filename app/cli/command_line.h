// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/commands.h"

namespace slipway::cli {

// The parser and the options that it fills in. One object parses one command line. The flags of the commands are
// defined in planning_arguments.cpp and run_arguments.cpp.
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
    CLI::Option *m_notes = nullptr; // distinguishes an empty note from none
    CompareOptions m_compare;
    ImportOptions m_import;
    ReportOptions m_report;
    ExportOptions m_export;
    BenchOptions m_bench;
    std::vector<std::string> m_shot;
};

} // namespace slipway::cli
