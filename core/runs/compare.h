// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Compares runs: the settings in which they differ, their results, and the difference of each to a baseline.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "runs/progress.h"
#include "runs/run_reader.h"

namespace slipway {

inline constexpr std::size_t kMostCompared = 20;

struct DifferingSetting {
    std::string key;
    std::vector<std::string> values; // one per run; empty if the run does not have the setting
    bool operator==(const DifferingSetting &) const = default;
};

struct ComparedFigure {
    std::string name, unit;                        // as in Comparison
    std::vector<Comparison> runs;                  // one per run: measured and predicted
    std::vector<std::optional<double>> toBaseline; // one per run: measured / measured of the baseline - 1
};

struct RunComparison {
    std::vector<std::string> names;
    std::size_t baseline = 0;
    std::vector<bool> settingsKnown;        // one per run; those of an imported run are not known
    std::vector<DifferingSetting> settings; // only settings that differ; names, tags and notes do not count as settings
    std::vector<ComparedFigure> figures;
};

// Says in how many settings the runs differ, and of which runs the settings are not known. `names`: as RunComparison's,
// but distinct.
std::string settingsSentence(const RunComparison &comparison, const std::vector<std::string> &names);

// Compares two to twenty runs; `baseline` is the index of one of them.
Result<RunComparison> compareRuns(std::span<const RunData *const> runs, std::size_t baseline = 0);

} // namespace slipway
