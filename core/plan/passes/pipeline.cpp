// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Pipeline parallelism: a stage receives the residual stream from the stage before and sends it on, and its gradient
// the other way (Narayanan et al. 2021, arXiv 2104.04473). Micro-batches go by one forward, one backward
// (plan/pipeline_schedule.h).
#include "plan/pipeline_schedule.h"

#include <string>
#include <utility>

#include "plan/passes/strategies.h"

namespace slipway::native {

namespace {

void append(std::vector<Slot> &slots, const std::vector<Slot> &more, int microBatch)
{
    for (Slot slot : more) {
        slot.microBatch = microBatch;
        slots.push_back(slot);
    }
}

class Pipeline : public Strategy {
public:
    Pipeline(PlanBuilder &builder, const Layout &layout) : m_b(builder), m_l(layout) {}

    [[nodiscard]] std::optional<Block> border(BlockPlace place) const override
    {
        const Use stream = at(m_l.layer.x), gradient = at(m_l.layer.dx);
        switch (place) {
        case BlockPlace::Receive:
            return message(OpKind::Receive, "receive", Phase::Forward, stream, -1);
        case BlockPlace::Send:
            return message(OpKind::Send, "send", Phase::Forward, stream, 1);
        case BlockPlace::ReceiveGradient:
            return message(OpKind::Receive, "receive_gradient", Phase::Backward, gradient, 1);
        case BlockPlace::SendGradient:
            return message(OpKind::Send, "send_gradient", Phase::Backward, gradient, -1);
        default:
            return {};
        }
    }

    bool schedule(StepPlan &plan, MicroBatchSlots &slots) const override
    {
        std::vector<Slot> forward;
        bool first = true;
        const StagePasses passes{.forward =
                                     [&](Segment &segment, int microBatch) {
                                         if (forward.empty())
                                             forward = slots.forward();
                                         append(segment.slots, forward, microBatch);
                                     },
            .backward = [&](bool reduces) -> AddMicroBatch {
                const MicroBatchKind kind{.first = std::exchange(first, false), .last = reduces};
                return [&slots, kind, backward = std::vector<Slot>()](Segment &segment, int microBatch) mutable {
                    if (backward.empty())
                        backward = slots.backward(kind);
                    append(segment.slots, backward, microBatch);
                };
            }};
        addOneForwardOneBackward(plan, passes);
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
                .group = m_l.pipelineGroup,
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
};

} // namespace

StrategyPointer pipeline(const StrategyParts &parts)
{
    return parts.layout.stage.count > 1 ? std::make_unique<Pipeline>(parts.builder, parts.layout) : nullptr;
}

} // namespace slipway::native
