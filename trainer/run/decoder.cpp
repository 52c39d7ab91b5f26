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
#include "run/block_norms.h"

namespace slipway {

namespace {

std::int64_t positionsOf(const ModelSpec &model, std::int64_t wanted)
{
    return model.position == Position::Learned
               ? std::min<std::int64_t>(wanted, model.embedding.positions - model.embedding.firstPosition)
               : wanted;
}

} // namespace

Decoder::Decoder(const ModelSpec &model, std::vector<HfWeight> weights, std::int64_t positions,
    const KvCacheOptions &cache, DecoderType type)
    : m_model(model),
      m_weights(std::move(weights), type),
      m_positions(positionsOf(model, positions)),
      m_cache(model, cache, type),
      m_alone(m_cache.begin()),
      m_ropes(ropeTables(model, m_positions)),
      m_slopes(alibiSlopes(model)),
      m_attention(model),
      m_mlp(model)
{
    m_table = m_weights.matrix({"model.embed_tokens.weight"});
    if (model.position == Position::Learned)
        m_positionTable = m_weights.matrix({"model.embed_positions.weight"});
    for (int i = 0; i < model.layers; ++i)
        m_layers.push_back(layerOf(i));
    m_finalNorm.emplace(model, m_weights, "model.norm", model.hidden);
    m_head =
        Projection(model.head.tied ? m_table : m_weights.matrix({"lm_head.weight"}), m_weights.vector("lm_head.bias"));
}

Decoder::Layer Decoder::layerOf(int number)
{
    const std::string at = layerPrefix(number);
    const int rope = m_model.kindOf(number).rope;
    const bool rotates = rope != kNoRope && !m_ropes.empty();
    const PositionTables tables{
        .rope = rotates ? &m_ropes[static_cast<std::size_t>(rope)] : nullptr, .slopes = m_slopes};
    Layer layer{.attention = DecoderAttention(m_model, m_weights, number, tables),
        .mlp = {},
        .experts = {},
        .attentionNorm = {},
        .attentionPostNorm = {},
        .mlpNorm = {},
        .mlpPostNorm = {}};
    if (m_model.experts.count > 0)
        layer.experts.emplace(m_model, m_weights, at + "mlp");
    else
        layer.mlp.emplace(m_model, m_weights, at + "mlp", m_model.mlp.width);
    const auto norm = [&](const char *name) { return Norm(m_model, m_weights, at + name, m_model.hidden); };
    addBlockNorms(layer, m_model, norm);
    return layer;
}

void Decoder::forget()
{
    m_cache.end(m_alone);
    m_alone = m_cache.begin();
}

std::span<const float> Decoder::read(std::span<const std::int32_t> tokens)
{
    const DecoderInput input{m_alone, tokens};
    return forward({&input, 1});
}

void Decoder::checkInputs(std::span<const DecoderInput> inputs) const
{
    for (const DecoderInput &input : inputs) {
        const bool known = std::all_of(input.tokens.begin(), input.tokens.end(),
            [this](std::int32_t token) { return token >= 0 && token < m_model.vocab; });
        if (input.tokens.empty() || !known || m_cache.tokens(input.sequence) + std::ssize(input.tokens) > m_positions)
            throw std::logic_error("no token, or a token or a position outside the model");
    }
}

// If one sequence finds too few blocks, the others keep what they have reserved, because they need it in the next step.
bool Decoder::reserve(std::span<const DecoderInput> inputs)
{
    return std::all_of(inputs.begin(), inputs.end(),
        [this](const DecoderInput &input) { return m_cache.reserve(input.sequence, std::ssize(input.tokens)); });
}

void Decoder::resize(std::int64_t rows)
{
    const std::size_t elements = static_cast<std::size_t>(rows) * static_cast<std::size_t>(m_model.hidden);
    for (std::vector<float> *values : {&m_x, &m_normed, &m_delta})
        values->resize(elements);
    m_attention.resize(rows);
    m_mlp.resize(rows);
}

void Decoder::embed(const DecoderRow &row, std::int32_t token, float *x)
{
    m_table.readRow(token, x);
    if (m_model.embeddingScale() != 1.0)
        cpu_ops::scale(m_model.hidden, static_cast<float>(m_model.embeddingScale()), x);
    if (m_positionTable.rows == 0)
        return;
    m_position.resize(static_cast<std::size_t>(m_model.hidden));
    m_positionTable.readRow(row.position + m_model.embedding.firstPosition, m_position.data());
    cpu_ops::add(m_model.hidden, x, m_position.data(), x);
}

void Decoder::attention(const Layer &layer)
{
    if (layer.attentionNorm)
        layer.attentionNorm->apply(rows(), m_x.data(), m_normed.data());
    layer.attention.apply(layer.attentionNorm ? m_normed : m_x, m_rows, m_cache, m_attention, m_delta.data());
    if (layer.attentionPostNorm)
        layer.attentionPostNorm->apply(rows(), m_delta.data(), m_delta.data());
}

// If both branches share a norm, it has already been applied.
void Decoder::mlp(const Layer &layer, const std::vector<float> &residual)
{
    if (layer.mlpNorm)
        layer.mlpNorm->apply(rows(), residual.data(), m_normed.data());
    const std::vector<float> &x = layer.mlpNorm || m_model.block.sharedNorm ? m_normed : residual;
    if (layer.mlp)
        layer.mlp->apply(rows(), x, m_mlp, m_delta.data());
    else
        layer.experts->apply(rows(), x, m_mlp, m_delta.data());
    if (layer.mlpPostNorm)
        layer.mlpPostNorm->apply(rows(), m_delta.data(), m_delta.data());
}

void Decoder::addBranch()
{
    const std::int64_t elements = rows() * m_model.hidden;
    if (m_model.block.branchScale != 1)
        cpu_ops::scale(elements, static_cast<float>(m_model.block.branchScale), m_delta.data());
    cpu_ops::add(elements, m_x.data(), m_delta.data(), m_x.data());
}

void Decoder::layer(const Layer &l)
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
        cpu_ops::scale(std::ssize(m_logits), static_cast<float>(m_model.head.logitScale), m_logits.data());
    const auto cap = static_cast<float>(m_model.head.softCap);
    if (cap > 0)
        std::for_each(m_logits.begin(), m_logits.end(), [cap](float &logit) { logit = cap * std::tanh(logit / cap); });
}

void Decoder::piece()
{
    resize(rows());
    for (std::size_t i = 0; i < m_rows.size(); ++i)
        embed(m_rows[i], m_tokens[i], m_x.data() + i * static_cast<std::size_t>(m_model.hidden));
    for (const Layer &l : m_layers)
        layer(l);
}

// Computes the logits of rows of the piece and writes them for the inputs from number `input` on.
void Decoder::writeLogits(std::span<const std::size_t> rows, std::size_t input)
{
    const auto hidden = static_cast<std::size_t>(m_model.hidden);
    for (std::size_t i = 0; i < rows.size(); ++i)
        std::copy_n(m_x.begin() + static_cast<std::ptrdiff_t>(rows[i] * hidden), hidden,
            m_delta.begin() + static_cast<std::ptrdiff_t>(i * hidden));
    m_finalNorm->apply(std::ssize(rows), m_delta.data(), m_normed.data());
    m_head.apply(std::ssize(rows), {m_normed.data(), rows.size() * hidden},
        m_logits.data() + input * static_cast<std::size_t>(m_model.vocab));
}

std::span<const float> Decoder::forward(std::span<const DecoderInput> inputs)
{
    checkInputs(inputs);
    if (inputs.empty() || !reserve(inputs))
        return {};
    m_logits.resize(inputs.size() * static_cast<std::size_t>(m_model.vocab));
    std::size_t finished = 0; // number of inputs whose logits are written
    std::vector<std::size_t> last;
    const auto runPiece = [&] {
        piece();
        if (!last.empty())
            writeLogits(last, finished);
        finished += last.size();
        last.clear();
        m_rows.clear();
        m_tokens.clear();
    };
    for (const DecoderInput &input : inputs) {
        for (std::size_t i = 0; i < input.tokens.size(); ++i) {
            m_rows.push_back({input.sequence, m_cache.tokens(input.sequence)});
            m_tokens.push_back(input.tokens[i]);
            m_cache.advance(input.sequence, 1);
            if (i + 1 == input.tokens.size())
                last.push_back(m_rows.size() - 1);
            if (rows() == kPieceRows)
                runPiece();
        }
    }
    if (!m_rows.empty())
        runPiece();
    finishLogits();
    return m_logits;
}

} // namespace slipway
