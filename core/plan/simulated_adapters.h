// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// GEMMs of frozen weights, and the adapters of low rank beside them (LoRA, Hu et al. 2021, arXiv 2106.09685), as PEFT
// writes them.
#pragma once

#include <cstdint>
#include <string>

#include "plan/simulated_layer_writer.h"

namespace slipway {

struct AdaptedMatrix {
    std::string name;
    std::int64_t out = 1, in = 1;
};

// Records the product with `x` and returns it, with the adapter's where the recipe has one beside this matrix.
Value recordAdapted(const LayerWriter &writer, Value x, const AdaptedMatrix &matrix);

} // namespace slipway
