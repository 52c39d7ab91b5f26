// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Rotary positions (Su et al. 2021) as Hugging Face's LLaMA has them: element i of a head turns with element i + headDim/2,
// by position x theta^(-2i/headDim).
#pragma once

#include <cstdint>
#include <vector>

namespace slipway::ops {

// The packed projections of a micro-batch: [batch x seq, (heads + 2 kvHeads) x headDim], q then k then v.
struct QkvShape {
    std::int64_t batch = 0, seq = 0, heads = 0, kvHeads = 0, headDim = 0;

    [[nodiscard]] std::int64_t stride() const { return (heads + 2 * kvHeads) * headDim; }
    [[nodiscard]] std::int64_t outStride() const { return heads * headDim; }
};

struct RopeTable {
    RopeTable(std::int64_t seq, std::int64_t headDim, double theta);

    std::vector<float> cosines, sines; // [seq, headDim / 2]
};

enum class Turn { Forward, Back };

// Turns the q and k parts in place. The gradient of a turn is the turn back.
void rope(const QkvShape &shape, const RopeTable &table, float *qkv, Turn turn);

} // namespace slipway::ops
