// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Expert parallelism: one all-to-all sends rows to the ranks of their experts, and another one returns the results
// (GShard, Lepikhin et al. 2020, arXiv 2006.16668). No row is dropped: before that, every rank learns how many rows
// come from each other rank.
#include <algorithm>
#include <string>
#include <utility>

#include "plan/passes/rank_split.h"
#include "plan/passes/strategies.h"

namespace slipway::native {

namespace {

class ExpertParallel : public RankSplit {
public:
    explicit ExpertParallel(const StrategyParts &parts)
        : RankSplit(parts.builder, parts.layout.expertGroup),
          m_s(parts.layout.sizes),
          m_experts(parts.model.experts),
          m_buffers(*parts.layout.layer.experts)
    {
    }

private:
    void replace(std::vector<Op> &ops, Op op) override
    {
        const ExpertsBuffers &b = m_buffers;
        switch (m_b.plan.at(op.kernel).kind) {
        case OpKind::Permute:
            op.writes.front() = at(*b.sent);
            ops.push_back(std::move(op));
            return dispatch(ops);
        case OpKind::GroupedGemm:
            return splitGemm(ops, std::move(op));
        case OpKind::CombineBackward:
            ops.push_back(std::move(op));
            ops.push_back(
                exchange("experts_return_backward", Phase::Backward, b.out, b.assignment, *b.received, *b.dMade));
            return;
        case OpKind::PermuteBackward:
            ops.push_back(
                exchange("experts_dispatch_backward", Phase::Backward, b.dInput, *b.received, b.assignment, *b.dSent));
            op.reads.front() = at(*b.dSent);
            break;
        default:
            if (std::any_of(op.reads.begin(), op.reads.end(), [&](const Use &use) { return use.buffer == b.inner; }))
                countRows(op);
        }
        ops.push_back(std::move(op));
    }

    // Every rank first learns how many rows come from each other rank. Then the rows are exchanged.
    void dispatch(std::vector<Op> &ops) const
    {
        const ExpertsBuffers &b = m_buffers;
        const std::int64_t numbers = m_experts.count + 1;
        ops.push_back({.name = "assignment_gather",
            .kernel = m_b.collective(OpKind::AllGather, DType::Int32, ranks() * numbers, m_group),
            .reads = {at(b.assignment)},
            .writes = {at(*b.allOffsets)}});
        ops.push_back({.name = "received_rows",
            .kernel = m_b.kernel({.kind = OpKind::ReceivedRows,
                .type = DType::Int32,
                .m = ranks(),
                .n = numbers,
                .synchronizesHost = m_s.type == DType::Bf16, // on a GPU, which needs the sizes of messages
                .group = m_group}),
            .reads = {at(*b.allOffsets)},
            .writes = {at(*b.received)}});
        ops.push_back(exchange("experts_dispatch", Phase::Forward, *b.sent, b.assignment, *b.received, b.input));
    }

    // Runs a GEMM over the local experts and the received rows. The last GEMM of forward computes the rows to return.
    // In backward, the gradients of the returned rows have been received.
    void splitGemm(std::vector<Op> &ops, Op op) const
    {
        const ExpertsBuffers &b = m_buffers;
        Kernel kernel = m_b.plan.at(op.kernel);
        kernel.batch /= ranks();
        op.kernel = m_b.kernel(kernel);
        op.reads.back() = at(*b.received);
        if (op.reads.front().buffer == b.out)
            op.reads.front() = at(*b.dMade);
        const bool returns = op.writes.front().buffer == b.out;
        if (returns)
            op.writes.front() = at(*b.made);
        ops.push_back(std::move(op));
        if (returns)
            ops.push_back(exchange("experts_return", Phase::Forward, *b.made, *b.received, b.assignment, b.out));
    }

    // The number of rows is known only when the step runs.
    void countRows(Op &op) const
    {
        Kernel kernel = m_b.plan.at(op.kernel);
        kernel.k = m_experts.count;
        op.kernel = m_b.kernel(kernel);
        op.reads.push_back(at(*m_buffers.received));
    }

    // Lasts as long as that of the rank with the most rows.
    [[nodiscard]] Op exchange(
        const char *name, Phase phase, BufferId rows, BufferId going, BufferId coming, BufferId to) const
    {
        const std::int64_t count = m_s.tokens * m_experts.perToken;
        return {.name = name,
            .kernel = m_b.kernel({.kind = OpKind::AllToAll,
                .type = m_s.type,
                .m = count,
                .n = m_s.hidden,
                .k = m_experts.count,
                .messageBytes = std::max(count, m_s.expertRows) * m_s.hidden * sizeOf(m_s.type),
                .group = m_group}),
            .phase = phase,
            .reads = {at(rows), at(going), at(coming)},
            .writes = {at(to)}};
    }

    const Sizes &m_s;
    const ExpertsModule &m_experts;
    const ExpertsBuffers &m_buffers;
};

} // namespace

StrategyPointer expertParallel(const StrategyParts &parts)
{
    return parts.layout.sizes.expertRanks > 1 ? std::make_unique<ExpertParallel>(parts) : nullptr;
}

} // namespace slipway::native
