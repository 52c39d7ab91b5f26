// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The MLP of one of a decoder's layers, or the experts in its place, for one token.
#pragma once

#include <optional>

#include "run/decoder_modules.h"

namespace slipway {

// What a layer needs while it runs; one for all layers.
struct MlpScratch {
    explicit MlpScratch(const ModelSpec &model);
    std::vector<float> inner, product, out, scores, weights; // out: of one expert
    std::vector<std::int32_t> chosen;
};

class DecoderMlp {
public:
    // The MLP whose weights' names begin with `name`, "model.layers.0.mlp".
    DecoderMlp(const ModelSpec &model, const NamedWeights &weights, const std::string &name, std::int64_t width);
    // y [hidden]
    void apply(std::span<const float> x, MlpScratch &scratch, float *y) const;

private:
    Activation m_activation;
    std::optional<Projection> m_gate;
    Projection m_up, m_down;
};

// The experts that the router chooses, and the one that every token passes through.
class DecoderExperts {
public:
    DecoderExperts(const ModelSpec &model, const NamedWeights &weights, const std::string &name);
    void apply(std::span<const float> x, MlpScratch &scratch, float *y) const;

private:
    void addShared(std::span<const float> x, MlpScratch &scratch, float *y) const;

    ExpertsModule m_module;
    Projection m_router;
    std::vector<DecoderMlp> m_experts;
    std::optional<DecoderMlp> m_shared;
    std::optional<Projection> m_sharedGate;
};

} // namespace slipway
