// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The MLP, or the experts, of a decoder layer.
#pragma once

#include <optional>

#include "run/decoder_modules.h"

namespace slipway {

// Workspace of a layer. All layers share one.
struct MlpScratch {
    explicit MlpScratch(const ModelSpec &model);
    void resize(std::int64_t rows);
    std::vector<float> inner, product;
    std::vector<float> scores, weights, permuted, out, gates; // for experts
    std::vector<std::int32_t> chosen, offsets, slots, places; // see moe_rows.h

private:
    std::size_t m_width, m_hidden; // width of the widest MLP, and of a row
    std::size_t m_experts, m_perToken;
};

class DecoderMlp {
public:
    // `name`: prefix of the weights' names, "model.layers.0.mlp".
    DecoderMlp(const ModelSpec &model, DecoderWeights &weights, const std::string &name, std::int64_t width);
    // y [rows, hidden] = MLP of x. The scratch must be resized for `rows` rows.
    void apply(std::int64_t rows, std::span<const float> x, MlpScratch &scratch, float *y) const;

private:
    Activation m_activation;
    bool m_gated;
    std::int64_t m_width;
    Projection m_up, m_down; // m_up: gate and up packed, if there is a gate
};

// The routed experts and the shared expert.
class DecoderExperts {
public:
    DecoderExperts(const ModelSpec &model, DecoderWeights &weights, const std::string &name);
    // y [rows, hidden] = output of the experts. Each expert processes all of its rows in one call.
    void apply(std::int64_t rows, std::span<const float> x, MlpScratch &scratch, float *y) const;

private:
    void route(std::int64_t rows, std::span<const float> x, MlpScratch &scratch) const;
    void addShared(std::int64_t rows, std::span<const float> x, MlpScratch &scratch, float *y) const;

    ExpertsModule m_module;
    Projection m_router;
    std::vector<DecoderMlp> m_experts;
    std::optional<DecoderMlp> m_shared;
    std::optional<Projection> m_sharedGate;
};

} // namespace slipway
