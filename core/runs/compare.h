// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Runs side by side: the settings in which they differ, what they reached, and how far each is from a baseline.
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
    std::vector<std::string> values; // one a run; empty where that run does not say
    bool operator==(const DifferingSetting &) const = default;
};

struct ComparedFigure {
    std::string name, unit;                        // as in Comparison
    std::vector<Comparison> runs;                  // one a run: measured beside predicted
    std::vector<std::optional<double>> toBaseline; // measured / the baseline's measured - 1
};

struct RunComparison {
    std::vector<std::string> names;
    std::size_t baseline = 0;
    std::vector<DifferingSetting> settings; // only those that differ; names, tags and notes are none
    std::vector<ComparedFigure> figures;
};

// Two to twenty runs; `baseline` is one of their indices.
Result<RunComparison> compareRuns(std::span<const RunData *const> runs, std::size_t baseline = 0);

} // namespace slipway
