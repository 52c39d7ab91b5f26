// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Our own fused kernels behind one signature: on a GPU (cuda/kernels.cu, for sm_80, sm_90a and sm_100) and as plain
// loops on the processor (reference.cpp), which say what they compute. Raw pointers, row-major, `Float` for activations
// and the weights that they meet; statistics, gradients of weights, masters and states are fp32. Sums run in a fixed
// order on both, so that a run repeats bit for bit.
#pragma once

#include <cstdint>

namespace slipway::fused_ops {

// Fp8: E4M3, for weights and activations; Fp8Wide: E5M2, for gradients. Only Quantize and Product know them.
enum class Float : std::uint8_t { Fp32, Bf16, Fp8, Fp8Wide };
constexpr std::int64_t sizeOf(Float type) { return type == Float::Fp32 ? 4 : type == Float::Bf16 ? 2 : 1; }

struct Rows {
    std::int64_t rows = 0, width = 0;
};

// y = (x + delta) rstd weight; rstd = 1 / sqrt(mean square + eps). Without delta x is taken as it is and sum is not
// written.
struct Norm {
    Rows shape;
    Float type = Float::Fp32;
    const void *x = nullptr, *delta = nullptr, *weight = nullptr;
    float eps = 0;
    void *sum = nullptr, *y = nullptr;
    float *rstd = nullptr;
};

// dx = residual + gradient of the norm; dweight (+)= over rows dy x rstd. Residual may be dx, or null.
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

// Heads of [batch, seq, heads, headDim] wherever they lie; elements from one to the next, headDim's are neighbours.
struct Heads {
    const void *data = nullptr;
    std::int64_t batchStride = 0, tokenStride = 0, headStride = 0;
};

// Turns the q and k heads of rows of qkv by the angles of their positions, half-split as Hugging Face does; back by
// minus them. Where q, k and v lie apart they are put into qkv on the way.
struct Rope {
    std::int64_t tokens = 0, seq = 0, heads = 0, kvHeads = 0, headDim = 0;
    Float type = Float::Fp32;
    const float *cosines = nullptr, *sines = nullptr; // [seq, headDim / 2]
    const std::int32_t *positions = nullptr;          // [tokens]; null: their places in their sequences
    void *qkv = nullptr;
    bool back = false;
    Heads q, k, v; // all or none
};

// product = silu(gate) up; gateUp is [rows, 2 width]. Backward writes the gradients over gateUp.
struct SwiGlu {
    Rows shape;
    Float type = Float::Fp32;
    void *gateUp = nullptr;
    void *product = nullptr;        // forward
    const void *dproduct = nullptr; // backward
};

// Over a chunk of the head's logits: logits become scale (softmax - one-hot), loss (+)= scale x their negative
// logarithms. Rows whose target is negative do not count.
struct CrossEntropy {
    Rows shape;
    std::int64_t pitch =
        0; // elements from a row to the next, 0: its width; what fills rows up counts for nothing and becomes 0
    Float type = Float::Fp32;
    void *logits = nullptr;
    const std::int32_t *targets = nullptr;
    float scale = 1;
    float *loss = nullptr;
    bool accumulate = false;
};

// Attention's scores, [matrices, seq, seq], in place: of row i the first i + 1 count. They become the probabilities of
// scale x scores; backward what are gradients of these probabilities become those of the scores. What does not count
// becomes 0.
struct CausalSoftmax {
    std::int64_t matrices = 0, seq = 0;
    Float type = Float::Fp32;
    float scale = 1;
    void *scores = nullptr;
    const void *probabilities = nullptr; // backward
};

struct SumSquares {
    std::int64_t elements = 0;
    const float *values = nullptr;
    float *sum = nullptr;
    bool accumulate = false;
};

// Clips by the norm whose square is given, updates master and states, and writes the parameter in its type.
struct AdamW {
    std::int64_t elements = 0, decayed = 0; // the first so many decay
    Float type = Float::Fp32;               // of the parameter
    float beta1 = 0, beta2 = 0, eps = 0, weightDecay = 0, gradClip = 0;
    float rateFactor = 1;         // times the learning rate
    const float *rates = nullptr; // what changes from step to step: the learning rate, 1 - beta1^step, 1 - beta2^step
    const float *gradient = nullptr, *norm2 = nullptr;
    float *master = nullptr, *momentum = nullptr, *variance = nullptr;
    void *parameter = nullptr; // may be the master
};

// to = scale x from, in to's type.
struct CastScale {
    std::int64_t elements = 0;
    Float from = Float::Fp32, to = Float::Bf16;
    const void *source = nullptr;
    void *target = nullptr;
    float scale = 1;
};

// table[id] += the sum of dx's rows whose token is that id. Rows come sorted by their tokens: row i of the order is
// dx[places[i]], whose token is ids[i].
struct EmbeddingBackward {
    Rows shape;               // of dx
    Float type = Float::Fp32; // of dx
    const void *dx = nullptr;
    const std::int32_t *ids = nullptr;    // [rows], not falling, within the table
    const std::int64_t *places = nullptr; // [rows], each once
    float *parts = nullptr;               // workspace of embeddingParts() floats
    float *table = nullptr;               // [vocabulary, width]
};
// Rows of the order that are summed one after the other; sums of a frequent token are of several such parts.
inline constexpr std::int64_t kEmbeddingPart = 32;
// For each part the sums of a token that it shares with the part before, and of one that it shares with the next.
constexpr std::int64_t embeddingParts(Rows shape)
{
    return (shape.rows + kEmbeddingPart - 1) / kEmbeddingPart * 2 * shape.width;
}

// Numbers as fp8 times one factor, so that the largest of them becomes the largest of fp8: target = source / factor,
// and transposed where that is asked for. Where all are smaller the factor is that of kSmallestQuantized.
struct Quantize {
    Rows shape;
    Float type = Float::Bf16; // of the source
    Float to = Float::Fp8;
    bool transposed = false; // the target is [width, rows]
    const void *source = nullptr;
    float *factor = nullptr;
    void *target = nullptr;
};
inline constexpr float kSmallestQuantized = 1e-30f;
inline constexpr float kLargestFp8 = 448.0f, kLargestFp8Wide = 57344.0f;

// Attention of tokens over the keys of their sequences up to themselves, which lie in the blocks of a paged cache (Kwon
// et al. 2023, arXiv 2309.06180): position p of a sequence is in block table[p / block] of its row of the tables.
struct PagedAttention {
    std::int64_t rows = 0, heads = 0, kvHeads = 0, headDim = 0; // headDim at most kLargestPagedHead
    Float type = Float::Fp32;                                   // of queries, cache and result; sums are fp32
    const void *q = nullptr;                                    // heads of a row are neighbours
    std::int64_t queryStride = 0;                               // elements from a row's queries to the next one's
    const void *keys = nullptr, *values = nullptr;              // [blocks, block, kvHeads, headDim]
    std::int64_t block = 0;                                     // tokens
    const std::int32_t *tables = nullptr;                       // [sequences, tableWidth]
    std::int64_t tableWidth = 0;
    const std::int32_t *sequences = nullptr, *positions = nullptr; // [rows]: row of the tables, place in the sequence
    std::int64_t window = 0;                                       // keys that a query sees; 0: all
    float scale = 1, softCap = 0;                                  // softCap 0: none
    const float *slopes = nullptr;                                 // of ALiBi, [heads]; null: none
    void *out = nullptr;                                           // [rows, heads, headDim]
};
inline constexpr std::int64_t kLargestPagedHead = 256;

// Where kernels run: a stream of CUDA's, and memory of the device that no other stream uses meanwhile. Zeroed once.
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
    void (*crossEntropy)(const CrossEntropy &, const Queue &);
    void (*causalSoftmax)(const CausalSoftmax &, const Queue &);
    void (*causalSoftmaxBackward)(const CausalSoftmax &, const Queue &);
    void (*sumSquares)(const SumSquares &, const Queue &);
    void (*adamW)(const AdamW &, const Queue &);
    void (*castScale)(const CastScale &, const Queue &);
    void (*embeddingBackward)(const EmbeddingBackward &, const Queue &);
    void (*quantize)(const Quantize &, const Queue &);
    void (*pagedAttention)(const PagedAttention &, const Queue &);
    std::int64_t (*scratchBytes)(std::int64_t width); // where normed rows are so wide
};

const Table &referenceKernels();
// Null where this program was built without CUDA.
const Table *cudaKernels();

} // namespace slipway::fused_ops
