// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Compares the batch that a training log states with that of the configuration that is said to have printed it. Where
// they differ, so do the speeds and the memory, and constants that are fitted to this log are wrong.
#pragma once

#include <cstdint>
#include <istream>
#include <optional>

#include "config/run_config.h"

namespace slipway {

// What one optimizer step processes on all GPUs together, in tokens or in sequences, as the log states it.
struct BatchConflict {
    bool inTokens = true;
    std::int64_t logged = 0, planned = 0;
    bool operator==(const BatchConflict &) const = default;
};

// Reads the log to its end. Empty: the log states no batch, or that of the configuration.
std::optional<BatchConflict> batchConflict(std::istream &log, const RunConfig &config);

} // namespace slipway
