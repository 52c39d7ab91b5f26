// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A trained model, one token at a time: keys and values of the tokens before are kept. On this processor, fp32.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "model/model_spec.h"
#include "cpu_ops/rope.h"
#include "state/hf_weights.h"

namespace slipway {

class Decoder {
public:
    // `weights` as weightsOf() lists them, with values; as many tokens as `positions` before it forgets.
    Decoder(const ModelSpec &model, std::vector<HfWeight> weights, std::int64_t positions);

    void forget();
    // Takes the next token and gives the logits of the one after it; valid until the next call. Not more than
    // `positions`.
    std::span<const float> next(std::int32_t token);
    [[nodiscard]] std::int64_t position() const { return m_position; } // tokens taken
    [[nodiscard]] int vocab() const { return m_model.vocab; }
    [[nodiscard]] std::int64_t positions() const { return m_positions; }

private:
    struct Layer {
        const float *q, *k, *v, *o, *gate, *up, *down, *norm1, *norm2;
        std::vector<float> keys, values; // [positions, kvHeads x headDim]
    };
    void layer(Layer &layer);
    void attend(const Layer &layer);
    void normed(const float *weight);
    void turn(float *head) const; // RoPE at the position

    ModelSpec m_model;
    std::vector<HfWeight> m_weights;
    std::int64_t m_positions, m_position = 0;
    cpu_ops::RopeTable m_rope;
    const float *m_table = nullptr, *m_finalNorm = nullptr, *m_head = nullptr;
    std::vector<Layer> m_layers;
    std::vector<float> m_x, m_normed, m_q, m_out, m_gateUp, m_delta, m_scores, m_logits;
};

} // namespace slipway
