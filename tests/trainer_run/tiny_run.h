// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A run directory with a model of a few thousand weights and data that can be learned: tests train it in a moment.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "runs/run_directory.h"

namespace slipway::testing {

// `changes` are lines of YAML that replace those of the same key, or are added: "steps: 4".
RunPaths makeTinyRun(const std::filesystem::path &directory, const std::vector<std::string> &changes = {});
void rewriteConfig(const RunPaths &run, const std::vector<std::string> &changes);

std::vector<StepMetrics> metricsOf(const RunPaths &run);
// Losses by step; a later attempt counts.
std::map<std::int64_t, double> lossesOf(const RunPaths &run);
std::vector<RunEvent> eventsOf(const RunPaths &run);
// "started checkpoint finished": the kinds of all events in their order.
std::string kindsOf(const RunPaths &run);

} // namespace slipway::testing
