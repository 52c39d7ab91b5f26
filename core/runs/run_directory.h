// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A run is a directory (docs/guide/file-formats.md). The trainer writes it and all other code reads it. Its files are
// the only record of the run.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_names.h"
#include "base/result.h"
#include "base/units.h"
#include "config/run_config.h"

namespace slipway {

enum class RunState {
    Draft,
    Queued,
    Running,
    Stopping,
    Succeeded,
    Failed,
    Cancelled,
    TimedOut,
    Preempted,
    Lost,
    Unknown
};
template<>
struct EnumNames<RunState> {
    static constexpr std::array<std::string_view, 11> names{"draft", "queued", "running", "stopping", "succeeded",
        "failed", "cancelled", "timed_out", "preempted", "lost", "unknown"};
};
constexpr bool isTerminal(RunState state) { return state >= RunState::Succeeded && state <= RunState::Lost; }

// The paths of a run's files (docs/guide/file-formats.md).
struct RunPaths {
    std::filesystem::path directory;

    [[nodiscard]] std::filesystem::path config() const { return directory / "run.yaml"; }
    [[nodiscard]] std::filesystem::path prediction() const { return directory / "prediction.json"; }
    [[nodiscard]] std::filesystem::path metrics() const { return directory / "metrics.jsonl"; }
    [[nodiscard]] std::filesystem::path events() const { return directory / "events.jsonl"; }
    [[nodiscard]] std::filesystem::path outLog() const { return directory / "out.log"; }
    [[nodiscard]] std::filesystem::path errLog() const { return directory / "err.log"; }
    [[nodiscard]] std::filesystem::path checkpoints() const { return directory / "checkpoints"; }
    [[nodiscard]] std::filesystem::path stopRequest() const { return directory / "stop.request"; }
    [[nodiscard]] std::filesystem::path processGroup() const { return directory / "pgid"; }
    [[nodiscard]] std::filesystem::path startTime() const { return directory / "starttime"; }
    [[nodiscard]] std::filesystem::path bootId() const { return directory / "boot_id"; }
    [[nodiscard]] std::filesystem::path exitStatus() const { return directory / "rc"; }
};

// The number of GPUs of one machine that a step records. Further GPUs are left out, because each becomes a column of
// every step.
inline constexpr std::size_t kMostGpus = 64;

// The numbers of evaluation sets and experts that a step records. Further ones are left out.
inline constexpr std::size_t kMostEvalSets = 32, kMostExperts = 512;

// One line of metrics.jsonl. Values that were not measured are empty and are not written.
struct GpuSample {
    std::optional<double> utilisation; // 0 to 100, as nvidia-smi reports it
    std::optional<double> powerWatts, temperatureC;
    std::optional<Bytes> used;
    std::optional<double> clockMhz, clockMaxMhz; // clock of the multiprocessors, current and maximal
    std::optional<std::int64_t> throttleReasons; // why the clock is not higher: bits of NVML's clocks event reasons
    bool operator==(const GpuSample &) const = default;
};

struct StepMetrics {
    int attempt = 0;
    std::int64_t step = 0; // 1 is the first finished step
    Tokens tokens = 0;     // tokens of all ranks up to and including this step
    std::string time;      // ISO 8601, UTC, with milliseconds
    Seconds stepSeconds = 0;
    double tokensPerSecond = 0;
    double loss = 0;                          // nats per token; NaN and infinity are kept
    std::optional<double> evalLoss;           // with several sets, their mean
    std::map<std::string, double> evalLosses; // per named evaluation set
    std::string evalWeights;                  // "ema": evaluated with the moving average; empty: with the weights
    double learningRate = 0;
    double gradNorm = 0; // before clipping
    std::optional<double> mfu;
    std::optional<Bytes> allocatedPeak, reservedPeak, deviceUsed;
    std::optional<Seconds> dataWait;
    std::optional<Seconds> forward, backward, optimizer, communicationExposed;
    std::vector<GpuSample> gpus;
    std::vector<double> expertShares; // per expert, as a fraction of all rows routed to experts
    std::optional<double> expertLoad; // the largest share divided by their mean; of a step whose shares are not kept
    bool operator==(const StepMetrics &) const = default;
};

// Value of RunEvent::reason: the loss or the gradient norm of a step was not finite.
inline constexpr std::string_view kDiverged = "diverged";

// One line of events.jsonl: {"v":1,"time":...,"attempt":0,"kind":"checkpoint","message":...,"step":...}.
struct RunEvent {
    std::string time;
    int attempt = 0;
    std::string kind; // docs/guide/file-formats.md lists the values
    std::string message;
    std::optional<std::int64_t> step;
    std::string reason; // reason of a fault, for programs: kDiverged; empty if none is known
    bool operator==(const RunEvent &) const = default;
};

// Lines with a higher attempt are rejected, so that the number of the next attempt always exists.
inline constexpr int kHighestAttempt = 1'000'000;

// Formats one line without its newline. NaN and infinities are written as the strings "nan", "inf", "-inf", because
// JSON has no numbers for them.
std::string toJsonLine(const StepMetrics &metrics);
std::string toJsonLine(const RunEvent &event);
// A line longer than kMaxJsonLine (base/json.h) is rejected.
Result<StepMetrics> stepMetricsFromJson(std::string_view line);
Result<RunEvent> runEventFromJson(std::string_view line);

// Reads run.yaml. Relative paths in it refer to the run directory.
Result<RunConfig> readRunConfig(const RunPaths &paths);
Result<void> writeRunConfig(const RunPaths &paths, const RunConfig &config);

// The current time in the format of the run directory: "2026-01-02T03:04:05.678Z".
std::string utcNow();
std::string toIso8601(std::chrono::system_clock::time_point time);
std::optional<std::chrono::system_clock::time_point> fromIso8601(std::string_view text);

} // namespace slipway
