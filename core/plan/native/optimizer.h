// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The end of a step: the norm over all gradients, and the update of a unit.
#pragma once

#include "plan/native/layout.h"

namespace slipway::native {

Block sumSquares(PlanBuilder &builder, const Layout &layout, const ParameterUnit &unit, bool first);
Block adamW(PlanBuilder &builder, const Layout &layout, const ParameterUnit &unit);

} // namespace slipway::native
