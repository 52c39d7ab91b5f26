// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/llama_blocks.h"

namespace slipway {

namespace {

Use at(BufferId buffer, int layerShift = 0)
{
    return {.buffer = buffer, .layerShift = static_cast<std::int8_t>(layerShift)};
}

// The rows of a chunk: the slot's index counts chunks.
Use chunkOf(BufferId buffer, Bytes rowsBytes) { return {.buffer = buffer, .stride = rowsBytes}; }

// Kernels by the shapes that a block names.
struct Kernels {
    PlanBuilder &b;
    const LlamaSizes &s;

    [[nodiscard]] KernelId rows(OpKind kind, std::int64_t width) const
    {
        return b.kernel({.kind = kind, .type = s.type, .m = s.tokens, .n = width});
    }
    [[nodiscard]] KernelId gemm(GemmForm form, std::int64_t m, std::int64_t n, std::int64_t k) const
    {
        return b.kernel({.kind = OpKind::Gemm, .type = s.type, .form = form, .m = m, .n = n, .k = k});
    }
    [[nodiscard]] KernelId attention(OpKind kind) const
    {
        return b.kernel({.kind = kind,
            .type = s.type,
            .m = s.tokens,
            .n = s.qWidth,
            .batch = static_cast<std::int32_t>(s.batch),
            .seq = static_cast<std::int32_t>(s.seq),
            .heads = s.heads,
            .kvHeads = s.kvHeads,
            .headDim = s.headDim});
    }
};

constexpr Phase kBackward = Phase::Backward;

} // namespace

Block embeddingForward(PlanBuilder &builder, const LlamaLayout &l)
{
    const KernelId load = builder.kernel({.kind = OpKind::LoadBatch, .type = DType::Int32, .m = l.sizes.tokens});
    return {"embedding_forward",
        {
            {.name = "load_batch", .kernel = load, .stream = Stream::Copy, .writes = {at(l.tokens), at(l.targets)}},
            {.name = "embedding",
                .kernel = builder.kernel(
                    {.kind = OpKind::Embedding, .type = l.sizes.type, .m = l.sizes.tokens, .n = l.sizes.hidden}),
                .reads = {at(l.tokens), l.table.weight},
                .writes = {at(l.x)}},
        }};
}

Block layerForward(PlanBuilder &builder, const LlamaLayout &l)
{
    const LlamaSizes &s = l.sizes;
    const Kernels k{builder, s};
    const GemmForm form = GemmForm::Forward;
    const OpKind attention = s.attention == Attention::Flash ? OpKind::FlashAttention : OpKind::VanillaAttention;
    // The residual is added on the way, not in a pass of its own. That of attention waits for its norm, which reads it
    // anyway.
    const KernelId down = builder.kernel({.kind = OpKind::Gemm,
        .type = s.type,
        .form = form,
        .m = s.tokens,
        .n = s.hidden,
        .k = s.ffn,
        .residual = true});
    const auto attentionWrites = s.attention == Attention::Flash
                                     ? std::vector<Use>{at(l.attentionOut), at(l.attentionSaved)}
                                     : std::vector<Use>{at(l.attentionSaved), at(l.attentionOut)};
    return {"layer_forward",
        {
            {.name = "attention_norm",
                .kernel = k.rows(OpKind::RmsNorm, s.hidden),
                .reads = {at(l.x), l.norm1.weight},
                .writes = {at(l.n1), at(l.rstd1)}},
            {.name = "qkv",
                .kernel = k.gemm(form, s.tokens, s.qkvWidth, s.hidden),
                .reads = {at(l.n1), l.qkv.weight},
                .writes = {at(l.qkvOut)}},
            {.name = "rope", .kernel = k.attention(OpKind::Rope), .reads = {at(l.qkvOut)}, .writes = {at(l.qkvOut)}},
            {.name = "attention", .kernel = k.attention(attention), .reads = {at(l.qkvOut)}, .writes = attentionWrites},
            {.name = "o",
                .kernel = k.gemm(form, s.tokens, s.hidden, s.qWidth),
                .reads = {at(l.attentionOut), l.o.weight},
                .writes = {at(l.projected)}},
            {.name = "mlp_norm",
                .kernel = k.rows(OpKind::AddRmsNorm, s.hidden),
                .reads = {at(l.x), at(l.projected), l.norm2.weight},
                .writes = {at(l.xMid), at(l.n2), at(l.rstd2)},
                .frees = {at(l.projected)}},
            {.name = "gate_up",
                .kernel = k.gemm(form, s.tokens, 2 * s.ffn, s.hidden),
                .reads = {at(l.n2), l.gateUp.weight},
                .writes = {at(l.gateUpOut)}},
            {.name = "swiglu",
                .kernel = k.rows(OpKind::SwiGlu, s.ffn),
                .reads = {at(l.gateUpOut)},
                .writes = {at(l.product)}},
            {.name = "down",
                .kernel = down,
                .reads = {at(l.product), l.down.weight, at(l.xMid)},
                .writes = {at(l.x, 1)}},
        },
        true};
}

Block finalNormForward(PlanBuilder &builder, const LlamaLayout &l)
{
    const Kernels k{builder, l.sizes};
    // Slot index: the number of layers, so that x is the last layer's output.
    return {"final_norm_forward", {
                                      {.name = "final_norm",
                                          .kernel = k.rows(OpKind::RmsNorm, l.sizes.hidden),
                                          .reads = {at(l.x), l.finalNorm.weight},
                                          .writes = {at(l.finalNormed), at(l.rstdFinal)}},
                                  }};
}

Block lossChunk(PlanBuilder &builder, const LlamaLayout &l, std::int64_t rows, bool firstOfStep, bool accumulate)
{
    const LlamaSizes &s = l.sizes;
    const auto gemm = [&](GemmForm form, std::int64_t m, std::int64_t n, std::int64_t k) {
        return builder.kernel(
            {.kind = OpKind::Gemm, .type = s.type, .form = form, .cost = CostClass::Loss, .m = m, .n = n, .k = k});
    };
    const Use normed = chunkOf(l.finalNormed, s.chunkRows * s.hidden * sizeOf(s.type));
    const Use targets = chunkOf(l.targets, s.chunkRows * sizeOf(DType::Int32));
    const KernelId crossEntropy =
        builder.kernel({.kind = OpKind::CrossEntropy, .type = s.type, .m = rows, .n = s.vocab, .k = s.vocabPitch});
    return {"loss_chunk", {
                              {.name = "logits",
                                  .kernel = gemm(GemmForm::Forward, rows, s.vocabPitch, s.hidden),
                                  .reads = {normed, l.head.weight},
                                  .writes = {at(l.logits)}},
                              {.name = "cross_entropy",
                                  .kernel = crossEntropy,
                                  .accumulate = !firstOfStep,
                                  .reads = {at(l.logits), targets},
                                  .writes = {at(l.logits), at(l.loss)}},
                              {.name = "head_dweight",
                                  .kernel = gemm(GemmForm::WeightGradient, s.vocabPitch, s.hidden, rows),
                                  .phase = kBackward,
                                  .accumulate = accumulate,
                                  .reads = {at(l.logits), normed},
                                  .writes = {l.head.gradient}},
                              {.name = "head_dx",
                                  .kernel = gemm(GemmForm::InputGradient, rows, s.hidden, s.vocabPitch),
                                  .phase = kBackward,
                                  .reads = {at(l.logits), l.head.weight},
                                  .writes = {normed},
                                  .frees = {at(l.logits)}},
                          }};
}

Block finalNormBackward(PlanBuilder &builder, const LlamaLayout &l, GradientMode mode)
{
    const Kernels k{builder, l.sizes};
    return {"final_norm_backward", {
                                       {.name = "final_norm_backward",
                                           .kernel = k.rows(OpKind::RmsNormBackward, l.sizes.hidden),
                                           .phase = kBackward,
                                           .accumulate = mode.accumulate,
                                           .reads = {at(l.finalNormed), at(l.x), at(l.rstdFinal), l.finalNorm.weight},
                                           .writes = {at(l.dx), l.finalNorm.gradient},
                                           .frees = {at(l.finalNormed), at(l.rstdFinal), at(l.x), at(l.targets)}},
                                   }};
}

Block layerBackward(PlanBuilder &builder, const LlamaLayout &l, GradientMode mode)
{
    const LlamaSizes &s = l.sizes;
    const Kernels k{builder, s};
    const bool acc = mode.accumulate;
    const auto dgrad = [&](std::int64_t in, std::int64_t out) {
        return k.gemm(GemmForm::InputGradient, s.tokens, in, out);
    };
    const auto wgrad = [&](std::int64_t out, std::int64_t in) {
        return k.gemm(GemmForm::WeightGradient, out, in, s.tokens);
    };
    const auto normBackward = k.rows(OpKind::RmsNormBackward, s.hidden);

    Op attention{.name = "attention_backward",
        .kernel = k.attention(
            s.attention == Attention::Flash ? OpKind::FlashAttentionBackward : OpKind::VanillaAttentionBackward),
        .phase = kBackward};
    if (s.attention == Attention::Flash) {
        attention.reads = {at(l.dAttention), at(l.qkvOut), at(l.attentionOut), at(l.attentionSaved)};
        attention.writes = {at(l.dQkv), at(l.attentionDelta)};
        attention.frees = {
            at(l.attentionDelta), at(l.dAttention), at(l.qkvOut), at(l.attentionOut), at(l.attentionSaved)};
        if (l.attentionDq) {
            attention.writes.push_back(at(*l.attentionDq));
            attention.frees.push_back(at(*l.attentionDq));
        }
    } else {
        attention.reads = {at(l.dAttention), at(l.qkvOut), at(l.attentionSaved)};
        attention.writes = {at(l.dQkv), at(*l.dScores)};
        attention.frees = {at(*l.dScores), at(l.dAttention), at(l.qkvOut), at(l.attentionOut), at(l.attentionSaved)};
    }

    // A weight's gradient comes before its input's, so that what it read is gone when the next buffer is allocated.
    return {"layer_backward",
        {
            {.name = "down_dweight",
                .kernel = wgrad(s.hidden, s.ffn),
                .phase = kBackward,
                .accumulate = acc,
                .reads = {at(l.dx), at(l.product)},
                .writes = {l.down.gradient},
                .frees = {at(l.product)}},
            {.name = "down_dx",
                .kernel = dgrad(s.ffn, s.hidden),
                .phase = kBackward,
                .reads = {at(l.dx), l.down.weight},
                .writes = {at(l.dProduct)}},
            {.name = "swiglu_backward",
                .kernel = k.rows(OpKind::SwiGluBackward, s.ffn),
                .phase = kBackward,
                .reads = {at(l.dProduct), at(l.gateUpOut)},
                .writes = {at(l.gateUpOut)},
                .frees = {at(l.dProduct)}},
            {.name = "gate_up_dweight",
                .kernel = wgrad(2 * s.ffn, s.hidden),
                .phase = kBackward,
                .accumulate = acc,
                .reads = {at(l.gateUpOut), at(l.n2)},
                .writes = {l.gateUp.gradient},
                .frees = {at(l.n2)}},
            {.name = "gate_up_dx",
                .kernel = dgrad(s.hidden, 2 * s.ffn),
                .phase = kBackward,
                .reads = {at(l.gateUpOut), l.gateUp.weight},
                .writes = {at(l.dNormed)},
                .frees = {at(l.gateUpOut)}},
            {.name = "mlp_norm_backward",
                .kernel = normBackward,
                .phase = kBackward,
                .accumulate = acc,
                .reads = {at(l.dNormed), at(l.xMid), at(l.rstd2), l.norm2.weight, at(l.dx)},
                .writes = {at(l.dx), l.norm2.gradient},
                .frees = {at(l.dNormed), at(l.xMid), at(l.rstd2)}},
            {.name = "o_dweight",
                .kernel = wgrad(s.hidden, s.qWidth),
                .phase = kBackward,
                .accumulate = acc,
                .reads = {at(l.dx), at(l.attentionOut)},
                .writes = {l.o.gradient}},
            {.name = "o_dx",
                .kernel = dgrad(s.qWidth, s.hidden),
                .phase = kBackward,
                .reads = {at(l.dx), l.o.weight},
                .writes = {at(l.dAttention)}},
            attention,
            {.name = "rope_backward",
                .kernel = k.attention(OpKind::RopeBackward),
                .phase = kBackward,
                .reads = {at(l.dQkv)},
                .writes = {at(l.dQkv)}},
            {.name = "qkv_dweight",
                .kernel = wgrad(s.qkvWidth, s.hidden),
                .phase = kBackward,
                .accumulate = acc,
                .reads = {at(l.dQkv), at(l.n1)},
                .writes = {l.qkv.gradient},
                .frees = {at(l.n1)}},
            {.name = "qkv_dx",
                .kernel = dgrad(s.hidden, s.qkvWidth),
                .phase = kBackward,
                .reads = {at(l.dQkv), l.qkv.weight},
                .writes = {at(l.dNormed)},
                .frees = {at(l.dQkv)}},
            {.name = "attention_norm_backward",
                .kernel = normBackward,
                .phase = kBackward,
                .accumulate = acc,
                .reads = {at(l.dNormed), at(l.x), at(l.rstd1), l.norm1.weight, at(l.dx)},
                .writes = {at(l.dx), l.norm1.gradient},
                .frees = {at(l.dNormed), at(l.x), at(l.rstd1)}},
        },
        true};
}

Block embeddingBackward(PlanBuilder &builder, const LlamaLayout &l, GradientMode mode, bool tied)
{
    const KernelId kernel = builder.kernel({.kind = OpKind::EmbeddingBackward,
        .type = l.sizes.type,
        .m = l.sizes.tokens,
        .n = l.sizes.hidden,
        .k = l.sizes.tableRows});
    return {"embedding_backward", {
                                      {.name = "embedding_backward",
                                          .kernel = kernel,
                                          .phase = kBackward,
                                          .accumulate = tied || mode.accumulate,
                                          .reads = {at(l.tokens), at(l.dx)},
                                          .writes = {l.table.gradient},
                                          .frees = {at(l.tokens), at(l.dx)}},
                                  }};
}

Block sumSquares(PlanBuilder &builder, const LlamaLayout &l, const ParameterUnit &unit, bool first)
{
    const KernelId kernel = builder.kernel({.kind = OpKind::SumSquares, .type = DType::Fp32, .m = 1, .n = unit.part});
    return {unit.name + "_gradient_norm",
        {
            {.name = "sum_squares",
                .kernel = kernel,
                .phase = Phase::Optimizer,
                .accumulate = !first,
                .reads = {ownPart(builder.plan, unit, unit.gradient)},
                .writes = {at(l.norm2Sum)}},
        },
        unit.perLayer};
}

Block adamW(PlanBuilder &builder, const LlamaLayout &l, const ParameterUnit &unit)
{
    const auto own = [&](BufferId buffer) { return ownPart(builder.plan, unit, buffer); };
    Op op{.name = "adamw",
        .kernel = builder.kernel(
            {.kind = OpKind::AdamW, .type = l.sizes.type, .m = 1, .n = unit.part, .k = unit.decayElements}),
        .phase = Phase::Optimizer,
        .reads = {own(unit.gradient), at(l.norm2Sum)},
        .writes = {own(unit.parameter), own(unit.master), at(unit.momentum), at(unit.variance)},
        .frees = {at(unit.gradient)}};
    return {unit.name + "_optimizer", {op}, unit.perLayer};
}

} // namespace slipway
