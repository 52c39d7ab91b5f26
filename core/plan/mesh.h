// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The device mesh of our own trainer, and the coordinates of a rank in it.
#pragma once

#include <string>

#include "config/run_config.h"
#include "plan/step_plan.h"

namespace slipway {

// The axes of a configuration. Builder, trainer, checkpoints and launcher take them from here.
Mesh meshOf(const Parallelism &parallel);

struct MeshCoordinate {
    int tensor = 0;
    int context = 0;
    int data = 0;   // on both axes of data parallelism together: ranks with different sequences
    int copy = 0;   // data x context: ranks with the same weights, unless these are sharded
    int expert = 0; // within `copy`: ranks with different experts
    int shard = 0;  // index of this rank's shard of weights and states
    int stage = 0;  // of the pipeline
    bool operator==(const MeshCoordinate &) const = default;
};

MeshCoordinate coordinateOf(const StepPlan &plan, int rank);

// The pipeline stage that a rank runs.
int stageOf(const Parallelism &parallel, int rank);

// For messages: "dp 1, tp 0, pp 2", with the axes of the mesh. With hsdp, data parallelism has two: "dp replicate 1, dp
// shard 0". Empty if "dp" is the only axis.
std::string coordinateText(const Parallelism &parallel, int rank);

} // namespace slipway
