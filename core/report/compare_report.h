// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Runs side by side as a report and as a table.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/report.h"
#include "runs/compare.h"

namespace slipway {

// Unique names of the compared runs: the second run of one name is "name (2)".
std::vector<std::string> distinctNames(const std::vector<std::string> &names);

// `runs` are those that were compared, in the same order.
Report comparisonReport(const RunComparison &comparison, std::span<const RunData *const> runs);

// One row for each differing setting and each figure, one column for each run.
std::string comparisonCsv(const RunComparison &comparison);

} // namespace slipway
