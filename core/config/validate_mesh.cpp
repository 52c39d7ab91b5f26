// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "config/validate_mesh.h"

#include <algorithm>
#include <fmt/format.h>

#include "config/pipeline_layers.h"
#include "config/resolve_model.h"
#include "config/trainer_mesh.h"

namespace slipway {

bool dividesHeads(int tp, const AttentionModule &attention)
{
    return attention.heads % tp == 0 && (attention.kvHeads % tp == 0 || tp % attention.kvHeads == 0);
}

bool dividesSequence(int cp, const RunConfig &config)
{
    const std::int64_t chunks = config.framework == Framework::Slipway ? 2 : 1;
    return cp == 1 || config.seqLen % (cp * chunks) == 0;
}

namespace {

Result<void> checkRanks(const Parallelism &mesh)
{
    for (const int size : {mesh.gpus, mesh.gpusPerNode, mesh.tp, mesh.pp, mesh.cp, mesh.ep}) {
        if (size < 1 || size > 65536)
            return flagError("--gpus", fmt::format("the mesh has an axis of {} ranks", size), "1 to 65536");
    }
    const std::int64_t modelRanks = std::int64_t{mesh.tp} * mesh.pp * mesh.cp;
    if (modelRanks > mesh.gpus || mesh.gpus % modelRanks != 0) {
        const std::int64_t below = mesh.gpus / modelRanks * modelRanks;
        return flagError("--gpus",
            fmt::format("{} ranks are not a multiple of tp x pp x cp = {}", mesh.gpus, modelRanks),
            below == 0 ? std::to_string(modelRanks) : fmt::format("{} or {}", below, below + modelRanks));
    }
    if (mesh.kind == ParallelKind::None && mesh.dataParallel() > 1) {
        return flagError("--parallel",
            fmt::format("none needs a single data-parallel rank; this mesh has {}", mesh.dataParallel()),
            "ddp, fsdp-full, fsdp-grad-op, hsdp or zero1; or --gpus " + std::to_string(modelRanks));
    }
    return {};
}

bool dividesExperts(const Parallelism &mesh, int experts)
{
    return mesh.ep == 1 || (experts > 0 && experts % mesh.ep == 0 && mesh.dataParallel() * mesh.cp % mesh.ep == 0 &&
                               (mesh.kind != ParallelKind::Hsdp || mesh.shardRanks() % mesh.ep == 0));
}

// All conditions on the sizes of the axes.
bool isMesh(const RunConfig &config, const ModelSpec &model)
{
    const Parallelism &mesh = config.parallel;
    const bool needsPipeline = mesh.virtualStages > 1 || mesh.schedule != PipelineSchedule::Auto;
    return mesh.gpus % mesh.modelParallel() == 0 && (mesh.kind != ParallelKind::None || mesh.dataParallel() == 1) &&
           dividesHeads(mesh.tp, model.attention) && mesh.pp <= model.layers && (mesh.pp > 1 || !needsPipeline) &&
           (mesh.virtualStages == 1 || hasEqualModelChunks(mesh, model.layers)) && dividesSequence(mesh.cp, config) &&
           dividesExperts(mesh, model.experts.count);
}

Result<void> checkHeads(const RunConfig &config, const ModelSpec &model)
{
    const Parallelism &mesh = config.parallel;
    const AttentionModule &attention = model.attention;
    if (dividesHeads(mesh.tp, attention))
        return {};
    const std::string accepted = nearestMesh(config, model, &Parallelism::tp, attention.heads);
    if (attention.heads % mesh.tp != 0)
        return flagError("--tp",
            fmt::format("the tensor-parallel size {} does not divide the {} attention heads", mesh.tp, attention.heads),
            accepted);
    return flagError("--tp",
        fmt::format("the tensor-parallel size {} neither divides nor is a multiple of the {} key-value heads", mesh.tp,
            attention.kvHeads),
        accepted);
}

Result<void> checkLayers(const RunConfig &config, const ModelSpec &model)
{
    const Parallelism &mesh = config.parallel;
    const int layers = model.layers;
    if (mesh.pp > layers)
        return flagError("--pp", fmt::format("{} pipeline stages exceed the {} layers", mesh.pp, layers),
            nearestMesh(config, model, &Parallelism::pp, layers));
    if (mesh.virtualStages > 1 && (mesh.pp < 2 || !hasEqualModelChunks(mesh, layers))) {
        Parallelism other = mesh;
        const std::string divisors =
            nearest(mesh.virtualStages, std::max(1, layers / mesh.pp), [&](std::int64_t parts) {
                other.virtualStages = static_cast<int>(parts);
                return hasEqualModelChunks(other, layers);
            });
        return flagError("--virtual-stages",
            fmt::format("{} model chunks on each of {} stages do not divide the {} layers", mesh.virtualStages, mesh.pp,
                layers),
            mesh.pp < 2        ? "1, or --pp 2 or more"
            : divisors.empty() ? fmt::format("1, or a number of layers that {} divides", mesh.pp * mesh.virtualStages)
                               : divisors);
    }
    return {};
}

Result<void> checkSchedule(const Parallelism &mesh)
{
    const bool interleaved = mesh.pipelineSchedule() == PipelineSchedule::Interleaved;
    if (mesh.schedule != PipelineSchedule::Auto && mesh.pp < 2)
        return flagError("--pipeline-schedule",
            fmt::format("{} orders the micro-batches of a pipeline; this mesh has one stage", enumName(mesh.schedule)),
            "auto, or --pp 2 or more");
    if (interleaved && mesh.virtualStages < 2)
        return flagError("--virtual-stages", "an interleaved pipeline has several model chunks per stage, not 1",
            "2 or more, or --pipeline-schedule 1f1b");
    if (!interleaved && mesh.virtualStages > 1)
        return flagError("--virtual-stages",
            fmt::format("a pipeline with the schedule {} has one model chunk per stage, not {}",
                enumName(mesh.schedule), mesh.virtualStages),
            "1, or --pipeline-schedule interleaved");
    return {};
}

} // namespace

Error flagError(const char *flag, std::string what, std::string accepted)
{
    return {.what = std::move(what), .where = flag, .accepted = std::move(accepted)};
}

std::string nearest(std::int64_t value, std::int64_t most, const std::function<bool(std::int64_t)> &holds)
{
    std::int64_t below = std::min(value, most), above = std::max<std::int64_t>(value, 1);
    while (below >= 1 && !holds(below))
        --below;
    while (above <= most && !holds(above))
        ++above;
    if (below < 1)
        return above > most ? std::string() : std::to_string(above);
    return above > most || above == below ? std::to_string(below) : fmt::format("{} or {}", below, above);
}

std::string nearestMesh(const RunConfig &config, const ModelSpec &model, int Parallelism::*axis, std::int64_t most)
{
    const int asked = config.parallel.*axis;
    RunConfig other = config;
    const auto fits = [&](std::int64_t size) {
        other.parallel.*axis = static_cast<int>(size);
        return isMesh(other, model);
    };
    const std::int64_t onTheseRanks = std::min<std::int64_t>(most, config.parallel.gpus);
    if (std::string found = nearest(asked, onTheseRanks, fits); !found.empty())
        return found;
    other.parallel.kind = ParallelKind::Ddp;
    const std::string withDdp = nearest(asked, onTheseRanks, fits);
    other = config;
    for (int size = static_cast<int>(std::min<std::int64_t>(asked - 1, most)); size > 1; --size) {
        const int ranks = other.parallel.gpus = config.parallel.gpus / asked * size;
        if (fits(size) && withDdp.empty())
            return fmt::format("{} with --gpus {}", size, ranks);
        if (fits(size))
            return fmt::format("{} with --parallel ddp, or {} with --gpus {}", withDdp, size, ranks);
    }
    return withDdp.empty() ? "" : withDdp + " with --parallel ddp";
}

// Expert-parallel ranks are data- and context-parallel ones, each with all tensor-parallel parts of its experts: tp x
// ep x pp divides the ranks (Megatron-LM's initialize_model_parallel, expert_tensor_parallel_size at its default).
Result<void> validateExperts(const Parallelism &mesh, const ModelSpec &model)
{
    if (mesh.ep <= 1)
        return {};
    if (model.experts.count == 0)
        return flagError("--ep", fmt::format("expert-parallel size {} is given for a model without experts", mesh.ep),
            "1, or a model with experts (--experts)");
    const int ranks = mesh.dataParallel() * mesh.cp;
    const auto nearestUpTo = [&](int most) {
        return nearest(mesh.ep, most, [&, other = mesh](std::int64_t n) mutable {
            other.ep = static_cast<int>(n);
            return dividesExperts(other, model.experts.count);
        });
    };
    if (model.experts.count % mesh.ep != 0)
        return flagError("--ep",
            fmt::format("the expert-parallel size {} does not divide the {} experts", mesh.ep, model.experts.count),
            nearestUpTo(ranks));
    if (ranks % mesh.ep != 0)
        return flagError("--ep",
            fmt::format(
                "the expert-parallel size {} does not divide the {} data- and context-parallel ranks", mesh.ep, ranks),
            nearestUpTo(ranks));
    if (mesh.kind == ParallelKind::Hsdp && mesh.shardRanks() % mesh.ep != 0)
        return flagError("--ep",
            fmt::format("the expert-parallel size {} does not divide the {} ranks of a sharding group", mesh.ep,
                mesh.shardRanks()),
            nearestUpTo(mesh.shardRanks()) + ", or --parallel fsdp-full");
    return {};
}

Result<void> validateMesh(const RunConfig &config, const ModelSpec &model)
{
    const Parallelism &mesh = config.parallel;
    if (const Result<void> checked = checkRanks(mesh); !checked)
        return checked;
    if (const Result<void> checked = checkHeads(config, model); !checked)
        return checked;
    if (const Result<void> checked = checkLayers(config, model); !checked)
        return checked;
    if (const Result<void> checked = checkSchedule(mesh); !checked)
        return checked;
    if (config.seqLen % mesh.cp != 0)
        return flagError("--cp",
            fmt::format("the context-parallel size {} does not divide the sequence length {}", mesh.cp, config.seqLen),
            nearestMesh(config, model, &Parallelism::cp, config.seqLen));
    if (mesh.cp > 1 && config.contextExchange == ContextExchange::Gather && config.framework != Framework::Slipway)
        return flagError("--context-exchange", "gathered keys are planned for Slipway's trainer only",
            "auto, ring or all-to-all; or --framework slipway");
    if (const Result<void> checked = validateExperts(mesh, model); !checked)
        return checked;
    return config.framework == Framework::Slipway ? validateTrainerMesh(config, model) : Result<void>();
}

} // namespace slipway
