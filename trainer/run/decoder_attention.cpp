// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/decoder_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "model/model_weights.h"

namespace slipway {

AttentionScratch::AttentionScratch(const ModelSpec &model, std::int64_t positions)
    : q(static_cast<std::size_t>(model.queryWidth())),
      out(q.size()),
      scores(static_cast<std::size_t>(positions))
{
}

DecoderAttention::DecoderAttention(const ModelSpec &model, const NamedWeights &weights, int layer,
    const PositionTables &tables, std::int64_t positions)
    : m_heads(model.attention.heads),
      m_kvHeads(model.attention.kvHeads),
      m_dim(model.attention.headDim),
      m_window(model.kindOf(layer).window),
      m_scale(static_cast<float>(model.attentionScale())),
      m_softCap(static_cast<float>(model.attention.softCap)),
      m_normAfterRope(model.attention.qkNormAfterRope),
      m_normEachHead(model.attention.qkNorm == QkNorm::Head),
      m_tables(tables)
{
    const std::string at = layerPrefix(layer) + "self_attn.";
    m_q = Projection(weights, at + "q_proj", model.queryWidth());
    m_k = Projection(weights, at + "k_proj", model.kvWidth());
    m_v = Projection(weights, at + "v_proj", model.kvWidth());
    m_o = Projection(weights, at + "o_proj", model.hidden);
    if (model.attention.qkNorm != QkNorm::None) {
        m_qNorm.emplace(model, weights, at + "q_norm", m_normEachHead ? m_dim : model.queryWidth());
        m_kNorm.emplace(model, weights, at + "k_norm", m_normEachHead ? m_dim : model.kvWidth());
    }
    m_keys.resize(static_cast<std::size_t>(positions * model.kvWidth()));
    m_values.resize(m_keys.size());
}

// Halves, as Hugging Face rotates them.
void DecoderAttention::rotate(float *heads, int count, std::int64_t position) const
{
    const std::int64_t half = m_tables.rope->rotatedDims / 2;
    const float *const cosines = m_tables.rope->cosines.data() + position * half, *const sines =
                                                                                      m_tables.rope->sines.data() +
                                                                                      position * half;
    for (int head = 0; head < count; ++head) {
        float *const low = heads + head * m_dim, *const high = low + half;
        for (std::int64_t i = 0; i < half; ++i) {
            const float a = low[i], b = high[i];
            low[i] = a * cosines[i] - b * sines[i];
            high[i] = b * cosines[i] + a * sines[i];
        }
    }
}

void DecoderAttention::normAndRotate(float *q, float *k, std::int64_t position) const
{
    const auto norm = [&] {
        if (!m_qNorm)
            return;
        m_qNorm->applyToHeads(m_normEachHead ? m_heads : 1, q);
        m_kNorm->applyToHeads(m_normEachHead ? m_kvHeads : 1, k);
    };
    if (!m_normAfterRope)
        norm();
    if (m_tables.rope) {
        rotate(q, m_heads, position);
        rotate(k, m_kvHeads, position);
    }
    if (m_normAfterRope)
        norm();
}

std::int64_t DecoderAttention::keyOffset(int head) const { return head / (m_heads / m_kvHeads) * m_dim; }

float DecoderAttention::score(int head, std::int64_t first, std::int64_t position, AttentionScratch &scratch) const
{
    const std::int64_t width = m_kvHeads * m_dim;
    const float *const q = scratch.q.data() + head * m_dim;
    const float *const keys = m_keys.data() + keyOffset(head);
    float largest = -std::numeric_limits<float>::infinity();
    for (std::int64_t t = first; t <= position; ++t) {
        float score = m_scale * std::inner_product(q, q + m_dim, keys + t * width, 0.0F);
        if (m_softCap > 0)
            score = m_softCap * std::tanh(score / m_softCap);
        if (!m_tables.slopes.empty())
            score -= m_tables.slopes[static_cast<std::size_t>(head)] * static_cast<float>(position - t);
        scratch.scores[static_cast<std::size_t>(t)] = score;
        largest = std::max(largest, score);
    }
    return largest;
}

void DecoderAttention::attend(int head, std::int64_t position, AttentionScratch &scratch) const
{
    const std::int64_t first = m_window > 0 ? std::max<std::int64_t>(0, position - m_window + 1) : 0;
    const std::int64_t width = m_kvHeads * m_dim;
    const float largest = score(head, first, position, scratch);
    float sum = 0;
    float *const out = scratch.out.data() + head * m_dim;
    std::fill_n(out, m_dim, 0.0F);
    for (std::int64_t t = first; t <= position; ++t) {
        const float weight = std::exp(scratch.scores[static_cast<std::size_t>(t)] - largest);
        const float *const value = m_values.data() + t * width + keyOffset(head);
        sum += weight;
        for (std::int64_t i = 0; i < m_dim; ++i)
            out[i] += weight * value[i];
    }
    std::for_each(out, out + m_dim, [sum](float &value) { value /= sum; });
}

void DecoderAttention::apply(std::span<const float> x, std::int64_t position, AttentionScratch &scratch, float *y)
{
    float *const key = m_keys.data() + position * m_kvHeads * m_dim;
    m_q.apply(x, scratch.q.data());
    m_k.apply(x, key);
    m_v.apply(x, m_values.data() + position * m_kvHeads * m_dim);
    normAndRotate(scratch.q.data(), key, position);
    for (int head = 0; head < m_heads; ++head)
        attend(head, position, scratch);
    m_o.apply(scratch.out, y);
}

} // namespace slipway
