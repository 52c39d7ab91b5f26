// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/native/step.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "plan/data_parallel.h"
#include "plan/native/micro_batch.h"
#include "plan/native/optimizer.h"
#include "plan/pipeline_schedule.h"

namespace slipway::native {

namespace {

void append(std::vector<Slot> &slots, const std::vector<Slot> &more, int microBatch = 0)
{
    for (Slot slot : more) {
        slot.microBatch = microBatch;
        slots.push_back(slot);
    }
}

class StepBuilder {
public:
    StepBuilder(const RunConfig &config, const ModelSpec &model, int stage)
        : m_config(config),
          m_model(model),
          m_layout(addLayout(m_builder, config, model, stage)),
          m_kinds(model, m_layout.sizes.wholeSeq)
    {
        const Sizes &s = m_layout.sizes;
        if (s.contextRanks > 1)
            m_context.emplace(m_builder, m_layout.contextGroup,
                KeyShape{.tokens = s.tokens,
                    .heads = s.heads,
                    .kvHeads = s.kvHeads,
                    .headDim = model.attention.headDim,
                    .type = s.type});
        if (s.tensorRanks > 1)
            m_tensor.emplace(
                m_builder, m_layout.tensorGroup, StreamShape{.tokens = s.tokens, .width = s.hidden, .type = s.type});
    }

    StepPlan build()
    {
        m_layout.stage.count > 1 ? addPipeline() : addMicroBatches();
        addOptimizer();
        if (m_layout.gemmWorkspace)
            shareWorkspace(*m_layout.gemmWorkspace);
        return std::move(m_builder.plan);
    }

private:
    StepPlan &plan() { return m_builder.plan; }
    [[nodiscard]] const DataParallelism &data() const { return m_layout.data; }
    [[nodiscard]] StepParts parts()
    {
        return {m_builder, m_config, m_model, m_layout, m_kinds, m_context ? &*m_context : nullptr,
            m_tensor ? &*m_tensor : nullptr};
    }

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
        const bool lastDiffers = (data().ranks > 1 && (!data().everyMicroBatch || data().replicas > 1)) ||
                                 (m_tensor && !data().everyMicroBatch);
        addSegment(1, {.first = true, .last = n == 1});
        const std::int64_t middle = lastDiffers ? n - 2 : n - 1;
        if (middle > 0)
            addSegment(middle, {.first = false, .last = false});
        if (lastDiffers && n > 1)
            addSegment(1, {.first = false, .last = true});
    }

    void addSegment(std::int64_t repeat, MicroBatchKind kind)
    {
        MicroBatchBuilder microBatch(parts(), kind, m_forward);
        Segment segment{.repeat = static_cast<std::int32_t>(repeat)};
        append(segment.slots, microBatch.forwardSlots());
        append(segment.slots, microBatch.backwardSlots());
        plan().schedule.push_back(std::move(segment));
    }

    // One forward, one backward.
    void addPipeline()
    {
        std::vector<Slot> forward;
        bool first = true;
        const StagePasses passes{.forward =
                                     [&](Segment &segment, int microBatch) {
                                         if (forward.empty())
                                             forward = MicroBatchBuilder(parts(), {}, m_forward).forwardSlots();
                                         append(segment.slots, forward, microBatch);
                                     },
            .backward = [&](bool reduces) -> AddMicroBatch {
                const MicroBatchKind kind{.first = std::exchange(first, false), .last = reduces};
                return [this, kind, slots = std::vector<Slot>()](Segment &segment, int microBatch) mutable {
                    if (slots.empty())
                        slots = MicroBatchBuilder(parts(), kind, m_forward).backwardSlots();
                    append(segment.slots, slots, microBatch);
                };
            }};
        addOneForwardOneBackward(plan(), passes);
    }

    // The norm over all gradients comes before the first update: clipping scales them all.
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
        add(sumLoss(m_builder, m_layout));
        if (m_layout.embeddingGroup)
            add(sumTiedGradients(m_builder, m_layout));
        // The first sum starts the number; a unit of several layers cannot be that.
        bool first = units.front().section == UnitSection::Embedding && !units.front().copy;
        if (!first)
            add(zeroNorm(m_builder, m_layout));
        for (const ParameterUnit &unit : units) {
            if (!unit.copy)
                forEachInstance(
                    unit, m_builder.block(sumSquares(m_builder, m_layout, unit, std::exchange(first, false))));
        }
        add(sumNorm(m_builder, m_layout));
        for (const ParameterUnit &unit : units)
            forEachInstance(unit, m_builder.block(update(unit)));
        plan().schedule.push_back(std::move(segment));
    }

    // Where every rank has all parameters but updates its part, the parts come together at once.
    Block update(const ParameterUnit &unit)
    {
        Block block = updateBlock(m_builder, m_layout, m_model, unit);
        const DataParallelism &shared = m_layout.dataOf(unit);
        if (shared.shards > 1 && !shared.gathers)
            block.ops.push_back(gather(m_builder, unit, Phase::Optimizer));
        return block;
    }

    const RunConfig &m_config;
    const ModelSpec &m_model;
    PlanBuilder m_builder;
    Layout m_layout;
    LayerKinds m_kinds;
    std::optional<ContextParallel> m_context;
    std::optional<TensorParallel> m_tensor;
    ForwardBlocks m_forward;
};

} // namespace

StepPlan buildStep(const RunConfig &config, const ModelSpec &model, int stage)
{
    return StepBuilder(config, model, stage).build();
}

} // namespace slipway::native
