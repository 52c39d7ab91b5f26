// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Every strategy by the function that makes it: null where the configuration does not ask for it. Each is described in
// the file of its name.
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
