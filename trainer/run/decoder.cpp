// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/decoder.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "cpu_ops/gemm.h"
#include "cpu_ops/norm.h"
#include "cpu_ops/swiglu.h"

namespace slipway {

namespace {

// y = W x, W being [rows, columns].
void product(const float *w, std::span<const float> x, float *y, std::int64_t rows)
{
    cpu_ops::gemm({GemmForm::Forward, 1, rows, std::ssize(x)}, x.data(), w, y);
}

void addTo(std::vector<float> &x, const std::vector<float> &delta)
{
    std::transform(x.begin(), x.end(), delta.begin(), x.begin(), std::plus<>());
}

} // namespace

Decoder::Decoder(const ModelSpec &model, std::vector<HfWeight> weights, std::int64_t positions)
    : m_model(model),
      m_weights(std::move(weights)),
      m_positions(positions),
      m_rope(positions, model.attention.headDim, model.rope().base)
{
    std::map<std::string_view, const float *> byName;
    for (const HfWeight &weight : m_weights)
        byName[weight.name] = weight.values.data();
    m_table = byName.at("model.embed_tokens.weight");
    m_finalNorm = byName.at("model.norm.weight");
    m_head = model.head.tied ? m_table : byName.at("lm_head.weight");
    for (int i = 0; i < model.layers; ++i) {
        const auto named = [&](const char *name) {
            return byName.at("model.layers." + std::to_string(i) + "." + name + ".weight");
        };
        const auto cache = static_cast<std::size_t>(positions * model.kvWidth());
        m_layers.push_back({.q = named("self_attn.q_proj"),
            .k = named("self_attn.k_proj"),
            .v = named("self_attn.v_proj"),
            .o = named("self_attn.o_proj"),
            .gate = named("mlp.gate_proj"),
            .up = named("mlp.up_proj"),
            .down = named("mlp.down_proj"),
            .norm1 = named("input_layernorm"),
            .norm2 = named("post_attention_layernorm"),
            .keys = std::vector<float>(cache),
            .values = std::vector<float>(cache)});
    }
    const auto sized = [](std::int64_t size) { return std::vector<float>(static_cast<std::size_t>(size)); };
    m_x = m_normed = m_delta = sized(model.hidden);
    m_q = m_out = sized(model.queryWidth());
    m_gateUp = sized(3 * std::int64_t{model.mlp.width});
    m_scores = sized(positions);
    m_logits = sized(model.vocab);
}

void Decoder::forget() { m_position = 0; }

void Decoder::normed(const float *weight)
{
    float rstd = 0;
    cpu_ops::rmsNorm(
        {1, m_model.hidden}, m_x.data(), weight, static_cast<float>(m_model.norm.eps), m_normed.data(), &rstd);
}

// Halves, as Hugging Face rotates them.
void Decoder::turn(float *head) const
{
    const std::int64_t half = m_model.attention.headDim / 2;
    const float *const cosines = m_rope.cosines.data() + m_position * half, *const sines =
                                                                                m_rope.sines.data() + m_position * half;
    for (std::int64_t i = 0; i < half; ++i) {
        const float a = head[i], b = head[i + half];
        head[i] = a * cosines[i] - b * sines[i];
        head[i + half] = b * cosines[i] + a * sines[i];
    }
}

void Decoder::attend(const Layer &layer)
{
    const std::int64_t dim = m_model.attention.headDim, width = m_model.kvWidth(), tokens = m_position + 1;
    const float scale = 1.0f / std::sqrt(static_cast<float>(dim));
    for (int head = 0; head < m_model.attention.heads; ++head) {
        const std::int64_t kvOffset = head / (m_model.attention.heads / m_model.attention.kvHeads) * dim;
        const float *const q = m_q.data() + head * dim;
        float largest = -std::numeric_limits<float>::infinity();
        for (std::int64_t t = 0; t < tokens; ++t) {
            const float *const key = layer.keys.data() + t * width + kvOffset;
            const float score = scale * std::inner_product(q, q + dim, key, 0.0f);
            m_scores[static_cast<std::size_t>(t)] = score;
            largest = std::max(largest, score);
        }
        float sum = 0;
        float *const out = m_out.data() + head * dim;
        std::fill_n(out, dim, 0.0f);
        for (std::int64_t t = 0; t < tokens; ++t) {
            const float weight = std::exp(m_scores[static_cast<std::size_t>(t)] - largest);
            const float *const value = layer.values.data() + t * width + kvOffset;
            sum += weight;
            for (std::int64_t i = 0; i < dim; ++i)
                out[i] += weight * value[i];
        }
        std::for_each(out, out + dim, [sum](float &value) { value /= sum; });
    }
}

void Decoder::layer(Layer &l)
{
    const std::int64_t width = m_model.kvWidth(), dim = m_model.attention.headDim, ffn = m_model.mlp.width;
    float *const key = l.keys.data() + m_position * width, *const value = l.values.data() + m_position * width;
    normed(l.norm1);
    product(l.q, m_normed, m_q.data(), m_model.queryWidth());
    product(l.k, m_normed, key, width);
    product(l.v, m_normed, value, width);
    for (int head = 0; head < m_model.attention.heads; ++head)
        turn(m_q.data() + head * dim);
    for (int head = 0; head < m_model.attention.kvHeads; ++head)
        turn(key + head * dim);
    attend(l);
    product(l.o, m_out, m_delta.data(), m_model.hidden);
    addTo(m_x, m_delta);
    normed(l.norm2);
    product(l.gate, m_normed, m_gateUp.data(), ffn);
    product(l.up, m_normed, m_gateUp.data() + ffn, ffn);
    float *const inner = m_gateUp.data() + 2 * ffn;
    cpu_ops::swiGlu({1, ffn}, m_gateUp.data(), inner);
    product(l.down, {inner, static_cast<std::size_t>(ffn)}, m_delta.data(), m_model.hidden);
    addTo(m_x, m_delta);
}

std::span<const float> Decoder::next(std::int32_t token)
{
    if (m_position >= m_positions || token < 0 || token >= m_model.vocab)
        throw std::logic_error("a token or a position outside the model");
    std::copy_n(m_table + std::int64_t{token} * m_model.hidden, m_model.hidden, m_x.begin());
    for (Layer &l : m_layers)
        layer(l);
    ++m_position;
    normed(m_finalNorm);
    product(m_head, m_normed, m_logits.data(), m_model.vocab);
    return m_logits;
}

} // namespace slipway
