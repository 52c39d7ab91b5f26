// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/simulated_loss_writer.h"

#include <utility>

namespace slipway {

Use LossWriter::logits(const std::string &name, Bytes size)
{
    return {.buffer = m_b.buffer({.name = name,
                .bytes = m_rows * m_s.vocab * size,
                .type = size == 4 ? DType::Fp32 : DType::Bf16,
                .role = Role::Logits,
                .scope = Scope::MicroBatch})};
}

KernelId LossWriter::gemm(GemmForm form, std::int64_t m, std::int64_t n, std::int64_t k)
{
    const std::int32_t calls = m_r.loss == LossPath::Chunked ? kLossChunks : 1;
    std::int64_t &rows = form == GemmForm::WeightGradient ? k : m;
    rows = ceilDiv(rows, calls);
    return m_b.kernel({.kind = OpKind::Gemm,
        .type = m_r.compute,
        .form = form,
        .cost = CostClass::Loss,
        .m = m,
        .n = n,
        .k = k,
        .calls = calls});
}

// A kernel over all logits of the chunk. `read` and `written` are bytes per logit.
KernelId LossWriter::pass(double read, double written, bool mixed, std::int32_t calls)
{
    const double entries = double(m_rows * m_s.vocab);
    return m_b.kernel({.kind = OpKind::Elementwise,
        .type = m_r.compute,
        .cost = CostClass::Loss,
        .calls = calls,
        .mixed = mixed,
        .bytesRead = static_cast<Bytes>(entries * read),
        .bytesWritten = static_cast<Bytes>(entries * written)});
}

// Autocast's 16-bit copies of the LM head's operands, which backward keeps.
void LossWriter::addCasts()
{
    const auto cast = [&](const std::string &name, Use from, std::int64_t elements, DType type) {
        const Use half{.buffer = m_b.buffer({.name = name,
                           .bytes = elements * m_half,
                           .type = m_r.compute,
                           .role = Role::Workspace,
                           .scope = Scope::MicroBatch})};
        const KernelId kernel = m_b.kernel({.kind = OpKind::Elementwise,
            .type = m_r.compute,
            .cost = CostClass::Loss,
            .mixed = true,
            .bytesRead = elements * sizeOf(type),
            .bytesWritten = elements * m_half});
        m_ops.push_back({.name = "cast_" + name, .kernel = kernel, .reads = {from}, .writes = {half}});
        return half;
    };
    if (m_r.castWeights)
        m_weight = cast("head_half", m_p.weights.weights, m_s.vocab * m_s.hidden, m_r.weight);
    if (m_r.normed != m_r.compute)
        m_input = cast("normed_half", m_p.normed, m_rows * m_s.hidden, m_r.normed);
}

void LossWriter::addHeadGradients(Use dLogits)
{
    m_ops.push_back({.name = "head_dx",
        .kernel = gemm(GemmForm::InputGradient, m_rows, m_s.hidden, m_s.vocab),
        .phase = Phase::Backward,
        .reads = {dLogits, m_weight},
        .writes = {m_p.normedGradient}});
    if (m_r.freezesWeights()) {
        m_ops.back().frees.push_back(dLogits);
        freeCasts();
        return;
    }
    m_ops.push_back({.name = "head_dweight",
        .kernel = gemm(GemmForm::WeightGradient, m_s.vocab, m_s.hidden, m_rows),
        .phase = Phase::Backward,
        .reads = {dLogits, m_input},
        .writes = {m_p.weights.gradientOf("head")},
        .frees = {dLogits}});
    if (m_r.passesHalfGradients) {
        const Use passing{.buffer = m_b.buffer({.name = "head_gradient",
                              .bytes = m_s.vocab * m_s.hidden * m_half,
                              .type = m_r.compute,
                              .role = Role::Workspace,
                              .scope = Scope::MicroBatch})};
        m_ops.back().writes.push_back(passing);
        if (m_p.tied)
            m_tableGradient = passing;
        else
            m_ops.back().frees.push_back(passing);
    }
    if (m_r.loss == LossPath::Chunked) { // later chunks add to the earlier gradient
        const Bytes weight = m_s.vocab * m_s.hidden * sizeOf(m_r.gradient);
        const KernelId sum = m_b.kernel({.kind = OpKind::Elementwise,
            .type = m_r.gradient,
            .cost = CostClass::Loss,
            .calls = kLossChunks - 1,
            .bytesRead = Bytes{2} * (kLossChunks - 1) * weight,
            .bytesWritten = (kLossChunks - 1) * weight});
        m_ops.push_back({.name = "head_accumulate",
            .kernel = sum,
            .phase = Phase::Backward,
            .reads = {m_p.weights.gradientOf("head")},
            .writes = {m_p.weights.gradientOf("head")}});
    }
    if (m_r.tracesModel && m_r.loss == LossPath::Compiled && !m_held) { // an input of the model's graph
        m_ops.back().frees.clear();
        m_held = dLogits;
    }
    freeCasts();
}

void LossWriter::freeCasts()
{
    for (const auto &[copy, original] : {std::pair(m_weight, m_p.weights.weights), std::pair(m_input, m_p.normed)}) {
        if (copy != original)
            m_ops.back().frees.push_back(copy);
    }
}

} // namespace slipway
