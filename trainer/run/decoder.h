// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A trained model of any family that writes on: it takes tokens of any number of sequences at once, each after those
// that the sequence has, whose keys and values are kept in a cache of blocks (kv_cache.h). Sequences begin and end at
// any time. On this processor, fp32.
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

// Tokens of one sequence to take next.
struct DecoderPart {
    KvCache::Sequence sequence = 0;
    std::span<const std::int32_t> tokens;
};

class Decoder {
public:
    // `weights` as weightsOf() lists them, with values; sequences of as many tokens as `positions`, and no more than
    // the model has learned positions for. std::logic_error where the model's rotations cannot be computed, which no
    // plan has.
    Decoder(const ModelSpec &model, std::vector<HfWeight> weights, std::int64_t positions,
        const KvCacheOptions &cache = {});
    Decoder(const Decoder &) = delete; // layers point at weights and tables
    Decoder &operator=(const Decoder &) = delete;
    ~Decoder() = default;

    KvCache::Sequence begin() { return m_cache.begin(); }
    void end(KvCache::Sequence sequence) { m_cache.end(sequence); }
    // Takes the parts, at least one token each, of sequences that differ; long ones in pieces of kPieceRows tokens.
    // Gives the logits [parts, vocab] of the token after each part, valid until the next call; empty where the cache
    // has too few free blocks, and then nothing was taken.
    std::span<const float> take(std::span<const DecoderPart> parts);
    [[nodiscard]] const KvCache &cache() const { return m_cache; }
    static constexpr std::int64_t kPieceRows = 512;

    // One sequence alone: forgets it, takes its next tokens and gives the logits of the one after them.
    void forget();
    std::span<const float> read(std::span<const std::int32_t> tokens);
    std::span<const float> next(std::int32_t token) { return read({&token, 1}); }
    [[nodiscard]] std::int64_t position() const { return m_cache.tokens(m_alone); } // tokens taken

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
    void checkParts(std::span<const DecoderPart> parts) const;
    bool reserve(std::span<const DecoderPart> parts);
    void resize(std::int64_t rows);
    void embed(const DecoderRow &row, std::int32_t token, float *x) const;
    // m_tokens of m_rows, through all layers.
    void piece();
    void layer(const Layer &layer);
    void attention(const Layer &layer);                               // of m_x into m_delta
    void mlp(const Layer &layer, const std::vector<float> &residual); // of `residual` into m_delta
    void addBranch();                                                 // m_delta to m_x
    void writeLogits(std::span<const std::size_t> rows, std::size_t part);
    void finishLogits();
    [[nodiscard]] std::int64_t rows() const { return std::ssize(m_rows); }

    ModelSpec m_model;
    std::vector<HfWeight> m_weights;
    std::int64_t m_positions;
    KvCache m_cache;
    KvCache::Sequence m_alone;
    std::vector<cpu_ops::RopeTable> m_ropes; // of the model's, one each
    std::vector<float> m_slopes;             // of ALiBi
    std::vector<Layer> m_layers;
    const float *m_table = nullptr, *m_positionTable = nullptr;
    std::optional<Norm> m_finalNorm;
    Projection m_head;
    AttentionScratch m_attention;
    MlpScratch m_mlp;
    std::vector<DecoderRow> m_rows; // of the piece at hand
    std::vector<std::int32_t> m_tokens;
    std::vector<float> m_x, m_normed, m_delta, m_before, m_logits;
};

} // namespace slipway
