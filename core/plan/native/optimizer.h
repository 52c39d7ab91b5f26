// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The end of a step: the norm over all gradients, and the update of a unit.
#pragma once

#include "plan/native/layout.h"

namespace slipway::native {

Block sumSquares(PlanBuilder &builder, const Layout &layout, const ParameterUnit &unit, bool first);
// Muon for the unit's first muonElements, AdamW for the rest, then the moving average of its weights where there is
// one.
Block updateBlock(PlanBuilder &builder, const Layout &layout, const ModelSpec &model, const ParameterUnit &unit);

} // namespace slipway::native
