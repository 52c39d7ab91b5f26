// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/native/step.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "plan/native/micro_batch.h"
#include "plan/native/optimizer.h"

namespace slipway::native {

namespace {

class StepBuilder : private MicroBatchSlots {
public:
    StepBuilder(const RunConfig &config, const ModelSpec &model, int stage)
        : m_model(model),
          m_layout(addLayout(m_builder, config, model, stage)),
          m_kinds(model, m_layout.sizes.wholeSeq),
          m_strategies(strategiesOf({m_builder, config, model, m_layout}))
    {
    }

    StepPlan build()
    {
        addMicroBatches();
        addOptimizer();
        if (m_layout.gemmWorkspace)
            shareWorkspace(*m_layout.gemmWorkspace);
        placeCollectives();
        return std::move(m_builder.plan);
    }

private:
    StepPlan &plan() { return m_builder.plan; }
    [[nodiscard]] StepParts parts() { return {m_builder, m_model, m_layout, m_kinds, m_strategies}; }

    std::vector<Slot> forward(int modelChunk) override { return builderOf({}).forwardSlots(modelChunk); }
    std::vector<Slot> backward(MicroBatchKind kind, int modelChunk) override
    {
        return builderOf(kind).backwardSlots(modelChunk);
    }
    std::vector<Slot> weights(MicroBatchKind kind, int modelChunk) override
    {
        return builderOf(kind).weightSlots(modelChunk);
    }
    std::vector<Slot> both(MicroBatchKind kind) override
    {
        std::vector<Slot> slots = builderOf(kind).forwardSlots(0);
        const std::vector<Slot> back = builderOf(kind).backwardSlots(0);
        slots.insert(slots.end(), back.begin(), back.end());
        return slots;
    }

    // Model chunks share the blocks of a kind of micro-batch.
    MicroBatchBuilder &builderOf(MicroBatchKind kind)
    {
        std::unique_ptr<MicroBatchBuilder> &builder = m_microBatches[kind];
        if (!builder)
            builder = std::make_unique<MicroBatchBuilder>(parts(), kind, m_forward);
        return *builder;
    }

    // GEMMs run one after another, so they share one workspace.
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

    // Strategies write collectives among kernels. On a device, none of them runs in the lane of the kernels.
    void placeCollectives()
    {
        for (Block &block : plan().blocks) {
            for (Op &op : block.ops) {
                if (op.stream == Stream::Compute && plan().at(op.kernel).cost == CostClass::Communication)
                    op.stream = Stream::Communication;
            }
        }
    }

    // The first strategy that orders micro-batches adds them.
    void addMicroBatches()
    {
        for (const StrategyPointer &strategy : m_strategies) {
            if (strategy->schedule(plan(), *this))
                return;
        }
    }

    // The norm over all gradients is computed before the first update, because clipping scales all of them.
    void addOptimizer()
    {
        Segment segment{.microBatches = 0};
        const std::vector<ParameterUnit> units = plan().units;
        const auto add = [&](Block block) {
            if (!block.ops.empty())
                segment.slots.push_back({.block = m_builder.block(std::move(block))});
        };
        const auto forEachInstance = [&](const ParameterUnit &unit, BlockId block) {
            for (int i = 0; i < (unit.perLayer ? plan().layers : 1); ++i)
                segment.slots.push_back({.block = block, .index = i});
        };
        add(allReduceLoss(m_builder, m_layout));
        if (m_layout.embeddingGroup)
            add(allReduceTiedGradients(m_builder, m_layout));
        // The first sum initializes the norm. A unit of several layers cannot do that.
        bool first = units.front().section == UnitSection::Embedding && !units.front().copy;
        if (!first)
            add(zeroGradientNorm(m_builder, m_layout));
        for (const ParameterUnit &unit : units) {
            if (!unit.copy)
                forEachInstance(
                    unit, m_builder.block(sumSquares(m_builder, m_layout, unit, std::exchange(first, false))));
        }
        add(allReduceGradientNorm(m_builder, m_layout));
        for (const ParameterUnit &unit : units)
            forEachInstance(unit, m_builder.block(update(unit)));
        plan().schedule.push_back(std::move(segment));
    }

    Block update(const ParameterUnit &unit)
    {
        Block block = updateBlock(m_builder, m_layout, m_model, unit);
        for (const StrategyPointer &strategy : m_strategies)
            strategy->afterUpdate(block, unit);
        return block;
    }

    const ModelSpec &m_model;
    PlanBuilder m_builder;
    Layout m_layout;
    LayerKinds m_kinds;
    std::vector<StrategyPointer> m_strategies;
    ForwardBlocks m_forward;
    std::map<MicroBatchKind, std::unique_ptr<MicroBatchBuilder>> m_microBatches;
};

} // namespace

StepPlan buildStep(const RunConfig &config, const ModelSpec &model, int stage)
{
    return StepBuilder(config, model, stage).build();
}

} // namespace slipway::native
