// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "plan/simulated_linear.h"

namespace slipway {

// Records a dense MLP, gated or not, from the output of the norm to the input of the residual addition. `linear`: that
// of the layer.
Value recordMlp(const LayerWriter &writer, SimulatedLinear &linear, Value normed);

} // namespace slipway
