// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The interface of a framework's training script: the grammar of its log, the signal that stops it, and the flags of
// its command line. Data of the framework profiles, resources/frameworks/*.yaml.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_names.h"

namespace slipway {

// The quantity of a figure in a log. Speeds are sums over all GPUs unless the name says per GPU. `Ignored` marks words
// whose lines are no steps.
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

// The words that mark a figure in a line. The number is after them, or immediately before them.
struct LogForm {
    std::string words; // lower case
    LogQuantity is = LogQuantity::Ignored;
    double scale = 0;            // seconds or bytes of the printed unit; 0: the unit is in the line, otherwise seconds
    std::string beside, without; // words that the line must also have, or must not have
    bool operator==(const LogForm &) const = default;
};

struct LogGrammar {
    std::vector<LogForm> forms; // for each quantity, the first form that a line has is used
    bool multiLine = false;     // a step has several lines, the first with its number
    bool stepFromBar = false;   // lines with a loss have no step number; the progress bar has it
    std::string pattern;        // the user's regular expression, with groups named after quantities; empty: none
    bool operator==(const LogGrammar &) const = default;
};

// How a run is stopped before it is killed.
struct StopRule {
    std::string signal; // "TERM", "INT", "USR1"; empty: not given
    int waitSeconds = 0;
    bool operator==(const StopRule &) const = default;
};

// What an argument of a training script sets, where that is no setting of the plan. GlobalBatch and GlobalTokens: the
// sequences and tokens of a step on all ranks. AllGradAccum: its micro-batches on all data-parallel ranks. RunTokens:
// the tokens of the run. LogInterval: steps between two lines of the log. OutputFolder: where checkpoints are written.
enum class ScriptQuantity {
    Nodes,
    RanksPerNode,
    GlobalBatch,
    GlobalTokens,
    AllGradAccum,
    RunTokens,
    LogInterval,
    OutputFolder
};
template<>
struct EnumNames<ScriptQuantity> {
    static constexpr std::array<std::string_view, 8> names{"nodes", "ranks_per_node", "global_batch", "global_tokens",
        "all_grad_accum", "run_tokens", "log_interval", "output_folder"};
};

// A flag of the training command that corresponds to a setting: --batch_size 8, --batch_size=8, batch_size=8.
struct ArgumentRule {
    std::vector<std::string> flags;    // without leading dashes; '-' and '_' are equal
    std::string set;                   // a setting's key, or a ScriptQuantity
    std::string to;                    // the setting's value if the flag is present; empty: the flag's own value
    std::string off;                   // its value if the flag says no, as --flag False; empty: that sets nothing
    std::vector<std::string> add = {}; // the words that add it to a command, {} for the value; empty: not known
    bool overFile = false; // it overrides a file of settings that the command names, as in `train run.yaml batch=8`
    bool readOnly = false; // it is never rewritten, since other arguments have to agree with it
    bool operator==(const ArgumentRule &) const = default;
};

struct ScriptInterface {
    LogGrammar log;
    StopRule stop;
    std::vector<std::string> resumeArguments; // make the command continue from its last checkpoint
    std::vector<ArgumentRule> arguments;
    bool operator==(const ScriptInterface &) const = default;
};

} // namespace slipway
