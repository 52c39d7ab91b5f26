// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The coordinates of a rank of our own trainer in the device mesh. Tensor-parallel ranks are adjacent, then come
// context-parallel ranks, data-parallel ranks and pipeline stages (Megatron-LM's order tp-cp-dp-pp).
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "config/run_config.h"
#include "plan/step_plan.h"

namespace slipway {

struct MeshCoordinate {
    int tensor = 0;
    int context = 0;
    int data = 0;
    int copy = 0;   // data x context: ranks with the same weights, unless these are sharded
    int expert = 0; // within `copy`: ranks with different experts
    int shard = 0;  // index of this rank's shard of weights and states
    int stage = 0;  // of the pipeline
    bool operator==(const MeshCoordinate &) const = default;
};

MeshCoordinate coordinateOf(const StepPlan &plan, int rank);

// The pipeline stage that a rank runs.
int stageOf(const Parallelism &mesh, int rank);

// An axis of the mesh. A rank's place on it is rank / stride % size.
struct MeshAxis {
    std::string_view name; // "tp"
    int size = 1, stride = 1;
};
// From the outermost to the innermost. A rank is the sum of its places on the first four times their strides.
// Expert-parallel ranks, the fifth axis, lie within data and context parallelism.
std::array<MeshAxis, 5> meshAxes(const Parallelism &mesh);

// For messages: "dp 1, tp 0, pp 2", with the axes of the mesh; empty if data parallelism is the only one.
std::string coordinateText(const Parallelism &mesh, int rank);

} // namespace slipway
