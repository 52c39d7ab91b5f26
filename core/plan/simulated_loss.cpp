// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/simulated_loss.h"

#include <bit>
#include <utility>

#include "plan/simulated_loss_writer.h"

namespace slipway {

namespace {

// Liger's chunks have a power of two of tokens. Their logits take no more memory than the residual stream (liger-kernel
// 0.1.0 to 0.8.5, ops/fused_linear_cross_entropy.py).
int chunksByWidth(const SimulatedSizes &s)
{
    const auto share = static_cast<std::uint64_t>(ceilDiv(s.tokens, ceilDiv(s.vocab, s.hidden)));
    return static_cast<int>(ceilDiv(s.tokens, static_cast<std::int64_t>(std::bit_ceil(share))));
}

} // namespace

LossWriter::LossWriter(
    PlanBuilder &builder, const FrameworkRecipe &recipe, const SimulatedSizes &sizes, const SimulatedLossPlaces &places)
    : m_b(builder),
      m_r(recipe),
      m_s(sizes),
      m_p(places),
      m_chunks(recipe.loss != LossPath::Fused ? 1 : (recipe.chunksByWidth ? chunksByWidth(sizes) : kLossChunks)),
      m_rows(ceilDiv(sizes.tokens, m_chunks)),
      m_weight(places.weights.weights),
      m_input(places.normed),
      m_half(sizeOf(recipe.compute)),
      m_upcasts(recipe.compute != DType::Fp32 && recipe.loss != LossPath::Bf16 && recipe.loss != LossPath::Bf16Released)
{
}

SimulatedLoss LossWriter::write()
{
    if (m_r.autocast)
        addCasts();
    const Use out = logits("logits", m_half);
    m_ops.push_back({.name = "logits",
        .kernel = gemm(GemmForm::Forward, m_rows, m_s.vocab, m_s.hidden),
        .reads = {m_input, m_weight},
        .writes = {out}});
    // torchtitan computes the usual loss for each chunk, eager or compiled (0.3, components/loss.py,
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

SimulatedLoss recordSimulatedLoss(
    PlanBuilder &builder, const FrameworkRecipe &recipe, const SimulatedSizes &sizes, const SimulatedLossPlaces &places)
{
    return LossWriter(builder, recipe, sizes, places).write();
}

} // namespace slipway
