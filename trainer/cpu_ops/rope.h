// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Rotary positions (Su et al. 2021) as Hugging Face has them: of the first `rotatedDims` elements of a head, element i
// turns with element i + rotatedDims/2, by position x inverseFrequencies[i]. The elements behind them stay as they are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cpu_ops/sequence_part.h"

namespace slipway::cpu_ops {

// The packed projections of a micro-batch: [batch x seq, (heads + 2 kvHeads) x headDim], q then k then v.
struct QkvShape {
    std::int64_t batch = 0, seq = 0, heads = 0, kvHeads = 0, headDim = 0;
    // [batch x seq], of whole sequences: where in its sequence the document of each position begins. Null: a sequence
    // is one document. Positions count from there, and attention looks no further back.
    const std::int32_t *documentStarts = nullptr;
    // Of attention alone.
    std::int64_t window = 0;       // query i sees keys i - window + 1 to i; 0: all before it
    float scale = 0;               // of the scores; 0: headDim^-1/2
    float softCap = 0;             // scaled scores become softCap tanh(scores / softCap) (Gemma 2); 0: they stay
    const float *slopes = nullptr; // [heads]: ALiBi (Press et al. 2021) takes slope x (i - j) off; null: none
    SequencePart part = {};        // of each sequence, the `seq` tokens that are here

    [[nodiscard]] std::int64_t stride() const { return (heads + 2 * kvHeads) * headDim; }
    [[nodiscard]] std::int64_t outStride() const { return heads * headDim; }
    [[nodiscard]] std::int64_t documentStart(std::int64_t sequence, std::int64_t position) const
    {
        return documentStarts ? documentStarts[sequence * part.whole(seq) + position] : 0;
    }
    // The first key that a query sees. It never falls from one position to the next.
    [[nodiscard]] std::int64_t firstKey(std::int64_t sequence, std::int64_t position) const
    {
        const std::int64_t start = documentStart(sequence, position);
        return window > 0 ? std::max(start, position - window + 1) : start;
    }
};

// Scaled frequencies (Llama 3, YaRN) are frequencies like any others.
struct RopeSpec {
    std::vector<double> inverseFrequencies; // [rotatedDims / 2], used in fp32 as Hugging Face does
    std::int64_t rotatedDims = 0;           // even, at most headDim
    double attentionFactor = 1;             // what YaRN multiplies cosines and sines by
};

// Whole heads by theta^(-2i/headDim), as LLaMA has them.
RopeSpec plainRope(std::int64_t headDim, double theta);

struct RopeTable {
    RopeTable(std::int64_t seq, const RopeSpec &spec);
    RopeTable(std::int64_t seq, std::int64_t headDim, double theta) : RopeTable(seq, plainRope(headDim, theta)) {}

    std::int64_t rotatedDims = 0;
    std::vector<float> cosines, sines; // [seq, rotatedDims / 2]
};

enum class Turn { Forward, Back };

// Turns the q and k parts in place. The gradient of a turn is the turn back.
void rope(const QkvShape &shape, const RopeTable &table, float *qkv, Turn turn);

} // namespace slipway::cpu_ops
