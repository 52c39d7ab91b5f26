// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What the blocks of a decoder (decoder.h) consist of: projections and norms. They take rows of activations, one for
// each token, that lie behind each other.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/model_spec.h"
#include "run/decoder_weights.h"

namespace slipway {

// y = W x + b for each row of x, b where the model has one. Several of the model's projections of the same rows are
// one: their results stand behind each other in a row of y.
class Projection {
public:
    Projection() = default;
    // Names without ".weight" and ".bias", each with its width.
    Projection(DecoderWeights &weights, const std::vector<std::string> &names, std::span<const std::int64_t> widths);
    Projection(DecoderWeights &weights, const std::string &name, std::int64_t width);
    Projection(const WeightMatrix &weight, const float *bias) : m_weight(weight), m_bias(bias) {}
    void apply(std::int64_t rows, std::span<const float> x, float *y) const;
    [[nodiscard]] std::int64_t width() const { return m_weight.rows; }

private:
    WeightMatrix m_weight;
    const float *m_bias = nullptr;
};

// Of the model's kind, over each row.
class Norm {
public:
    Norm(const ModelSpec &model, const DecoderWeights &weights, const std::string &name, std::int64_t width);
    void apply(std::int64_t rows, const float *x, float *y) const; // y may be x
    // RMSNorm whatever the model's other norms are: of queries and keys.
    void applyToHeads(std::int64_t rows, float *x) const;

private:
    NormKind m_kind = NormKind::RmsNorm;
    float m_eps = 0, m_offset = 0;
    const float *m_weight = nullptr, *m_bias = nullptr;
    std::int64_t m_width = 0;
};

} // namespace slipway
