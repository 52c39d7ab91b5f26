// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/passes/strategies.h"

#include <utility>

namespace slipway::native {

std::vector<StrategyPointer> strategiesOf(const StrategyParts &parts)
{
    std::vector<StrategyPointer> all;
#define SLIPWAY_ADD(strategy)                                                                                          \
    if (StrategyPointer made = strategy(parts))                                                                        \
        all.push_back(std::move(made));
    SLIPWAY_STRATEGIES(SLIPWAY_ADD)
#undef SLIPWAY_ADD
    return all;
}

} // namespace slipway::native
