// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What tools keep of a training in files that are no lines: TensorBoard's event files, W&B's offline files, and
// trainer_state.json of Hugging Face's Trainer. They are read while they grow, and may hold anything.
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

// By the first bytes of the file.
LogFormat logFormatOf(std::string_view head);

// Of one step, by the names that the tool has for them.
struct LoggedValues {
    std::int64_t step = -1;
    std::optional<double> time; // seconds since 1970
    std::vector<std::pair<std::string, double>> values;
    bool operator==(const LoggedValues &) const = default;
};

struct LogRecords {
    std::vector<LoggedValues> list;
    std::size_t taken = 0;   // bytes; what is behind them is not whole yet
    std::int64_t behind = 0; // bytes behind them that belong to a record which nobody needs: pictures, for example
    bool isDamaged = false;  // nobody can tell where the next record begins
};

// `bytes` begin where a record does.
LogRecords tensorBoardRecords(std::string_view bytes);
// `offset`: of the bytes in the file. Records that are longer than `bytes` can hold, `isFull`, are passed over.
LogRecords wandbRecords(std::string_view bytes, std::int64_t offset, bool isFull);
// Of the whole file. An error where it is not whole.
Result<std::vector<LoggedValues>> trainerStateRecords(std::string_view text);

inline constexpr Bytes kLargestTrainerState = 64 * kMiB;

} // namespace slipway
