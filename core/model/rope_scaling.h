// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// How fast each pair of a head's dimensions turns, with the scalings of Transformers' modeling_rope_utils.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "model/modules.h"

namespace slipway {

struct RopeFrequencies {
    std::vector<double> inverse;  // radians a position, of each pair of rotated dimensions
    double attentionFactor = 1.0; // cosines and sines are multiplied by it
    bool operator==(const RopeFrequencies &) const = default;
};

// The first so many dimensions of a head are rotated: an even number.
int rotatedDimensions(const Rope &rope, int headDim);

// `seqLen` decides between the two lists of LongRoPE. Scalings that depend on it otherwise ("dynamic") are refused.
Result<RopeFrequencies> ropeFrequencies(const Rope &rope, int headDim, std::int64_t seqLen);

} // namespace slipway
