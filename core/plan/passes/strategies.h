// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The functions that create strategies. They return null if the configuration does not use the strategy. Each is
// defined in the file of the same name, which describes the strategy.
#pragma once

#include "plan/passes/strategy.h"

namespace slipway::native {

StrategyPointer expertParallel(const StrategyParts &parts);
StrategyPointer contextParallel(const StrategyParts &parts);
StrategyPointer ringAttention(const StrategyParts &parts);
StrategyPointer tensorParallel(const StrategyParts &parts);
StrategyPointer recomputation(const StrategyParts &parts);
StrategyPointer splitBackward(const StrategyParts &parts);
StrategyPointer shardedWeights(const StrategyParts &parts);
StrategyPointer gradientSums(const StrategyParts &parts);
StrategyPointer shardedOptimizer(const StrategyParts &parts);
StrategyPointer pipeline(const StrategyParts &parts);
StrategyPointer accumulation(const StrategyParts &parts);

} // namespace slipway::native
