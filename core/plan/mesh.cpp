// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/mesh.h"

#include <fmt/format.h>

#include "plan/data_parallel.h"

namespace slipway {

MeshCoordinate coordinateOf(const StepPlan &plan, int rank)
{
    const int copies = plan.contextRanks * plan.dataRanks, copy = rank / plan.tensorRanks % copies;
    return {.tensor = rank % plan.tensorRanks,
        .context = copy % plan.contextRanks,
        .data = copy / plan.contextRanks,
        .copy = copy,
        .expert = copy % plan.expertRanks,
        .shard = shardOf(plan, rank),
        .stage = rank / (plan.tensorRanks * copies)};
}

int stageOf(const Parallelism &mesh, int rank) { return rank / (mesh.gpus / mesh.pp); }

std::string coordinateText(const Parallelism &mesh, int rank)
{
    std::string text;
    if (mesh.modelParallel() * mesh.ep == 1)
        return text;
    const auto add = [&text](const char *axis, int size, int place) {
        if (size > 1)
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", axis, place);
    };
    add("dp", mesh.dataParallel(), rank / (mesh.tp * mesh.cp) % mesh.dataParallel());
    add("cp", mesh.cp, rank / mesh.tp % mesh.cp);
    add("ep", mesh.ep, rank / mesh.tp % mesh.ep);
    add("tp", mesh.tp, rank % mesh.tp);
    add("pp", mesh.pp, stageOf(mesh, rank));
    return text;
}

} // namespace slipway
