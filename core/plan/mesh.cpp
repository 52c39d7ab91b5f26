// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/mesh.h"

#include <fmt/format.h>

#include "plan/data_parallel.h"

namespace slipway {

Mesh meshOf(const Parallelism &p)
{
    const int dataRanks = p.dataParallel(), copies = dataRanks * p.cp;
    Mesh mesh{.context = {p.cp, p.tp}, .tensor = {p.tp, 1}, .expert = {p.ep, p.tp}};
    mesh.pipeline = {p.pp, copies * p.tp};
    const int shards = runsFsdp(p.kind) || p.kind == ParallelKind::Zero1 ? p.shardRanks() : 1;
    mesh.shards = {shards, p.tp};
    mesh.replicas = {copies / shards, p.tp * shards};
    // A node with fewer ranks than context parallelism needs shards over some of them only, not over data parallelism.
    const bool whole = shards % p.cp == 0 && copies % shards == 0;
    mesh.shard = {whole ? shards / p.cp : 1, p.cp * p.tp};
    mesh.replicate = {dataRanks / mesh.shard.size, mesh.shard.size * mesh.shard.stride};
    return mesh;
}

MeshCoordinate coordinateOf(const StepPlan &plan, int rank)
{
    const Mesh &mesh = plan.mesh;
    const int copy = mesh.copies().placeOf(rank);
    return {.tensor = mesh.tensor.placeOf(rank),
        .context = mesh.context.placeOf(rank),
        .data = mesh.data().placeOf(rank),
        .copy = copy,
        .expert = mesh.expert.placeOf(rank),
        .shard = shardOf(plan, rank),
        .stage = mesh.pipeline.placeOf(rank)};
}

int stageOf(const Parallelism &parallel, int rank) { return meshOf(parallel).pipeline.placeOf(rank); }

std::string coordinateText(const Parallelism &parallel, int rank)
{
    const Mesh mesh = meshOf(parallel);
    std::string text;
    const auto add = [&](const char *name, MeshAxis axis) {
        if (axis.size > 1)
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, axis.placeOf(rank));
    };
    if (mesh.splitsData()) {
        add("dp replicate", mesh.replicate);
        add("dp shard", mesh.shard);
    } else if (mesh.ranks() > mesh.dataRanks() || mesh.expert.size > 1) {
        add("dp", mesh.data());
    }
    add("cp", mesh.context);
    add("ep", mesh.expert);
    add("tp", mesh.tensor);
    add("pp", mesh.pipeline);
    return text;
}

} // namespace slipway
