// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Pipeline parallelism: a stage receives the residual stream from the stage before and sends it on, and its gradient
// the other way (Narayanan et al. 2021, arXiv 2104.04473). Micro-batches go in the order of the schedule
// (plan/pipeline_order.h).
#include "plan/pipeline_order.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "plan/passes/strategies.h"

namespace slipway::native {

namespace {

std::int32_t microBatchesBegun(const std::vector<PipelineTurn> &turns)
{
    return static_cast<std::int32_t>(std::ranges::count_if(
        turns, [](const PipelineTurn &turn) { return turn.pass == PipelinePass::Forward && turn.part == 0; }));
}

// Turns as slots. Each kind of pass is made once.
class Writer {
public:
    Writer(MicroBatchSlots &slots, std::int64_t last) : m_slots(slots), m_last(last) {}

    // Micro-batches counted from `first` on.
    std::vector<Slot> slotsOf(const std::vector<PipelineTurn> &turns, std::int64_t first)
    {
        std::vector<Slot> slots;
        for (const PipelineTurn &turn : turns) {
            for (Slot slot : slotsOf(turn)) {
                slot.pass = turn.pass;
                slot.part = static_cast<std::uint16_t>(turn.part);
                slot.microBatch = static_cast<std::int32_t>(turn.microBatch - first);
                slots.push_back(slot);
            }
        }
        return slots;
    }

private:
    const std::vector<Slot> &slotsOf(const PipelineTurn &turn)
    {
        const MicroBatchKind kind = turn.pass == PipelinePass::Forward ? MicroBatchKind{}
                                                                       : MicroBatchKind{.first = turn.microBatch == 0,
                                                                             .last = turn.microBatch == m_last};
        std::vector<Slot> &slots = m_made[{turn.pass, turn.part, kind}];
        if (slots.empty()) {
            slots = turn.pass == PipelinePass::Forward    ? m_slots.forward(turn.part)
                    : turn.pass == PipelinePass::Backward ? m_slots.backward(kind, turn.part)
                                                          : m_slots.weights(kind, turn.part);
        }
        return slots;
    }

    MicroBatchSlots &m_slots;
    const std::int64_t m_last;
    std::map<std::tuple<PipelinePass, int, MicroBatchKind>, std::vector<Slot>> m_made;
};

class Pipeline : public Strategy {
public:
    explicit Pipeline(const StrategyParts &parts) : m_b(parts.builder), m_l(parts.layout), m_mesh(parts.config.parallel)
    {
    }

    [[nodiscard]] std::optional<Block> border(BlockPlace place) const override
    {
        const Use stream = at(m_l.layer.x), gradient = at(m_l.layer.dx);
        // Parts of the model go round the stages.
        const int before = m_l.stage.isFirst() ? m_l.stage.count - 1 : -1,
                  after = m_l.stage.isLast() ? 1 - m_l.stage.count : 1;
        switch (place) {
        case BlockPlace::Receive:
            return message(OpKind::Receive, "receive", Phase::Forward, stream, before);
        case BlockPlace::Send:
            return message(OpKind::Send, "send", Phase::Forward, stream, after);
        case BlockPlace::ReceiveGradient:
            return message(OpKind::Receive, "receive_gradient", Phase::Backward, gradient, after);
        case BlockPlace::SendGradient:
            return message(OpKind::Send, "send_gradient", Phase::Backward, gradient, before);
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
    // To the stage `peer` places on, or from it. What is sent dies.
    [[nodiscard]] Block message(OpKind kind, const std::string &name, Phase phase, Use stream, int peer) const
    {
        const Sizes &s = m_l.sizes;
        Op op{.name = name,
            .kernel = m_b.kernel({.kind = kind,
                .type = s.type,
                .m = s.streamTokens,
                .n = s.hidden,
                .messageBytes = s.streamTokens * s.hidden * sizeOf(s.type),
                .group = phase == Phase::Forward ? m_l.pipelineGroup : m_l.gradientGroup,
                .peer = peer}),
            .phase = phase};
        if (kind == OpKind::Send) {
            op.reads.push_back(stream);
            op.frees.push_back(stream);
        } else {
            op.writes.push_back(stream);
        }
        return {.name = name, .ops = {std::move(op)}};
    }

    PlanBuilder &m_b;
    const Layout &m_l;
    const Parallelism &m_mesh;
};

} // namespace

StrategyPointer pipeline(const StrategyParts &parts)
{
    return parts.layout.stage.count > 1 ? std::make_unique<Pipeline>(parts) : nullptr;
}

} // namespace slipway::native
