// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Pipeline parallelism: a stage receives the residual stream from the preceding stage and sends it to the next one. The
// gradient passes in the other direction (Narayanan et al. 2021, arXiv 2104.04473). The schedule determines the order
// of micro-batches (plan/pipeline_order.h).
#include "plan/pipeline_order.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "plan/native/ends.h"
#include "plan/passes/strategies.h"

namespace slipway::native {

namespace {

std::int32_t microBatchesBegun(const std::vector<PipelineAction> &actions)
{
    return static_cast<std::int32_t>(std::ranges::count_if(actions,
        [](const PipelineAction &action) { return action.pass == PipelinePass::Forward && action.modelChunk == 0; }));
}

// Converts actions to slots. The blocks of each kind of pass are built only once.
class Writer {
public:
    Writer(MicroBatchSlots &slots, std::int64_t last) : m_slots(slots), m_last(last) {}

    // Micro-batches are counted from `first`.
    std::vector<Slot> slotsOf(const std::vector<PipelineAction> &actions, std::int64_t first)
    {
        std::vector<Slot> slots;
        for (const PipelineAction &action : actions) {
            for (Slot slot : slotsOf(action)) {
                slot.pass = action.pass;
                slot.modelChunk = static_cast<std::uint16_t>(action.modelChunk);
                slot.microBatch = static_cast<std::int32_t>(action.microBatch - first);
                slots.push_back(slot);
            }
        }
        return slots;
    }

private:
    const std::vector<Slot> &slotsOf(const PipelineAction &action)
    {
        const MicroBatchKind kind =
            action.pass == PipelinePass::Forward
                ? MicroBatchKind{}
                : MicroBatchKind{.first = action.microBatch == 0, .last = action.microBatch == m_last};
        std::vector<Slot> &slots = m_made[{action.pass, action.modelChunk, kind}];
        if (slots.empty()) {
            slots = action.pass == PipelinePass::Forward    ? m_slots.forward(action.modelChunk)
                    : action.pass == PipelinePass::Backward ? m_slots.backward(kind, action.modelChunk)
                                                            : m_slots.weights(kind, action.modelChunk);
        }
        return slots;
    }

    MicroBatchSlots &m_slots;
    const std::int64_t m_last;
    std::map<std::tuple<PipelinePass, int, MicroBatchKind>, std::vector<Slot>> m_made;
};

class Pipeline : public Strategy {
public:
    explicit Pipeline(const StrategyParts &parts)
        : m_b(parts.builder),
          m_l(parts.layout),
          m_mesh(parts.config.parallel),
          m_experts(parts.model.experts.count)
    {
    }

    [[nodiscard]] std::optional<Block> stageBoundary(BlockKind kind) const override
    {
        const Message stream = streamIn(m_l.layer.x), gradient = streamIn(m_l.layer.dx);
        switch (kind) {
        case BlockKind::Receive:
            return messages(OpKind::Receive, "receive", Phase::Forward, stream, before());
        case BlockKind::Send:
            return messages(OpKind::Send, "send", Phase::Forward, stream, after());
        case BlockKind::ReceiveGradient:
            return messages(OpKind::Receive, "receive_gradient", Phase::Backward, gradient, after());
        case BlockKind::SendGradient:
            return messages(OpKind::Send, "send_gradient", Phase::Backward, gradient, before());
        default:
            return {};
        }
    }

    bool schedule(StepPlan &plan, MicroBatchSlots &slots) const override
    {
        const FoldedOrder order = foldedOrder(m_mesh, m_l.stage.number, plan.gradAccum);
        Writer writer(slots, order.last);
        const std::int32_t before = microBatchesBegun(order.before);
        plan.schedule.push_back({.slots = writer.slotsOf(order.before, 0), .microBatches = before});
        if (order.repeat == 0)
            return true;
        plan.schedule.push_back({.slots = writer.slotsOf(order.round, before),
            .repeat = static_cast<std::int32_t>(order.repeat),
            .microBatches = order.roundMicroBatches});
        plan.schedule.push_back({.slots = writer.slotsOf(order.after, before + order.roundMicroBatches),
            .microBatches = microBatchesBegun(order.after)});
        return true;
    }

private:
    // Another stage, and the groups for messages between it and this one.
    struct Neighbour {
        int peer = 0; // distance in stages
        GroupId forward = GroupId::None, back = GroupId::None;
    };
    // Model chunks pass through the stages in a ring.
    [[nodiscard]] Neighbour before() const
    {
        return m_l.stage.isFirst() ? Neighbour{m_l.stage.count - 1, m_l.wrapGroup, m_l.wrapGradientGroup}
                                   : Neighbour{-1, m_l.pipelineGroup, m_l.gradientGroup};
    }
    [[nodiscard]] Neighbour after() const
    {
        return m_l.stage.isLast() ? Neighbour{1 - m_l.stage.count, m_l.wrapGroup, m_l.wrapGradientGroup}
                                  : Neighbour{1, m_l.pipelineGroup, m_l.gradientGroup};
    }

    // Rows in a buffer that go from stage to stage.
    struct Message {
        Use use;
        DType type = DType::Fp32;
        std::int64_t rows = 0, columns = 0;
    };
    [[nodiscard]] Message streamIn(BufferId buffer) const
    {
        return {at(buffer), m_l.sizes.type, m_l.sizes.streamTokens, m_l.sizes.hidden};
    }

    // The load-balancing loss needs how often each expert was chosen in all layers of a micro-batch. The counts so far
    // follow the residual stream forward. The stage with the LM head has their sums, which follow the gradient back.
    [[nodiscard]] Block messages(
        OpKind kind, const std::string &name, Phase phase, const Message &stream, const Neighbour &neighbour) const
    {
        Block block{.name = name, .ops = {message(kind, name, phase, stream, neighbour)}};
        const std::optional<ExpertsBuffers> &experts = m_l.layer.experts;
        if (experts && experts->counts)
            block.ops.push_back(message(kind, name + "_counts", phase,
                {.use = at(*experts->counts), .rows = 1, .columns = m_experts}, neighbour));
        if (m_l.layer.attention.documents)
            kind == OpKind::Receive ? loadDocuments(block, phase) : freeDocuments(block);
        return block;
    }

    // The layers of each stage read the tables of documents. The first stage keeps its tokens for the backward pass.
    void loadDocuments(Block &block, Phase phase) const
    {
        Op load = loadBatch(m_b, m_l);
        load.name = block.name + "_documents";
        load.phase = phase;
        if (!m_l.stage.isFirst())
            load.frees.push_back(at(m_l.tokens));
        load.frees.push_back(at(m_l.targets));
        block.ops.push_back(std::move(load));
    }
    void freeDocuments(Block &block) const
    {
        const DocumentBuffers &documents = *m_l.layer.attention.documents;
        std::vector<Use> &frees = block.ops.back().frees;
        frees.insert(frees.end(), {at(documents.positions), at(documents.bounds)});
    }

    // Frees the buffer that was sent.
    [[nodiscard]] Op message(
        OpKind kind, const std::string &name, Phase phase, const Message &message, const Neighbour &neighbour) const
    {
        Op op{.name = name,
            .kernel = m_b.kernel({.kind = kind,
                .type = message.type,
                .m = message.rows,
                .n = message.columns,
                .messageBytes = message.rows * message.columns * sizeOf(message.type),
                .group = phase == Phase::Forward ? neighbour.forward : neighbour.back,
                .peer = neighbour.peer}),
            .phase = phase};
        if (kind == OpKind::Send) {
            op.reads.push_back(message.use);
            op.frees.push_back(message.use);
        } else {
            op.writes.push_back(message.use);
        }
        return op;
    }

    PlanBuilder &m_b;
    const Layout &m_l;
    const Parallelism &m_mesh;
    const int m_experts;
};

} // namespace

StrategyPointer pipeline(const StrategyParts &parts)
{
    return parts.layout.stage.count > 1 ? std::make_unique<Pipeline>(parts) : nullptr;
}

} // namespace slipway::native
