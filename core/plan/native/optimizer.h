// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The end of a step: sums over ranks, the norm over all gradients, and the update of a unit.
#pragma once

#include "plan/native/layout.h"

namespace slipway::native {

// Sums the loss, which only the last pipeline stage has, over all ranks with different data. Empty for one rank.
Block allReduceLoss(PlanBuilder &builder, const Layout &layout);
// Sums the gradients of tied embeddings over the stages of the embedding and of the LM head.
Block allReduceTiedGradients(PlanBuilder &builder, const Layout &layout);
// Zeroes the sum of squared gradients. Needed if each unit has several instances, which all add to it.
Block zeroGradientNorm(PlanBuilder &builder, const Layout &layout);
// Sums the squared gradients over all ranks with different weights. Empty for one rank.
Block allReduceGradientNorm(PlanBuilder &builder, const Layout &layout);

Block sumSquares(PlanBuilder &builder, const Layout &layout, const ParameterUnit &unit, bool first);
// Muon or AdamW, then the moving average of the unit's weights, if the run has one.
Block updateBlock(PlanBuilder &builder, const Layout &layout, const ModelSpec &model, const ParameterUnit &unit);

} // namespace slipway::native
