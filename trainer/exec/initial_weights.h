// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <cstdint>
#include <span>

#include "exec/weight_views.h"

namespace slipway {

// Initializes each weight by its WeightInit (model_weights.h). A value depends only on the seed, the tensor's name and
// the element's index. So it is the same for any rank, sharding and order.
void initializeWeights(std::span<const WeightView> weights, int layers, std::uint64_t seed);

// Philox4x32-10 (Salmon et al. 2011): four 32-bit words from a counter and a key.
struct Philox {
    std::uint32_t words[4];
};
Philox philox(std::uint64_t counter, std::uint64_t stream, std::uint64_t key);

} // namespace slipway
