// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/native/attention.h"

#include <ranges>

namespace slipway::native {

namespace {

Linear qkvOf(const Sizes &s) { return {.name = "qkv", .rows = s.tokens, .out = s.qkvWidth, .in = s.hidden}; }

bool isFlash(const Sizes &s) { return s.attention == Attention::Flash; }

// The heads of a micro-batch.
Kernel headsKernel(const OpWriter &writer, OpKind kind)
{
    return {.kind = kind,
        .type = writer.s.type,
        .m = writer.s.tokens,
        .n = writer.s.qWidth,
        .batch = static_cast<std::int32_t>(writer.s.batch),
        .seq = static_cast<std::int32_t>(writer.s.seq),
        .heads = writer.s.heads,
        .kvHeads = writer.s.kvHeads,
        .headDim = writer.model.attention.headDim};
}

// LibTorch's functions return new tensors, which the op then copies, and the backward function of cuDNN or
// FlashAttention-2 sums dq in fp32. Measured on an H200: 29 sequences of 2,048 tokens and 20 heads of 128 needed
// 870 MiB for the gradients and 586 MiB for the sums.
Bytes libraryBytes(const Sizes &s, OpKind kind)
{
    const Bytes element = sizeOf(s.type), statistics = s.tokens * s.heads * sizeOf(DType::Fp32);
    if (s.type != DType::Bf16)
        return 0;
    if (kind == OpKind::FlashAttention)
        return s.blasWorkspace + s.tokens * s.qWidth * element + statistics;
    if (kind == OpKind::FlashAttentionBackward)
        return s.blasWorkspace + s.tokens * (s.qkvWidth * element + s.qWidth * sizeOf(DType::Fp32)) + statistics;
    return 0;
}

// A window at least as long as the sequence has no effect.
KernelId attentionKernel(const OpWriter &writer, OpKind kind, const LayerKind &layer)
{
    Kernel kernel = headsKernel(writer, kind);
    kernel.window = layer.window < writer.s.wholeSeq ? layer.window : 0;
    if (writer.s.contextRanks > 1)
        kernel.k = writer.s.wholeSeq;
    kernel.scale = static_cast<float>(writer.model.attention.scale);
    kernel.softCap = static_cast<float>(writer.model.attention.softCap);
    kernel.libraryBytes = libraryBytes(writer.s, kind);
    return writer.b.kernel(kernel);
}

// RoPE of queries and keys, and their norms, in the order of the model.
enum class HeadOp { Norm, Rope };
std::vector<HeadOp> headOps(const ModelSpec &model, const LayerKind &layer)
{
    std::vector<HeadOp> ops;
    if (model.attention.qkNorm != QkNorm::None)
        ops.push_back(HeadOp::Norm);
    if (model.position == Position::Rope && layer.rope != kNoRope)
        ops.insert(model.attention.qkNormAfterRope ? ops.begin() : ops.end(), HeadOp::Rope);
    return ops;
}

KernelId ropeKernel(const OpWriter &writer, OpKind kind, const LayerKind &layer)
{
    Kernel kernel = headsKernel(writer, kind);
    kernel.rope = layer.rope;
    return writer.b.kernel(kernel);
}

std::vector<Use> withPositions(const AttentionBuffers &buffers, std::vector<Use> reads)
{
    if (buffers.documents)
        reads.push_back(at(buffers.documents->positions));
    return reads;
}

// Vanilla attention with separate documents runs only on the CPU, which sees the documents by other means.
void addBounds(const OpWriter &writer, const AttentionBuffers &buffers, std::vector<Use> &reads)
{
    if (buffers.documents && isFlash(writer.s))
        reads.push_back(at(buffers.documents->bounds));
}

const WeightUse &qkNormWeights(const OpWriter &writer)
{
    return writer.w.at(writer.model.attention.qkNorm == QkNorm::Head ? "qk_norm" : "qk_norm_all_heads");
}

void headForward(OpWriter &writer, const AttentionBuffers &buffers, const LayerKind &layer, HeadOp op)
{
    const Use qkv = at(buffers.qkv);
    if (op == HeadOp::Rope)
        return writer.add("rope", ropeKernel(writer, OpKind::Rope, layer), withPositions(buffers, {qkv}), {qkv});
    writer.add("qk_norm", writer.b.kernel(headsKernel(writer, OpKind::QkNorm)), {qkv, qkNormWeights(writer).weight},
        {qkv, at(*buffers.qk), at(*buffers.qkRstd)});
}

void headBackward(OpWriter &writer, const AttentionBuffers &buffers, const LayerKind &layer, HeadOp op)
{
    const Use dQkv = at(buffers.dQkv);
    if (op == HeadOp::Rope)
        return writer.add(
            "rope_backward", ropeKernel(writer, OpKind::RopeBackward, layer), withPositions(buffers, {dQkv}), {dQkv});
    writer.addGradient("qk_norm_backward", writer.b.kernel(headsKernel(writer, OpKind::QkNormBackward)),
        {dQkv, at(*buffers.qk), at(*buffers.qkRstd), qkNormWeights(writer).weight},
        {dQkv, qkNormWeights(writer).gradient});
}

void scoresBackward(OpWriter &writer, const AttentionBuffers &buffers, const LayerKind &layer)
{
    std::vector<Use> reads{at(buffers.dOut), at(buffers.qkv)}, writes{at(buffers.dQkv)};
    if (isFlash(writer.s))
        reads.push_back(at(buffers.out));
    reads.push_back(at(buffers.softmax));
    addBounds(writer, buffers, reads);
    if (isFlash(writer.s))
        reads = withPositions(buffers, std::move(reads));
    for (const std::optional<BufferId> &workspace : {buffers.delta, buffers.dq, buffers.dScores}) {
        if (workspace)
            writes.push_back(at(*workspace));
    }
    writer.add("attention_backward",
        attentionKernel(
            writer, isFlash(writer.s) ? OpKind::FlashAttentionBackward : OpKind::VanillaAttentionBackward, layer),
        std::move(reads), std::move(writes));
}

} // namespace

std::vector<BufferId> AttentionBuffers::saved() const
{
    std::vector<BufferId> all{qkv, out, softmax};
    if (qk)
        all.insert(all.end(), {*qk, *qkRstd});
    return all;
}

std::vector<BufferId> AttentionBuffers::temporary() const
{
    std::vector<BufferId> all{dOut, dQkv};
    for (const std::optional<BufferId> &workspace : {delta, dq, dScores}) {
        if (workspace)
            all.push_back(*workspace);
    }
    return all;
}

std::vector<BufferId> AttentionBuffers::selectivelyRecomputed(const Sizes &sizes) const
{
    return isFlash(sizes) ? std::vector{out, softmax} : std::vector{softmax};
}

void declareSaved(const BufferMaker &make, const ModelSpec &model, AttentionBuffers &buffers)
{
    const Sizes &s = make.s;
    const int heads = s.heads;
    buffers.qkv = make.saved("qkv", s.qkvWidth);
    buffers.out = make.saved("attention_out", s.qWidth);
    buffers.softmax = isFlash(s) ? make.statistics("attention_lse", true, heads)
                                 : make.add("attention_probabilities",
                                       s.batch * heads * s.seq * s.wholeSeq * sizeOf(s.type), s.type, true);
    if (model.attention.qkNorm == QkNorm::None)
        return;
    buffers.qk = make.saved("qk_before_norm", std::int64_t{heads + s.kvHeads} * model.attention.headDim);
    buffers.qkRstd = make.statistics("qk_rstd", true, model.attention.qkNorm == QkNorm::Head ? heads + s.kvHeads : 2);
}

void declareTemporary(const BufferMaker &make, AttentionBuffers &buffers)
{
    const Sizes &s = make.s;
    const int heads = s.heads;
    buffers.dOut = make.temporary("dattention", s.qWidth);
    buffers.dQkv = make.temporary("dqkv", s.qkvWidth);
    if (!isFlash(s)) {
        buffers.dScores =
            make.add("dscores", s.batch * heads * s.seq * s.wholeSeq * sizeOf(s.type), s.type, false, Role::Workspace);
        return;
    }
    buffers.delta = make.add("attention_delta", s.tokens * heads * 4, DType::Fp32, false, Role::Workspace);
    if (s.type == DType::Bf16)
        buffers.dq = make.add("attention_dq", s.tokens * s.qWidth * 4, DType::Fp32, false, Role::Workspace);
}

void attentionForward(OpWriter &writer, const AttentionBuffers &buffers, const LayerKind &layer, BufferId normed)
{
    writer.linear(qkvOf(writer.s), at(normed), at(buffers.qkv));
    for (const HeadOp op : headOps(writer.model, layer))
        headForward(writer, buffers, layer, op);
    const bool flash = isFlash(writer.s);
    std::vector<Use> reads{at(buffers.qkv)};
    addBounds(writer, buffers, reads);
    writer.add("attention", attentionKernel(writer, flash ? OpKind::FlashAttention : OpKind::VanillaAttention, layer),
        std::move(reads),
        flash ? std::vector{at(buffers.out), at(buffers.softmax)} : std::vector{at(buffers.softmax), at(buffers.out)});
}

Linear projectionOf(const Sizes &s) { return {.name = "o", .rows = s.tokens, .out = s.hidden, .in = s.qWidth}; }

void attentionBackward(OpWriter &writer, const AttentionBuffers &buffers, const LayerKind &layer, BufferId normed,
    BufferId dBranch, BufferId dNormed, std::optional<BufferId> residual)
{
    // A weight's gradient is computed before its input's, so that the buffers that it read are freed before the next
    // allocation.
    writer.linearWeightGradient(projectionOf(writer.s), at(dBranch), at(buffers.out));
    writer.linearInputGradient(projectionOf(writer.s), at(dBranch), at(buffers.dOut));
    scoresBackward(writer, buffers, layer);
    const std::vector<HeadOp> ops = headOps(writer.model, layer);
    for (const HeadOp op : std::views::reverse(ops))
        headBackward(writer, buffers, layer, op);
    writer.linearWeightGradient(qkvOf(writer.s), at(buffers.dQkv), at(normed));
    const Use added = at(residual.value_or(dNormed));
    writer.linearInputGradient(qkvOf(writer.s), at(buffers.dQkv), at(dNormed), residual ? &added : nullptr);
}

} // namespace slipway::native
