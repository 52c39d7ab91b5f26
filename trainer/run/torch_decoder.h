// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A decoder by LibTorch's ops on a GPU or the CPU, with our kernel for paged attention. Weights, activations, keys and
// values are fp32 or bf16.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "model/model_spec.h"
#include "run/decoder_weights.h"
#include "run/sequence_decoder.h"

namespace slipway {

enum class DecoderDevice : std::uint8_t { Cpu, Cuda };

class TorchDecoder : public SequenceDecoder {
public:
    // See Decoder. Throws std::runtime_error for a GPU in a program without CUDA.
    TorchDecoder(const ModelSpec &model, const std::vector<HfWeight> &weights, std::int64_t positions,
        const KvCacheOptions &cache, DecoderType type, DecoderDevice device);
    ~TorchDecoder() override;

    Sequence begin() override { return m_tables.begin(); }
    void end(Sequence sequence) override { m_tables.end(sequence); }
    std::span<const float> forward(std::span<const DecoderInput> inputs) override;
    [[nodiscard]] bool hasRoom(std::int64_t tokens) const override { return m_tables.hasRoom(tokens); }
    [[nodiscard]] Bytes cacheInUse() const override;
    [[nodiscard]] int vocab() const override { return m_model.vocab; }
    [[nodiscard]] std::int64_t positions() const override { return m_positions; }

private:
    struct Tensors; // keeps LibTorch's headers out of this one
    struct Piece;
    struct Step;
    [[nodiscard]] Step stepOf(const Piece &piece) const;
    void runPiece(const Piece &piece, std::size_t firstInput);

    ModelSpec m_model;
    std::int64_t m_positions;
    BlockTables m_tables;
    std::unique_ptr<Tensors> m_tensors;
    std::vector<float> m_logits;
};

} // namespace slipway
