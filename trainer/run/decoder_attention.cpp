// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/decoder_attention.h"

#include <algorithm>
#include <array>
#include <vector>

#include "cpu_ops/paged_attention.h"
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
    qkv.resize(static_cast<std::size_t>(rows) * (m_qWidth + 2 * m_kvWidth));
    out.resize(static_cast<std::size_t>(rows) * m_qWidth);
}

DecoderAttention::DecoderAttention(
    const ModelSpec &model, DecoderWeights &weights, int layer, const PositionTables &tables)
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
    const std::array<std::int64_t, 3> widths{model.queryWidth(), model.kvWidth(), model.kvWidth()};
    m_qkv = Projection(weights, {at + "q_proj", at + "k_proj", at + "v_proj"}, widths);
    m_o = Projection(weights, at + "o_proj", model.hidden);
    if (model.attention.qkNorm != QkNorm::None) {
        m_qNorm.emplace(model, weights, at + "q_norm", m_normEachHead ? m_dim : model.queryWidth());
        m_kNorm.emplace(model, weights, at + "k_norm", m_normEachHead ? m_dim : model.kvWidth());
    }
}

// Pairs are formed from both halves, as in Hugging Face's layout.
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

// Goes through the blocks, because keys are contiguous only within a block.
template<typename T>
void DecoderAttention::attend(int head, const DecoderRow &row, const KvCache &cache, const float *q, float *out) const
{
    thread_local std::vector<float> kept;
    const std::int64_t first = m_window > 0 ? std::max<std::int64_t>(0, row.position - m_window + 1) : 0;
    const std::int64_t width = cache.width(), offset = keyOffset(head);
    kept.resize(static_cast<std::size_t>(row.position + 1 - first));
    const std::span<float> scores(kept);
    const auto overBlocks = [&](const auto &visit) { // visit(position, scores of the keys in the block)
        for (std::int64_t t = first; t <= row.position;) {
            const std::int64_t end = std::min(row.position + 1, (t / cache.block() + 1) * cache.block());
            visit(t, scores.subspan(static_cast<std::size_t>(t - first), static_cast<std::size_t>(end - t)));
            t = end;
        }
    };
    const cpu_ops::ScoreForm form{.scale = m_scale,
        .softCap = m_softCap,
        .slope = m_tables.slopes.empty() ? 0 : m_tables.slopes[static_cast<std::size_t>(head)]};
    overBlocks([&](std::int64_t t, std::span<float> own) {
        const T *const keys = cache.keys<T>(m_layer, row.sequence, t) + offset;
        cpu_ops::scoreKeys(m_dim, q, keys, width, form, row.position - t, own);
    });
    const float sum = cpu_ops::exponentials(scores);
    std::fill_n(out, m_dim, 0.0F);
    overBlocks([&](std::int64_t t, std::span<float> own) {
        cpu_ops::addValues(m_dim, own, cache.values<T>(m_layer, row.sequence, t) + offset, width, out);
    });
    std::for_each(out, out + m_dim, [sum](float &value) { value /= sum; });
}

void DecoderAttention::apply(std::span<const float> x, std::span<const DecoderRow> rows, const KvCache &cache,
    AttentionScratch &scratch, float *y) const
{
    const std::int64_t count = std::ssize(rows), qWidth = m_heads * m_dim, kvWidth = m_kvHeads * m_dim,
                       width = qWidth + 2 * kvWidth;
    m_qkv.apply(count, x, scratch.qkv.data());
    for (std::int64_t i = 0; i < count; ++i) {
        const DecoderRow &row = rows[static_cast<std::size_t>(i)];
        float *const q = scratch.qkv.data() + i * width, *const k = q + qWidth;
        normAndRotate(q, k, row.position);
        cache.write(m_layer, row.sequence, row.position, k, k + kvWidth);
    }
    const auto attendOne = [&](std::int64_t i) {
        const auto head = static_cast<int>(i % m_heads);
        const DecoderRow &row = rows[static_cast<std::size_t>(i / m_heads)];
        const float *const q = scratch.qkv.data() + i / m_heads * width + head * m_dim;
        float *const out = scratch.out.data() + i / m_heads * qWidth + head * m_dim;
        cache.type() == DecoderType::Bf16 ? attend<std::uint16_t>(head, row, cache, q, out)
                                          : attend<float>(head, row, cache, q, out);
    };
    std::int64_t keys = 0;
    for (const DecoderRow &row : rows)
        keys += row.position + 1;
    constexpr std::int64_t kLeast = 32768; // multiplications; less work is not worth waking another thread
    if (keys * m_heads * m_dim >= kLeast) {
        cpu_ops::parallelForUneven(count * m_heads, attendOne);
    } else {
        for (std::int64_t i = 0; i < count * m_heads; ++i)
            attendOne(i);
    }
    m_o.apply(count, scratch.out, y);
}

} // namespace slipway
