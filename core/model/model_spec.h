// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The shape of a transformer, and what can be counted from the shape alone.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/enum_names.h"
#include "base/units.h"

namespace slipway {

enum class Mlp { SwiGlu, Gelu };
enum class Norm { RmsNorm, LayerNorm };
enum class Position { Rope, Learned, Alibi };
enum class QkNorm { None, Head, Full }; // of queries and keys: none, one weight per head_dim, one over all heads

template<>
struct EnumNames<Mlp> {
    static constexpr std::array<std::string_view, 2> names{"swiglu", "gelu"};
};
template<>
struct EnumNames<Norm> {
    static constexpr std::array<std::string_view, 2> names{"rmsnorm", "layernorm"};
};
template<>
struct EnumNames<Position> {
    static constexpr std::array<std::string_view, 3> names{"rope", "learned", "alibi"};
};
template<>
struct EnumNames<QkNorm> {
    static constexpr std::array<std::string_view, 3> names{"none", "head", "full"};
};

struct ModelSpec {
    std::string name;
    int layers = 0;
    int hidden = 0;
    int heads = 0;
    int kvHeads = 0; // equals heads without grouped-query attention
    int headDim = 0;
    int ffn = 0;       // inner width of the MLP
    int vocab = 0;     // rows of the embedding
    bool tied = false; // the head shares the embedding's weights
    Mlp mlp = Mlp::SwiGlu;
    bool unfusedGelu = false; // Transformers' gelu_new: the tanh form, an eager kernel for each of its eight operations
    bool relu = false;        // in place of GELU (OPT)
    bool splitQkv =
        false; // queries, keys and values by a product each beside a LayerNorm, too, where GPT-2 has one for all
    bool parallelBlock = false;  // attention and MLP read one stream and are added to it together (GPT-NeoX, Phi)
    bool fp32NormWeight = false; // RMSNorm's weight multiplies in fp32 (Gemma), not what was cast back
    bool dropout = false;        // its published configuration trains with it
    Norm norm = Norm::RmsNorm;
    Position position = Position::Rope;
    bool partialRope = false; // a part of each head is rotated, and joined with the rest
    int maxPositions = 0;     // rows of a learned position table; 0 elsewhere
    double ropeTheta = 10000.0;
    double normEps = 1e-5;
    bool qkvBias = false;
    bool attentionOutBias = false;
    bool mlpBias = false;
    bool headBias = false;
    bool normBias = false;  // LayerNorm's shift
    bool normWeight = true; // OLMo 1 has norms without parameters
    int blockNorms = 2;     // norms a block: Phi's parallel block has one
    QkNorm qkNorm = QkNorm::None;
    int experts = 0; // 0: dense
    int expertsPerToken = 0;

    [[nodiscard]] std::int64_t queryWidth() const { return std::int64_t{heads} * headDim; }
    [[nodiscard]] std::int64_t kvWidth() const { return std::int64_t{kvHeads} * headDim; }

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
