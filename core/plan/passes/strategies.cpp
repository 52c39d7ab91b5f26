// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The strategies of our own trainer and their order. A new strategy needs a file here and a line in the list.
#include <array>
#include <utility>

#include "plan/passes/strategies.h"

namespace slipway::native {

namespace {

// Each function creates its strategy, or returns null if the configuration does not use it. The first ones change what
// a rank computes. Recomputation repeats this with its messages. The next ones gather weights and reduce gradients
// around it. The last ones order micro-batches.
constexpr std::array kStrategies{
    expertParallel,   // ep: rows go to their experts and come back
    contextParallel,  // cp: keys of other parts of a sequence, gathered
    ringAttention,    // the same, as they pass from rank to rank
    tensorParallel,   // tp: matrices, the vocabulary and the stream
    recomputation,    // forward once more, in backward
    splitBackward,    // pp with zero-bubble: gradients of weights later
    shardedWeights,   // fsdp-full, fsdp-grad-op, hsdp: weights while a block needs them
    gradientSums,     // every kind of data parallelism: gradients to those who update
    shardedOptimizer, // zero1: updated parts to all ranks
    pipeline,         // pp: layers in stages, micro-batches in the order of the schedule
    accumulation,     // one micro-batch after the other
};

} // namespace

std::vector<StrategyPointer> strategiesOf(const StrategyParts &parts)
{
    std::vector<StrategyPointer> all;
    for (const auto &make : kStrategies) {
        if (StrategyPointer strategy = make(parts))
            all.push_back(std::move(strategy));
    }
    return all;
}

} // namespace slipway::native
