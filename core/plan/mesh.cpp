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

std::array<MeshAxis, 5> meshAxes(const Parallelism &mesh)
{
    return {{{"pp", mesh.pp, mesh.gpus / mesh.pp}, {"dp", mesh.dataParallel(), mesh.tp * mesh.cp},
        {"cp", mesh.cp, mesh.tp}, {"tp", mesh.tp, 1}, {"ep", mesh.ep, mesh.tp}}};
}

std::string coordinateText(const Parallelism &mesh, int rank)
{
    std::string text;
    if (mesh.modelParallel() * mesh.ep == 1)
        return text;
    const auto [pp, dp, cp, tp, ep] = meshAxes(mesh);
    for (const MeshAxis &axis : {dp, cp, ep, tp, pp}) {
        if (axis.size > 1)
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", axis.name, rank / axis.stride % axis.size);
    }
    return text;
}

} // namespace slipway
