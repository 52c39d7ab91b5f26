// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/decoder_mlp.h"

#include <algorithm>

#include "cpu_ops/activation.h"
#include "cpu_ops/moe_router.h"
#include "cpu_ops/moe_rows.h"

namespace slipway {

namespace {

void addScaled(float factor, const std::vector<float> &x, float *y)
{
    for (std::size_t i = 0; i < x.size(); ++i)
        y[i] += factor * x[i];
}

} // namespace

MlpScratch::MlpScratch(const ModelSpec &model)
    : out(static_cast<std::size_t>(model.hidden)),
      scores(static_cast<std::size_t>(model.experts.count)),
      weights(static_cast<std::size_t>(model.experts.perToken)),
      chosen(weights.size()),
      m_width(static_cast<std::size_t>(std::max(model.mlp.width, model.experts.sharedWidth)))
{
}

void MlpScratch::resize(std::int64_t rows)
{
    const std::size_t elements = static_cast<std::size_t>(rows) * m_width;
    gate.resize(elements);
    inner.resize(2 * elements);
    product.resize(elements);
}

DecoderMlp::DecoderMlp(const ModelSpec &model, const NamedWeights &weights, const std::string &name, std::int64_t width)
    : m_activation(model.mlp.activation),
      m_up(weights, name + ".up_proj", width),
      m_down(weights, name + ".down_proj", model.hidden)
{
    if (model.mlp.gated)
        m_gate.emplace(weights, name + ".gate_proj", width);
}

void DecoderMlp::apply(std::int64_t rows, std::span<const float> x, MlpScratch &scratch, float *y) const
{
    const std::int64_t width = m_up.width();
    if (m_gate) {
        // Gate and up of a token stand behind each other where they meet.
        m_gate->apply(rows, x, scratch.gate.data());
        m_up.apply(rows, x, scratch.product.data());
        for (std::int64_t row = 0; row < rows; ++row) {
            std::copy_n(scratch.gate.data() + row * width, width, scratch.inner.data() + 2 * row * width);
            std::copy_n(scratch.product.data() + row * width, width, scratch.inner.data() + (2 * row + 1) * width);
        }
        cpu_ops::gated({rows, width}, m_activation, scratch.inner.data(), scratch.product.data());
    } else {
        m_up.apply(rows, x, scratch.inner.data());
        cpu_ops::activate({rows, width}, m_activation, scratch.inner.data(), scratch.product.data());
    }
    m_down.apply(rows, {scratch.product.data(), static_cast<std::size_t>(rows * width)}, y);
}

DecoderExperts::DecoderExperts(const ModelSpec &model, const NamedWeights &weights, const std::string &name)
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

void DecoderExperts::apply(std::int64_t rows, std::span<const float> x, MlpScratch &scratch, float *y) const
{
    const std::size_t hidden = x.size() / static_cast<std::size_t>(rows);
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row)
        applyToToken(x.subspan(row * hidden, hidden), scratch, y + row * hidden);
}

void DecoderExperts::applyToToken(std::span<const float> x, MlpScratch &scratch, float *y) const
{
    m_router.apply(1, x, scratch.scores.data());
    cpu_ops::route({.tokens = 1,
                       .experts = m_module.count,
                       .topK = m_module.perToken,
                       .normalised = m_module.normalizesTopK || !m_module.softmaxBeforeTopK},
        scratch.scores.data(), {.chosen = scratch.chosen.data(), .weights = scratch.weights.data()});
    std::fill_n(y, x.size(), 0.0F);
    for (std::size_t i = 0; i < scratch.chosen.size(); ++i) {
        m_experts[static_cast<std::size_t>(scratch.chosen[i])].apply(1, x, scratch, scratch.out.data());
        addScaled(scratch.weights[i], scratch.out, y);
    }
    if (m_shared)
        addShared(x, scratch, y);
}

void DecoderExperts::addShared(std::span<const float> x, MlpScratch &scratch, float *y) const
{
    m_shared->apply(1, x, scratch, scratch.out.data());
    if (!m_sharedGate)
        return addScaled(1.0F, scratch.out, y);
    float gate = 0;
    m_sharedGate->apply(1, x, &gate);
    cpu_ops::addGatedRows({1, std::ssize(x)}, &gate, scratch.out.data(), y);
}

} // namespace slipway
