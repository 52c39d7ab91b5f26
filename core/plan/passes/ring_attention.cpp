// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Context parallelism as a ring (Liu et al. 2023, arXiv 2310.01889): the keys and values of each rank pass from rank to
// rank, and every rank computes attention between its queries and the keys of one rank after another. The results are
// combined by their log-sum-exp. In the backward pass, the gradients of the keys travel one rank behind the keys, and
// end at the rank that owns the keys.
//
// No rank holds the keys of more than two ranks. A message overlaps with attention: the sender starts it before it
// computes, and the receiver waits for it afterwards.
#include <string>
#include <utility>

#include "plan/passes/context_split.h"
#include "plan/passes/strategies.h"

namespace slipway::native {

namespace {

class RingAttention : public ContextSplit {
public:
    using ContextSplit::ContextSplit;

private:
    void replace(std::vector<Op> &ops, Op op) override
    {
        switch (m_b.plan.at(op.kernel).kind) {
        case OpKind::FlashAttention:
            return forward(ops, op);
        case OpKind::FlashAttentionBackward:
            return backward(ops, op);
        default:
            ops.push_back(std::move(op));
        }
    }

    // Two buffers alternate: one is read while the next keys arrive.
    BufferId ringKeys(int turn) { return keys("ring_keys_" + std::to_string(turn % 2)); }
    // The gradients of the keys of one turn, summed over the queries of other ranks so far.
    BufferId turnGradients(int turn) { return keys("ring_dkeys_" + std::to_string(turn % 2)); }

    void forward(std::vector<Op> &ops, const Op &attention)
    {
        ops.push_back(pack(attention, attention.reads.front(), ringKeys(0)));
        for (int turn = 0; turn < ranks(); ++turn) {
            passKeysOn(ops, attention, turn);
            ops.push_back(turnOf(attention, turn));
            takeKeys(ops, attention, turn);
        }
    }

    // After the gradients of a turn, a rank sends the keys of the next turn, before its next gradients. Messages are
    // received in this order.
    void backward(std::vector<Op> &ops, const Op &attention)
    {
        const BufferId own = keys("own_dkeys"), travelled = keys("travelled_dkeys");
        ops.push_back(pack(attention, attention.reads[1], ringKeys(0)));
        for (int turn = 0; turn < ranks(); ++turn) {
            const BufferId gradients = turn == 0 ? own : turnGradients(turn);
            passKeysOn(ops, attention, turn);
            ops.push_back(turnOf(attention, turn));
            ops.back().writes.push_back(at(gradients));
            if (turn > 1)
                takeGradients(ops, attention, turn, travelled, gradients);
            takeKeys(ops, attention, turn);
            if (turn > 0)
                ops.push_back(message(OpKind::Send, attention, "_send_dkeys", turn, gradients));
        }
        takeGradients(ops, attention, ranks(), travelled, own);
        ops.push_back(unpack(attention, own, attention.writes.front()));
    }

    // Attention with the keys of the rank that is `turn` places before this one.
    [[nodiscard]] Op turnOf(const Op &attention, int turn)
    {
        Op op = attention;
        const bool backward = m_b.plan.at(op.kernel).kind == OpKind::FlashAttentionBackward;
        // Copies of the messages that are being sent: keys, and the gradients of those of the turn before.
        Kernel kernel = attentionKernel(op, 1, backward ? 1 : 0, (backward ? 2 : 1) * keyBytes());
        kernel.group = m_group;
        kernel.peer = -turn;
        op.kernel = m_b.kernel(kernel);
        op.name += turn > 0 ? "_" + std::to_string(turn) : "";
        op.accumulate = turn > 0;
        op.reads.push_back(at(ringKeys(turn)));
        return op;
    }

    void passKeysOn(std::vector<Op> &ops, const Op &attention, int turn)
    {
        if (turn + 1 < ranks())
            ops.push_back(message(OpKind::Send, attention, "_send_keys", turn, ringKeys(turn)));
    }
    void takeKeys(std::vector<Op> &ops, const Op &attention, int turn)
    {
        if (turn + 1 < ranks())
            ops.push_back(message(OpKind::Receive, attention, "_receive_keys", turn, ringKeys(turn + 1)));
    }
    void takeGradients(std::vector<Op> &ops, const Op &attention, int turn, BufferId travelled, BufferId sum)
    {
        ops.push_back(message(OpKind::Receive, attention, "_receive_dkeys", turn, travelled));
        ops.push_back({.name = attention.name + "_add_dkeys_" + std::to_string(turn),
            .kernel = m_b.kernel({.kind = OpKind::Add, .type = m_s.type, .m = m_s.tokens, .n = keyWidth()}),
            .phase = attention.phase,
            .reads = {at(sum), at(travelled)},
            .writes = {at(sum)}});
    }

    // A message to the next rank or from the preceding one.
    [[nodiscard]] Op message(OpKind kind, const Op &attention, const char *what, int turn, BufferId keys) const
    {
        const bool sends = kind == OpKind::Send;
        Op op{.name = attention.name + what + "_" + std::to_string(turn),
            .kernel = m_b.kernel({.kind = kind,
                .type = m_s.type,
                .m = m_s.tokens,
                .n = keyWidth(),
                .messageBytes = keyBytes(),
                .group = m_group,
                .peer = sends ? 1 : -1}),
            .stream = sends ? Stream::Reduce : Stream::Gather,
            .phase = attention.phase};
        (sends ? op.reads : op.writes).push_back(at(keys));
        return op;
    }
};

} // namespace

StrategyPointer ringAttention(const StrategyParts &parts)
{
    const bool ring = parts.config.contextExchange == ContextExchange::Ring;
    return parts.layout.sizes.contextRanks > 1 && ring ? std::make_unique<RingAttention>(parts) : nullptr;
}

} // namespace slipway::native
