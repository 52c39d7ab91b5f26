// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Parsers for training logs that are not lines of text: TensorBoard's event files, W&B's offline files, and
// trainer_state.json of Hugging Face's Trainer. The files are read while they grow, and their contents are untrusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace slipway {

enum class LogFormat { Lines, TensorBoard, Wandb, TrainerState };

// Detects the format from the first bytes of the file.
LogFormat logFormatOf(std::string_view head);

// The values of one step, with the names that the tool uses.
struct LoggedValues {
    std::int64_t step = -1;
    std::optional<double> time; // seconds since 1970
    std::vector<std::pair<std::string, double>> values;
    bool operator==(const LoggedValues &) const = default;
};

struct LogRecords {
    std::vector<LoggedValues> list;
    std::size_t taken = 0;   // bytes that were parsed; the rest is not a complete record yet
    std::int64_t behind = 0; // further bytes of a record that is skipped, such as pictures
    bool isDamaged = false;  // the begin of the next record cannot be determined
};

// `bytes` must begin with a record.
LogRecords tensorBoardRecords(std::string_view bytes);
// `offset`: position of the bytes in the file. `isFull`: the buffer cannot hold more bytes, so longer records are
// skipped.
LogRecords wandbRecords(std::string_view bytes, std::int64_t offset, bool isFull);
// Parses the whole file. An error if it is incomplete.
Result<std::vector<LoggedValues>> trainerStateRecords(std::string_view text);

inline constexpr Bytes kLargestTrainerState = 64 * kMiB;

} // namespace slipway
