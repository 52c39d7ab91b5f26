// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A run directory's configuration, resolved and checked before anything starts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/run_config.h"
#include "exec/executor.h"
#include "hardware/catalogue.h"
#include "model/model_spec.h"
#include "plan/mesh.h"
#include "plan/step_plan.h"
#include "predict/prediction.h"
#include "runs/run_directory.h"

namespace slipway {

struct RunJob {
    RunPaths paths;
    RunConfig config; // with absolute paths
    ModelSpec model;
    std::vector<StepPlan> stages; // one plan per pipeline stage
    BackendKind backend = BackendKind::Host;
    std::int64_t steps = 0;
    std::string configDigest;             // checksum of run.yaml
    double peakFlops = 0;                 // peak rate of all ranks, the denominator of MFU; 0: unknown
    std::optional<Prediction> prediction; // empty if it could not be predicted

    [[nodiscard]] int ranks() const { return config.parallel.gpus; }
    [[nodiscard]] const StepPlan &planOf(int rank) const
    {
        return stages[static_cast<std::size_t>(stageOf(config.parallel, rank))];
    }
    // Sequences of all ranks per step.
    [[nodiscard]] std::int64_t samplesPerStep() const
    {
        return config.microBatch * config.gradAccum * config.parallel.dataParallel();
    }
};

// How the ranks on one machine run: as threads of one process, or as one process each.
enum class RankMode { Threads, Processes };
// `asked`: value of -n, or 0. `gpus`: number of GPUs of this machine. With several GPUs each rank is a process, as NCCL
// requires. Fault::Input if run.yaml names NCCL and this program cannot start processes.
Result<RankMode> chooseRankMode(const RunJob &job, int asked, int gpus);

// Fault::Input if the directory is not a run, or this program cannot train its run.yaml. `ranks`: replaces `gpus` of
// run.yaml.
Result<RunJob> prepareRun(
    const std::filesystem::path &directory, const Catalogue &catalogue, std::optional<int> ranks = std::nullopt);

} // namespace slipway
