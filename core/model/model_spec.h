// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A decoder as data: its modules (modules.h), and what can be counted from them alone. Parameter counts, FLOPs, weight
// names, the mapping to Hugging Face and both lowerings into a step plan follow from it.
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
    std::vector<Rope> ropes{Rope{}};             // those that layers choose among
    std::vector<LayerKind> pattern{LayerKind{}}; // layer i is of kind i modulo their number
    bool dropout = false;                        // its published configuration trains with it
    int contextLength = 0;                       // tokens of the longest sequence that it was made for; 0: not given

    [[nodiscard]] std::int64_t queryWidth() const { return std::int64_t{attention.heads} * attention.headDim; }
    [[nodiscard]] std::int64_t kvWidth() const { return std::int64_t{attention.kvHeads} * attention.headDim; }
    [[nodiscard]] const LayerKind &kindOf(int layer) const
    {
        return pattern[static_cast<std::size_t>(layer) % pattern.size()];
    }
    [[nodiscard]] const Rope &rope() const { return ropes.front(); }
    // Tokens of the longest sequence: those that a learned table has positions for, else the context length. 0: no
    // limit is known.
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

// Parameters that take part in GEMMs: linears and the head (also where tied), not the input embedding,
// norms, biases or positions. Of experts, those that are active. MFU is defined on it (contract, section 2).
std::int64_t matmulParameterCount(const ModelSpec &model);

// Forward and backward, per token: 6 x params_matmul + 12 x layers x heads x head_dim x seqLen (full attention).
Flops modelFlopsPerToken(const ModelSpec &model, std::int64_t seqLen);
// The same with attention's term halved, as a causal kernel executes it.
Flops modelFlopsPerTokenCausal(const ModelSpec &model, std::int64_t seqLen);

} // namespace slipway
