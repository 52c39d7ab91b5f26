// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/vanilla_gemms.h"

#include <cmath>

#include "exec/torch_operands.h"

namespace slipway {
namespace {

using fused_ops::Gemm;
using fused_ops::Matrix;

// The GEMMs of one attention. Each batched GEMM covers all key-value heads of a sequence, with one query head of each.
class AttentionGemms {
public:
    AttentionGemms(const OpCall &c, const TorchContext &t)
        : m_kernel(c.kernel),
          m_context(t),
          m_workspace{.data = c.writes[2], .bytes = c.writes[2] ? t.workspaceBytes : 0},
          m_type(typeOf(c))
    {
    }

    [[nodiscard]] fused_ops::CausalSoftmax softmaxOf(std::byte *scores, const std::byte *probabilities) const
    {
        return {.matrices = std::int64_t{m_kernel.batch} * m_kernel.heads,
            .seq = m_kernel.seq,
            .type = m_type,
            .scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(m_kernel.headDim))),
            .scores = scores,
            .probabilities = probabilities};
    }

    // Runs multiply(sequence, query) for every sequence and every query head of a key-value head; returns false as soon
    // as one is not supported.
    template<typename Multiply>
    [[nodiscard]] bool forEach(const Multiply &multiply) const
    {
        for (std::int64_t sequence = 0; sequence < m_kernel.batch; ++sequence) {
            for (std::int64_t query = 0; query < queriesOfAKey(); ++query) {
                if (!multiply(sequence, query))
                    return false;
            }
        }
        return true;
    }

    // Views of packed projections; keys and values are the same for all query heads of a key-value head.
    [[nodiscard]] Matrix queries(const std::byte *qkv, std::int64_t sequence, std::int64_t query) const
    {
        return inRows(qkv, sequence, packedWidth(), query, queriesOfAKey());
    }
    [[nodiscard]] Matrix keys(const std::byte *qkv, std::int64_t sequence) const
    {
        return inRows(qkv, sequence, packedWidth(), m_kernel.heads, 1);
    }
    [[nodiscard]] Matrix values(const std::byte *qkv, std::int64_t sequence) const
    {
        return inRows(qkv, sequence, packedWidth(), m_kernel.heads + m_kernel.kvHeads, 1);
    }
    // A view of [batch, seq, heads, headDim].
    [[nodiscard]] Matrix outputs(const std::byte *out, std::int64_t sequence, std::int64_t query) const
    {
        return inRows(out, sequence, std::int64_t{m_kernel.heads} * m_kernel.headDim, query, queriesOfAKey());
    }
    // A view of [batch, heads, seq, seq].
    [[nodiscard]] Matrix scores(const std::byte *all, std::int64_t sequence, std::int64_t query) const
    {
        const std::int64_t size = std::int64_t{m_kernel.seq} * m_kernel.seq;
        return {.data = at(all, (sequence * m_kernel.heads + query) * size),
            .pitch = m_kernel.seq,
            .stride = queriesOfAKey() * size};
    }

    // C [seq, seq] = A B^T.
    [[nodiscard]] bool toScores(Matrix a, Matrix b, Matrix c) const
    {
        return run({.m = m_kernel.seq, .n = m_kernel.seq, .k = m_kernel.headDim, .transposedB = true, .a = a, .b = b},
            c, false);
    }
    // C [seq, headDim] (+)= A B or A^T B.
    [[nodiscard]] bool toHeads(Matrix a, bool transposed, Matrix b, Matrix c, bool adds) const
    {
        return run(
            {.m = m_kernel.seq, .n = m_kernel.headDim, .k = m_kernel.seq, .transposedA = transposed, .a = a, .b = b}, c,
            adds);
    }

private:
    [[nodiscard]] std::int64_t queriesOfAKey() const { return m_kernel.heads / m_kernel.kvHeads; }
    [[nodiscard]] std::int64_t packedWidth() const
    {
        return (m_kernel.heads + 2 * std::int64_t{m_kernel.kvHeads}) * m_kernel.headDim;
    }
    [[nodiscard]] const std::byte *at(const std::byte *start, std::int64_t element) const
    {
        return start + element * sizeOf(m_kernel.type);
    }
    [[nodiscard]] Matrix inRows(const std::byte *start, std::int64_t sequence, std::int64_t width, std::int64_t head,
        std::int64_t headStride) const
    {
        return {.data = at(start, sequence * m_kernel.seq * width + head * m_kernel.headDim),
            .pitch = width,
            .stride = headStride * m_kernel.headDim};
    }

    [[nodiscard]] bool run(Gemm p, const Matrix &c, bool adds) const
    {
        p.type = p.result = m_type;
        p.c = const_cast<void *>(c.data);
        p.added = adds ? c.data : nullptr;
        p.pitchC = c.pitch;
        p.strideC = c.stride;
        p.count = m_kernel.kvHeads;
        return m_context.gemmLibrary->multiply(p, m_context.queue, m_workspace);
    }

    const Kernel &m_kernel;
    const TorchContext &m_context;
    fused_ops::Workspace m_workspace;
    fused_ops::Float m_type;
};

} // namespace

bool vanillaAttentionByGemms(const OpCall &c, const TorchContext &t)
{
    const AttentionGemms heads(c, t);
    const std::byte *const qkv = c.reads[0];
    std::byte *const probabilities = c.writes[0], *const out = c.writes[1];
    if (!heads.forEach([&](std::int64_t s, std::int64_t q) {
            return heads.toScores(heads.queries(qkv, s, q), heads.keys(qkv, s), heads.scores(probabilities, s, q));
        }))
        return false;
    t.kernels->causalSoftmax(heads.softmaxOf(probabilities, nullptr), t.queue);
    return heads.forEach([&](std::int64_t s, std::int64_t q) {
        return heads.toHeads(
            heads.scores(probabilities, s, q), false, heads.values(qkv, s), heads.outputs(out, s, q), false);
    });
}

// The contributions of all query heads of a key-value head are summed.
bool vanillaAttentionBackwardByGemms(const OpCall &c, const TorchContext &t)
{
    const AttentionGemms heads(c, t);
    const std::byte *const dout = c.reads[0], *const qkv = c.reads[1], *const probabilities = c.reads[2];
    std::byte *const dqkv = c.writes[0], *const dscores = c.writes[1];
    const bool begun = heads.forEach([&](std::int64_t s, std::int64_t q) {
        return heads.toHeads(
                   heads.scores(probabilities, s, q), true, heads.outputs(dout, s, q), heads.values(dqkv, s), q > 0) &&
               heads.toScores(heads.outputs(dout, s, q), heads.values(qkv, s), heads.scores(dscores, s, q));
    });
    if (!begun)
        return false;
    t.kernels->causalSoftmaxBackward(heads.softmaxOf(dscores, probabilities), t.queue);
    return heads.forEach([&](std::int64_t s, std::int64_t q) {
        return heads.toHeads(
                   heads.scores(dscores, s, q), false, heads.keys(qkv, s), heads.queries(dqkv, s, q), false) &&
               heads.toHeads(heads.scores(dscores, s, q), true, heads.queries(qkv, s, q), heads.keys(dqkv, s), q > 0);
    });
}

} // namespace slipway
