// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <cstdint>
#include <span>

#include "exec/weight_views.h"

namespace slipway {

// Each as its WeightInit says (model_weights.h). A weight depends on the seed, its tensor's name and its place alone:
// any rank, any sharding, any order gives the same.
void initialiseWeights(std::span<const WeightView> weights, int layers, std::uint64_t seed);

// Philox4x32-10 (Salmon et al. 2011): four words from a counter and a key.
struct Philox {
    std::uint32_t words[4];
};
Philox philox(std::uint64_t counter, std::uint64_t stream, std::uint64_t key);

} // namespace slipway
