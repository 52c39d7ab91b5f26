// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A decoder-only model as data: its modules (modules.h), parameter counts and FLOPs. Weight names, the mapping to
// Hugging Face and the step plans follow from it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"
#include "model/modules.h"

namespace slipway {

struct ModelSpec {
    std::string name;
    std::string family = "llama"; // whose names the weights have in Hugging Face's files (families.h)
    int layers = 0;
    int hidden = 0;
    AttentionModule attention;
    MlpModule mlp;
    int vocab = 0; // rows of the embedding
    HeadModule head;
    ExpertsModule experts;
    NormModule norm;
    BlockModule block;
    EmbeddingModule embedding;
    Position position = Position::Rope;
    std::vector<Rope> ropes{Rope{}};             // LayerKind::rope is an index of these
    std::vector<LayerKind> pattern{LayerKind{}}; // layer i has kind pattern[i % pattern.size()]
    bool dropout = false;                        // the published configuration trains with dropout
    int contextLength = 0;                       // tokens of the longest intended sequence; 0: not given

    [[nodiscard]] std::int64_t queryWidth() const { return std::int64_t{attention.heads} * attention.headDim; }
    [[nodiscard]] std::int64_t kvWidth() const { return std::int64_t{attention.kvHeads} * attention.headDim; }
    [[nodiscard]] const LayerKind &kindOf(int layer) const
    {
        return pattern[static_cast<std::size_t>(layer) % pattern.size()];
    }
    [[nodiscard]] const Rope &rope() const { return ropes.front(); }
    // Tokens of the longest sequence: the positions of a learned table, otherwise the context length. 0: no known
    // limit.
    [[nodiscard]] std::int64_t longestSequence() const;
    [[nodiscard]] bool partialRope() const { return position == Position::Rope && rope().fraction < 1; }
    // Of a block: one before, after, or on both sides of each branch.
    [[nodiscard]] int normsPerBlock() const
    {
        return block.sharedNorm ? 1 : block.norms == NormPlacement::Both ? 4 : 2;
    }
    [[nodiscard]] double attentionScale() const;
    [[nodiscard]] double embeddingScale() const;

    bool operator==(const ModelSpec &) const = default;
};

// Parameters of the whole model / of one block / those a token passes through (all but idle experts).
std::int64_t parameterCount(const ModelSpec &model);
std::int64_t blockParameterCount(const ModelSpec &model);
std::int64_t activeParameterCount(const ModelSpec &model);
// Of a block: all its experts / the router that chooses among them; 0 in a dense model.
std::int64_t expertParameterCount(const ModelSpec &model);
std::int64_t routerParameterCount(const ModelSpec &model);

// Parameters of GEMMs: linear layers, active experts and the head (also if tied), without the input embedding, norms,
// biases and positions. The definition of MFU uses it (docs/guide/json.md).
std::int64_t matmulParameterCount(const ModelSpec &model);

// Forward and backward, per token: 6 x params_matmul + 12 x layers x heads x head_dim x seqLen (full attention).
Flops modelFlopsPerToken(const ModelSpec &model, std::int64_t seqLen);
// The same with half of the attention term, as a causal kernel executes it.
Flops modelFlopsPerTokenCausal(const ModelSpec &model, std::int64_t seqLen);

} // namespace slipway
