// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The strategies of Slipway's own trainer in their order. A new strategy needs a file in this folder and a line in the
// list. The file has the name of the strategy, describes it, and defines the function that creates it. The function
// returns null if the configuration does not use the strategy.
//
// The first ones change what a rank computes. Recomputation repeats their ops, including the messages. The next ones
// gather weights and reduce gradients around these ops. The last ones order the micro-batches.
#pragma once

#include "plan/passes/strategy.h"

// clang-format off
#define SLIPWAY_STRATEGIES(strategy) \
    strategy(expertParallel)   /* ep: sends rows to the ranks of their experts and back */ \
    strategy(contextParallel)  /* cp: all-gathers the keys of the other chunks of a sequence */ \
    strategy(ringAttention)    /* cp: passes these keys from rank to rank instead */ \
    strategy(tensorParallel)   /* tp: shards GEMMs, the vocabulary and the residual stream */ \
    strategy(replicatedWeights) /* tp: sums the gradients of weights that several ranks have */ \
    strategy(recomputation)    /* recomputes activations in the backward pass */ \
    strategy(splitBackward)    /* pp with zero-bubble: delays the gradients of weights */ \
    strategy(shardedWeights)   /* fsdp-full, fsdp-grad-op, hsdp: gathers weights while a block needs them */ \
    strategy(gradientSums)     /* data parallelism: reduces gradients to the ranks that update the weights */ \
    strategy(shardedOptimizer) /* zero1: gathers the updated shards on all ranks */ \
    strategy(pipeline)         /* pp: distributes layers over stages, in the order of the schedule */ \
    strategy(accumulation)     /* runs one micro-batch after another */
// clang-format on

namespace slipway::native {

#define SLIPWAY_DECLARE(strategy) StrategyPointer strategy(const StrategyParts &parts);
SLIPWAY_STRATEGIES(SLIPWAY_DECLARE)
#undef SLIPWAY_DECLARE

} // namespace slipway::native
