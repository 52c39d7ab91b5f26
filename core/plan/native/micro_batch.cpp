// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/native/micro_batch.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "plan/data_parallel.h"
#include "plan/native/ends.h"
#include "plan/recompute.h"

namespace slipway::native {

namespace {

// What forward drops and backward brings back.
std::vector<BufferId> droppedBuffers(const Layout &l, Recompute mode)
{
    switch (mode) {
    case Recompute::None:
        return {};
    case Recompute::Selective:
        return l.layer.attention.cheap(l.sizes);
    case Recompute::Full:
        return l.layer.kept();
    }
    return {};
}

void append(std::vector<Op> &ops, std::vector<Op> more)
{
    ops.insert(ops.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

} // namespace

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
      m_context(parts.context),
      m_tensor(parts.tensor),
      m_weights(m_l.weights.withGradientsOf(m_b.plan, m_l.data, kind.first)),
      m_data(m_l.data),
      m_kind(kind),
      m_forward(forward),
      m_layers(m_b.plan.layers),
      m_firstLayer(m_b.plan.firstLayer),
      m_accumulates(!kind.first && !m_data.everyMicroBatch),
      m_reduces((m_data.ranks > 1 || m_tensor) && (m_data.everyMicroBatch || kind.last)),
      m_aside(m_data.ownGradientBuffer(kind.first))
{
    for (const LayerKind &layer : m_kinds.all()) {
        Block there = layerForward(writer(Phase::Forward), m_l.layer, layer);
        Block back = layerBackward(writer(Phase::Backward), m_l.layer, layer);
        finish(there, dyingInForward(m_l.layer));
        finish(back, dyingInBackward(m_l.layer));
        recompute(there, back, droppedBuffers(m_l, parts.config.recompute));
        m_layerForward.push_back(std::move(there));
        m_layerBackward.push_back(std::move(back));
    }
}

std::vector<Slot> MicroBatchBuilder::forwardSlots()
{
    std::vector<Slot> slots;
    const BlockId first =
        once(m_forward.first, [&] { return m_l.stage.isFirst() ? embeddingBlock() : receiveBlock(); });
    slots.push_back({.block = first});
    for (int layer = 0; layer < m_layers; ++layer)
        slots.push_back({.block = forwardOf(layer), .index = layer});
    const BlockId last =
        once(m_forward.last, [&] { return m_l.stage.isLast() ? finalNormForwardBlock() : sendBlock(); });
    slots.push_back({.block = last, .index = m_layers});
    return slots;
}

std::vector<Slot> MicroBatchBuilder::backwardSlots()
{
    std::vector<Slot> slots;
    if (m_l.stage.isLast())
        addLoss(slots);
    slots.push_back(
        {.block = m_l.stage.isLast() ? finalNormBackwardBlock() : receiveGradientBlock(), .index = m_layers});
    for (int layer = m_layers - 1; layer >= 0; --layer)
        slots.push_back({.block = backwardOf(layer), .index = layer});
    slots.push_back({.block = m_l.stage.isFirst() ? embeddingBackwardBlock() : sendGradientBlock()});
    return slots;
}

OpWriter MicroBatchBuilder::writer(Phase phase, bool accumulate) const
{
    OpWriter writer(m_b, m_model, m_l.sizes, m_weights, phase, accumulate || m_accumulates);
    if (m_l.quantized)
        writer.useFp8(*m_l.quantized);
    return writer;
}

// None where the model has no weights there: a tied head behind a norm without weights.
std::vector<ParameterUnit> MicroBatchBuilder::units(UnitSection section) const
{
    std::vector<ParameterUnit> found;
    std::ranges::copy_if(m_b.plan.units, std::back_inserter(found),
        [section](const ParameterUnit &unit) { return unit.section == section; });
    return found;
}

void MicroBatchBuilder::finish(Block &block, std::vector<BufferId> dying) const
{
    const auto pass = [&](auto *parallel) {
        if (!parallel)
            return;
        parallel->split(block);
        dying.insert(dying.end(), parallel->added().begin(), parallel->added().end());
    };
    pass(m_context);
    pass(m_tensor);
    if (m_l.quantized)
        dying.insert(dying.end(), {m_l.quantized->left, m_l.quantized->right});
    freeDead(block, dying);
}

void MicroBatchBuilder::freeGathered(Block &block, UnitSection section) const
{
    if (!m_data.gathers)
        return;
    for (const ParameterUnit &unit : units(section))
        block.ops.back().frees.push_back({.buffer = *unit.gathered});
}

void MicroBatchBuilder::prefetch(Block &block, UnitSection section, Phase phase, int layerShift) const
{
    if (!m_data.gathers)
        return;
    for (const ParameterUnit &unit : std::views::reverse(units(section)))
        block.ops.insert(block.ops.begin(), gather(m_b, unit, phase, layerShift));
}

// Behind the block that completed them. What tensor-parallel ranks have whole each has summed over its own tokens or
// heads.
void MicroBatchBuilder::reduceGradients(Block &block, UnitSection section) const
{
    if (!m_reduces)
        return;
    for (const ParameterUnit &unit : units(section)) {
        if (unit.whole)
            block.ops.push_back(reduceWhole(m_b, m_data, unit, m_l.tensorGroup, m_kind.first));
        if (m_l.keyGroup)
            append(block.ops, reduceShared(m_b, m_data, unit, *m_l.keyGroup, m_kind.first));
        const DataParallelism &data = m_l.dataOf(unit);
        if (data.ranks > 1 || data.gathers || data.everyMicroBatch) // a rank alone may write aside, too
            append(block.ops, reduce(m_b, data, unit, {.first = m_kind.first, .last = m_kind.last}));
    }
}

void MicroBatchBuilder::freeFullGradients(Block &block, UnitSection section, int layerShift) const
{
    if (!m_aside || !m_reduces)
        return;
    for (const ParameterUnit &unit : units(section))
        block.ops.back().frees.push_back(
            {.buffer = *unit.fullGradient, .layerShift = static_cast<std::int8_t>(layerShift)});
}

Block MicroBatchBuilder::embeddingBlock() const
{
    Block block = embeddingForward(writer(Phase::Forward), m_l);
    finish(block, {});
    // Nobody reads the table again, unless the head shares it.
    if (!m_model.head.tied || !m_l.stage.isLast())
        freeGathered(block, UnitSection::Embedding);
    prefetch(block, UnitSection::Layer, Phase::Forward);
    prefetch(block, UnitSection::Embedding, Phase::Forward);
    return block;
}

Op MicroBatchBuilder::message(OpKind kind, std::string name, Phase phase, Use stream, int peer) const
{
    const Sizes &s = m_l.sizes;
    Op op{.name = std::move(name),
        .kernel = m_b.kernel({.kind = kind,
            .type = s.type,
            .m = s.streamTokens,
            .n = s.hidden,
            .messageBytes = s.streamTokens * s.hidden * sizeOf(s.type),
            .group = m_l.pipelineGroup,
            .peer = peer}),
        .phase = phase};
    (kind == OpKind::Send ? op.reads : op.writes).push_back(stream);
    return op;
}

Block MicroBatchBuilder::receiveBlock() const
{
    Block block{"receive", {message(OpKind::Receive, "receive", Phase::Forward, at(m_l.layer.x), -1)}};
    prefetch(block, UnitSection::Layer, Phase::Forward);
    return block;
}

Block MicroBatchBuilder::sendBlock() const
{
    Block block{"send", {message(OpKind::Send, "send", Phase::Forward, at(m_l.layer.x), 1)}};
    block.ops.back().frees.push_back(at(m_l.layer.x));
    return block;
}

// A tied table is the embedding of this stage, or its copy.
Block MicroBatchBuilder::finalNormForwardBlock() const
{
    Block block = finalNormForward(writer(Phase::Forward), m_l);
    if (m_tensor) {
        block.ops.push_back(m_tensor->gather("final_norm_gather", Phase::Forward, at(m_l.head.normed), m_l.head.input));
        block.ops.back().frees.push_back(at(m_l.head.normed));
    }
    return block;
}

BlockId MicroBatchBuilder::forwardOf(int at)
{
    const LayerVariant variant{
        .kind = m_kinds.numberOf(m_firstLayer + at), .last = m_data.gathers && at + 1 == m_layers};
    return once(m_forward.layers[variant], [&] {
        Block block = m_layerForward[variant.kind];
        if (m_data.reshards)
            freeGathered(block, UnitSection::Layer);
        if (!variant.last)
            prefetch(block, UnitSection::Layer, Phase::Forward, 1);
        else if (m_l.stage.isLast())
            prefetch(block, UnitSection::Head, Phase::Forward);
        if (variant.last && m_l.stage.isLast() && !m_l.stage.isFirst())
            prefetch(block, UnitSection::Embedding, Phase::Forward);
        return block;
    });
}

BlockId MicroBatchBuilder::lossBlock(std::int64_t rows, bool first) const
{
    Block block = lossChunk(writer(Phase::Forward), writer(Phase::Backward, !first), m_l, rows, first && m_kind.first);
    if (m_tensor) {
        m_tensor->splitLoss(block);
        freeDead(block, m_tensor->added());
    }
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

BlockId MicroBatchBuilder::finalNormBackwardBlock() const
{
    Block block = finalNormBackward(writer(Phase::Backward), m_l);
    if (m_tensor) {
        std::vector<Op> scatter =
            m_tensor->scatter("final_norm_scatter", Phase::Backward, m_l.head.input, at(m_l.head.normed));
        scatter.back().frees.push_back(at(m_l.head.input));
        block.ops.insert(block.ops.begin(), scatter.begin(), scatter.end());
    }
    freeGathered(block, UnitSection::Head);
    if (m_model.head.tied)
        freeGathered(block, UnitSection::Embedding);
    if (m_data.reshards)
        prefetch(block, UnitSection::Layer, Phase::Backward, -1);
    reduceGradients(block, UnitSection::Head);
    if (!m_l.stage.isFirst())
        reduceGradients(block, UnitSection::Embedding);
    return m_b.block(std::move(block));
}

BlockId MicroBatchBuilder::receiveGradientBlock() const
{
    Block block{
        "receive_gradient", {message(OpKind::Receive, "receive_gradient", Phase::Backward, at(m_l.layer.dx), 1)}};
    if (m_data.reshards)
        prefetch(block, UnitSection::Layer, Phase::Backward, -1);
    return m_b.block(std::move(block));
}

BlockId MicroBatchBuilder::backwardOf(int at)
{
    const LayerVariant variant{.kind = m_kinds.numberOf(m_firstLayer + at),
        .last = m_aside && at + 1 == m_layers,
        .first = m_data.reshards && at == 0};
    return once(m_backward[variant], [&] {
        Block block = m_layerBackward[variant.kind];
        freeGathered(block, UnitSection::Layer);
        if (m_data.reshards && !variant.first)
            prefetch(block, UnitSection::Layer, Phase::Backward, -1);
        reduceGradients(block, UnitSection::Layer);
        if (!variant.last)
            freeFullGradients(block, UnitSection::Layer, 1);
        else
            freeFullGradients(block, UnitSection::Head);
        if (variant.last && !m_l.stage.isFirst())
            freeFullGradients(block, UnitSection::Embedding);
        return block;
    });
}

BlockId MicroBatchBuilder::embeddingBackwardBlock() const
{
    Block block = embeddingBackward(writer(Phase::Backward), m_l);
    finish(block, {m_l.tokens, m_l.layer.dx});
    reduceGradients(block, UnitSection::Embedding);
    freeFullGradients(block, UnitSection::Layer);
    freeFullGradients(block, UnitSection::Embedding);
    return m_b.block(std::move(block));
}

BlockId MicroBatchBuilder::sendGradientBlock() const
{
    Block block{"send_gradient", {message(OpKind::Send, "send_gradient", Phase::Backward, at(m_l.layer.dx), -1)}};
    block.ops.back().frees.push_back(at(m_l.layer.dx));
    freeFullGradients(block, UnitSection::Layer);
    return m_b.block(std::move(block));
}

} // namespace slipway::native
