// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Writes the ops of a block. Operands stand in the order that OpKind documents (plan/step_plan.h).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/model_spec.h"
#include "plan/native/weights.h"

namespace slipway::native {

inline Use at(BufferId buffer, int layerShift = 0)
{
    return {.buffer = buffer, .layerShift = static_cast<std::int8_t>(layerShift)};
}

// The rows of one chunk of the loss. The slot's index is the number of the chunk.
inline Use chunkOf(BufferId buffer, Bytes rowsBytes) { return {.buffer = buffer, .stride = rowsBytes}; }

// A linear layer, y = x W^T. x has `rows` rows; W is [out, in].
struct Linear {
    std::string name; // "qkv"
    std::int64_t rows = 0, out = 0, in = 0;
    CostClass cost = CostClass::Elementwise; // Elementwise: GEMM
};

// The buffers for a GEMM's operands in fp8. All GEMMs use them in turn.
struct QuantizedBuffers {
    BufferId left{}, right{};
};

class OpWriter {
public:
    // `accumulate`: ops add to the gradients of weights instead of writing them.
    OpWriter(PlanBuilder &builder, const ModelSpec &decoder, const Sizes &sizes, const Weights &weights, Phase phase,
        bool accumulate = false)
        : b(builder),
          model(decoder),
          s(sizes),
          w(weights),
          m_phase(phase),
          m_accumulate(accumulate)
    {
    }

    PlanBuilder &b;
    const ModelSpec &model;
    const Sizes &s;
    const Weights &w;

    // A kernel on [tokens, width] activations.
    [[nodiscard]] KernelId rows(OpKind kind, std::int64_t width) const
    {
        return b.kernel({.kind = kind, .type = s.type, .m = s.tokens, .n = width});
    }
    // A kernel on the residual stream.
    [[nodiscard]] KernelId streamRows(OpKind kind) const
    {
        return b.kernel({.kind = kind, .type = s.type, .m = s.streamTokens, .n = s.hidden});
    }

    void add(std::string name, KernelId kernel, std::vector<Use> reads, std::vector<Use> writes)
    {
        m_ops.push_back({.name = std::move(name),
            .kernel = kernel,
            .phase = m_phase,
            .reads = std::move(reads),
            .writes = std::move(writes)});
    }
    // Adds an op whose last write is the gradient of a weight.
    void addGradient(std::string name, KernelId kernel, std::vector<Use> reads, std::vector<Use> writes)
    {
        add(std::move(name), kernel, std::move(reads), std::move(writes));
        m_ops.back().accumulate = m_accumulate;
    }

    // y = x W^T, plus `residual` and the bias, if there are such.
    void linear(const Linear &linear, Use x, Use y, const Use *residual = nullptr);
    // Computes the gradients of the bias and of the weight.
    void linearWeightGradient(const Linear &linear, Use dy, Use x);
    // dx = dy W, plus `residual`, if there is one.
    void linearInputGradient(const Linear &linear, Use dy, Use dx, const Use *residual = nullptr);

    // From now on, linear layers run in fp8, except the LM head.
    void useFp8(QuantizedBuffers buffers) { m_quantized = buffers; }
    [[nodiscard]] std::vector<Op> take() { return std::move(m_ops); }
    std::vector<Op> &ops() { return m_ops; }

private:
    // A bf16 operand as it is in memory: [rows, columns].
    struct Operand {
        Use use;
        std::int64_t rows = 0, columns = 0;
        bool transposed = false, gradient = false; // in fp8
    };
    [[nodiscard]] bool inFp8(const Linear &linear) const { return m_quantized && linear.cost != CostClass::Loss; }
    // The operands that a GEMM reads: both as they are, or both in fp8. Adds the ops that quantize them.
    std::vector<Use> operands(const Linear &linear, const std::string &name, const Operand &left, const Operand &right);
    [[nodiscard]] std::int64_t biasRows(const Linear &linear) const;
    [[nodiscard]] KernelId gemm(
        GemmForm form, const Linear &linear, std::int64_t m, std::int64_t n, std::int64_t k, bool residual) const
    {
        return b.kernel({.kind = OpKind::Gemm,
            .type = inFp8(linear) ? DType::Fp8 : s.type,
            .form = form,
            .cost = linear.cost,
            .m = m,
            .n = n,
            .k = k,
            .residual = residual});
    }

    Phase m_phase;
    bool m_accumulate;
    std::vector<Op> m_ops;
    std::optional<QuantizedBuffers> m_quantized;
};

// Frees each of `freed` at its last use in the block, or at the last use before it is overwritten.
void freeAfterLastUse(Block &block, const std::vector<BufferId> &freed);

} // namespace slipway::native
