// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/native/step.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "plan/data_parallel.h"
#include "plan/native/ends.h"
#include "plan/native/optimizer.h"
#include "plan/recompute.h"

namespace slipway::native {

namespace {

// A micro-batch by its part in the step's sum of gradients.
struct MicroBatchKind {
    bool first = true, last = true;
};

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

// Layers of one kind share their blocks. A window as long as the sequence is none.
class LayerKinds {
public:
    LayerKinds(const ModelSpec &model, std::int64_t seq)
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

    [[nodiscard]] const std::vector<LayerKind> &all() const { return m_kinds; }
    [[nodiscard]] std::size_t numberOf(int layer) const { return m_numbers[static_cast<std::size_t>(layer)]; }

private:
    std::vector<LayerKind> m_kinds;
    std::vector<std::size_t> m_numbers;
};

// Layers at the edges are their own blocks only where they differ.
struct LayerVariant {
    std::size_t kind = 0;
    bool last = false, first = false;
    auto operator<=>(const LayerVariant &) const = default;
};
using LayerBlocks = std::map<LayerVariant, std::optional<BlockId>>;

// Forward is the same in every micro-batch.
struct ForwardBlocks {
    std::optional<BlockId> embedding, finalNorm;
    LayerBlocks layers;
};

// What all micro-batches are built from.
struct StepParts {
    PlanBuilder &builder;
    const RunConfig &config;
    const ModelSpec &model;
    const Layout &layout;
    const LayerKinds &kinds;
};

// The blocks of one kind of micro-batch. Collectives run ahead of what needs them and behind what feeds them: a layer's
// gather starts before the layer in front of it runs, and its full gradients go when the next layer's are reduced.
class MicroBatchBuilder {
public:
    MicroBatchBuilder(const StepParts &parts, MicroBatchKind kind, ForwardBlocks &forward)
        : m_b(parts.builder),
          m_model(parts.model),
          m_l(parts.layout),
          m_kinds(parts.kinds),
          m_weights(m_l.weights.withGradientsOf(m_b.plan, m_l.data, kind.first)),
          m_data(m_l.data),
          m_kind(kind),
          m_forward(forward),
          m_accumulates(!kind.first && !m_data.everyMicroBatch),
          m_reduces(m_data.ranks > 1 && (m_data.everyMicroBatch || kind.last)),
          m_aside(m_data.ownGradientBuffer(kind.first))
    {
        for (const LayerKind &layer : m_kinds.all()) {
            m_layerForward.push_back(layerForward(writer(Phase::Forward), m_l.layer, layer));
            m_layerBackward.push_back(layerBackward(writer(Phase::Backward), m_l.layer, layer));
            recompute(m_layerForward.back(), m_layerBackward.back(), droppedBuffers(m_l, parts.config.recompute));
        }
    }

    std::vector<Slot> slots()
    {
        const int layers = m_model.layers;
        add(once(m_forward.embedding, [&] { return embeddingBlock(); }), 0);
        for (int layer = 0; layer < layers; ++layer)
            add(forwardOf(layer), layer);
        add(once(m_forward.finalNorm, [&] { return finalNormForward(writer(Phase::Forward), m_l); }), layers);
        addLoss();
        add(finalNormBlock(), layers);
        for (int layer = layers - 1; layer >= 0; --layer)
            add(backwardOf(layer), layer);
        add(embeddingBackwardBlock(), 0);
        return std::move(m_slots);
    }

private:
    void add(BlockId block, int at) { m_slots.push_back({.block = block, .index = at}); }
    [[nodiscard]] OpWriter writer(Phase phase, bool accumulate = false) const
    {
        return {m_b, m_model, m_l.sizes, m_weights, phase, accumulate || m_accumulates};
    }
    // Null where the model has no weights there: a tied head behind a norm without weights.
    [[nodiscard]] const ParameterUnit *unit(std::string_view name) const
    {
        const auto &units = m_b.plan.units;
        const auto found =
            std::find_if(units.begin(), units.end(), [name](const ParameterUnit &u) { return u.name == name; });
        return found == units.end() ? nullptr : &*found;
    }
    void freeGathered(Block &block, std::string_view name) const
    {
        const ParameterUnit *const held = unit(name);
        if (m_data.gathers && held)
            block.ops.back().frees.push_back({.buffer = *held->gathered});
    }
    void prefetch(Block &block, std::string_view name, Phase phase, int layerShift = 0)
    {
        const ParameterUnit *const wanted = unit(name);
        if (m_data.gathers && wanted)
            block.ops.insert(block.ops.begin(), gather(m_b, *wanted, phase, layerShift));
    }
    // Behind the block that completed them.
    void reduceGradients(Block &block, std::string_view name)
    {
        const ParameterUnit *const complete = unit(name);
        if (m_reduces && complete)
            append(block.ops, reduce(m_b, m_data, *complete, {.first = m_kind.first, .last = m_kind.last}));
    }
    void freeFullGradients(Block &block, std::string_view name, int layerShift = 0) const
    {
        const ParameterUnit *const reduced = unit(name);
        if (m_aside && m_reduces && reduced)
            block.ops.back().frees.push_back(
                {.buffer = *reduced->fullGradient, .layerShift = static_cast<std::int8_t>(layerShift)});
    }

    Block embeddingBlock()
    {
        Block block = embeddingForward(writer(Phase::Forward), m_l);
        // Nobody reads an untied table again.
        if (!m_model.head.tied)
            freeGathered(block, "embedding");
        prefetch(block, "layer", Phase::Forward);
        prefetch(block, "embedding", Phase::Forward);
        return block;
    }

    BlockId forwardOf(int at)
    {
        const LayerVariant variant{.kind = m_kinds.numberOf(at), .last = m_data.gathers && at + 1 == m_model.layers};
        return once(m_forward.layers[variant], [&] {
            Block block = m_layerForward[variant.kind];
            if (m_data.reshards)
                freeGathered(block, "layer");
            variant.last ? prefetch(block, "head", Phase::Forward) : prefetch(block, "layer", Phase::Forward, 1);
            return block;
        });
    }

    BlockId lossBlock(std::int64_t rows, bool first)
    {
        return m_b.block(
            lossChunk(writer(Phase::Forward), writer(Phase::Backward, !first), m_l, rows, first && m_kind.first));
    }

    void addLoss()
    {
        const std::int64_t rows = m_l.sizes.chunkRows;
        const int chunks = static_cast<int>(ceilDiv(m_l.sizes.tokens, rows));
        const std::int64_t tail = m_l.sizes.tokens - (chunks - 1) * rows;
        add(lossBlock(std::min(rows, m_l.sizes.tokens), true), 0);
        if (chunks > 2) {
            const BlockId middle = lossBlock(rows, false);
            for (int chunk = 1; chunk + 1 < chunks; ++chunk)
                add(middle, chunk);
        }
        if (chunks > 1)
            add(lossBlock(tail, false), chunks - 1);
    }

    BlockId finalNormBlock()
    {
        Block block = finalNormBackward(writer(Phase::Backward), m_l);
        freeGathered(block, "head");
        if (m_model.head.tied)
            freeGathered(block, "embedding");
        if (m_data.reshards)
            prefetch(block, "layer", Phase::Backward, -1);
        reduceGradients(block, "head");
        return m_b.block(std::move(block));
    }

    BlockId backwardOf(int at)
    {
        const LayerVariant variant{.kind = m_kinds.numberOf(at),
            .last = m_aside && at + 1 == m_model.layers,
            .first = m_data.reshards && at == 0};
        return once(m_backward[variant], [&] {
            Block block = m_layerBackward[variant.kind];
            freeGathered(block, "layer");
            if (m_data.reshards && !variant.first)
                prefetch(block, "layer", Phase::Backward, -1);
            reduceGradients(block, "layer");
            variant.last ? freeFullGradients(block, "head") : freeFullGradients(block, "layer", 1);
            return block;
        });
    }

    BlockId embeddingBackwardBlock()
    {
        Block block = embeddingBackward(writer(Phase::Backward), m_l);
        reduceGradients(block, "embedding");
        freeFullGradients(block, "layer");
        freeFullGradients(block, "embedding");
        return m_b.block(std::move(block));
    }

    template<typename Make>
    BlockId once(std::optional<BlockId> &block, const Make &make)
    {
        if (!block)
            block = m_b.block(make());
        return *block;
    }

    PlanBuilder &m_b;
    const ModelSpec &m_model;
    const Layout &m_l;
    const LayerKinds &m_kinds;
    const Weights m_weights;
    const DataParallelism m_data;
    const MicroBatchKind m_kind;
    ForwardBlocks &m_forward;
    const bool m_accumulates, m_reduces, m_aside;
    std::vector<Block> m_layerForward, m_layerBackward; // by kind of layer
    LayerBlocks m_backward;
    std::vector<Slot> m_slots;
};

class StepBuilder {
public:
    StepBuilder(const RunConfig &config, const ModelSpec &model)
        : m_config(config),
          m_model(model),
          m_layout(addLayout(m_builder, config, model)),
          m_kinds(model, m_layout.sizes.seq)
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
        MicroBatchBuilder microBatch({m_builder, m_config, m_model, m_layout, m_kinds}, kind, m_forward);
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
        Block block = updateBlock(m_builder, m_layout, m_model, unit);
        if (data().shards > 1 && !data().gathers)
            block.ops.push_back(gather(m_builder, unit, Phase::Optimizer));
        return block;
    }

    const RunConfig &m_config;
    const ModelSpec &m_model;
    PlanBuilder m_builder;
    Layout m_layout;
    LayerKinds m_kinds;
    ForwardBlocks m_forward;
};

} // namespace

StepPlan buildStep(const RunConfig &config, const ModelSpec &model) { return StepBuilder(config, model).build(); }

} // namespace slipway::native
