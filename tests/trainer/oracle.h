// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// LLaMA written plainly with LibTorch's ops and differentiated by its autograd: what the executor is held against.
#pragma once

#include "trainer_fixtures.h"

namespace slipway::testing {

struct OracleStep {
    double loss = 0;
    Gradients gradients;
};

enum class OracleType { Fp32, Fp64, Bf16 };

// Loss and gradients over all tokens at once, by the executor's weights; everything in this type.
OracleStep oracleStep(const ModelSpec &model, const std::vector<WeightView> &weights, const Batch &batch,
    std::int64_t seqLen, OracleType type = OracleType::Fp32);

} // namespace slipway::testing
