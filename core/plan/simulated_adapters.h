// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// GEMMs of frozen weights and their low-rank adapters (LoRA, Hu et al. 2021, arXiv 2106.09685), as in PEFT.
#pragma once

#include <cstdint>
#include <string>

#include "plan/simulated_layer_writer.h"

namespace slipway {

struct AdaptedMatrix {
    std::string name;
    std::int64_t out = 1, in = 1;
};

// Records the GEMM of `x` with the matrix and returns its result. The adapter's result is added if the matrix has one.
Value recordAdapted(const LayerWriter &writer, Value x, const AdaptedMatrix &matrix);

} // namespace slipway
