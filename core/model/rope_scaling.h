// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Frequencies of RoPE for each pair of dimensions, with the scalings of Transformers' modeling_rope_utils.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "model/modules.h"

namespace slipway {

struct RopeFrequencies {
    std::vector<double> inverse;  // radians per position, for each pair of rotated dimensions
    double attentionFactor = 1.0; // cosines and sines are multiplied by it
    bool operator==(const RopeFrequencies &) const = default;
};

// Number of dimensions at the start of each head that are rotated; even.
int rotatedDimensions(const Rope &rope, int headDim);

// `seqLen` decides between the two lists of LongRoPE. Scalings that depend on it otherwise ("dynamic") are rejected.
Result<RopeFrequencies> ropeFrequencies(const Rope &rope, int headDim, std::int64_t seqLen);

} // namespace slipway
