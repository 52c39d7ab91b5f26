// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/decoder_modules.h"

#include "cpu_ops/bias.h"
#include "cpu_ops/gemm.h"
#include "cpu_ops/layer_norm.h"

namespace slipway {

namespace {

std::vector<std::string> withSuffix(const std::vector<std::string> &names, const char *suffix)
{
    std::vector<std::string> all;
    for (const std::string &name : names)
        all.push_back(name + suffix);
    return all;
}

} // namespace

Projection::Projection(
    DecoderWeights &weights, const std::vector<std::string> &names, std::span<const std::int64_t> widths)
    : m_weight(weights.matrix(withSuffix(names, ".weight"))),
      m_bias(weights.vectors(withSuffix(names, ".bias"), widths))
{
}

Projection::Projection(DecoderWeights &weights, const std::string &name, std::int64_t width)
    : Projection(weights, std::vector{name}, {&width, 1})
{
}

void Projection::apply(std::int64_t rows, std::span<const float> x, float *y) const
{
    const std::int64_t columns = std::ssize(x) / rows;
    if (m_weight.fp32)
        cpu_ops::gemm({GemmForm::Forward, rows, width(), columns}, x.data(), m_weight.fp32, y);
    else
        cpu_ops::gemmOfBf16Weights(rows, width(), columns, x.data(), m_weight.bf16, y);
    if (m_bias)
        cpu_ops::addBias({rows, width()}, m_bias, y);
}

Norm::Norm(const ModelSpec &model, const DecoderWeights &weights, const std::string &name, std::int64_t width)
    : m_kind(model.norm.kind),
      m_eps(static_cast<float>(model.norm.eps)),
      m_offset(model.norm.onePlusWeight ? 1.0F : 0.0F),
      m_weight(weights.vector(name + ".weight")),
      m_bias(weights.vector(name + ".bias")),
      m_width(width)
{
}

void Norm::apply(std::int64_t rows, const float *x, float *y) const
{
    thread_local std::vector<float> mean, rstd;
    mean.resize(static_cast<std::size_t>(rows));
    rstd.resize(mean.size());
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
