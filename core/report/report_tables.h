// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Tables and formats that several reports share.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "report/report.h"

namespace slipway {

// The settings that differ from their defaults, by group. The appendix lists the others.
ReportSection configurationSection(const RunConfig &config, bool withTraining);
// All settings by group, the chosen ones and the defaults.
ReportSection settingsAppendix(const RunConfig &config, bool withTraining);

// A curve over steps, thinned for print; what is not finite leaves a gap.
ReportSeries curveOverSteps(
    const RunData &run, const std::string &name, const std::function<double(const StepMetrics &)> &value);

std::string speedSentence();                // says how the figures of a run's speed were measured
std::string formatPercent(double fraction); // "41.3 %"
std::string formatRange(const std::string &low, const std::string &high);       // "1.2 s to 1.5 s"
std::string formatInUnit(std::optional<double> value, const std::string &unit); // "not known" where empty
std::string titleCase(std::string_view name);                                   // "gemm" -> "Gemm"
std::string strategyInList(const Parallelism &parallel); // "ddp, "; empty for none, which would name nothing

} // namespace slipway
