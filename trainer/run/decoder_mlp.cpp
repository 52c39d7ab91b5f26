// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/decoder_mlp.h"

#include <algorithm>
#include <array>

#include "cpu_ops/activation.h"
#include "cpu_ops/moe_router.h"
#include "cpu_ops/moe_rows.h"

namespace slipway {

namespace {

Projection upOf(DecoderWeights &weights, const std::string &name, std::int64_t width, bool gated)
{
    const std::array<std::int64_t, 2> widths{width, width};
    return gated ? Projection(weights, {name + ".gate_proj", name + ".up_proj"}, widths)
                 : Projection(weights, name + ".up_proj", width);
}

} // namespace

MlpScratch::MlpScratch(const ModelSpec &model)
    : m_width(static_cast<std::size_t>(std::max(model.mlp.width, model.experts.sharedWidth))),
      m_hidden(static_cast<std::size_t>(model.hidden)),
      m_experts(static_cast<std::size_t>(model.experts.count)),
      m_perToken(static_cast<std::size_t>(model.experts.perToken))
{
}

void MlpScratch::resize(std::int64_t rowCount)
{
    const auto count = static_cast<std::size_t>(rowCount);
    inner.resize(2 * count * m_width);
    product.resize(count * m_width);
    if (m_experts == 0)
        return;
    const std::size_t slotCount = count * m_perToken;
    scores.resize(count * m_experts);
    weights.resize(slotCount);
    chosen.resize(slotCount);
    offsets.resize(m_experts + 1);
    slots.resize(slotCount);
    places.resize(slotCount);
    permuted.resize(slotCount * m_hidden);
    out.resize(slotCount * m_hidden);
    gates.resize(count);
}

DecoderMlp::DecoderMlp(const ModelSpec &model, DecoderWeights &weights, const std::string &name, std::int64_t width)
    : m_activation(model.mlp.activation),
      m_gated(model.mlp.gated),
      m_width(width),
      m_up(upOf(weights, name, width, model.mlp.gated)),
      m_down(weights, name + ".down_proj", model.hidden)
{
}

void DecoderMlp::apply(std::int64_t rows, std::span<const float> x, MlpScratch &scratch, float *y) const
{
    m_up.apply(rows, x, scratch.inner.data());
    if (m_gated)
        cpu_ops::gatedActivation({rows, m_width}, m_activation, scratch.inner.data(), scratch.product.data());
    else
        cpu_ops::activate({rows, m_width}, m_activation, scratch.inner.data(), scratch.product.data());
    m_down.apply(rows, {scratch.product.data(), static_cast<std::size_t>(rows * m_width)}, y);
}

DecoderExperts::DecoderExperts(const ModelSpec &model, DecoderWeights &weights, const std::string &name)
    : m_module(model.experts),
      m_router(weights, name + ".gate", model.experts.count)
{
    for (int expert = 0; expert < m_module.count; ++expert)
        m_experts.emplace_back(model, weights, name + ".experts." + std::to_string(expert), model.mlp.width);
    if (m_module.sharedWidth > 0)
        m_shared.emplace(model, weights, name + ".shared_expert", m_module.sharedWidth);
    if (m_module.sharedWidth > 0 && m_module.sharedGate)
        m_sharedGate.emplace(weights, name + ".shared_expert_gate", 1);
}

void DecoderExperts::route(std::int64_t rows, std::span<const float> x, MlpScratch &scratch) const
{
    m_router.apply(rows, x, scratch.scores.data());
    cpu_ops::route({.tokens = rows,
                       .experts = m_module.count,
                       .topK = m_module.perToken,
                       .normalised = m_module.normalizesTopK || !m_module.softmaxBeforeTopK},
        scratch.scores.data(), {.chosen = scratch.chosen.data(), .weights = scratch.weights.data()});
}

void DecoderExperts::apply(std::int64_t rows, std::span<const float> x, MlpScratch &scratch, float *y) const
{
    const std::int64_t hidden = std::ssize(x) / rows, slots = rows * m_module.perToken;
    route(rows, x, scratch);
    cpu_ops::groupByExpert(m_module.count, slots, scratch.chosen.data(), 0,
        {.offsets = scratch.offsets.data(), .slots = scratch.slots.data(), .places = scratch.places.data()});
    cpu_ops::permute({rows, hidden}, m_module.perToken, slots, scratch.slots.data(), x.data(), scratch.permuted.data());
    for (std::size_t expert = 0; expert < m_experts.size(); ++expert) {
        const std::int64_t first = scratch.offsets[expert], count = scratch.offsets[expert + 1] - first;
        if (count > 0)
            m_experts[expert].apply(count,
                {scratch.permuted.data() + first * hidden, static_cast<std::size_t>(count * hidden)}, scratch,
                scratch.out.data() + first * hidden);
    }
    cpu_ops::combine({rows, hidden}, m_module.perToken, scratch.places.data(), scratch.weights.data(),
        scratch.out.data(), nullptr, y);
    if (m_shared)
        addShared(rows, x, scratch, y);
}

void DecoderExperts::addShared(std::int64_t rows, std::span<const float> x, MlpScratch &scratch, float *y) const
{
    m_shared->apply(rows, x, scratch, scratch.out.data());
    if (!m_sharedGate)
        return cpu_ops::add(std::ssize(x), y, scratch.out.data(), y);
    m_sharedGate->apply(rows, x, scratch.gates.data());
    cpu_ops::addGatedRows({rows, std::ssize(x) / rows}, scratch.gates.data(), scratch.out.data(), y);
}

} // namespace slipway
