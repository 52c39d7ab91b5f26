// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The interface of our fused kernels. They exist for GPUs (cuda/kernels.cu, for sm_80, sm_90a and sm_100) and as plain
// loops on the CPU (reference.cpp), which define their results. Tensors are raw pointers, row-major. `Float` is the
// type of activations and weights; statistics, gradients of weights, master weights and optimizer states are fp32. Sums
// have a fixed order, so that runs are bitwise reproducible.
#pragma once

#include <cstdint>

namespace slipway::fused_ops {

// E4M3 is for weights and activations, E5M2 for gradients. Only Quantize and Gemm support them.
enum class Float : std::uint8_t { Fp32, Bf16, E4m3, E5m2 };
constexpr std::int64_t sizeOf(Float type) { return type == Float::Fp32 ? 4 : type == Float::Bf16 ? 2 : 1; }

struct Rows {
    std::int64_t rows = 0, width = 0;
};

// RMSNorm with a residual addition: sum = x + delta, y = sum rstd weight with rstd = 1 / sqrt(mean square + eps). With
// a null delta, x is normalized and sum is not written.
struct Norm {
    Rows shape;
    Float type = Float::Fp32;
    const void *x = nullptr, *delta = nullptr, *weight = nullptr;
    float eps = 0;
    void *sum = nullptr, *y = nullptr;
    float *rstd = nullptr;
};

// dx = residual + gradient of the norm. dweight = or += the sum over rows of dy x rstd. residual may be dx, or null.
struct NormBackward {
    Rows shape;
    Float type = Float::Fp32;
    const void *dy = nullptr, *x = nullptr;
    const float *rstd = nullptr;
    const void *weight = nullptr, *residual = nullptr;
    void *dx = nullptr;
    float *dweight = nullptr;
    bool accumulate = false;
};

// A strided view [batch, seq, heads, headDim], contiguous in headDim. Strides are in elements.
struct Heads {
    const void *data = nullptr;
    std::int64_t batchStride = 0, tokenStride = 0, headStride = 0;
};

// RoPE of the q and k heads in qkv, in Hugging Face's layout, or the inverse rotation. If q, k and v are given as
// separate tensors, it also packs them into qkv.
struct Rope {
    std::int64_t tokens = 0, seq = 0, heads = 0, kvHeads = 0, headDim = 0;
    Float type = Float::Fp32;
    const float *cosines = nullptr, *sines = nullptr; // [seq, headDim / 2]
    const std::int32_t *positions = nullptr;          // [tokens]; null: positions in the sequence
    void *qkv = nullptr;
    bool inverse = false;
    Heads q, k, v; // all or none
};

// product = silu(gate) x up, elementwise, with gateUp [rows, 2 width]. The backward kernel replaces gateUp by its
// gradient.
struct SwiGlu {
    Rows shape;
    Float type = Float::Fp32;
    void *gateUp = nullptr;
    void *product = nullptr;        // forward
    const void *dproduct = nullptr; // backward
};

// Statistics of each row of a rank's logits under vocabulary parallelism: the maximum, the sum of exponentials relative
// to it, and the target's logit, or 0 if another rank has it. A rank may have no columns.
struct LogitStatistics {
    Rows shape;
    std::int64_t pitch = 0; // elements from one row to the next; 0: the width
    Float type = Float::Fp32;
    const void *logits = nullptr;
    const std::int32_t *targets = nullptr;
    std::int64_t firstId = 0;    // of the first column
    float *statistics = nullptr; // [rows, kLogitStatistics]
};
inline constexpr std::int64_t kLogitStatistics = 3;

// Cross-entropy of a chunk of logits: loss = or += scale x the sum of -log softmax(logits)[target], and the logits
// become scale x (softmax - one-hot). Rows with a negative target are ignored. With statistics, the softmax is over the
// vocabulary of all ranks.
struct CrossEntropy {
    Rows shape;
    std::int64_t pitch = 0; // elements from one row to the next; 0: the width. Padding is ignored and becomes 0
    Float type = Float::Fp32;
    void *logits = nullptr;
    const std::int32_t *targets = nullptr;
    float scale = 1;
    float *loss = nullptr;
    bool accumulate = false;
    const float *statistics = nullptr; // statistics of all ranks, [ranks, rows, kLogitStatistics]; null: one rank
    std::int64_t ranks = 1, firstId = 0;
};

// Causal softmax of scale x scores [matrices, seq, seq] in place; masked elements become 0. The backward kernel
// replaces gradients of the probabilities by gradients of the scores.
struct CausalSoftmax {
    std::int64_t matrices = 0, seq = 0;
    Float type = Float::Fp32;
    float scale = 1;
    void *scores = nullptr;
    const void *probabilities = nullptr; // backward
};

// sum = or += scale x the sum of the squares.
struct SumSquares {
    std::int64_t elements = 0;
    float scale = 1;
    const float *values = nullptr;
    float *sum = nullptr;
    bool accumulate = false;
};

// Clips the gradient by the norm, whose square is `norm2`, updates master weight and optimizer states, and writes the
// parameter in its type.
struct AdamW {
    std::int64_t elements = 0, decayed = 0; // weight decay applies to the first `decayed` elements
    Float type = Float::Fp32;               // type of the parameter
    float beta1 = 0, beta2 = 0, eps = 0, weightDecay = 0, gradClip = 0;
    float rateFactor = 1;         // factor on the learning rate
    const float *rates = nullptr; // on the device: learning rate, 1 - beta1^step, 1 - beta2^step
    const float *gradient = nullptr, *norm2 = nullptr;
    float *master = nullptr, *momentum = nullptr, *variance = nullptr;
    void *parameter = nullptr; // may be the master weight
};

// target = scale x source, converted to the type `to`.
struct CastScale {
    std::int64_t elements = 0;
    Float from = Float::Fp32, to = Float::Bf16;
    const void *source = nullptr;
    void *target = nullptr;
    float scale = 1;
};

// table[id - firstId] += the sum of the rows of dx with this token id, if the table has this row. The rows are sorted
// by token: row i in this order is dx[places[i]], with token ids[i].
struct EmbeddingBackward {
    Rows shape;               // of dx
    Float type = Float::Fp32; // type of dx
    const void *dx = nullptr;
    const std::int32_t *ids = nullptr;    // [rows], in ascending order
    const std::int64_t *places = nullptr; // [rows], a permutation
    float *parts = nullptr;               // workspace of embeddingParts() floats
    float *table = nullptr;               // [tableRows, width]
    std::int64_t firstId = 0, tableRows = 0;
};
// Number of sorted rows that one block sums sequentially. A frequent token spans several such parts.
inline constexpr std::int64_t kEmbeddingPart = 32;
// Floats of workspace: per part, the sums of the tokens that it shares with the previous and with the next part.
constexpr std::int64_t embeddingParts(Rows shape)
{
    return (shape.rows + kEmbeddingPart - 1) / kEmbeddingPart * 2 * shape.width;
}

// Quantizes a tensor to fp8 with one scale: target = source / factor, so that the largest absolute value becomes the
// largest of the fp8 type. Absolute values below kSmallestQuantized count as that value.
struct Quantize {
    Rows shape;
    Float type = Float::Bf16; // type of the source
    Float to = Float::E4m3;
    bool transposed = false; // the target is [width, rows]
    const void *source = nullptr;
    float *factor = nullptr;
    void *target = nullptr;
};
inline constexpr float kSmallestQuantized = 1e-30f;
inline constexpr float kLargestE4m3 = 448.0f, kLargestE5m2 = 57344.0f;

// Causal attention of tokens over a paged KV cache (Kwon et al. 2023, arXiv 2309.06180): position p of a sequence is in
// block table[p / block], where `table` is the sequence's row of `tables`.
struct PagedAttention {
    std::int64_t rows = 0, heads = 0, kvHeads = 0, headDim = 0; // headDim at most kLargestPagedHead
    Float type = Float::Fp32;                                   // type of queries, cache and result; sums are fp32
    const void *q = nullptr;                                    // [rows, heads, headDim], contiguous within a row
    std::int64_t queryStride = 0;                               // elements from one row to the next
    const void *keys = nullptr, *values = nullptr;              // [blocks, block, kvHeads, headDim]
    std::int64_t block = 0;                                     // tokens per block
    const std::int32_t *tables = nullptr;                       // [sequences, tableWidth]
    std::int64_t tableWidth = 0;
    const std::int32_t *sequences = nullptr, *positions = nullptr; // [rows]: row of `tables`, position in the sequence
    std::int64_t window = 0;                                       // keys that a query attends to; 0: all
    float scale = 1, softCap = 0;                                  // softCap 0: none
    const float *slopes = nullptr;                                 // slopes of ALiBi, [heads]; null: none
    void *out = nullptr;                                           // [rows, heads, headDim]
};
inline constexpr std::int64_t kLargestPagedHead = 256;

// The rows of a mixture of experts go back to their tokens: y[token] = added[token] + the sum of weight x rows[place]
// over the token's slots, in their order. Slot i belongs to token i / perToken.
struct GatherRows {
    Rows shape; // of y
    std::int64_t perToken = 1;
    Float type = Float::Fp32;
    const void *rows = nullptr;
    const std::int32_t *places = nullptr; // [tokens, perToken]: the row of each slot
    const float *weights = nullptr;       // [tokens, perToken]; null: ones
    const void *added = nullptr;          // may be y; null: zeros
    void *y = nullptr;
};

// dweights = dy[token] . rows[place] of each slot. Then rows[place] = weight x dy[token].
struct GatherRowsBackward {
    Rows shape; // of dy
    std::int64_t perToken = 1;
    Float type = Float::Fp32;
    const void *dy = nullptr;
    const std::int32_t *places = nullptr;
    const float *weights = nullptr;
    void *rows = nullptr;
    float *dweights = nullptr;
};

// A CUDA stream, and scratch memory of the device that only this stream uses. The caller zeroes it once.
struct Queue {
    void *stream = nullptr;
    void *scratch = nullptr;
};

// The kernels of one kind of device.
struct Table {
    void (*norm)(const Norm &, const Queue &);
    void (*normBackward)(const NormBackward &, const Queue &);
    void (*rope)(const Rope &, const Queue &);
    void (*swiGlu)(const SwiGlu &, const Queue &);
    void (*swiGluBackward)(const SwiGlu &, const Queue &);
    void (*logitStatistics)(const LogitStatistics &, const Queue &);
    void (*crossEntropy)(const CrossEntropy &, const Queue &);
    void (*causalSoftmax)(const CausalSoftmax &, const Queue &);
    void (*causalSoftmaxBackward)(const CausalSoftmax &, const Queue &);
    void (*sumSquares)(const SumSquares &, const Queue &);
    void (*adamW)(const AdamW &, const Queue &);
    void (*castScale)(const CastScale &, const Queue &);
    void (*embeddingBackward)(const EmbeddingBackward &, const Queue &);
    void (*quantize)(const Quantize &, const Queue &);
    void (*pagedAttention)(const PagedAttention &, const Queue &);
    void (*gatherRows)(const GatherRows &, const Queue &);
    void (*gatherRowsBackward)(const GatherRowsBackward &, const Queue &);
    std::int64_t (*scratchBytes)(std::int64_t width); // size of Queue::scratch for norms of rows of this width
};

const Table &referenceKernels();
// Null in programs without CUDA.
const Table *cudaKernels();

} // namespace slipway::fused_ops
