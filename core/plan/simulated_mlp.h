// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "plan/simulated_linear.h"

namespace slipway {

// Records a dense MLP, gated or not, from the normed stream to what is added to it. `linear`: the layer's.
Value recordMlp(const LayerWriter &writer, SimulatedLinear &linear, Value normed);

} // namespace slipway
