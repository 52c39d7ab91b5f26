// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/simulated_loss_writer.h"

#include <algorithm>

namespace slipway {

namespace {

// The small kernels of Megatron-LM's loss, in addition to its passes over the logits (tensor_parallel/cross_entropy.py,
// loss_func of pretrain_gpt.py). They select the tokens of this rank's part of the vocabulary, their logits and sums
// over ranks, and the mean over mask and ranks. Forward has some 35 launches. They count as half as many of a layer's,
// as fitted on vTrain's LM heads, where a micro-batch costs 3 ms beyond its kernels.
constexpr std::int32_t kLargestLaunches = 3, kParallelLossLaunches = 14, kParallelLossBackwardLaunches = 8;

} // namespace

// Megatron-LM's vocab_parallel_cross_entropy, while the caller holds the logits. It makes an fp32 copy, subtracts the
// maximum in place, and turns the copy into the softmax and then into its gradient. Until 2023, the exponentials were a
// second fp32 tensor.
void LossWriter::addParallel(Use out)
{
    const Use wide = m_upcasts ? logits("logits_fp32", 4) : out;
    const bool engine = m_r.pipelineEngine && m_upcasts;
    const Use read = engine ? keepOutputs(out, wide) : wide,
              softmax = m_r.inPlaceSoftmax && m_upcasts && !engine ? wide : logits("softmax", 4);
    if (m_upcasts && !engine)
        m_ops.push_back({.name = "to_fp32", .kernel = pass(double(m_half), 4, true), .reads = {out}, .writes = {wide}});
    m_ops.push_back(
        {.name = "subtract_max", .kernel = pass(8, 4, false, kLargestLaunches), .reads = {read}, .writes = {softmax}});
    m_ops.push_back({.name = "softmax",
        .kernel = pass(8, 8, false, kParallelLossLaunches),
        .reads = {softmax},
        .writes = {softmax, m_p.loss}});
    if (!engine)
        m_ops.back().frees.push_back(out);
    if (!engine && wide != out && wide != softmax)
        m_ops.back().frees.push_back(wide);
    addParallelBackward(softmax);
}

// Backward works in place, and then in 16 bits. Compiled pieces (fused_cross_entropy.py, calculate_gradients) copy the
// softmax, and also write the gradient into the softmax (PyTorch 2.11's code for Megatron-Core 0.11's function).
void LossWriter::addParallelBackward(Use softmax)
{
    const bool copies = m_r.loss == LossPath::ParallelFused && m_upcasts;
    const Use wide = copies ? logits("softmax_copy", 4) : softmax;
    m_ops.push_back({.name = "softmax_backward",
        .kernel = pass(4, 4, false, kParallelLossBackwardLaunches),
        .phase = Phase::Backward,
        .reads = {softmax},
        .writes = {wide}});
    if (!m_upcasts) {
        addHeadGradients(softmax);
        return;
    }
    const Use gradient = logits("dlogits", m_half);
    m_ops.push_back({.name = "to_fp32_backward",
        .kernel = pass(4, double(m_half) + (copies ? 4 : 0), true),
        .phase = Phase::Backward,
        .reads = {wide},
        .writes = {gradient},
        .frees = {softmax}});
    if (copies)
        m_ops.back().frees.push_back(wide);
    addHeadGradients(gradient);
}

// In DeepSpeed's pipeline engine, the last layer writes fp32 (float16_to_fp32 ends the model). The output stays in one
// of two buffers that micro-batches use in turn (runtime/pipe/engine.py, pipe_buffers['outputs']; num_pipe_buffers is 2
// or more). From then on, the last two outputs exist. New logits replace the older ones.
Use LossWriter::keepOutputs(Use out, Use wide)
{
    const Bytes kept = std::min<Bytes>(2, m_b.plan.gradAccum);
    const Use outputs{.buffer = m_b.buffer({.name = "pipe_outputs",
                          .bytes = kept * m_rows * m_s.vocab * 4,
                          .type = DType::Fp32,
                          .role = Role::Logits,
                          .scope = Scope::Run})};
    m_ops.push_back({.name = "to_fp32",
        .kernel = pass(double(m_half), 4),
        .reads = {out},
        .writes = {wide, outputs},
        .frees = {out, wide}});
    return outputs;
}

} // namespace slipway
