// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Functions of our own in cuBLASLt's place: they multiply column-major matrices as the descriptors say, in the
// processor's memory, and refuse what a GPU would.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cuda/lt_api.h"

namespace slipway::testing {

// What it was asked, and what it answers.
struct PlayedLt {
    int heuristics = 0, attempts = 0, gemms = 0, alive = 0;
    std::set<std::uint32_t> alignments;
    bool nothingFits = false, refusesToRun = false, fails = false;
    int fitsNot = 0;                          // the heuristic that finds nothing, counted from 1
    int runsNot = 0, lacksMemory = 0;         // the attempt that is refused, or fails so
    int algorithms = 1;                       // that it knows
    std::vector<double> seconds;              // of each of them; timed where there are any
    std::map<std::uint64_t, int> runs;        // of each of them
    std::optional<std::uint64_t> unsupported; // the one that is refused when it is run
    std::uint64_t newest = 0;                 // that ran
    void *stream = nullptr;
};

extern PlayedLt *playedLt; // its functions know no object

std::shared_ptr<const fused_ops::LtApi> playedLtApi(const std::string &device = "GPU");

} // namespace slipway::testing
