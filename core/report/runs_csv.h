// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "runs/run_entry.h"

namespace slipway {

// What a list of runs shows about each run.
enum class RunColumn { Name, State, Steps, Speed, Loss, Left, Cost, Tags, Changed, Model, Hardware, Host };
inline constexpr std::array kRunColumns{RunColumn::Name, RunColumn::State, RunColumn::Steps, RunColumn::Speed,
    RunColumn::Loss, RunColumn::Left, RunColumn::Cost, RunColumn::Tags, RunColumn::Changed, RunColumn::Model,
    RunColumn::Hardware, RunColumn::Host};

// Formats a list of runs as a CSV table with a header: one row per run, in the given order. Steps become the columns
// `step` and `total_steps`, the hardware becomes `gpu` and `gpus`. A value that is not known is an empty cell.
std::string runsCsv(const std::vector<RunEntry> &runs, std::span<const RunColumn> columns = kRunColumns);

} // namespace slipway
