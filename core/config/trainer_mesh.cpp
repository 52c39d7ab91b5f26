// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "config/trainer_mesh.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "base/enum_names.h"
#include "config/pipeline_layers.h"
#include "config/validate_mesh.h"

namespace slipway {

namespace {

// Whether sequences and attention of the run allow this many context-parallel ranks.
Result<void> checkContextParallel(const RunConfig &c, const ModelSpec &m)
{
    const std::int64_t cp = c.parallel.cp;
    if (!dividesSequence(c.parallel.cp, c))
        return Error{.what = "Slipway's trainer does not split " + std::to_string(c.seqLen) + " tokens into 2 x " +
                             std::to_string(cp) + " equal chunks",
            .where = "--cp",
            .accepted = nearestMesh(c, m, &Parallelism::cp, c.seqLen) + ", or another --seq-len"};
    if (c.contextExchange == ContextExchange::AllToAll)
        return Error{.what = "Slipway's trainer does not run context parallelism as an all-to-all over heads",
            .where = "--context-exchange",
            .accepted = "auto, gather or ring"};
    if (c.contextExchange == ContextExchange::Ring && c.attentionOrFlash() != Attention::Flash)
        return Error{.what = "'ring' does not run with vanilla attention, because no rank has all scores of a query",
            .where = "--context-exchange",
            .accepted = "auto or gather, or --attention flash"};
    return {};
}

// Hybrid sharding shards within a node.
Result<void> checkNodes(const Parallelism &p)
{
    if (p.gpus > p.gpusPerNode && p.gpus % p.gpusPerNode != 0) {
        const auto unit = std::lcm<std::int64_t>(p.gpusPerNode, p.modelParallel()), below = p.gpus / unit * unit;
        return Error{
            .what = std::to_string(p.gpus) + " ranks do not fill whole nodes of " + std::to_string(p.gpusPerNode),
            .where = "--gpus",
            .accepted = (below > 0 ? std::to_string(below) + " or " : "") + std::to_string(below + unit) +
                        ", or --parallel fsdp-full"};
    }
    const int ranks = p.dataParallel() * p.cp;
    if (ranks % p.shardRanks() != 0)
        return Error{.what = std::to_string(ranks) + " data- and context-parallel ranks are not a multiple of the " +
                             std::to_string(p.shardRanks()) + " that share a node",
            .where = "--gpus",
            .accepted = "a multiple of --gpus-per-node, or --parallel fsdp-full"};
    return {};
}

// GPipe's plans list every micro-batch.
constexpr std::int64_t kMostGPipeMicroBatches = 256;

Result<void> checkTrainerSchedule(const RunConfig &c, const ModelSpec &m)
{
    const Parallelism &p = c.parallel;
    const PipelineSchedule schedule = p.pipelineSchedule();
    if (schedule == PipelineSchedule::GPipe && p.pp > 1 && c.gradAccum > kMostGPipeMicroBatches)
        return Error{.what = "gpipe holds all " + std::to_string(c.gradAccum) + " micro-batches of a step",
            .where = "--grad-accum",
            .accepted = "1 to " + std::to_string(kMostGPipeMicroBatches) + ", or --pipeline-schedule 1f1b"};
    if (schedule != PipelineSchedule::Interleaved)
        return {};
    if (c.gradAccum % p.pp != 0)
        return Error{.what = "an interleaved pipeline of " + std::to_string(p.pp) + " stages does not run a step of " +
                             std::to_string(c.gradAccum) + " micro-batches",
            .where = "--grad-accum",
            .accepted = nearest(c.gradAccum, c.gradAccum + p.pp, [&](std::int64_t n) { return n % p.pp == 0; })};
    for (const int stage : {0, p.pp - 1}) {
        for (int modelChunk = 0; modelChunk < p.virtualStages; ++modelChunk) {
            if (layersOfModelChunk(p, m.layers, stage, modelChunk).count == 0)
                return Error{.what = std::to_string(p.virtualStages) + " model chunks on each of " +
                                     std::to_string(p.pp) + " stages leave one without a layer",
                    .where = "--virtual-stages",
                    .accepted = "1, or a number of layers that " + std::to_string(p.pp * p.virtualStages) + " divides"};
        }
    }
    return {};
}

} // namespace

Result<void> validateTrainerMesh(const RunConfig &c, const ModelSpec &m)
{
    const Parallelism &p = c.parallel;
    if (const Result<void> schedule = checkTrainerSchedule(c, m); !schedule)
        return schedule;
    if (p.cp > 1 && c.precisionOrMixed() != Precision::Fp32 && c.training.documents == Documents::Separate)
        return Error{.what = "Slipway's trainer does not keep documents apart over " + std::to_string(p.cp) +
                             " context-parallel ranks in " + std::string(enumName(c.precisionOrMixed())),
            .where = "--cp",
            .accepted = nearestMesh(c, m, &Parallelism::cp, 1) + ", or --precision fp32, or documents: packed"};
    if (const Result<void> nodes = p.kind == ParallelKind::Hsdp ? checkNodes(p) : Result<void>(); !nodes)
        return nodes;
    return p.cp > 1 ? checkContextParallel(c, m) : Result<void>();
}

Result<RunConfig> withRanks(RunConfig config, int ranks)
{
    Parallelism &p = config.parallel;
    if (ranks % p.modelParallel() != 0)
        return Error{.what = std::to_string(ranks) +
                             " ranks are not a multiple of tp x pp x cp = " + std::to_string(p.modelParallel()),
            .where = "-n",
            .accepted = nearest(ranks, ranks + p.modelParallel(), [&](std::int64_t n) {
                return n % p.modelParallel() == 0;
            }) + ", or another tp, pp and cp in run.yaml"};
    const std::int64_t microBatches = config.gradAccum * p.dataParallel();
    const int dataRanks = ranks / p.modelParallel();
    if (microBatches % dataRanks != 0)
        return Error{.what = std::to_string(dataRanks) + (p.modelParallel() > 1 ? " data-parallel" : "") +
                             " ranks cannot equally share the " + std::to_string(microBatches) +
                             " micro-batches of a step",
            .where = "-n",
            .accepted = nearest(ranks, microBatches * p.modelParallel(), [&](std::int64_t n) {
                return n % p.modelParallel() == 0 && microBatches % (n / p.modelParallel()) == 0;
            })};
    config.gradAccum = microBatches / dataRanks;
    p.gpus = ranks;
    if (p.kind == ParallelKind::None && dataRanks > 1)
        p.kind = ParallelKind::Ddp;
    if (p.kind == ParallelKind::Hsdp && ranks > p.gpusPerNode && ranks % p.gpusPerNode != 0)
        p.kind = ParallelKind::FsdpFull;
    if (dataRanks == 1)
        p.kind = ParallelKind::None;
    return config;
}

} // namespace slipway
