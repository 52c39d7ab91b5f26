// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// How one talks with a framework's training script: what its log says of a step, which signal ends it, and what its
// command line tells of the plan. Data of the framework profiles, resources/frameworks/*.yaml.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_names.h"

namespace slipway {

// What a figure of a log counts. Speeds are of all GPUs together unless their name says per GPU. `Ignored` marks words
// whose line says nothing of a step.
enum class LogQuantity {
    Step,
    Loss,
    EvalLoss,
    LearningRate,
    GradNorm,
    Mfu,
    TokensPerGpu,
    AllTokens,
    StepSeconds,
    StepsPerSecond,
    Sequences,
    TflopsPerGpu,
    Allocated,
    Reserved,
    Device,
    Ignored
};
template<>
struct EnumNames<LogQuantity> {
    static constexpr std::array<std::string_view, 16> names{"step", "loss", "eval_loss", "lr", "grad_norm", "mfu",
        "tokens_per_s_per_gpu", "tokens_per_s", "step_s", "steps_per_s", "sequences_per_s", "tflops_per_gpu",
        "allocated_peak", "reserved_peak", "device_used", "ignored"};
};
inline constexpr std::size_t kLogQuantities = EnumNames<LogQuantity>::names.size();

constexpr bool isLogSpeed(LogQuantity quantity)
{
    return quantity >= LogQuantity::TokensPerGpu && quantity <= LogQuantity::TflopsPerGpu;
}
constexpr bool isLogMemory(LogQuantity quantity)
{
    return quantity >= LogQuantity::Allocated && quantity <= LogQuantity::Device;
}

// Words by which a figure is found in a line. The number stands behind them, or right before them.
struct LogForm {
    std::string words; // lower case
    LogQuantity is = LogQuantity::Ignored;
    double scale = 0;            // seconds or bytes of the printed unit; 0: the line says the unit, else seconds
    std::string beside, without; // words that the line must have too, or must not have
    bool operator==(const LogForm &) const = default;
};

struct LogGrammar {
    std::vector<LogForm> forms; // of each quantity the first one in a line counts
    bool multiLine = false;     // the figures of a step stand on several lines, the step on the first
    bool stepFromBar = false;   // lines with a loss have no step; the progress bar has it
    std::string pattern;        // the user's regular expression, with groups named after quantities; empty: none
    bool operator==(const LogGrammar &) const = default;
};

// How a run is asked to end before it is killed.
struct StopRule {
    std::string signal; // "TERM", "INT", "USR1"; empty: not said
    int waitSeconds = 0;
    bool operator==(const StopRule &) const = default;
};

// A flag of the training command that says a setting of the plan: --batch_size 8, --batch_size=8, batch_size=8.
struct ArgumentRule {
    std::vector<std::string> flags; // without leading dashes; '-' and '_' are alike
    std::string set;                // a setting's key, or "nodes", "ranks_per_node"
    std::string to;                 // the value that the flag stands for; empty: the one that follows it
    bool operator==(const ArgumentRule &) const = default;
};

struct TrainerInterface {
    LogGrammar log;
    StopRule stop;
    std::vector<std::string> resumeArguments; // what makes the command go on from its last checkpoint
    std::vector<ArgumentRule> arguments;
    bool operator==(const TrainerInterface &) const = default;
};

} // namespace slipway
