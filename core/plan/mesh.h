// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Where a rank of our own trainer stands among all ranks of a run: tensor-parallel ranks next to each other, then those
// with other parts of the same sequences, then those with other sequences, then the stages of the pipeline
// (Megatron-LM's order tp-cp-dp-pp).
#pragma once

#include <string>

#include "config/run_config.h"
#include "plan/step_plan.h"

namespace slipway {

struct MeshPlace {
    int tensor = 0;  // among the ranks that split weights
    int context = 0; // among those that have parts of the same sequences
    int data = 0;    // among those with other sequences
    int copy = 0;    // among these two, which have the same weights unless they are spread
    int expert = 0;  // of these, among those that have other experts
    int shard = 0;   // which part of what is spread over them
    int stage = 0;   // of the pipeline
    bool operator==(const MeshPlace &) const = default;
};

MeshPlace placeOf(const StepPlan &plan, int rank);

// The pipeline stage that a rank runs.
int stageOf(const Parallelism &mesh, int rank);

// For messages: "dp 1, tp 0, pp 2", the axes that the mesh has; empty where ranks share data only.
std::string placeText(const Parallelism &mesh, int rank);

} // namespace slipway
