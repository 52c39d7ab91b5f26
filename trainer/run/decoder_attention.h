// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The attention of a decoder layer for tokens of any sequences, over the keys and values in a paged KV cache.
#pragma once

#include <optional>

#include "cpu_ops/rope.h"
#include "run/decoder_modules.h"
#include "run/kv_cache.h"

namespace slipway {

// One token: a row of activations.
struct DecoderRow {
    KvCache::Sequence sequence = 0;
    std::int64_t position = 0; // position in its sequence
};

// Workspace of a layer, [rows, width] each. All layers share one.
struct AttentionScratch {
    explicit AttentionScratch(const ModelSpec &model);
    void resize(std::int64_t rows);
    std::vector<float> qkv, out; // qkv: q, then k, then v in each row

private:
    std::size_t m_qWidth, m_kvWidth;
};

// The position tables of a layer.
struct PositionTables {
    const cpu_ops::RopeTable *rope = nullptr; // null: no RoPE
    std::span<const float> slopes;            // of ALiBi, per head; empty: no ALiBi
};

class DecoderAttention {
public:
    // Tables and weights must outlive the layer.
    DecoderAttention(const ModelSpec &model, DecoderWeights &weights, int layer, const PositionTables &tables);
    // y [rows, hidden] = causal attention of each row over its sequence. Blocks for the rows must be reserved in the
    // cache. Keys and values of all rows are written first, so that rows attend to earlier rows of the same call.
    void apply(std::span<const float> x, std::span<const DecoderRow> rows, const KvCache &cache,
        AttentionScratch &scratch, float *y) const;

private:
    void rotate(float *heads, int count, std::int64_t position) const;
    void normAndRotate(float *q, float *k, std::int64_t position) const;
    // One head of one row; T is the element type of the cache.
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
