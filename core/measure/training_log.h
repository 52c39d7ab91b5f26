// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Reads speed and peak memory from the logs of training programs: PyTorch scripts, nanoGPT, llm.c, torchtitan,
// torchtune, Megatron-LM, DeepSpeed, Hugging Face's Trainer, progress bars. All other lines are ignored.
#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "base/result.h"
#include "base/units.h"
#include "frameworks/script_interface.h"

namespace slipway {

// The unit of a speed in a log. Units without "PerGpu" count all GPUs together.
enum class LogUnit { TokensPerGpu, AllTokens, StepSeconds, StepsPerSecond, Sequences, TflopsPerGpu };
template<>
struct EnumNames<LogUnit> {
    static constexpr std::array<std::string_view, 6> names{
        "tokens/s/GPU", "tokens/s", "s/step", "steps/s", "sequences/s", "TFLOP/s/GPU"};
};

// What one optimizer step processes on all GPUs together, as a log states it.
struct LoggedBatch {
    bool inTokens = true; // else in sequences
    std::int64_t size = 0;
    bool operator==(const LoggedBatch &) const = default;
};

struct TrainingLog {
    std::string form; // the words by which its speed was found: "elapsed time per iteration (ms):"
    LogUnit unit = LogUnit::AllTokens;
    std::optional<double> speed;                      // the median, without the first step and the first lines
    std::size_t used = 0;                             // lines behind it
    std::size_t leftOut = 0;                          // first ones: compiling, warming up
    std::size_t unusable = 0;                         // lines with such words but no finite number above zero
    std::optional<Bytes> allocated, reserved, device; // highest
    std::optional<LoggedBatch> batch;                 // the last one
};

// Reads to the end, line by line ('\r' ends one too). `where` is for the error: no usable line, or speeds of the first
// step alone. `grammar`: of the framework, or of unknown software.
Result<TrainingLog> readTrainingLog(std::istream &stream, const std::string &where, const LogGrammar &grammar);
Result<TrainingLog> readTrainingLog(const std::filesystem::path &file, const LogGrammar &grammar);

} // namespace slipway
