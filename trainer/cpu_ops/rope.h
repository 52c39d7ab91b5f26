// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Rotary position embedding (Su et al. 2021) in Hugging Face's layout: of the first `rotatedDims` elements of a head,
// elements i and i + rotatedDims/2 are a pair, rotated by position x inverseFrequencies[i]. Other elements are
// unchanged.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cpu_ops/sequence_shard.h"

namespace slipway::cpu_ops {

// The packed projections of a micro-batch, [batch x seq, (heads + 2 kvHeads) x headDim]: q, then k, then v.
struct QkvShape {
    std::int64_t batch = 0, seq = 0, heads = 0, kvHeads = 0, headDim = 0;
    // [batch x full sequence length]: where in its sequence the document of each position begins. Null: each sequence
    // is one document. Positions count from the start of the document, and attention does not cross it.
    const std::int32_t *documentStarts = nullptr;
    // For attention only.
    std::int64_t window = 0;       // query i attends to keys i - window + 1 to i; 0: to all keys up to i
    float scale = 0;               // factor of the scores; 0: headDim^-1/2
    float softCap = 0;             // scaled scores become softCap tanh(scores / softCap) (Gemma 2); 0: no cap
    const float *slopes = nullptr; // [heads]: ALiBi (Press et al. 2021) subtracts slope x (i - j); null: no ALiBi
    SequenceShard shard = {};      // which `seq` tokens of each sequence this rank has

    [[nodiscard]] std::int64_t stride() const { return (heads + 2 * kvHeads) * headDim; }
    [[nodiscard]] std::int64_t outStride() const { return heads * headDim; }
    [[nodiscard]] std::int64_t documentStart(std::int64_t sequence, std::int64_t position) const
    {
        return documentStarts ? documentStarts[sequence * shard.whole(seq) + position] : 0;
    }
    // The first key that a query attends to. It does not decrease from one position to the next.
    [[nodiscard]] std::int64_t firstKey(std::int64_t sequence, std::int64_t position) const
    {
        const std::int64_t start = documentStart(sequence, position);
        return window > 0 ? std::max(start, position - window + 1) : start;
    }
};

// Frequency scaling (Llama 3, YaRN) is already applied to the frequencies.
struct RopeSpec {
    std::vector<double> inverseFrequencies; // [rotatedDims / 2], used in fp32 as Hugging Face does
    std::int64_t rotatedDims = 0;           // even, at most headDim
    double attentionFactor = 1;             // YaRN's factor of cosines and sines
};

// Frequencies theta^(-2i/headDim) over all dimensions of a head, as in LLaMA.
RopeSpec plainRope(std::int64_t headDim, double theta);

struct RopeTable {
    RopeTable(std::int64_t seq, const RopeSpec &spec);
    RopeTable(std::int64_t seq, std::int64_t headDim, double theta) : RopeTable(seq, plainRope(headDim, theta)) {}

    std::int64_t rotatedDims = 0;
    std::vector<float> cosines, sines; // [seq, rotatedDims / 2]
};

enum class RopeDirection { Forward, Inverse };

// Rotates q and k in place. The gradient of a rotation is the inverse rotation.
void rope(const QkvShape &shape, const RopeTable &table, float *qkv, RopeDirection direction);

} // namespace slipway::cpu_ops
