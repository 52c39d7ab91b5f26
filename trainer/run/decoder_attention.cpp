// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/decoder_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "cpu_ops/parallel.h"
#include "model/model_weights.h"

namespace slipway {

AttentionScratch::AttentionScratch(const ModelSpec &model)
    : m_qWidth(static_cast<std::size_t>(model.queryWidth())),
      m_kvWidth(static_cast<std::size_t>(model.kvWidth()))
{
}

void AttentionScratch::resize(std::int64_t rows)
{
    for (std::vector<float> *values : {&q, &out})
        values->resize(static_cast<std::size_t>(rows) * m_qWidth);
    for (std::vector<float> *values : {&k, &v})
        values->resize(static_cast<std::size_t>(rows) * m_kvWidth);
}

DecoderAttention::DecoderAttention(
    const ModelSpec &model, const NamedWeights &weights, int layer, const PositionTables &tables)
    : m_layer(layer),
      m_heads(model.attention.heads),
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

float DecoderAttention::finished(float score, int head, std::int64_t distance) const
{
    score *= m_scale;
    if (m_softCap > 0)
        score = m_softCap * std::tanh(score / m_softCap);
    if (!m_tables.slopes.empty())
        score -= m_tables.slopes[static_cast<std::size_t>(head)] * static_cast<float>(distance);
    return score;
}

// Block by block, since keys lie behind each other only within one.
void DecoderAttention::attend(int head, const DecoderRow &row, const KvCache &cache, const float *q, float *out) const
{
    thread_local std::vector<float> scores;
    const std::int64_t first = m_window > 0 ? std::max<std::int64_t>(0, row.position - m_window + 1) : 0;
    const std::int64_t width = cache.width(), offset = keyOffset(head);
    const auto overBlocks = [&](const auto &visit) { // visit(position, position behind the block's last one)
        for (std::int64_t t = first; t <= row.position;) {
            const std::int64_t end = std::min(row.position + 1, (t / cache.block() + 1) * cache.block());
            visit(t, end);
            t = end;
        }
    };
    scores.resize(static_cast<std::size_t>(row.position + 1 - first));
    float largest = -std::numeric_limits<float>::infinity();
    overBlocks([&](std::int64_t begin, std::int64_t end) {
        const float *key = cache.key(m_layer, row.sequence, begin) + offset;
        for (std::int64_t t = begin; t < end; ++t, key += width) {
            const float score = finished(std::inner_product(q, q + m_dim, key, 0.0F), head, row.position - t);
            scores[static_cast<std::size_t>(t - first)] = score;
            largest = std::max(largest, score);
        }
    });
    float sum = 0;
    std::fill_n(out, m_dim, 0.0F);
    overBlocks([&](std::int64_t begin, std::int64_t end) {
        const float *value = cache.value(m_layer, row.sequence, begin) + offset;
        for (std::int64_t t = begin; t < end; ++t, value += width) {
            const float weight = std::exp(scores[static_cast<std::size_t>(t - first)] - largest);
            sum += weight;
            for (std::int64_t i = 0; i < m_dim; ++i)
                out[i] += weight * value[i];
        }
    });
    std::for_each(out, out + m_dim, [sum](float &value) { value /= sum; });
}

void DecoderAttention::apply(std::span<const float> x, std::span<const DecoderRow> rows, const KvCache &cache,
    AttentionScratch &scratch, float *y) const
{
    const std::int64_t count = std::ssize(rows), qWidth = m_heads * m_dim, kvWidth = m_kvHeads * m_dim;
    m_q.apply(count, x, scratch.q.data());
    m_k.apply(count, x, scratch.k.data());
    m_v.apply(count, x, scratch.v.data());
    for (std::int64_t i = 0; i < count; ++i) {
        const DecoderRow &row = rows[static_cast<std::size_t>(i)];
        float *const k = scratch.k.data() + i * kvWidth;
        normAndRotate(scratch.q.data() + i * qWidth, k, row.position);
        std::copy_n(k, kvWidth, cache.key(m_layer, row.sequence, row.position));
        std::copy_n(scratch.v.data() + i * kvWidth, kvWidth, cache.value(m_layer, row.sequence, row.position));
    }
    cpu_ops::parallelForUneven(count * m_heads, [&](std::int64_t i) {
        const auto head = static_cast<int>(i % m_heads);
        const std::int64_t at = i / m_heads * qWidth + head * m_dim;
        attend(
            head, rows[static_cast<std::size_t>(i / m_heads)], cache, scratch.q.data() + at, scratch.out.data() + at);
    });
    m_o.apply(count, scratch.out, y);
}

} // namespace slipway
