// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "memory/textbook.h"

#include <algorithm>

namespace slipway {

namespace {

// Bytes per parameter on one of n ranks over which a replica is sharded.
double statesPerParameter(ParallelKind kind, double n)
{
    switch (kind) {
    case ParallelKind::Zero1:
        return 4 + 12 / n;
    case ParallelKind::FsdpGradOp:
        return 2 + 14 / n;
    case ParallelKind::FsdpFull:
    case ParallelKind::Hsdp:
        return 16 / n;
    default:
        return 16;
    }
}

} // namespace

TextbookMemory textbookMemory(const RunConfig &config, const ModelSpec &model)
{
    const Parallelism &p = config.parallel;
    const double h = model.hidden, layers = model.layers, s = double(config.seqLen), b = double(config.microBatch);
    TextbookMemory t;
    t.parameters = h * model.vocab + layers * (12 * h * h + 13 * h) + 2 * h;
    const double perRank = t.parameters / (p.tp * p.pp);
    t.states = static_cast<Bytes>(perRank * statesPerParameter(p.kind, p.shardRanks()));
    const double linear = config.recompute == Recompute::Full ? 2 * s * b * h : 34 * s * b * h;
    const double scores =
        config.recomputeOrNone() == Recompute::None ? 5 * double(model.attention.heads) * s * s * b : 0;
    const auto all = double(config.gradAccum);
    const double inFlight =
        p.pp > 1 && p.pipelineSchedule() == PipelineSchedule::GPipe ? all : std::min<double>(p.pp, all);
    t.activations = static_cast<Bytes>(layers / p.pp * inFlight * (linear + scores) / p.tp / p.cp);
    t.peak = t.states + t.activations;
    return t;
}

} // namespace slipway
