// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "memory/textbook.h"

#include <algorithm>

#include "config/trained_parameters.h"
#include "memory/zero_stages.h"

namespace slipway {

namespace {

// Bytes of a frozen weight of a layer's matrix.
double bytesOf(FrozenWeights stored)
{
    switch (stored) {
    case FrozenWeights::Fp32:
        return 4;
    case FrozenWeights::Int8:
        return 1;
    case FrozenWeights::Nf4:
        return 0.5;
    default:
        return 2;
    }
}

// Of the model states on one of the ranks over which a replica is sharded.
void takeStates(TextbookMemory &t, const RunConfig &config, const ModelSpec &model)
{
    const Parallelism &p = config.parallel;
    const bool adapters = config.trainsAdapters();
    const double h = model.hidden, inMatrices = 12 * h * h * model.layers;
    const FrozenWeights stored = config.frozenWeightsOrWhole();
    const double ofEnds = stored == FrozenWeights::Fp32 ? 4 : 2; // quantization leaves embedding and LM head alone
    const double frozen = adapters ? ofEnds * (t.parameters - inMatrices) + bytesOf(stored) * inMatrices : 0;
    const double trained = adapters ? double(trainedParameterCount(config, model)) : t.parameters;
    const double split = p.tp * p.pp, shards = p.shardRanks();
    const auto share = [&](double bytes, bool sharded) { return bytes / split / (sharded ? shards : 1); };
    const double weights = share(frozen + 2 * trained, shardsWeights(p.kind));
    const double gradients = share(2 * trained, shardsGradients(p.kind));
    t.states = static_cast<Bytes>(weights + gradients + share(12 * trained, shardsStates(p.kind)));
    t.weights = static_cast<Bytes>(weights);
    t.gradients = static_cast<Bytes>(gradients);
    t.optimizer = t.states - t.weights - t.gradients;
}

} // namespace

TextbookMemory textbookMemory(const RunConfig &config, const ModelSpec &model)
{
    const Parallelism &p = config.parallel;
    const double h = model.hidden, layers = model.layers, s = double(config.seqLen), b = double(config.microBatch);
    TextbookMemory t;
    t.parameters = h * model.vocab + layers * (12 * h * h + 13 * h) + 2 * h;
    takeStates(t, config, model);
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
