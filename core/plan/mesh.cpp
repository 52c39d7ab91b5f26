// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/mesh.h"

#include <fmt/format.h>

#include "plan/data_parallel.h"

namespace slipway {

MeshPlace placeOf(const StepPlan &plan, int rank)
{
    const int ranksOfStage = plan.tensorRanks * plan.dataRanks;
    return {.tensor = rank % plan.tensorRanks,
        .data = rank / plan.tensorRanks % plan.dataRanks,
        .shard = shardOf(plan, rank),
        .stage = rank / ranksOfStage};
}

int stageOf(const Parallelism &mesh, int rank) { return rank / (mesh.gpus / mesh.pp); }

std::string placeText(const Parallelism &mesh, int rank)
{
    std::string text;
    if (mesh.modelParallel() == 1)
        return text;
    const auto add = [&text](const char *axis, int size, int place) {
        if (size > 1)
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", axis, place);
    };
    const int data = mesh.dataParallel() * mesh.cp;
    add("dp", data, rank / mesh.tp % data);
    add("tp", mesh.tp, rank % mesh.tp);
    add("pp", mesh.pp, stageOf(mesh, rank));
    return text;
}

} // namespace slipway
