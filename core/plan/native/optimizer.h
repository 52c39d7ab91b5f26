// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The end of a step: sums over ranks, the norm over all gradients, and the update of a unit.
#pragma once

#include "plan/native/layout.h"

namespace slipway::native {

// The loss, which only the last pipeline stage has, over all ranks with other data. Empty for one rank.
Block sumLoss(PlanBuilder &builder, const Layout &layout);
// The gradients of a tied table, of the embedding's stage and of the head's.
Block sumTiedGradients(PlanBuilder &builder, const Layout &layout);
// Where no unit of one instance starts the sum of the gradients' squares.
Block zeroNorm(PlanBuilder &builder, const Layout &layout);
// The gradients' squares, over all ranks with other weights. Empty for one rank.
Block sumNorm(PlanBuilder &builder, const Layout &layout);

Block sumSquares(PlanBuilder &builder, const Layout &layout, const ParameterUnit &unit, bool first);
// Muon or AdamW, then the moving average of the unit's weights where there is one.
Block updateBlock(PlanBuilder &builder, const Layout &layout, const ModelSpec &model, const ParameterUnit &unit);

} // namespace slipway::native
