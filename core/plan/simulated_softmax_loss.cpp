// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/simulated_loss_writer.h"

#include <utility>

namespace slipway {

// Transformers before 4.49 copies logits[..., :-1, :].contiguous() (modeling_llama.py of 4.45.2, loss/loss_utils.py of
// 4.47.1). The copy is a local variable of the function that computes the loss.
Use LossWriter::shifted(Use from, Bytes size, std::vector<Use> &locals)
{
    const Use copy = logits("shifted_logits", size);
    m_ops.push_back(
        {.name = "shift_logits", .kernel = pass(double(size), double(size)), .reads = {from}, .writes = {copy}});
    locals.push_back(copy);
    return copy;
}

// The gradient of the copy is written into zeros of the full shape.
Use LossWriter::shiftedBackward(Use gradient, Bytes size)
{
    const Use whole = logits("dlogits_whole", size);
    m_ops.push_back({.name = "shift_logits_backward",
        .kernel = pass(double(size), 2.0 * double(size)),
        .phase = Phase::Backward,
        .reads = {gradient},
        .writes = {whole},
        .frees = {gradient}});
    return whole;
}

void LossWriter::addSoftmax(Use out)
{
    const Bytes e = m_upcasts ? 4 : m_half;
    const LogitsCopy copy = m_r.logitsCopy;
    const bool copiesHalf = m_upcasts && copy == LogitsCopy::BeforeUpcast,
               copiesWide = copy != LogitsCopy::None && !copiesHalf;
    const bool keepsHalf =
        (m_r.loss == LossPath::Hf || m_r.computesLogitMetrics) && m_upcasts; // in the model's output object
    const bool keepsWide =
        m_upcasts ? m_r.loss == LossPath::UpcastHeld && !m_r.computesLogitMetrics
                  : m_r.loss != LossPath::Bf16Released || m_r.computesLogitMetrics; // the caller holds the logits
    std::vector<Use> locals;                                                        // freed when the loss returns
    const Use half = copiesHalf ? shifted(out, m_half, locals) : out;
    const Use wide = m_upcasts ? logits("logits_fp32", 4) : half;
    if (m_upcasts) {
        m_ops.push_back(
            {.name = "to_fp32", .kernel = pass(double(m_half), 4, true), .reads = {half}, .writes = {wide}});
        // Models that upcast their logits themselves assign the result to the same variable. A loss function leaves the
        // variable of its caller as it is.
        if (!keepsHalf)
            (copy == LogitsCopy::AfterUpcast ? m_ops.back().frees : locals).push_back(out);
    }
    if (!keepsWide)
        locals.push_back(wide);
    const Use taken = copiesWide ? shifted(wide, e, locals) : wide, logProbabilities = logits("log_probabilities", e);
    if (splitsRows())
        addSplitSoftmax(taken, logProbabilities, e);
    else // between the passes, one row per multiprocessor stays in the second-level cache: 108 rows of 50,000 fp32
         // numbers take half of an A100's
        m_ops.push_back({.name = "log_softmax",
            .kernel = pass(double(e), double(e)),
            .reads = {taken},
            .writes = {logProbabilities}});
    const KernelId nll = m_b.kernel({.kind = OpKind::Elementwise,
        .type = m_r.compute,
        .cost = CostClass::Loss,
        .bytesRead = m_rows * 8,
        .bytesWritten = 4});
    m_ops.push_back(
        {.name = "nll", .kernel = nll, .reads = {logProbabilities}, .writes = {m_p.loss}, .frees = std::move(locals)});
    const Use dOut = addSoftmaxBackward(logProbabilities, e, copiesWide);
    addHeadGradients(copiesHalf ? shiftedBackward(dOut, m_half) : dOut);
    if (keepsHalf || keepsWide)
        m_held = keepsHalf ? out : wide;
    if (m_r.computesLogitMetrics)
        addMetrics(*m_held);
}

// Returns the gradient of the logits in the type that the LM head wrote.
Use LossWriter::addSoftmaxBackward(Use logProbabilities, Bytes e, bool copiesWide)
{
    const Use dLog = logits("dlog_probabilities", e), dTaken = logits("dlogits_wide", e);
    m_ops.push_back({.name = "nll_backward",
        .kernel = pass(0, double(e)),
        .phase = Phase::Backward,
        .reads = {logProbabilities},
        .writes = {dLog}});
    if (splitsRows())
        addSplitSoftmaxBackward(logProbabilities, dLog, dTaken, e);
    else
        m_ops.push_back({.name = "log_softmax_backward",
            .kernel = pass(2.0 * double(e), double(e)),
            .phase = Phase::Backward,
            .reads = {logProbabilities, dLog},
            .writes = {dTaken},
            .frees = {logProbabilities, dLog}});
    const Use dWide = copiesWide ? shiftedBackward(dTaken, e) : dTaken;
    if (!m_upcasts)
        return dWide;
    const Use dOut = logits("dlogits", m_half);
    m_ops.push_back({.name = "to_fp32_backward",
        .kernel = pass(4, double(m_half), true),
        .phase = Phase::Backward,
        .reads = {dWide},
        .writes = {dOut},
        .frees = {dWide}});
    return dOut;
}

// Each of Composer's two metrics (LanguageCrossEntropy, LanguagePerplexity) is a cross-entropy of the logits. Autocast
// casts these to fp32 first. The metrics are computed after backward, and the logits are kept for them (Composer 0.12
// to 0.17, trainer.py, _eval_train_metrics).
void LossWriter::addMetrics(Use out)
{
    for (const char *name : {"cross_entropy_metric", "perplexity_metric"}) {
        const Use wide = m_half == 4 ? out : logits(std::string(name) + "_fp32", 4), result = logits(name, 4);
        if (wide != out)
            m_metrics.push_back({.name = "to_fp32",
                .kernel = pass(double(m_half), 4, true),
                .phase = Phase::Backward,
                .reads = {out},
                .writes = {wide}});
        m_metrics.push_back({.name = name,
            .kernel = pass(4, 4),
            .phase = Phase::Backward,
            .reads = {wide},
            .writes = {result, m_p.loss},
            .frees = {result}});
        if (wide != out)
            m_metrics.back().frees.push_back(wide);
    }
}

// PyTorch's loss over a sharded vocabulary consists of tensor operations (torch/distributed/tensor/parallel/loss.py).
// In both directions, four tensors as large as the logits exist at once.
bool LossWriter::splitsRows() const { return m_s.tp > 1 && m_r.keepsGathered; }

void LossWriter::addSplitSoftmax(Use wide, Use logProbabilities, Bytes e)
{
    const Use shifted = logits("shifted_logits", e), exponentials = logits("exponentials", e);
    const KernelId each = pass(double(e), double(e));
    m_ops.push_back(
        {.name = "subtract_max", .kernel = pass(2.0 * double(e), double(e)), .reads = {wide}, .writes = {shifted}});
    m_ops.push_back({.name = "exponentials", .kernel = each, .reads = {shifted}, .writes = {exponentials}});
    m_ops.push_back({.name = "sum_exponentials",
        .kernel = pass(double(e), 0),
        .reads = {exponentials},
        .writes = {m_p.loss},
        .frees = {exponentials}});
    m_ops.push_back(
        {.name = "log_softmax", .kernel = each, .reads = {shifted}, .writes = {logProbabilities}, .frees = {shifted}});
}

void LossWriter::addSplitSoftmaxBackward(Use logProbabilities, Use dLog, Use dWide, Bytes e)
{
    const Use softmax = logits("softmax", e), sum = logits("softmax_less_target", e);
    m_ops.push_back({.name = "softmax",
        .kernel = pass(double(e), double(e)),
        .phase = Phase::Backward,
        .reads = {logProbabilities},
        .writes = {softmax}});
    m_ops.push_back({.name = "subtract_target",
        .kernel = pass(2.0 * double(e), double(e)),
        .phase = Phase::Backward,
        .reads = {softmax, dLog},
        .writes = {sum},
        .frees = {softmax}});
    m_ops.push_back({.name = "log_softmax_backward",
        .kernel = pass(double(e), double(e)),
        .phase = Phase::Backward,
        .reads = {sum},
        .writes = {dWide},
        .frees = {logProbabilities, dLog, sum}});
}

} // namespace slipway
