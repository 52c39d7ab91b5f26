// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/decoder_modules.h"

#include <stdexcept>

#include "cpu_ops/bias.h"
#include "cpu_ops/gemm.h"
#include "cpu_ops/layer_norm.h"

namespace slipway {

NamedWeights::NamedWeights(std::span<const HfWeight> weights)
{
    for (const HfWeight &weight : weights)
        m_weights[weight.name] = weight.values.data();
}

const float *NamedWeights::find(std::string_view name) const
{
    const auto found = m_weights.find(name);
    return found == m_weights.end() ? nullptr : found->second;
}

const float *NamedWeights::at(std::string_view name) const
{
    const float *weight = find(name);
    if (!weight)
        throw std::logic_error("the model lacks the weight " + std::string(name));
    return weight;
}

Projection::Projection(const NamedWeights &weights, const std::string &name, std::int64_t width)
    : Projection(weights.at(name + ".weight"), weights.find(name + ".bias"), width)
{
}

Projection::Projection(const float *weight, const float *bias, std::int64_t width)
    : m_weight(weight),
      m_bias(bias),
      m_width(width)
{
}

void Projection::apply(std::int64_t rows, std::span<const float> x, float *y) const
{
    cpu_ops::gemm({GemmForm::Forward, rows, m_width, std::ssize(x) / rows}, x.data(), m_weight, y);
    if (m_bias)
        cpu_ops::addBias({rows, m_width}, m_bias, y);
}

Norm::Norm(const ModelSpec &model, const NamedWeights &weights, const std::string &name, std::int64_t width)
    : m_kind(model.norm.kind),
      m_eps(static_cast<float>(model.norm.eps)),
      m_offset(model.norm.onePlusWeight ? 1.0F : 0.0F),
      m_weight(weights.find(name + ".weight")),
      m_bias(weights.find(name + ".bias")),
      m_width(width)
{
}

void Norm::apply(std::int64_t rows, const float *x, float *y) const
{
    std::vector<float> mean(static_cast<std::size_t>(rows)), rstd(mean.size());
    if (m_kind == NormKind::RmsNorm)
        cpu_ops::rmsNorm({rows, m_width}, x, m_weight, m_eps, y, rstd.data(), m_offset);
    else
        cpu_ops::layerNorm({rows, m_width}, {.x = x,
                                                .weight = m_weight,
                                                .bias = m_bias,
                                                .eps = m_eps,
                                                .y = y,
                                                .mean = mean.data(),
                                                .rstd = rstd.data()});
}

void Norm::applyToHeads(std::int64_t rows, float *x) const
{
    float rstd = 0;
    for (std::int64_t row = 0; row < rows; ++row) {
        float *const at = x + row * m_width;
        cpu_ops::rmsNorm({1, m_width}, at, m_weight, m_eps, at, &rstd, m_offset);
    }
}

} // namespace slipway
