// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The attention of one of a decoder's layers over tokens of any sequences, with the keys and values of the tokens
// before them, which lie in the blocks of a cache.
#pragma once

#include <optional>

#include "cpu_ops/rope.h"
#include "run/decoder_modules.h"
#include "run/kv_cache.h"

namespace slipway {

// One token on its way through the layers.
struct DecoderRow {
    KvCache::Sequence sequence = 0;
    std::int64_t position = 0; // in its sequence
};

// What a layer needs while it runs, [rows, width] each; one for all layers.
struct AttentionScratch {
    explicit AttentionScratch(const ModelSpec &model);
    void resize(std::int64_t rows);
    std::vector<float> qkv, out; // qkv: queries, keys and values of a row behind each other

private:
    std::size_t m_qWidth, m_kvWidth;
};

// Of a layer.
struct PositionTables {
    const cpu_ops::RopeTable *rope = nullptr; // nullptr: no rotations
    std::span<const float> slopes;            // of ALiBi, one for each head; empty without it
};

class DecoderAttention {
public:
    // Tables and weights must outlive the layer.
    DecoderAttention(const ModelSpec &model, DecoderWeights &weights, int layer, const PositionTables &tables);
    // y [rows, hidden] = the layer's attention of each row over its sequence up to it. The cache has room for the rows;
    // their keys and values are written there first, so that rows of one sequence see those before them.
    void apply(std::span<const float> x, std::span<const DecoderRow> rows, const KvCache &cache,
        AttentionScratch &scratch, float *y) const;

private:
    void rotate(float *heads, int count, std::int64_t position) const;
    void normAndRotate(float *q, float *k, std::int64_t position) const;
    // Of one head of one row; T is the cache's.
    template<typename T>
    void attend(int head, const DecoderRow &row, const KvCache &cache, const float *q, float *out) const;
    [[nodiscard]] std::int64_t keyOffset(int head) const;

    int m_layer;
    int m_heads, m_kvHeads;
    std::int64_t m_dim, m_window;
    float m_scale, m_softCap;
    bool m_normAfterRope, m_normEachHead;
    PositionTables m_tables;
    Projection m_qkv, m_o;
    std::optional<Norm> m_qNorm, m_kNorm;
};

} // namespace slipway
