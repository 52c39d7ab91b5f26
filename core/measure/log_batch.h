// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The batch that a training log states, and whether it is that of the configuration that is said to have printed the
// log. Where they differ, so do the speeds and the memory, and constants that are fitted to this log are wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/run_config.h"
#include "measure/training_log.h"

namespace slipway {

// Finds the batch in the lines of a log.
class LoggedBatchReader {
public:
    LoggedBatchReader();
    void take(const std::string &line); // as normalizedLogLine returns it
    // The last one, because a batch may ramp up. Empty: no line states it.
    [[nodiscard]] std::optional<LoggedBatch> batch() const;

private:
    std::vector<std::int64_t> m_stated; // by form; 0: none
};

struct BatchConflict {
    LoggedBatch logged;
    std::int64_t planned = 0; // in the unit of `logged`
    bool operator==(const BatchConflict &) const = default;
};

// Empty: the log states no batch, or that of the configuration.
std::optional<BatchConflict> batchConflict(const std::optional<LoggedBatch> &logged, const RunConfig &config);

} // namespace slipway
