// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The modules of a decoder (decoder.h): projections and norms. They process contiguous rows of activations, one per
// token.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/model_spec.h"
#include "run/decoder_weights.h"

namespace slipway {

// y = W x + b for each row of x, with a bias if the model has one. Several projections of the same input are packed:
// their outputs are consecutive in a row of y.
class Projection {
public:
    Projection() = default;
    // Names without ".weight" and ".bias", and their output widths.
    Projection(DecoderWeights &weights, const std::vector<std::string> &names, std::span<const std::int64_t> widths);
    Projection(DecoderWeights &weights, const std::string &name, std::int64_t width);
    Projection(const WeightMatrix &weight, const float *bias) : m_weight(weight), m_bias(bias) {}
    void apply(std::int64_t rows, std::span<const float> x, float *y) const;
    [[nodiscard]] std::int64_t width() const { return m_weight.rows; }

private:
    WeightMatrix m_weight;
    const float *m_bias = nullptr;
};

// The model's kind of norm, over each row.
class Norm {
public:
    Norm(const ModelSpec &model, const DecoderWeights &weights, const std::string &name, std::int64_t width);
    void apply(std::int64_t rows, const float *x, float *y) const; // y may be x
    // For queries and keys, whose norms are RMSNorm in all models.
    void applyToHeads(std::int64_t rows, float *x) const;

private:
    NormKind m_kind = NormKind::RmsNorm;
    float m_eps = 0, m_offset = 0;
    const float *m_weight = nullptr, *m_bias = nullptr;
    std::int64_t m_width = 0;
};

} // namespace slipway
