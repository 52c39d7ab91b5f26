// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The attention of one of a decoder's layers, a token at a time, with the keys and values of the tokens before.
#pragma once

#include <optional>

#include "cpu_ops/rope.h"
#include "run/decoder_modules.h"

namespace slipway {

// What a layer needs while it runs; one for all layers.
struct AttentionScratch {
    AttentionScratch(const ModelSpec &model, std::int64_t positions);
    std::vector<float> q, out, scores;
};

// Of a layer.
struct PositionTables {
    const cpu_ops::RopeTable *rope = nullptr; // nullptr: no rotations
    std::span<const float> slopes;            // of ALiBi, one for each head; empty without it
};

class DecoderAttention {
public:
    // Tables and weights must outlive the layer.
    DecoderAttention(const ModelSpec &model, const NamedWeights &weights, int layer, const PositionTables &tables,
        std::int64_t positions);
    // y [hidden] = the layer's attention at a position, after those before it.
    void apply(std::span<const float> x, std::int64_t position, AttentionScratch &scratch, float *y);

private:
    void rotate(float *heads, int count, std::int64_t position) const;
    void normAndRotate(float *q, float *k, std::int64_t position) const;
    void attend(int head, std::int64_t position, AttentionScratch &scratch) const;
    // Scores of a head's query against the keys that it sees, from the first one on; the largest of them.
    float score(int head, std::int64_t first, std::int64_t position, AttentionScratch &scratch) const;
    [[nodiscard]] std::int64_t keyOffset(int head) const;

    int m_heads, m_kvHeads;
    std::int64_t m_dim, m_window;
    float m_scale, m_softCap;
    bool m_normAfterRope, m_normEachHead;
    PositionTables m_tables;
    Projection m_q, m_k, m_v, m_o;
    std::optional<Norm> m_qNorm, m_kNorm;
    std::vector<float> m_keys, m_values; // [positions, kvHeads x headDim]
};

} // namespace slipway
