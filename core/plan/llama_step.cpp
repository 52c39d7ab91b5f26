// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/llama_step.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "plan/data_parallel.h"
#include "plan/llama_blocks.h"
#include "plan/recompute.h"

namespace slipway {

namespace {

// A micro-batch by its part in the step's sum of gradients.
struct MicroBatchKind {
    bool first = true, last = true;
};

std::vector<BufferId> droppedBuffers(const LlamaLayout &l, Recompute mode)
{
    switch (mode) {
    case Recompute::None:
        return {};
    // Of attention, what is large and cheap to bring back (Korthikanti et al. 2022, arXiv 2205.05198, section 5).
    case Recompute::Selective:
        return l.sizes.attention == Attention::Flash ? std::vector{l.attentionOut, l.attentionSaved}
                                                     : std::vector{l.attentionSaved};
    case Recompute::Full:
        return {
            l.n1, l.rstd1, l.qkvOut, l.attentionOut, l.attentionSaved, l.xMid, l.n2, l.rstd2, l.gateUpOut, l.product};
    }
    return {};
}

void append(std::vector<Op> &ops, std::vector<Op> more)
{
    ops.insert(ops.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// Forward is the same in every micro-batch.
struct ForwardBlocks {
    std::optional<BlockId> embedding, layer, lastLayer, finalNorm;
};

// The blocks of one kind of micro-batch. Collectives run ahead of what needs them and behind what feeds them: a layer's
// gather starts before the layer in front of it runs, and its full gradients go when the next layer's are reduced.
class MicroBatchBuilder {
public:
    MicroBatchBuilder(PlanBuilder &builder, const RunConfig &config, const ModelSpec &model, const LlamaLayout &layout,
        MicroBatchKind kind, ForwardBlocks &forward)
        : m_b(builder),
          m_model(model),
          m_l(withGradientsOf(layout, builder.plan, kind.first)),
          m_data(layout.data),
          m_kind(kind),
          m_forward(forward),
          m_accumulates(!kind.first && !m_data.everyMicroBatch),
          m_reduces(m_data.ranks > 1 && (m_data.everyMicroBatch || kind.last)),
          m_aside(m_data.ownGradientBuffer(kind.first)),
          m_layerForward(layerForward(builder, layout)),
          m_layerBackward(layerBackward(builder, m_l, {.accumulate = m_accumulates}))
    {
        recompute(m_layerForward, m_layerBackward, droppedBuffers(layout, config.recompute));
    }

    std::vector<Slot> slots()
    {
        const int layers = m_model.layers;
        add(once(m_forward.embedding, [&] { return embeddingBlock(); }), 0);
        for (int layer = 0; layer < layers; ++layer)
            add(forwardOf(layer), layer);
        add(once(m_forward.finalNorm, [&] { return finalNormForward(m_b, m_l); }), layers);
        addLoss();
        add(finalNormBlock(), layers);
        for (int layer = layers - 1; layer >= 0; --layer)
            add(backwardOf(layer), layer);
        add(embeddingBackwardBlock(), 0);
        return std::move(m_slots);
    }

private:
    void add(BlockId block, int at) { m_slots.push_back({.block = block, .index = at}); }
    [[nodiscard]] const ParameterUnit &embedding() const { return m_b.plan.units[0]; }
    [[nodiscard]] const ParameterUnit &layer() const { return m_b.plan.units[1]; }
    [[nodiscard]] const ParameterUnit &head() const { return m_b.plan.units[2]; }
    void freeGathered(Block &block, const ParameterUnit &unit) const
    {
        if (m_data.gathers)
            block.ops.back().frees.push_back({.buffer = *unit.gathered});
    }
    void prefetch(Block &block, const ParameterUnit &unit, Phase phase, int layerShift = 0)
    {
        if (m_data.gathers)
            block.ops.insert(block.ops.begin(), gather(m_b, unit, phase, layerShift));
    }
    // Behind the block that completed them.
    void reduceGradients(Block &block, const ParameterUnit &unit)
    {
        if (m_reduces)
            append(block.ops, reduce(m_b, m_data, unit, {.first = m_kind.first, .last = m_kind.last}));
    }
    void freeFullGradients(Block &block, const ParameterUnit &unit, int layerShift = 0) const
    {
        if (m_aside && m_reduces)
            block.ops.back().frees.push_back(
                {.buffer = *unit.fullGradient, .layerShift = static_cast<std::int8_t>(layerShift)});
    }

    Block embeddingBlock()
    {
        Block block = embeddingForward(m_b, m_l);
        // Nobody reads an untied table again.
        if (!m_model.head.tied)
            freeGathered(block, embedding());
        prefetch(block, layer(), Phase::Forward);
        prefetch(block, embedding(), Phase::Forward);
        return block;
    }

    BlockId forwardOf(int at)
    {
        const bool last = m_data.gathers && at + 1 == m_model.layers;
        return once(last ? m_forward.lastLayer : m_forward.layer, [&] {
            Block block = m_layerForward;
            if (m_data.reshards)
                freeGathered(block, layer());
            last ? prefetch(block, head(), Phase::Forward) : prefetch(block, layer(), Phase::Forward, 1);
            return block;
        });
    }

    void addLoss()
    {
        const std::int64_t rows = m_l.sizes.chunkRows;
        const int chunks = static_cast<int>(ceilDiv(m_l.sizes.tokens, rows));
        const std::int64_t tail = m_l.sizes.tokens - (chunks - 1) * rows;
        add(m_b.block(lossChunk(m_b, m_l, std::min(rows, m_l.sizes.tokens), m_kind.first, m_accumulates)), 0);
        if (chunks > 2) {
            const BlockId middle = m_b.block(lossChunk(m_b, m_l, rows, false, true));
            for (int chunk = 1; chunk + 1 < chunks; ++chunk)
                add(middle, chunk);
        }
        if (chunks > 1)
            add(m_b.block(lossChunk(m_b, m_l, tail, false, true)), chunks - 1);
    }

    BlockId finalNormBlock()
    {
        Block block = finalNormBackward(m_b, m_l, {.accumulate = m_accumulates});
        freeGathered(block, head());
        if (m_model.head.tied)
            freeGathered(block, embedding());
        if (m_data.reshards)
            prefetch(block, layer(), Phase::Backward, -1);
        reduceGradients(block, head());
        return m_b.block(std::move(block));
    }

    BlockId backwardOf(int at)
    {
        const bool last = m_aside && at + 1 == m_model.layers, first = m_data.reshards && at == 0;
        return once(m_backward[{last, first}], [&] {
            Block block = m_layerBackward;
            freeGathered(block, layer());
            if (m_data.reshards && !first)
                prefetch(block, layer(), Phase::Backward, -1);
            reduceGradients(block, layer());
            last ? freeFullGradients(block, head()) : freeFullGradients(block, layer(), 1);
            return block;
        });
    }

    BlockId embeddingBackwardBlock()
    {
        Block block = embeddingBackward(m_b, m_l, {.accumulate = m_accumulates}, m_model.head.tied);
        reduceGradients(block, embedding());
        freeFullGradients(block, layer());
        freeFullGradients(block, embedding());
        return m_b.block(std::move(block));
    }

    // Layers at the edges are their own blocks only where they differ.
    template<typename Make>
    BlockId once(std::optional<BlockId> &block, const Make &make)
    {
        if (!block)
            block = m_b.block(make());
        return *block;
    }

    PlanBuilder &m_b;
    const ModelSpec &m_model;
    const LlamaLayout m_l;
    const DataParallelism m_data;
    const MicroBatchKind m_kind;
    ForwardBlocks &m_forward;
    const bool m_accumulates, m_reduces, m_aside;
    Block m_layerForward, m_layerBackward;
    std::map<std::pair<bool, bool>, std::optional<BlockId>> m_backward;
    std::vector<Slot> m_slots;
};

class StepBuilder {
public:
    StepBuilder(const RunConfig &config, const ModelSpec &model)
        : m_config(config),
          m_model(model),
          m_layout(addLlamaLayout(m_builder, config, model))
    {
    }

    StepPlan build()
    {
        addMicroBatches();
        addOptimizer();
        if (m_layout.gemmWorkspace)
            shareWorkspace(*m_layout.gemmWorkspace);
        return std::move(m_builder.plan);
    }

private:
    StepPlan &plan() { return m_builder.plan; }
    [[nodiscard]] const DataParallelism &data() const { return m_layout.data; }

    // GEMMs run one after another.
    void shareWorkspace(BufferId workspace)
    {
        for (Block &block : plan().blocks) {
            for (Op &op : block.ops) {
                const OpKind kind = plan().at(op.kernel).kind;
                if (kind == OpKind::Gemm || kind == OpKind::VanillaAttention ||
                    kind == OpKind::VanillaAttentionBackward)
                    op.writes.push_back({.buffer = workspace});
            }
        }
    }

    // The first micro-batch starts the sum of gradients; the last one ends it where ranks have to know.
    void addMicroBatches()
    {
        const std::int64_t n = m_config.gradAccum;
        const bool lastDiffers = data().ranks > 1 && (!data().everyMicroBatch || data().replicas > 1);
        addSegment(1, {.first = true, .last = n == 1});
        const std::int64_t middle = lastDiffers ? n - 2 : n - 1;
        if (middle > 0)
            addSegment(middle, {.first = false, .last = false});
        if (lastDiffers && n > 1)
            addSegment(1, {.first = false, .last = true});
    }

    void addSegment(std::int64_t repeat, MicroBatchKind kind)
    {
        MicroBatchBuilder microBatch(m_builder, m_config, m_model, m_layout, kind, m_forward);
        plan().schedule.push_back({.slots = microBatch.slots(), .repeat = static_cast<std::int32_t>(repeat)});
    }

    // The norm over all gradients comes before the first update: clipping scales them all.
    void addOptimizer()
    {
        Segment segment{.microBatches = 0};
        const std::vector<ParameterUnit> units = plan().units;
        const auto forEachInstance = [&](const ParameterUnit &unit, BlockId block) {
            for (int i = 0; i < (unit.perLayer ? m_model.layers : 1); ++i)
                segment.slots.push_back({.block = block, .index = i});
        };
        if (data().ranks > 1)
            segment.slots.push_back({.block = m_builder.block(reduceNumber(
                                         m_builder, "loss_reduce", m_layout.loss, data().replicas > 1 ? 2 : 1))});
        for (const ParameterUnit &unit : units)
            forEachInstance(unit, m_builder.block(sumSquares(m_builder, m_layout, unit, &unit == &units.front())));
        if (data().shards > 1)
            segment.slots.push_back(
                {.block = m_builder.block(reduceNumber(m_builder, "norm_reduce", m_layout.norm2Sum, 1))});
        for (const ParameterUnit &unit : units)
            forEachInstance(unit, m_builder.block(update(unit)));
        plan().schedule.push_back(std::move(segment));
    }

    // Where every rank has all parameters but updates its part, the parts come together at once.
    Block update(const ParameterUnit &unit)
    {
        Block block = adamW(m_builder, m_layout, unit);
        if (data().shards > 1 && !data().gathers)
            block.ops.push_back(gather(m_builder, unit, Phase::Optimizer));
        return block;
    }

    const RunConfig &m_config;
    const ModelSpec &m_model;
    PlanBuilder m_builder;
    LlamaLayout m_layout;
    ForwardBlocks m_forward;
};

} // namespace

StepPlan buildLlamaStep(const RunConfig &config, const ModelSpec &model) { return StepBuilder(config, model).build(); }

} // namespace slipway
