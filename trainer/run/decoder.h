// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A trained model of any family, one token at a time: keys and values of the tokens before are kept. On this processor,
// fp32.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cpu_ops/rope.h"
#include "model/model_spec.h"
#include "run/decoder_attention.h"
#include "run/decoder_mlp.h"
#include "state/hf_weights.h"

namespace slipway {

class Decoder {
public:
    // `weights` as weightsOf() lists them, with values; as many tokens as `positions` before it forgets, and no more
    // than the model has learned positions for. std::logic_error where the model's rotations cannot be computed, which
    // no plan has.
    Decoder(const ModelSpec &model, std::vector<HfWeight> weights, std::int64_t positions);
    Decoder(const Decoder &) = delete; // layers point at weights and tables
    Decoder &operator=(const Decoder &) = delete;
    ~Decoder() = default;

    void forget();
    // Takes the next token and gives the logits of the one after it; valid until the next call. Not more than
    // `positions`.
    std::span<const float> next(std::int32_t token);
    [[nodiscard]] std::int64_t position() const { return m_position; } // tokens taken
    [[nodiscard]] int vocab() const { return m_model.vocab; }
    [[nodiscard]] std::int64_t positions() const { return m_positions; }

private:
    struct Layer {
        DecoderAttention attention;
        std::optional<DecoderMlp> mlp; // or
        std::optional<DecoderExperts> experts;
        std::optional<Norm> attentionNorm, attentionPostNorm, mlpNorm, mlpPostNorm;
    };
    Layer layerOf(const NamedWeights &weights, int number) const;
    void embed(std::int32_t token);
    void layer(Layer &layer);
    void attention(Layer &layer);                                     // of m_x into m_delta
    void mlp(const Layer &layer, const std::vector<float> &residual); // of `residual` into m_delta
    void addBranch();                                                 // m_delta to m_x
    void finishLogits();

    ModelSpec m_model;
    std::vector<HfWeight> m_weights;
    std::int64_t m_positions, m_position = 0;
    std::vector<cpu_ops::RopeTable> m_ropes; // of the model's, one each
    std::vector<float> m_slopes;             // of ALiBi
    std::vector<Layer> m_layers;
    const float *m_table = nullptr, *m_positionTable = nullptr;
    std::optional<Norm> m_finalNorm;
    Projection m_head;
    AttentionScratch m_attention;
    MlpScratch m_mlp;
    std::vector<float> m_x, m_normed, m_delta, m_before, m_logits;
};

} // namespace slipway
