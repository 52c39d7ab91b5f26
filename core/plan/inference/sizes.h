// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The widths of one tensor-parallel rank.
#pragma once

#include <cstdint>

#include "model/model_spec.h"

namespace slipway::inference {

// Elements.
struct Sizes {
    std::int64_t heads = 0, kvHeads = 0;
    std::int64_t qWidth = 0, kvWidth = 0, qkvWidth = 0; // qkv: queries, keys and values
    std::int64_t ffn = 0, sharedWidth = 0;              // of an MLP or of each expert; of the shared expert
    std::int64_t vocab = 0;
};

Sizes sizesOf(const ModelSpec &model, int tp);

} // namespace slipway::inference
