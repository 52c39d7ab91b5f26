// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// How data-parallel ranks share a step of our own trainer: who holds which part of parameters, gradients and states,
// and the collectives that follow from it. ZeRO stages after Rajbhandari et al. 2020 (arXiv 1910.02054): zero1 spreads
// states, fsdp-grad-op gradients too, fsdp-full and hsdp parameters too.
#pragma once

#include "config/run_config.h"
#include "plan/plan_builder.h"

namespace slipway {

inline constexpr GroupId kShardGroup{0}, kReplicaGroup{1};

struct DataParallelism {
    int ranks = 1;
    int shards = 1;               // ranks next to each other that states are spread over
    int replicas = 1;             // such groups
    bool gathers = false;         // parameters and gradients are spread as well
    bool reshards = false;        // a layer's whole parameters go between its forward and its backward
    bool everyMicroBatch = false; // gradients are reduced after each one
    bool narrow = false;          // in bf16
    GroupId shardGroup = kShardGroup, replicaGroup = kReplicaGroup;
    bool operator==(const DataParallelism &) const = default;

    // Backward writes to a buffer of its own, which is then reduced into the gradients.
    [[nodiscard]] bool ownGradientBuffer(bool firstMicroBatch) const
    {
        return gathers || (everyMicroBatch && !firstMicroBatch);
    }
};

// Parameters, gradients and states are spread, whatever of them is brought together when: fsdp-full, fsdp-grad-op,
// hsdp.
bool runsFsdp(ParallelKind kind);

DataParallelism dataParallelism(const RunConfig &config);
// How the ranks with the same experts share these; `groups`: those of addExpertGroups().
struct ExpertGroups {
    GroupId exchange = GroupId::None; // "ep": ranks next to each other that have other experts, and swap rows
    GroupId shard = GroupId::None, replica = GroupId::None;
};
DataParallelism ofExperts(DataParallelism data, int expertRanks, const ExpertGroups &groups);

// Parts are equal and begin at addresses that collectives like: elements of a part are a multiple of this.
inline constexpr std::int64_t kPartAlignment = 64;

// "dp" and, with several groups of shards, "replicas"; none for one rank. `stride`: between neighbours.
void addGroups(StepPlan &plan, const DataParallelism &data, int stride);

// "ep" and, as far as ranks have the same experts, "edp" and "edp replicas". addGroups() comes first.
ExpertGroups addExpertGroups(StepPlan &plan, const DataParallelism &data);

// Shards next to each other that count as one to the unit: ranks with other experts.
inline int shardsPerPart(const StepPlan &plan, const ParameterUnit &unit)
{
    return unit.experts ? plan.expertRanks : 1;
}
// The group that a unit's parts are spread over.
GroupId shardGroupOf(const StepPlan &plan, const ParameterUnit &unit);

// This rank's part of a unit's buffer, which holds a part or all of them.
Use ownPart(const StepPlan &plan, const ParameterUnit &unit, BufferId buffer);

// This rank's place among those that the states are spread over.
inline int shardOf(const StepPlan &plan, int rank) { return rank / plan.shardStride % plan.shards; }

// Brings the parts of a unit's parameters together: into `gathered`, or in place where the parameters are whole.
Op gather(PlanBuilder &builder, const ParameterUnit &unit, Phase phase, int layerShift = 0);

struct Reduction {
    bool first = true; // what is reduced starts the step's sum
    bool last = true;  // and ends it
};
// Sums a unit's gradients over the ranks, as soon as the ops before have completed them. None frees the full gradients.
std::vector<Op> reduce(
    PlanBuilder &builder, const DataParallelism &data, const ParameterUnit &unit, Reduction reduction);

} // namespace slipway
