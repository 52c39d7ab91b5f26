// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The MLP of one of a decoder's layers, or the experts in its place, over rows of activations.
#pragma once

#include <optional>

#include "run/decoder_modules.h"

namespace slipway {

// What a layer needs while it runs; one for all layers.
struct MlpScratch {
    explicit MlpScratch(const ModelSpec &model);
    void resize(std::int64_t rows);
    std::vector<float> inner, product;
    std::vector<float> scores, weights, permuted, out, gates; // of experts; a slot is a choice of a token
    std::vector<std::int32_t> chosen, offsets, slots, places; // as moe_rows.h has them

private:
    std::size_t m_width, m_hidden; // of the widest MLP, and of a row
    std::size_t m_experts, m_perToken;
};

class DecoderMlp {
public:
    // The MLP whose weights' names begin with `name`, "model.layers.0.mlp".
    DecoderMlp(const ModelSpec &model, DecoderWeights &weights, const std::string &name, std::int64_t width);
    // y [rows, hidden]; the scratch has room for so many rows.
    void apply(std::int64_t rows, std::span<const float> x, MlpScratch &scratch, float *y) const;

private:
    Activation m_activation;
    bool m_gated;
    std::int64_t m_width;
    Projection m_up, m_down; // up: behind the gate where there is one
};

// The experts that the router chooses, and the one that every token passes through.
class DecoderExperts {
public:
    DecoderExperts(const ModelSpec &model, DecoderWeights &weights, const std::string &name);
    // y [rows, hidden]. Each expert takes all rows that are routed to it at once.
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
