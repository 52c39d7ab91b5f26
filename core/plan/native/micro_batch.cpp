// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/native/micro_batch.h"

#include <algorithm>
#include <utility>

#include "plan/native/ends.h"

namespace slipway::native {

LayerKinds::LayerKinds(const ModelSpec &model, std::int64_t seq)
{
    for (int layer = 0; layer < model.layers; ++layer) {
        LayerKind kind = model.kindOf(layer);
        kind.window = kind.window < seq ? kind.window : 0;
        const auto known = std::find(m_kinds.begin(), m_kinds.end(), kind);
        m_numbers.push_back(static_cast<std::size_t>(known - m_kinds.begin()));
        if (known == m_kinds.end())
            m_kinds.push_back(kind);
    }
}

MicroBatchBuilder::MicroBatchBuilder(const StepParts &parts, MicroBatchKind kind, ForwardBlocks &forward)
    : m_b(parts.builder),
      m_model(parts.model),
      m_l(parts.layout),
      m_kinds(parts.kinds),
      m_strategies(parts.strategies),
      m_weights(m_l.weights.withGradientsOf(m_b.plan, m_l.data, kind.first)),
      m_kind(kind),
      m_forward(forward),
      m_accumulates(!kind.first && !m_l.data.everyMicroBatch)
{
    const auto join = [](LayerEdges &edges, LayerEdges more) {
        edges = {.last = edges.last || more.last, .first = edges.first || more.first};
    };
    for (const StrategyPointer &strategy : m_strategies) {
        join(m_forwardEdges, strategy->forwardEdges());
        join(m_backwardEdges, strategy->backwardEdges(kind));
    }
    for (const LayerKind &layer : m_kinds.all()) {
        Block forwardBlock = layerForward(writer(Phase::Forward), m_l.layer, layer);
        Block backwardBlock = layerBackward(writer(Phase::Backward), m_l.layer, layer);
        transform(forwardBlock, BlockKind::LayerForward, freedInForward(m_l.layer));
        transform(backwardBlock, BlockKind::LayerBackward, freedInBackward(m_l.layer));
        for (const StrategyPointer &strategy : m_strategies)
            strategy->changeSavedBuffers(forwardBlock, backwardBlock);
        for (const StrategyPointer &strategy : m_strategies) {
            if (std::optional<Block> left = strategy->deferWeightGradients(backwardBlock))
                m_layerWeights.push_back(std::move(*left));
        }
        m_layerForward.push_back(std::move(forwardBlock));
        m_layerBackward.push_back(std::move(backwardBlock));
    }
}

std::vector<Slot> MicroBatchBuilder::forwardSlots(int modelChunk)
{
    const LayerRange &layers = m_l.modelChunks[static_cast<std::size_t>(modelChunk)];
    const int end = layers.first + layers.count;
    std::vector<Slot> slots;
    if (m_l.stage.hasEmbedding(modelChunk))
        slots.push_back(
            {.block = cached(m_forward.embedding, [&] { return embeddingBlock(); }), .index = layers.first});
    else
        slots.push_back({.block = cached(m_forward.receive, [&] { return boundaryBlock(BlockKind::Receive); }),
            .index = layers.first});
    for (int layer = layers.first; layer < end; ++layer)
        slots.push_back({.block = layerBlock(m_forward.layers, m_layerForward,
                             variantOf(modelChunk, layer, m_forwardEdges), BlockKind::LayerForward),
            .index = layer});
    if (m_l.stage.hasHead(modelChunk))
        slots.push_back({.block = cached(m_forward.finalNorm, [&] { return finalNormForwardBlock(); }), .index = end});
    else
        slots.push_back(
            {.block = cached(m_forward.send, [&] { return boundaryBlock(BlockKind::Send); }), .index = end});
    return slots;
}

std::vector<Slot> MicroBatchBuilder::backwardSlots(int modelChunk)
{
    const LayerRange &layers = m_l.modelChunks[static_cast<std::size_t>(modelChunk)];
    const int end = layers.first + layers.count;
    std::vector<Slot> slots;
    if (m_l.stage.hasHead(modelChunk)) {
        addLoss(slots);
        slots.push_back({.block = cached(m_finalNormBackward, [&] { return finalNormBackwardBlock(); }), .index = end});
    } else {
        slots.push_back({.block = cached(m_receiveGradient, [&] { return boundaryBlock(BlockKind::ReceiveGradient); }),
            .index = end});
    }
    for (int layer = end - 1; layer >= layers.first; --layer)
        slots.push_back({.block = layerBlock(m_backward, m_layerBackward, variantOf(modelChunk, layer, m_backwardEdges),
                             BlockKind::LayerBackward),
            .index = layer});
    if (m_l.stage.hasEmbedding(modelChunk))
        slots.push_back(
            {.block = cached(m_embeddingBackward, [&] { return embeddingBackwardBlock(); }), .index = layers.first});
    else
        slots.push_back({.block = cached(m_sendGradient, [&] { return boundaryBlock(BlockKind::SendGradient); }),
            .index = layers.first});
    return slots;
}

std::vector<Slot> MicroBatchBuilder::weightSlots(int modelChunk)
{
    const LayerRange &layers = m_l.modelChunks[static_cast<std::size_t>(modelChunk)];
    std::vector<Slot> slots;
    for (int layer = layers.first + layers.count - 1; layer >= layers.first; --layer)
        slots.push_back({.block = layerBlock(m_left, m_layerWeights, variantOf(modelChunk, layer, m_backwardEdges),
                             BlockKind::LayerWeights),
            .index = layer});
    return slots;
}

OpWriter MicroBatchBuilder::writer(Phase phase, bool accumulate) const
{
    OpWriter writer(m_b, m_model, m_l.sizes, m_weights, phase, accumulate || m_accumulates);
    if (m_l.quantized)
        writer.useFp8(*m_l.quantized);
    return writer;
}

void MicroBatchBuilder::transform(Block &block, BlockKind kind, std::vector<BufferId> freed) const
{
    for (const StrategyPointer &strategy : m_strategies) {
        strategy->transform(block, kind);
        const std::vector<BufferId> added = strategy->addedBuffers();
        freed.insert(freed.end(), added.begin(), added.end());
    }
    if (m_l.quantized)
        freed.insert(freed.end(), {m_l.quantized->left, m_l.quantized->right});
    freeAfterLastUse(block, freed);
}

// A stage with the tied table as its LM head adds the LM head's gradient to the table's.
std::vector<UnitSection> MicroBatchBuilder::completedBy(BlockKind kind) const
{
    switch (kind) {
    case BlockKind::FinalNormBackward:
        return m_l.stage.isFirst() ? std::vector{UnitSection::Head}
                                   : std::vector{UnitSection::Head, UnitSection::Embedding};
    case BlockKind::LayerBackward:
        return m_l.splitsBackward ? std::vector<UnitSection>() : std::vector{UnitSection::Layer};
    case BlockKind::LayerWeights:
        return {UnitSection::Layer};
    case BlockKind::EmbeddingBackward:
        return {UnitSection::Embedding};
    default:
        return {};
    }
}

void MicroBatchBuilder::addCollectives(Block &block, const BlockSite &site) const
{
    for (const StrategyPointer &strategy : m_strategies)
        strategy->gatherWeights(block, site);
    // The small sums over tensor-parallel ranks come before all data-parallel ones. Behind these, the next layer would
    // wait: its messages between the same ranks come after the sums.
    for (const StrategyPointer &strategy : m_strategies) {
        for (const UnitSection section : completedBy(site.kind)) {
            for (const ParameterUnit &unit : unitsOf(m_b.plan, section))
                strategy->reduceGradients(block.ops, unit, m_kind);
        }
    }
    for (const StrategyPointer &strategy : m_strategies)
        strategy->freeGradients(block, site);
}

Block MicroBatchBuilder::withCollectives(Block block, BlockKind kind) const
{
    addCollectives(block, {.kind = kind, .microBatch = m_kind});
    return block;
}

Block MicroBatchBuilder::embeddingBlock() const
{
    Block block = embeddingForward(writer(Phase::Forward), m_l);
    transform(block, BlockKind::Embedding, {});
    return withCollectives(std::move(block), BlockKind::Embedding);
}

// A tied table is the embedding of this stage, or its replica.
Block MicroBatchBuilder::finalNormForwardBlock() const
{
    Block block = finalNormForward(writer(Phase::Forward), m_l);
    transform(block, BlockKind::FinalNorm, {});
    return withCollectives(std::move(block), BlockKind::FinalNorm);
}

Block MicroBatchBuilder::boundaryBlock(BlockKind kind) const
{
    std::optional<Block> block;
    for (const StrategyPointer &strategy : m_strategies) {
        if (!block)
            block = strategy->stageBoundary(kind);
    }
    return withCollectives(std::move(block.value()), kind);
}

LayerVariant MicroBatchBuilder::variantOf(int modelChunk, int layer, LayerEdges edges) const
{
    const LayerRange &layers = m_l.modelChunks[static_cast<std::size_t>(modelChunk)];
    const bool last = edges.last && layer + 1 == layers.first + layers.count;
    return {.kind = m_kinds.numberOf(m_b.plan.modelLayer(layer)),
        .last = last,
        .first = edges.first && layer == layers.first,
        .beforeHead = last && m_l.stage.hasHead(modelChunk)};
}

BlockId MicroBatchBuilder::layerBlock(
    LayerBlocks &blocks, const std::vector<Block> &made, const LayerVariant &variant, BlockKind kind) const
{
    return cached(blocks[variant], [&] {
        Block block = made[variant.kind];
        addCollectives(block, {.kind = kind,
                                  .microBatch = m_kind,
                                  .lastLayer = variant.last,
                                  .firstLayer = variant.first,
                                  .beforeHead = variant.beforeHead});
        return block;
    });
}

BlockId MicroBatchBuilder::lossBlock(std::int64_t rows, bool first) const
{
    Block block = lossChunk(writer(Phase::Forward), writer(Phase::Backward, !first), m_l, rows, first && m_kind.first);
    transform(block, BlockKind::Loss, {});
    return m_b.block(std::move(block));
}

void MicroBatchBuilder::addLoss(std::vector<Slot> &slots) const
{
    const std::int64_t rows = m_l.sizes.chunkRows;
    const int chunks = static_cast<int>(ceilDiv(m_l.sizes.tokens, rows));
    const std::int64_t tail = m_l.sizes.tokens - (chunks - 1) * rows;
    slots.push_back({.block = lossBlock(std::min(rows, m_l.sizes.tokens), true)});
    if (chunks > 2) {
        const BlockId middle = lossBlock(rows, false);
        for (int chunk = 1; chunk + 1 < chunks; ++chunk)
            slots.push_back({.block = middle, .index = chunk});
    }
    if (chunks > 1)
        slots.push_back({.block = lossBlock(tail, false), .index = chunks - 1});
}

Block MicroBatchBuilder::finalNormBackwardBlock() const
{
    Block block = finalNormBackward(writer(Phase::Backward), m_l);
    transform(block, BlockKind::FinalNormBackward, {});
    return withCollectives(std::move(block), BlockKind::FinalNormBackward);
}

Block MicroBatchBuilder::embeddingBackwardBlock() const
{
    Block block = embeddingBackward(writer(Phase::Backward), m_l);
    transform(block, BlockKind::EmbeddingBackward, {m_l.tokens, m_l.layer.dx});
    return withCollectives(std::move(block), BlockKind::EmbeddingBackward);
}

} // namespace slipway::native
