// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// All that a run directory asks for, resolved and checked before anything starts.
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
    RunConfig config; // paths absolute
    ModelSpec model;
    std::vector<StepPlan> stages; // of the pipeline; ranks of one stage share its plan
    BackendKind backend = BackendKind::Host;
    std::int64_t steps = 0;
    std::string configDigest;             // of run.yaml as it is
    double peakFlops = 0;                 // of all ranks together, what MFU is relative to; 0: unknown
    std::optional<Prediction> prediction; // empty where it could not be predicted

    [[nodiscard]] int ranks() const { return config.parallel.gpus; }
    [[nodiscard]] const StepPlan &planOf(int rank) const
    {
        return stages[static_cast<std::size_t>(stageOf(config.parallel, rank))];
    }
    // Sequences of all ranks in a step.
    [[nodiscard]] std::int64_t samplesPerStep() const
    {
        return config.microBatch * config.gradAccum * config.parallel.dataParallel();
    }
};

// How the ranks that this program starts on one machine run: as threads of one process, or as a process each.
enum class RankForm { Threads, Processes };
// `asked` is -n, 0 where it was not given; `gpus` is how many this machine has. Where several are used each rank is a
// process: NCCL takes no other. Fault::Input where run.yaml names NCCL and this program cannot start processes.
Result<RankForm> rankForm(const RunJob &job, int asked, int gpus);

// The job at another number of ranks: accumulation changes, so that a step keeps its sequences. Fault::Input where it
// cannot.
Result<RunConfig> withRanks(RunConfig config, int ranks);

// Fault::Input where the directory is no run, or its run.yaml cannot be trained by this program. `ranks`: other than
// gpus of run.yaml.
Result<RunJob> prepareRun(
    const std::filesystem::path &directory, const Catalogue &catalogue, std::optional<int> ranks = std::nullopt);

} // namespace slipway
