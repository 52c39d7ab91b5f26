// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Inference of a model of any family on the CPU, for any number of concurrent sequences with a paged KV cache
// (kv_cache.h). Sequences begin and end at any time. Weights, keys and values are fp32 or bf16, sums are fp32.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cpu_ops/rope.h"
#include "model/model_spec.h"
#include "run/decoder_attention.h"
#include "run/decoder_mlp.h"
#include "run/sequence_decoder.h"
#include "state/hf_weights.h"

namespace slipway {

class Decoder : public SequenceDecoder {
public:
    // `weights`: those of weightsOf(), with values. `positions`: longest sequence, limited by the model's learned
    // positions. Throws std::logic_error for a RoPE variant that no plan supports.
    Decoder(const ModelSpec &model, std::vector<HfWeight> weights, std::int64_t positions,
        const KvCacheOptions &cache = {}, DecoderType type = DecoderType::Fp32);

    Sequence begin() override { return m_cache.begin(); }
    void end(Sequence sequence) override { m_cache.end(sequence); }
    std::span<const float> forward(std::span<const DecoderInput> inputs) override;
    [[nodiscard]] const KvCache &cache() const { return m_cache; }
    [[nodiscard]] bool hasRoom(std::int64_t tokens) const override { return m_cache.hasRoom(tokens); }
    [[nodiscard]] Bytes cacheInUse() const override { return m_cache.bytesInUse(); }

    // For a single sequence: forget() resets it, and read() processes its next tokens and returns the logits of
    // the token after them.
    void forget();
    std::span<const float> read(std::span<const std::int32_t> tokens);
    std::span<const float> next(std::int32_t token) { return read({&token, 1}); }
    [[nodiscard]] std::int64_t position() const { return m_cache.tokens(m_alone); } // tokens processed

    [[nodiscard]] int vocab() const override { return m_model.vocab; }
    [[nodiscard]] std::int64_t positions() const override { return m_positions; }

private:
    struct Layer {
        DecoderAttention attention;
        std::optional<DecoderMlp> mlp; // either an MLP or experts
        std::optional<DecoderExperts> experts;
        std::optional<Norm> attentionNorm, attentionPostNorm, mlpNorm, mlpPostNorm;
    };
    Layer layerOf(int number);
    void checkInputs(std::span<const DecoderInput> inputs) const;
    bool reserve(std::span<const DecoderInput> inputs);
    void resize(std::int64_t rows);
    void embed(const DecoderRow &row, std::int32_t token, float *x);
    // Runs m_tokens, whose sequences and positions are m_rows, through all layers.
    void piece();
    void layer(const Layer &layer);
    void attention(const Layer &layer);                               // attention of m_x, written to m_delta
    void mlp(const Layer &layer, const std::vector<float> &residual); // MLP of `residual`, written to m_delta
    void addBranch();                                                 // adds m_delta to m_x
    void writeLogits(std::span<const std::size_t> rows, std::size_t input);
    void finishLogits();
    [[nodiscard]] std::int64_t rows() const { return std::ssize(m_rows); }

    ModelSpec m_model;
    DecoderWeights m_weights;
    std::int64_t m_positions;
    KvCache m_cache;
    KvCache::Sequence m_alone;
    std::vector<cpu_ops::RopeTable> m_ropes; // one per RoPE of the model
    std::vector<float> m_slopes;             // slopes of ALiBi
    std::vector<Layer> m_layers;
    WeightMatrix m_table, m_positionTable; // without rows if the model has none
    std::optional<Norm> m_finalNorm;
    Projection m_head;
    AttentionScratch m_attention;
    MlpScratch m_mlp;
    std::vector<DecoderRow> m_rows; // rows of the current piece
    std::vector<std::int32_t> m_tokens;
    // M_position: a row of the position table.
    std::vector<float> m_x, m_normed, m_delta, m_before, m_logits, m_position;
};

} // namespace slipway
