// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The modules of decoders. A family is a choice among them (model_spec.h).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/activation.h"
#include "base/enum_names.h"

namespace slipway {

enum class NormKind : std::uint8_t { RmsNorm, LayerNorm };
enum class Position : std::uint8_t { Rope, Learned, Alibi };
enum class QkNorm : std::uint8_t { None, Head, Full }; // of queries and keys: none, over each head, over all heads
// Before a branch, on what comes out of it (OLMo 2), or on both sides (Gemma 2).
enum class NormPlacement : std::uint8_t { Before, After, Both };
// Of positions beyond those that a model was first trained on, named as Transformers' rope_type.
enum class RopeScaling : std::uint8_t { Default, Linear, Dynamic, Yarn, Longrope, Llama3 };

template<>
struct EnumNames<NormKind> {
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
template<>
struct EnumNames<NormPlacement> {
    static constexpr std::array<std::string_view, 3> names{"before", "after", "both"};
};
template<>
struct EnumNames<RopeScaling> {
    static constexpr std::array<std::string_view, 6> names{
        "default", "linear", "dynamic", "yarn", "longrope", "llama3"};
};

struct AttentionModule {
    int heads = 0;
    int kvHeads = 0; // equals heads without grouped-query attention
    int headDim = 0;
    bool qkvBias = false;
    bool outBias = false;
    bool splitQkv = false; // separate GEMMs for Q, K and V also with LayerNorm; GPT-2 has one GEMM for all
    QkNorm qkNorm = QkNorm::None;
    bool qkNormAfterRope = false; // queries and keys are normalized after RoPE instead of before
    double scale = 0;             // of scores; 0: 1 / sqrt(headDim)
    double softCap = 0;           // of scores: softCap x tanh(score / softCap); 0: none
    bool sinks = false;           // attention sinks: a learned score per head that belongs to no key
    bool operator==(const AttentionModule &) const = default;
};

// An MLP, or each expert.
struct MlpModule {
    int width = 0;     // inner, also called intermediate or FFN size
    bool gated = true; // down(act(gate(x)) * up(x)), else down(act(up(x)))
    Activation activation = Activation::Silu;
    bool byParts = false; // GELU as Transformers' gelu_new: an eager kernel for each of its eight operations
    bool bias = false;
    double limit = 0;       // the gate is at most this, and up(x) is between -limit and limit (GPT-OSS); 0: none
    bool onePlusUp = false; // the gate's activation multiplies 1 + up(x) (GPT-OSS)
    [[nodiscard]] bool hasRelu() const { return activation == Activation::Relu || activation == Activation::Relu2; }
    bool operator==(const MlpModule &) const = default;
};

struct ExpertsModule {
    int count = 0; // 0: dense
    int perToken = 0;
    bool routerBias = false;
    int sharedWidth = 0;           // width of the shared expert, which processes all tokens; 0: none
    bool sharedGate = false;       // a learned gate scales the output of the shared expert (Qwen 2 MoE)
    bool softmaxBeforeTopK = true; // the router's softmax is over all experts, else over the selected ones
    bool normalizesTopK = false;   // the weights of the selected experts are scaled to sum to 1
    double auxLoss = 0;            // factor of the load-balancing loss
    double zLoss = 0;              // factor of the router's z-loss
    double capacityFactor = 0;     // 0: dropless
    bool operator==(const ExpertsModule &) const = default;
};

struct NormModule {
    NormKind kind = NormKind::RmsNorm;
    double eps = 1e-5;
    bool weight = true;         // false: a norm without parameters (OLMo 1)
    bool bias = false;          // LayerNorm's shift
    bool onePlusWeight = false; // the factor is 1 + weight (Gemma)
    bool fp32Weight = false;    // multiplies by the weight in fp32, before the cast to bf16 (Gemma)
    bool operator==(const NormModule &) const = default;
};

// How branches join the residual stream.
struct BlockModule {
    bool parallel = false;   // attention and MLP have the same input, and both are added to it (GPT-NeoX, Phi)
    bool sharedNorm = false; // and share one norm (Phi)
    NormPlacement norms = NormPlacement::Before;
    double branchScale = 1; // of what is added to the stream (Granite)
    bool operator==(const BlockModule &) const = default;
};

struct EmbeddingModule {
    double scale = 1;      // 0: the root of the hidden size (Gemma)
    int positions = 0;     // rows of a learned position table; 0 elsewhere
    int firstPosition = 0; // row of the first token (OPT)
    bool operator==(const EmbeddingModule &) const = default;
};

struct HeadModule {
    bool tied = false; // shares the embedding's weights
    bool bias = false;
    double softCap = 0; // of logits; 0: none
    double logitScale = 1;
    bool operator==(const HeadModule &) const = default;
};

// Rotations of queries and keys.
struct Rope {
    double base = 10000.0;
    double fraction = 1; // of each head's dimensions that are rotated, the first ones
    RopeScaling scaling = RopeScaling::Default;
    double factor = 1;
    int trainedPositions = 0;                               // before scaling; 0: as many as the model has
    double lowFrequencyFactor = 1, highFrequencyFactor = 4; // Llama 3
    double betaFast = 32, betaSlow = 1;                     // YaRN
    double mscale = 0, mscaleAllDim = 0;
    bool truncates = true;
    double attentionFactor = 0;                    // of cosines and sines; 0: as the scaling's paper has it
    std::vector<double> shortFactors, longFactors; // LongRoPE, of each pair of dimensions
    bool operator==(const Rope &) const = default;
};

// What differs between layers.
struct LayerKind {
    int window = 0; // keys that a query sees, itself among them; 0: all before it
    int rope = 0;   // which of the model's rotations; kNoRope: none
    bool operator==(const LayerKind &) const = default;
};
inline constexpr int kNoRope = -1;

} // namespace slipway
