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
    std::vector<float> gate, inner, product, out, scores, weights; // out: of one expert and token
    std::vector<std::int32_t> chosen;

private:
    std::size_t m_width; // of the widest MLP
};

class DecoderMlp {
public:
    // The MLP whose weights' names begin with `name`, "model.layers.0.mlp".
    DecoderMlp(const ModelSpec &model, const NamedWeights &weights, const std::string &name, std::int64_t width);
    // y [rows, hidden]; the scratch has room for so many rows.
    void apply(std::int64_t rows, std::span<const float> x, MlpScratch &scratch, float *y) const;

private:
    Activation m_activation;
    std::optional<Projection> m_gate;
    Projection m_up, m_down;
};

// The experts that the router chooses, and the one that every token passes through.
class DecoderExperts {
public:
    DecoderExperts(const ModelSpec &model, const NamedWeights &weights, const std::string &name);
    // y [rows, hidden]. Each token goes to its own experts: row after row.
    void apply(std::int64_t rows, std::span<const float> x, MlpScratch &scratch, float *y) const;

private:
    void applyToToken(std::span<const float> x, MlpScratch &scratch, float *y) const;
    void addShared(std::span<const float> x, MlpScratch &scratch, float *y) const;

    ExpertsModule m_module;
    Projection m_router;
    std::vector<DecoderMlp> m_experts;
    std::optional<DecoderMlp> m_shared;
    std::optional<Projection> m_sharedGate;
};

} // namespace slipway
