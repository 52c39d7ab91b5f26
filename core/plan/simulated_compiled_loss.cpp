// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/simulated_loss_writer.h"

namespace slipway {

// A compiled model that returns its logits together with the loss. Backward gets a gradient of the logits, which is
// zero, and adds it (AOTAutograd creates the tangents of all outputs; PyTorch 2.11). The caller holds the logits.
void LossWriter::addCompiled(Use out)
{
    const bool handsOut = m_r.loss == LossPath::CompiledOutput;
    // The graphs may overwrite tensors that only they use (donated_buffer; Inductor's code of PyTorch 2.11).
    const bool inPlace = m_r.loss == LossPath::CompiledWhole && m_r.writesOverSaved && !m_r.computesLogitMetrics;
    const Use gradient = inPlace ? out : logits("dlogits", m_half),
              zeros = handsOut ? logits("logits_tangent", m_half) : gradient;
    m_ops.push_back({.name = "cross_entropy", .kernel = pass(double(m_half), 0), .reads = {out}, .writes = {m_p.loss}});
    if (handsOut)
        m_ops.push_back({.name = "zero_tangent",
            .kernel = pass(0, double(m_half)),
            .phase = Phase::Backward,
            .reads = {},
            .writes = {zeros}});
    m_ops.push_back({.name = "cross_entropy_backward",
        .kernel = pass((handsOut ? 2 : 1) * double(m_half), double(m_half)),
        .phase = Phase::Backward,
        .reads = {out},
        .writes = {gradient}});
    if (handsOut) { // backward's caller holds the tangent until backward returns
        m_ops.back().reads.push_back(zeros);
        m_tangent = zeros;
    }
    if (m_r.computesLogitMetrics || handsOut) {
        m_held = out;
        if (m_r.computesLogitMetrics)
            addMetrics(out);
    } else if (!inPlace) {
        m_ops.back().frees.push_back(out);
    }
    addHeadGradients(gradient);
}

// torchtune's chunked loss. The LM head's GEMMs of all chunks run first, so all 16-bit logits exist at once. Only one
// chunk is upcast at a time (torchtune 0.5, TransformerDecoder.chunked_output and CEWithChunkedOutputLoss). Backward
// computes all losses before the GEMMs, and the gradient of a chunk replaces its logits. A compiler keeps the logits,
// and eager code keeps the fp32 log-probabilities.
void LossWriter::addChunked(Use out)
{
    const auto chunk = [&](const std::string &name, Bytes size) {
        return Use{.buffer = m_b.buffer({.name = name,
                       .bytes = ceilDiv(m_rows, kLossChunks) * m_s.vocab * size,
                       .type = size == 4 ? DType::Fp32 : DType::Bf16,
                       .role = Role::Logits,
                       .scope = Scope::MicroBatch})};
    };
    if (m_r.fusesAdditions || !m_upcasts) {
        const Use gradient = chunk("dlogits_chunk", m_half);
        m_ops.push_back({.name = "cross_entropy",
            .kernel = pass(double(m_half), 0, false, kLossChunks),
            .reads = {out},
            .writes = {m_p.loss}});
        m_ops.push_back({.name = "cross_entropy_backward",
            .kernel = pass(double(m_half), double(m_half), false, kLossChunks),
            .phase = Phase::Backward,
            .reads = {out},
            .writes = {out, gradient},
            .frees = {gradient}});
        addHeadGradients(out);
        return;
    }
    const Use wide = chunk("logits_fp32", 4), logProbabilities = logits("log_probabilities", 4),
              dLog = chunk("dlog_probabilities", 4), dWide = chunk("dlogits_wide", 4), dOut = logits("dlogits", m_half);
    m_ops.push_back(
        {.name = "to_fp32", .kernel = pass(double(m_half), 4, true, kLossChunks), .reads = {out}, .writes = {wide}});
    m_ops.push_back({.name = "log_softmax",
        .kernel = pass(8, 4, false, kLossChunks),
        .reads = {wide},
        .writes = {logProbabilities, m_p.loss},
        .frees = {wide, out}});
    m_ops.push_back({.name = "nll_backward",
        .kernel = pass(0, 4, false, kLossChunks),
        .phase = Phase::Backward,
        .reads = {logProbabilities},
        .writes = {dLog}});
    m_ops.push_back({.name = "log_softmax_backward",
        .kernel = pass(8, 4, false, kLossChunks),
        .phase = Phase::Backward,
        .reads = {logProbabilities, dLog},
        .writes = {dWide},
        .frees = {dLog}});
    m_ops.push_back({.name = "to_fp32_backward",
        .kernel = pass(4, double(m_half), true, kLossChunks),
        .phase = Phase::Backward,
        .reads = {dWide},
        .writes = {dOut},
        .frees = {dWide, logProbabilities}});
    addHeadGradients(dOut);
}

} // namespace slipway
