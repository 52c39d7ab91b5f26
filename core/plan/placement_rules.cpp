// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/placement_rules.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace slipway {
namespace {

using enum Placement;
using Placements = std::vector<Placement>;

// Ops that are linear in each operand that may be a partial sum.
bool isLinear(OpKind kind)
{
    using enum OpKind;
    constexpr std::array kLinear{
        Permute, PermuteBackward, Combine, RouteBackward, GateRows, Scale, Cast, Quantize, AllToAll};
    return std::ranges::find(kLinear, kind) != kLinear.end();
}

bool isAttention(OpKind kind)
{
    using enum OpKind;
    return kind == FlashAttention || kind == FlashAttentionBackward || kind == VanillaAttention ||
           kind == VanillaAttentionBackward;
}

bool isWeightGradient(const Kernel &kernel)
{
    return multiplies(kernel.kind) && kernel.form == GemmForm::WeightGradient;
}

// Features, heads and the vocabulary are sharded, or the tokens between the kernels that have shards of weights.
class TensorRules {
public:
    explicit TensorRules(const PlacedKernel &placed) : m_placed(placed), m_op(placed.op), m_kernel(placed.kernel) {}

    Placements results() { return multiplies(m_kernel.kind) ? ofGemm() : ofKernel(); }

private:
    [[nodiscard]] Placement of(std::size_t read) const { return m_placed.reads[read][PlacementAxis::Tensor]; }
    void expect(bool holds, const std::string &what) const { m_placed.expect(holds, what); }

    // The placement of C, from those of A and of the weight B.
    Placements ofGemm()
    {
        if (isWeightGradient(m_kernel))
            return {};
        const Placement a = of(0), weight = of(1);
        Placement c = a;
        if (weight == Rows || weight == Columns) {
            const bool splitsResult = (weight == Rows) == (m_kernel.form == GemmForm::Forward);
            expect(a == (splitsResult ? Whole : Columns),
                fmt::format("multiplies {} by a weight in {}", enumName(a), enumName(weight)));
            c = splitsResult ? Columns : Partial;
        } else {
            expect(a != Columns, "multiplies columns by a whole weight");
        }
        if (m_kernel.residual)
            expect(of(2) == c || of(2) == Zeros,
                fmt::format("adds a residual that is {} to {}", enumName(of(2)), enumName(c)));
        return {c};
    }

    Placements ofKernel()
    {
        switch (m_kernel.kind) {
        case OpKind::LoadBatch:
            return Placements(m_op.writes.size(), Whole);
        case OpKind::Quantize: // a weight as well
            return {of(0)};
        case OpKind::Embedding:
            return {of(1) == Rows ? Partial : Whole};
        case OpKind::CrossEntropy:
            expect(m_placed.reads.size() > 2 && of(2) == Whole, "lacks the statistics of all ranks");
            return {of(0)};
        case OpKind::QkNormSquares:
        case OpKind::QkNormDots:
            expect(of(0) == Columns, "sums over heads that are not sharded");
            return {Partial};
        case OpKind::CombineBackward:
            return {of(3), of(2)};
        case OpKind::GateRowsBackward:
            return {of(0), of(1)};
        default:
            return Placements(m_op.writes.size(), joined());
        }
    }

    Placement joined()
    {
        Placement all = Zeros;
        bool hasWhole = false;
        for (std::size_t i = 0; i < m_placed.reads.size(); ++i) {
            const Placement one = of(i);
            if (m_placed.weights[i] || one == Zeros)
                continue;
            hasWhole |= one == Whole;
            if (all == Zeros || all == Whole)
                all = one;
            else
                expect(one == all || one == Whole, fmt::format("reads {} and {}", enumName(all), enumName(one)));
        }
        if (all == Partial)
            expect(isLinear(m_kernel.kind) || (m_kernel.kind == OpKind::Add && !hasWhole),
                "reads a partial sum, and is not linear");
        return all;
    }

    const PlacedKernel &m_placed;
    const Op &m_op;
    const Kernel &m_kernel;
};

// Each rank has other tokens of a sequence. Attention needs the keys of all of them.
class ContextRules {
public:
    ContextRules(const PlacedKernel &placed, int ranks) : m_placed(placed), m_kind(placed.kernel.kind), m_ranks(ranks)
    {
    }

    void apply(std::vector<PlacementState> &results)
    {
        if (isWeightGradient(m_placed.kernel))
            return;
        const PlacementState all = isAttention(m_kind) ? attended() : joined();
        for (PlacementState &result : results) {
            result[PlacementAxis::Context] = all[PlacementAxis::Context];
            result.ringTerms = all.ringTerms;
        }
        const bool backward = m_kind == OpKind::FlashAttentionBackward || m_kind == OpKind::VanillaAttentionBackward;
        if (backward || m_kind == OpKind::CountExperts) { // gradients of all keys; tokens of each expert
            results.back()[PlacementAxis::Context] = Partial;
            results.back().ringTerms = 1;
        }
    }

private:
    [[nodiscard]] PlacementState attended() const
    {
        const bool ring = m_placed.kernel.group != GroupId::None;
        const bool allKeys = std::ranges::any_of(
            m_placed.reads, [](const PlacementState &read) { return read[PlacementAxis::Context] == Whole; });
        m_placed.expect(ring || allKeys, "attends only to the keys of its own tokens");
        PlacementState rows;
        rows[PlacementAxis::Context] = Rows;
        return rows;
    }

    [[nodiscard]] PlacementState joined() const
    {
        PlacementState all;
        if (m_kind == OpKind::LoadBatch)
            all[PlacementAxis::Context] = Rows;
        int partial = 0, others = 0;
        for (std::size_t i = 0; i < m_placed.reads.size(); ++i) {
            const PlacementState &read = m_placed.reads[i];
            const Placement one = read[PlacementAxis::Context];
            if (m_placed.weights[i] || one == Zeros)
                continue;
            (one == Partial ? partial : others) += 1;
            all.ringTerms += read.ringTerms;
            if (all[PlacementAxis::Context] != Rows)
                all[PlacementAxis::Context] = one;
        }
        if (partial > 0)
            m_placed.expect(m_kind == OpKind::Add && others == 0, "reads a sum over a part of the sequence");
        if (all.ringTerms == m_ranks) { // the sum has the terms of all ranks
            all[PlacementAxis::Context] = Rows;
            all.ringTerms = 0;
        }
        return all;
    }

    const PlacedKernel &m_placed;
    const OpKind m_kind;
    const int m_ranks;
};

// Rows of tokens are sent to the ranks of their experts, and return.
Placement onExperts(const PlacedKernel &placed)
{
    const OpKind kind = placed.kernel.kind;
    const auto of = [&](std::size_t read) { return placed.reads[read][PlacementAxis::Experts]; };
    if (kind == OpKind::LoadBatch)
        return Rows;
    if (kind == OpKind::ReceivedRows) {
        placed.expect(of(0) == Whole, "does not know how many rows the other ranks send");
        return Whole;
    }
    if (kind == OpKind::GroupedGemm) {
        placed.expect(of(0) == Columns, "multiplies rows that are not those of its experts");
        if (isWeightGradient(placed.kernel))
            placed.expect(of(1) == Columns, "multiplies rows that are not those of its experts");
        return Columns;
    }
    Placement all = Zeros;
    for (std::size_t i = 0; i < placed.reads.size(); ++i) {
        const Placement one = of(i);
        if (placed.weights[i] || one == Zeros || one == Whole)
            continue;
        placed.expect(all == Zeros || one == all, "reads rows of its own tokens and of its experts");
        all = one;
    }
    return all;
}

} // namespace

std::vector<PlacementState> resultsOf(const PlacedKernel &placed, const Mesh &mesh)
{
    std::vector<PlacementState> results(placed.op.writes.size());
    if (results.empty())
        return results;
    if (mesh.tensor.size > 1) {
        const Placements tensor = TensorRules(placed).results();
        for (std::size_t i = 0; i < std::min(results.size(), tensor.size()); ++i)
            results[i][PlacementAxis::Tensor] = tensor[i];
    }
    if (mesh.context.size > 1)
        ContextRules(placed, mesh.context.size).apply(results);
    if (mesh.expert.size > 1) {
        const Placement experts = onExperts(placed);
        for (PlacementState &result : results)
            result[PlacementAxis::Experts] = experts;
    }
    return results;
}

} // namespace slipway
