// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Data parallelism in our own trainer: the shards of parameters, gradients and optimizer states, and the collectives of
// a step. ZeRO stages after Rajbhandari et al. 2020 (arXiv 1910.02054): zero1 shards states, fsdp-grad-op also
// gradients, fsdp-full and hsdp also parameters.
#pragma once

#include "config/run_config.h"
#include "plan/plan_builder.h"

namespace slipway {

inline constexpr GroupId kShardGroup{0}, kReplicaGroup{1};

struct DataParallelism {
    int ranks = 1;
    int shards = 1;               // adjacent ranks over which optimizer states are sharded
    int replicas = 1;             // number of groups of shards
    bool gathers = false;         // parameters and gradients are sharded as well
    bool reshards = false;        // a layer's gathered parameters are freed between its forward and its backward
    bool everyMicroBatch = false; // gradients are reduced after each one
    bool reducesInBf16 = false;
    GroupId shardGroup = kShardGroup, replicaGroup = kReplicaGroup;
    bool operator==(const DataParallelism &) const = default;

    // Whether backward writes to a separate buffer, which is then reduced into the gradients.
    [[nodiscard]] bool ownGradientBuffer(bool firstMicroBatch) const
    {
        return gathers || (everyMicroBatch && !firstMicroBatch);
    }
};

// Whether parameters, gradients and states are sharded: fsdp-full, fsdp-grad-op and hsdp.
bool runsFsdp(ParallelKind kind);

DataParallelism dataParallelism(const RunConfig &config);
// Groups of expert parallelism.
struct ExpertGroups {
    GroupId exchange = GroupId::None; // "ep": adjacent ranks with different experts, which exchange tokens
    GroupId shard = GroupId::None, replica = GroupId::None;
};
DataParallelism expertDataParallelism(DataParallelism data, int expertRanks, const ExpertGroups &groups);

// Shards are equal and aligned for collectives: the number of their elements is a multiple of this.
inline constexpr std::int64_t kPartAlignment = 64;

// Adds the groups "dp" and, with several groups of shards, "replicas"; none for a single rank.
void addGroups(StepPlan &plan, const DataParallelism &data);

// "ep" and, as far as ranks have the same experts, "edp" and "edp replicas". addGroups() comes first.
ExpertGroups addExpertGroups(StepPlan &plan, const DataParallelism &data);

// Number of adjacent ranks with the same shard of the unit: ranks with different experts.
inline int ranksPerShard(const StepPlan &plan, const ParameterUnit &unit)
{
    return unit.experts ? plan.mesh.expert.size : 1;
}
// The group over which a unit is sharded.
GroupId shardGroupOf(const StepPlan &plan, const ParameterUnit &unit);

// This rank's shard in a unit's buffer, which holds one shard or all of them.
Use ownPart(const StepPlan &plan, const ParameterUnit &unit, BufferId buffer);

// The index of this rank's shard of the optimizer states.
inline int shardOf(const StepPlan &plan, int rank) { return plan.mesh.shards.placeOf(rank); }

// All-gathers a unit's parameters: into `gathered`, or in place if every rank holds all of them.
Op gather(PlanBuilder &builder, const ParameterUnit &unit, Phase phase, int layerShift = 0);

struct Reduction {
    bool first = true; // the first reduction of a step: it overwrites the gradients
    bool last = true;  // the last reduction of a step
};
// Sums a unit's gradients over the ranks, as soon as the ops before have completed them. None frees the full gradients.
std::vector<Op> reduce(
    PlanBuilder &builder, const DataParallelism &data, const ParameterUnit &unit, Reduction reduction);

} // namespace slipway
