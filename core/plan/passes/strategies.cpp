// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The strategies of Slipway's own trainer in their order. A new strategy needs a file in this folder and a line in the
// list.
#include <array>
#include <utility>

#include "plan/passes/strategies.h"

namespace slipway::native {

namespace {

// Each function creates its strategy, or returns null if the configuration does not use it. The first ones change what
// a rank computes. Recomputation repeats their ops, including the messages. The next ones gather weights and reduce
// gradients around these ops. The last ones order the micro-batches.
constexpr std::array kStrategies{
    expertParallel,   // ep: sends rows to the ranks of their experts and back
    contextParallel,  // cp: all-gathers the keys of the other chunks of a sequence
    ringAttention,    // cp: passes these keys from rank to rank instead
    tensorParallel,   // tp: shards GEMMs, the vocabulary and the residual stream
    recomputation,    // recomputes activations in the backward pass
    splitBackward,    // pp with zero-bubble: delays the gradients of weights
    shardedWeights,   // fsdp-full, fsdp-grad-op, hsdp: gathers weights while a block needs them
    gradientSums,     // all kinds of data parallelism: reduces gradients to the ranks that update the weights
    shardedOptimizer, // zero1: gathers the updated shards on all ranks
    pipeline,         // pp: distributes layers over stages; micro-batches run in the order of the schedule
    accumulation,     // runs one micro-batch after another
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
