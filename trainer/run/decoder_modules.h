// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What the blocks of a decoder (decoder.h) consist of: weights by name, projections, norms. They take rows of
// activations, one for each token, that lie behind each other.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/model_spec.h"
#include "state/hf_weights.h"

namespace slipway {

class NamedWeights {
public:
    explicit NamedWeights(std::span<const HfWeight> weights);
    // nullptr where the model has no such weight.
    [[nodiscard]] const float *find(std::string_view name) const;
    // A weight that every such model has: std::logic_error otherwise.
    [[nodiscard]] const float *at(std::string_view name) const;

private:
    std::map<std::string_view, const float *> m_weights;
};

// y = W x + b for each row of x, b where the model has one. W is [width, columns]; x decides the columns.
class Projection {
public:
    Projection() = default;
    Projection(const NamedWeights &weights, const std::string &name, std::int64_t width);
    Projection(const float *weight, const float *bias, std::int64_t width);
    void apply(std::int64_t rows, std::span<const float> x, float *y) const;
    [[nodiscard]] std::int64_t width() const { return m_width; }

private:
    const float *m_weight = nullptr, *m_bias = nullptr;
    std::int64_t m_width = 0;
};

// Of the model's kind, over each row.
class Norm {
public:
    Norm(const ModelSpec &model, const NamedWeights &weights, const std::string &name, std::int64_t width);
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
