// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/simulated_loss.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace slipway {

namespace {

constexpr int kLossChunks = 8; // torchtune's and torchtitan's default

// Liger's parts are a power of two of tokens, whose logits take no more than the stream (liger-kernel 0.1.0 to 0.8.5,
// ops/fused_linear_cross_entropy.py).
int chunksByWidth(const SimulatedSizes &s)
{
    const auto share = static_cast<std::uint64_t>(ceilDiv(s.tokens, ceilDiv(s.vocab, s.hidden)));
    return static_cast<int>(ceilDiv(s.tokens, static_cast<std::int64_t>(std::bit_ceil(share))));
}

// Megatron-LM's loss besides its passes over the logits (tensor_parallel/cross_entropy.py, loss_func of
// pretrain_gpt.py): which words are this rank's, their logits and sums over ranks, the mean over the mask and the
// ranks, a small kernel each. Some 35 launches forward, which count as half as many of a layer's: as fitted on vTrain's
// heads, where a micro-batch costs 3 ms beside its kernels.
constexpr std::int32_t kLargestLaunches = 3, kParallelLossLaunches = 14, kParallelLossBackwardLaunches = 8;

class LossWriter {
public:
    LossWriter(PlanBuilder &builder, const FrameworkRecipe &recipe, const SimulatedSizes &sizes,
        const SimulatedLossPlaces &places)
        : m_b(builder),
          m_r(recipe),
          m_s(sizes),
          m_p(places),
          m_chunks(recipe.loss != LossPath::Fused ? 1 : (recipe.chunksByWidth ? chunksByWidth(sizes) : kLossChunks)),
          m_rows(ceilDiv(sizes.tokens, m_chunks)),
          m_weight(places.weights.weights),
          m_input(places.normed),
          m_half(sizeOf(recipe.compute)),
          m_upcasts(
              recipe.compute != DType::Fp32 && recipe.loss != LossPath::Bf16 && recipe.loss != LossPath::Bf16Released)
    {
    }

    SimulatedLoss write()
    {
        if (m_r.autocast)
            addCasts();
        const Use out = logits("logits", m_half);
        m_ops.push_back({.name = "logits",
            .kernel = gemm(GemmForm::Forward, m_rows, m_s.vocab, m_s.hidden),
            .reads = {m_input, m_weight},
            .writes = {out}});
        // torchtitan takes the usual loss of each part, eager or compiled (0.3, components/loss.py,
        // ChunkedLossWrapper).
        const bool usual = m_r.loss == LossPath::Fused && !m_r.chunksByWidth;
        if ((m_r.loss == LossPath::Fused && !usual) || m_r.loss == LossPath::InPlace) {
            m_ops.push_back({.name = "cross_entropy",
                .kernel = pass(2.0 * double(m_half), double(m_half)),
                .reads = {out},
                .writes = {out, m_p.loss}});
            addHeadGradients(out);
        } else if (m_r.loss == LossPath::Compiled || m_r.loss == LossPath::CompiledOutput ||
                   m_r.loss == LossPath::CompiledWhole || (usual && m_r.fusesAdditions)) {
            addCompiled(out);
        } else if (m_r.loss == LossPath::Chunked) {
            addChunked(out);
        } else if (m_r.loss == LossPath::Parallel || m_r.loss == LossPath::ParallelFused ||
                   m_r.loss == LossPath::ParallelCopied) {
            addParallel(out);
        } else {
            addSoftmax(out);
        }
        return {std::move(m_ops), m_chunks, m_held, m_tableGradient, std::move(m_metrics), m_tangent};
    }

private:
    Use logits(const std::string &name, Bytes size)
    {
        return {.buffer = m_b.buffer({.name = name,
                    .bytes = m_rows * m_s.vocab * size,
                    .type = size == 4 ? DType::Fp32 : DType::Bf16,
                    .role = Role::Logits,
                    .scope = Scope::MicroBatch})};
    }
    KernelId gemm(GemmForm form, std::int64_t m, std::int64_t n, std::int64_t k)
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
    // A kernel over all logits of the chunk; bytes of each that it reads and writes.
    KernelId pass(double read, double written, bool mixed = false, std::int32_t calls = 1)
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

    // Autocast's half copies of the head's operands, which backward keeps.
    void addCasts()
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

    // A compiled model that hands out its logits beside the loss: backward is given a gradient of them, which is zero,
    // and adds it (AOTAutograd makes the tangents of all outputs; PyTorch 2.11). The caller holds the logits.
    void addCompiled(Use out)
    {
        const bool handsOut = m_r.loss == LossPath::CompiledOutput;
        // What only the graphs know of is theirs to write over (donated_buffer; Inductor's code of PyTorch 2.11).
        const bool inPlace = m_r.loss == LossPath::CompiledWhole && m_r.writesOverSaved && !m_r.metersLogits;
        const Use gradient = inPlace ? out : logits("dlogits", m_half),
                  zeros = handsOut ? logits("logits_tangent", m_half) : gradient;
        m_ops.push_back(
            {.name = "cross_entropy", .kernel = pass(double(m_half), 0), .reads = {out}, .writes = {m_p.loss}});
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
        if (handsOut) { // and what backward is given waits in its caller's hands until it returns
            m_ops.back().reads.push_back(zeros);
            m_tangent = zeros;
        }
        if (m_r.metersLogits || handsOut) {
            m_held = out;
            if (m_r.metersLogits)
                addMetrics(out);
        } else if (!inPlace) {
            m_ops.back().frees.push_back(out);
        }
        addHeadGradients(gradient);
    }

    // torchtune's: the head's GEMMs of all chunks come first, so that half logits wait whole, and only one chunk is
    // upcast at a time (torchtune 0.5, TransformerDecoder.chunked_output and CEWithChunkedOutputLoss). Backward does
    // all losses before it comes to the GEMMs, and a chunk's gradient takes the place of its logits. A compiler
    // keeps those, eager code the fp32 log-probabilities.
    void addChunked(Use out)
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
                  dLog = chunk("dlog_probabilities", 4), dWide = chunk("dlogits_wide", 4),
                  dOut = logits("dlogits", m_half);
        m_ops.push_back({.name = "to_fp32",
            .kernel = pass(double(m_half), 4, true, kLossChunks),
            .reads = {out},
            .writes = {wide}});
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

    // Megatron-LM's vocab_parallel_cross_entropy while the caller holds the logits: a copy in fp32, from which the
    // largest is taken off in place and which becomes the soft-max and then its gradient. Until 2023 the exponentials
    // were a second fp32 tensor.
    void addParallel(Use out)
    {
        const Use wide = m_upcasts ? logits("logits_fp32", 4) : out;
        const bool engine = m_r.pipelineEngine && m_upcasts;
        const Use read = engine ? keepOutputs(out, wide) : wide,
                  softmax = m_r.inPlaceSoftmax && m_upcasts && !engine ? wide : logits("softmax", 4);
        if (m_upcasts && !engine)
            m_ops.push_back(
                {.name = "to_fp32", .kernel = pass(double(m_half), 4, true), .reads = {out}, .writes = {wide}});
        m_ops.push_back({.name = "subtract_max",
            .kernel = pass(8, 4, false, kLargestLaunches),
            .reads = {read},
            .writes = {softmax}});
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

    // In place, and then in half precision. Compiled pieces (fused_cross_entropy.py, calculate_gradients) take a copy
    // of the soft-max, and write the gradient into the soft-max as well (PyTorch 2.11's code for Megatron-Core 0.11's
    // function).
    void addParallelBackward(Use softmax)
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

    // DeepSpeed's pipeline engine has the last layer write fp32 (float16_to_fp32 ends the model) and leaves what it
    // wrote in one of two buffers that micro-batches take in turn (runtime/pipe/engine.py, pipe_buffers['outputs'];
    // num_pipe_buffers is 2 or more): the last two are there from then on. New logits take the place of the older ones.
    Use keepOutputs(Use out, Use wide)
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

    void addSoftmax(Use out)
    {
        const Bytes e = m_upcasts ? 4 : m_half;
        const Use wide = m_upcasts ? logits("logits_fp32", 4) : out, logProbabilities = logits("log_probabilities", e),
                  dLog = logits("dlog_probabilities", e), dWide = logits("dlogits_wide", e),
                  dOut = m_upcasts ? logits("dlogits", m_half) : dWide;
        const bool keepsHalf =
            (m_r.loss == LossPath::Hf || m_r.metersLogits) && m_upcasts; // in the model's output object
        const bool keepsWide =
            m_upcasts ? m_r.loss == LossPath::UpcastHeld && !m_r.metersLogits
                      : m_r.loss != LossPath::Bf16Released || m_r.metersLogits; // logits are what the caller holds
        if (m_upcasts)
            m_ops.push_back({.name = "to_fp32",
                .kernel = pass(double(m_half), 4, true),
                .reads = {out},
                .writes = {wide},
                .frees = keepsHalf ? std::vector<Use>{} : std::vector<Use>{out}});
        if (splitsRows())
            addSplitSoftmax(wide, logProbabilities, e);
        else // a row a multiprocessor lies in the second-level cache between the passes over it: 108 of 50,000 fp32
             // numbers take half an A100's
            m_ops.push_back({.name = "log_softmax",
                .kernel = pass(double(e), double(e)),
                .reads = {wide},
                .writes = {logProbabilities}});
        const KernelId nll = m_b.kernel({.kind = OpKind::Elementwise,
            .type = m_r.compute,
            .cost = CostClass::Loss,
            .bytesRead = m_rows * 8,
            .bytesWritten = 4});
        m_ops.push_back({.name = "nll",
            .kernel = nll,
            .reads = {logProbabilities},
            .writes = {m_p.loss},
            .frees = keepsWide ? std::vector<Use>{} : std::vector<Use>{wide}});
        m_ops.push_back({.name = "nll_backward",
            .kernel = pass(0, double(e)),
            .phase = Phase::Backward,
            .reads = {logProbabilities},
            .writes = {dLog}});
        if (splitsRows())
            addSplitSoftmaxBackward(logProbabilities, dLog, dWide, e);
        else
            m_ops.push_back({.name = "log_softmax_backward",
                .kernel = pass(2.0 * double(e), double(e)),
                .phase = Phase::Backward,
                .reads = {logProbabilities, dLog},
                .writes = {dWide},
                .frees = {logProbabilities, dLog}});
        if (m_upcasts)
            m_ops.push_back({.name = "to_fp32_backward",
                .kernel = pass(4, double(m_half), true),
                .phase = Phase::Backward,
                .reads = {dWide},
                .writes = {dOut},
                .frees = {dWide}});
        addHeadGradients(dOut);
        if (keepsHalf || keepsWide)
            m_held = keepsHalf ? out : wide;
        if (m_r.metersLogits)
            addMetrics(*m_held);
    }

    // Each of Composer's two metrics (LanguageCrossEntropy, LanguagePerplexity) is a cross-entropy of the logits, which
    // autocast makes fp32 first, and comes after backward, for which the logits stay (Composer 0.12 to 0.17,
    // trainer.py, _eval_train_metrics).
    void addMetrics(Use out)
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

    // PyTorch's loss over a split vocabulary is written in tensor operations
    // (torch/distributed/tensor/parallel/loss.py): in both directions four tensors as wide as the logits are there at
    // once.
    [[nodiscard]] bool splitsRows() const { return m_s.tp > 1 && m_r.keepsGathered; }
    void addSplitSoftmax(Use wide, Use logProbabilities, Bytes e)
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
        m_ops.push_back({.name = "log_softmax",
            .kernel = each,
            .reads = {shifted},
            .writes = {logProbabilities},
            .frees = {shifted}});
    }
    void addSplitSoftmaxBackward(Use logProbabilities, Use dLog, Use dWide, Bytes e)
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

    void addHeadGradients(Use dLogits)
    {
        m_ops.push_back({.name = "head_dx",
            .kernel = gemm(GemmForm::InputGradient, m_rows, m_s.hidden, m_s.vocab),
            .phase = Phase::Backward,
            .reads = {dLogits, m_weight},
            .writes = {m_p.normedGradient}});
        if (m_r.freezes()) {
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
        if (m_r.loss == LossPath::Chunked) { // each later chunk's is added to those before
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
        if (m_r.tracesModel && m_r.loss == LossPath::Compiled && !m_held) { // the model's graph is given it
            m_ops.back().frees.clear();
            m_held = dLogits;
        }
        freeCasts();
    }

    void freeCasts()
    {
        for (const auto &[copy, original] :
            {std::pair(m_weight, m_p.weights.weights), std::pair(m_input, m_p.normed)}) {
            if (copy != original)
                m_ops.back().frees.push_back(copy);
        }
    }

    PlanBuilder &m_b;
    const FrameworkRecipe &m_r;
    const SimulatedSizes &m_s;
    const SimulatedLossPlaces &m_p;
    int m_chunks; // each goes through head, loss and backward before the next
    std::int64_t m_rows;
    Use m_weight, m_input; // of the head's GEMM
    Bytes m_half;
    bool m_upcasts;
    std::optional<Use> m_held, m_tableGradient, m_tangent;
    std::vector<Op> m_metrics;
    std::vector<Op> m_ops;
};

} // namespace

SimulatedLoss recordSimulatedLoss(
    PlanBuilder &builder, const FrameworkRecipe &recipe, const SimulatedSizes &sizes, const SimulatedLossPlaces &places)
{
    return LossWriter(builder, recipe, sizes, places).write();
}

} // namespace slipway
