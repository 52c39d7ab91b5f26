// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/decoder.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "cpu_ops/norm.h"
#include "exec/model_tables.h"
#include "model/model_weights.h"

namespace slipway {

namespace {

std::int64_t positionsOf(const ModelSpec &model, std::int64_t wanted)
{
    return model.position == Position::Learned
               ? std::min<std::int64_t>(wanted, model.embedding.positions - model.embedding.firstPosition)
               : wanted;
}

} // namespace

Decoder::Decoder(const ModelSpec &model, std::vector<HfWeight> weights, std::int64_t positions)
    : m_model(model),
      m_weights(std::move(weights)),
      m_positions(positionsOf(model, positions)),
      m_ropes(ropeTables(model, m_positions)),
      m_slopes(alibiSlopes(model)),
      m_attention(model, m_positions),
      m_mlp(model),
      m_x(static_cast<std::size_t>(model.hidden)),
      m_normed(m_x.size()),
      m_delta(m_x.size()),
      m_before(m_x.size()),
      m_logits(static_cast<std::size_t>(model.vocab))
{
    const NamedWeights named(m_weights);
    m_table = named.at("model.embed_tokens.weight");
    if (model.position == Position::Learned)
        m_positionTable = named.at("model.embed_positions.weight");
    for (int i = 0; i < model.layers; ++i)
        m_layers.push_back(layerOf(named, i));
    m_finalNorm.emplace(model, named, "model.norm", model.hidden);
    m_head =
        Projection(model.head.tied ? m_table : named.at("lm_head.weight"), named.find("lm_head.bias"), model.vocab);
}

// Norms by the names that layerTensors() gives them.
Decoder::Layer Decoder::layerOf(const NamedWeights &weights, int number) const
{
    const std::string at = layerPrefix(number);
    const int rope = m_model.kindOf(number).rope;
    const bool rotates = rope != kNoRope && !m_ropes.empty();
    const PositionTables tables{
        .rope = rotates ? &m_ropes[static_cast<std::size_t>(rope)] : nullptr, .slopes = m_slopes};
    Layer layer{.attention = DecoderAttention(m_model, weights, number, tables, m_positions),
        .mlp = {},
        .experts = {},
        .attentionNorm = {},
        .attentionPostNorm = {},
        .mlpNorm = {},
        .mlpPostNorm = {}};
    if (m_model.experts.count > 0)
        layer.experts.emplace(m_model, weights, at + "mlp");
    else
        layer.mlp.emplace(m_model, weights, at + "mlp", m_model.mlp.width);
    const auto norm = [&](const char *name) { return Norm(m_model, weights, at + name, m_model.hidden); };
    const NormPlacement norms = m_model.block.norms;
    if (norms != NormPlacement::After) {
        layer.attentionNorm = norm("input_layernorm");
        if (!m_model.block.sharedNorm)
            layer.mlpNorm =
                norm(norms == NormPlacement::Both ? "pre_feedforward_layernorm" : "post_attention_layernorm");
    }
    if (norms != NormPlacement::Before) {
        layer.attentionPostNorm = norm("post_attention_layernorm");
        layer.mlpPostNorm = norm("post_feedforward_layernorm");
    }
    return layer;
}

void Decoder::forget() { m_position = 0; }

void Decoder::embed(std::int32_t token)
{
    std::copy_n(m_table + std::int64_t{token} * m_model.hidden, m_model.hidden, m_x.begin());
    if (m_model.embeddingScale() != 1.0)
        cpu_ops::scale(m_model.hidden, static_cast<float>(m_model.embeddingScale()), m_x.data());
    if (m_positionTable)
        cpu_ops::add(m_model.hidden, m_x.data(),
            m_positionTable + (m_position + m_model.embedding.firstPosition) * m_model.hidden, m_x.data());
}

void Decoder::attention(Layer &layer)
{
    if (layer.attentionNorm)
        layer.attentionNorm->apply(m_x.data(), m_normed.data());
    layer.attention.apply(layer.attentionNorm ? m_normed : m_x, m_position, m_attention, m_delta.data());
    if (layer.attentionPostNorm)
        layer.attentionPostNorm->apply(m_delta.data(), m_delta.data());
}

// A norm that both branches share has been applied.
void Decoder::mlp(const Layer &layer, const std::vector<float> &residual)
{
    if (layer.mlpNorm)
        layer.mlpNorm->apply(residual.data(), m_normed.data());
    const std::vector<float> &x = layer.mlpNorm || m_model.block.sharedNorm ? m_normed : residual;
    if (layer.mlp)
        layer.mlp->apply(x, m_mlp, m_delta.data());
    else
        layer.experts->apply(x, m_mlp, m_delta.data());
    if (layer.mlpPostNorm)
        layer.mlpPostNorm->apply(m_delta.data(), m_delta.data());
}

void Decoder::addBranch()
{
    if (m_model.block.branchScale != 1)
        cpu_ops::scale(m_model.hidden, static_cast<float>(m_model.block.branchScale), m_delta.data());
    cpu_ops::add(m_model.hidden, m_x.data(), m_delta.data(), m_x.data());
}

void Decoder::layer(Layer &l)
{
    if (m_model.block.parallel)
        m_before = m_x;
    attention(l);
    addBranch();
    mlp(l, m_model.block.parallel ? m_before : m_x);
    addBranch();
}

void Decoder::finishLogits()
{
    if (m_model.head.logitScale != 1)
        cpu_ops::scale(m_model.vocab, static_cast<float>(m_model.head.logitScale), m_logits.data());
    const auto cap = static_cast<float>(m_model.head.softCap);
    if (cap > 0)
        std::for_each(m_logits.begin(), m_logits.end(), [cap](float &logit) { logit = cap * std::tanh(logit / cap); });
}

std::span<const float> Decoder::next(std::int32_t token)
{
    if (m_position >= m_positions || token < 0 || token >= m_model.vocab)
        throw std::logic_error("a token or a position outside the model");
    embed(token);
    for (Layer &l : m_layers)
        layer(l);
    ++m_position;
    m_finalNorm->apply(m_x.data(), m_normed.data());
    m_head.apply(m_normed, m_logits.data());
    finishLogits();
    return m_logits;
}

} // namespace slipway
