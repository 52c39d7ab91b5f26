// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/native/ends.h"

namespace slipway::native {

namespace {

KernelId embeddingScale(const OpWriter &writer)
{
    return writer.b.kernel({.kind = OpKind::Scale,
        .type = writer.s.type,
        .m = writer.s.streamTokens,
        .n = writer.s.hidden,
        .scale = static_cast<float>(writer.model.embeddingScale())});
}

KernelId positions(const OpWriter &writer, OpKind kind)
{
    return writer.b.kernel({.kind = kind,
        .type = writer.s.type,
        .m = writer.s.streamTokens,
        .n = writer.s.hidden,
        .k = writer.model.embedding.positions,
        .batch = static_cast<std::int32_t>(writer.s.batch),
        .seq = static_cast<std::int32_t>(writer.s.seq)});
}

} // namespace

Op loadBatch(PlanBuilder &b, const Layout &l)
{
    Op load{.name = "load_batch",
        .kernel = b.kernel({.kind = OpKind::LoadBatch,
            .type = DType::Int32,
            .m = l.sizes.tokens,
            .batch = static_cast<std::int32_t>(l.sizes.batch),
            .seq = static_cast<std::int32_t>(l.sizes.seq)}),
        .writes = {at(l.tokens), at(l.targets)}};
    if (const auto &documents = l.layer.attention.documents)
        load.writes.insert(load.writes.end(), {at(documents->positions), at(documents->bounds)});
    return load;
}

Block embeddingForward(OpWriter writer, const Layout &l)
{
    const Use x = at(l.layer.x);
    writer.ops().push_back(loadBatch(writer.b, l));
    if (!l.stage.isLast())
        writer.ops().back().frees.push_back(at(l.targets));
    if (l.layer.experts && l.layer.experts->counts)
        writer.add("no_expert_counts",
            writer.b.kernel({.kind = OpKind::Zero, .type = DType::Fp32, .m = 1, .n = writer.model.experts.count}), {},
            {at(*l.layer.experts->counts)});
    writer.add("embedding", writer.rows(OpKind::Embedding, l.sizes.hidden),
        {at(l.tokens), writer.w.at("embedding").weight}, {x});
    if (writer.model.embeddingScale() != 1)
        writer.add("embedding_scale", embeddingScale(writer), {x}, {x});
    if (writer.w.has("positions"))
        writer.add("positions", positions(writer, OpKind::AddPositions), {x, writer.w.at("positions").weight}, {x});
    return {"embedding_forward", writer.take()};
}

Block embeddingBackward(OpWriter writer, const Layout &l)
{
    const Use dx = at(l.layer.dx);
    if (writer.w.has("positions"))
        writer.addGradient("positions_backward", positions(writer, OpKind::AddPositionsBackward), {dx},
            {writer.w.at("positions").gradient});
    if (writer.model.embeddingScale() != 1)
        writer.add("embedding_scale_backward", embeddingScale(writer), {dx}, {dx});
    writer.addGradient("embedding_backward",
        writer.b.kernel({.kind = OpKind::EmbeddingBackward,
            .type = l.sizes.type,
            .m = l.sizes.tokens,
            .n = l.sizes.hidden,
            .k = l.sizes.tableRows}),
        {at(l.tokens), dx}, {writer.w.at("embedding").gradient});
    if (writer.model.head.tied && l.stage.isLast()) // its gradient already contains the LM head's
        writer.ops().back().accumulate = true;
    std::vector<Use> &frees = writer.ops().back().frees;
    if (const auto &documents = l.layer.attention.documents)
        frees.insert(frees.end(), {at(documents->positions), at(documents->bounds)});
    if (l.layer.experts && l.layer.experts->counts)
        frees.push_back(at(*l.layer.experts->counts));
    return {"embedding_backward", writer.take()};
}

Block finalNormForward(OpWriter writer, const Layout &l)
{
    if (!l.stage.isFirst()) { // the stage's first op has loaded the documents
        Op load = loadBatch(writer.b, l);
        load.writes.resize(2);
        load.frees.push_back(at(l.tokens));
        writer.ops().push_back(std::move(load));
    }
    normForward(writer, l.head.norm, l.layer.x, l.head.normed);
    return {"final_norm_forward", writer.take()};
}

Block finalNormBackward(OpWriter writer, const Layout &l)
{
    normBackward(writer, l.head.norm, l.head.normed, l.layer.x, l.layer.dx);
    Block block{"final_norm_backward", writer.take()};
    std::vector<BufferId> freed = l.head.norm.buffers();
    freed.insert(freed.end(), {l.head.normed, l.layer.x});
    freeAfterLastUse(block, freed);
    block.ops.back().frees.push_back(at(l.targets));
    return block;
}

Block lossChunk(OpWriter forward, OpWriter gradients, const Layout &l, std::int64_t rows, bool firstOfStep)
{
    const Sizes &s = l.sizes;
    const Linear head{.name = "head", .rows = rows, .out = s.vocabPitch, .in = s.hidden, .cost = CostClass::Loss};
    const Use normed = chunkOf(l.head.input, s.chunkRows * s.hidden * sizeOf(s.type));
    const Use targets = chunkOf(l.targets, s.chunkRows * sizeOf(DType::Int32));
    const Use logits = at(l.head.logits);
    forward.linear(head, normed, logits);
    forward.add("cross_entropy",
        forward.b.kernel({.kind = OpKind::CrossEntropy, .type = s.type, .m = rows, .n = s.vocab, .k = s.vocabPitch}),
        {logits, targets}, {logits, at(l.loss)});
    forward.ops().back().accumulate = !firstOfStep;
    gradients.linearWeightGradient(head, logits, normed);
    gradients.linearInputGradient(head, logits, normed);
    std::vector<Op> ops = forward.take(), backward = gradients.take();
    ops.insert(ops.end(), backward.begin(), backward.end());
    Block block{"loss_chunk", std::move(ops)};
    freeAfterLastUse(block, {l.head.logits});
    return block;
}

} // namespace slipway::native
