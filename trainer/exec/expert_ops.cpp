// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The ops of a mixture of experts on the CPU. Operands are in the order that OpKind documents (plan/step_plan.h).
#include <numeric>
#include <vector>

#include "cpu_ops/gemm.h"
#include "cpu_ops/moe_router.h"
#include "cpu_ops/moe_rows.h"
#include "exec/op_groups.h"

namespace slipway {
namespace {

// The tables of an assignment (plan/native/experts.h).
struct Assignment {
    std::int32_t *offsets, *chosen, *slots, *places;
};

Assignment assignmentAt(std::byte *address, std::int64_t experts, std::int64_t rows)
{
    auto *const offsets = reinterpret_cast<std::int32_t *>(address);
    std::int32_t *const chosen = offsets + experts + 1;
    return {offsets, chosen, chosen + rows, chosen + 2 * rows};
}

// For ops whose kernel has m tokens with k rows each.
Assignment assignmentOf(const OpCall &c, std::byte *address)
{
    const std::int64_t experts = c.kernel.kind == OpKind::Route || c.kernel.kind == OpKind::RouteBackward ||
                                         c.kernel.kind == OpKind::CountExperts
                                     ? c.kernel.n
                                     : std::int64_t{c.kernel.batch};
    return assignmentAt(address, experts, c.kernel.m * c.kernel.k);
}

cpu_ops::Router routerOf(const OpCall &c, const StepContext &context)
{
    const ExpertsModule &experts = context.model.experts;
    return {.tokens = c.kernel.m,
        .experts = c.kernel.n,
        .topK = c.kernel.k,
        .normalised = experts.normalizesTopK || !experts.softmaxBeforeTopK};
}

void route(const OpCall &c, const StepContext &context)
{
    const Assignment to = assignmentOf(c, c.writes[2]);
    cpu_ops::route(
        routerOf(c, context), c.write(0), {.chosen = to.chosen, .weights = c.write(1), .logSums = c.write(3)});
    cpu_ops::groupByExpert(c.kernel.n, c.kernel.m * c.kernel.k, to.chosen, 0,
        {.offsets = to.offsets, .slots = to.slots, .places = to.places});
}

void countExperts(const OpCall &c, const StepContext &)
{
    const std::int32_t *const offsets = assignmentOf(c, c.reads[0]).offsets;
    for (std::int64_t expert = 0; expert < c.kernel.n; ++expert) {
        const std::int32_t rows = offsets[expert + 1] - offsets[expert];
        c.write<std::int64_t>(0)[expert] += rows;
        if (c.writes[1])
            c.write(1)[expert] += static_cast<float>(rows);
    }
}

// The losses are means over the tokens of a micro-batch and over all layers, as in Transformers'
// load_balancing_loss_func.
void routeBackward(const OpCall &c, const StepContext &context)
{
    cpu_ops::RouterGradient gradient{
        .chosen = assignmentOf(c, c.reads[2]).chosen, .weights = c.read(1), .dweights = c.read(3)};
    if (c.readCount > 4) {
        const ExpertsModule &experts = context.model.experts;
        const double tokens = static_cast<double>(context.sequenceShard.whole(c.kernel.m)) * context.model.layers;
        gradient.counts = c.read(4);
        gradient.balance = context.microBatchShare *
                           static_cast<float>(experts.auxLoss * static_cast<double>(c.kernel.n) / (tokens * tokens));
        gradient.logSums = c.read(5);
        gradient.zLoss = context.microBatchShare * static_cast<float>(experts.zLoss / tokens);
    }
    cpu_ops::routeBackward(routerOf(c, context), gradient, c.write(0));
}

cpu_ops::Rows tokensOf(const OpCall &c) { return {c.kernel.m, c.kernel.n}; }

void permute(const OpCall &c, const StepContext &)
{
    cpu_ops::permute(
        tokensOf(c), c.kernel.k, c.kernel.m * c.kernel.k, assignmentOf(c, c.reads[1]).slots, c.read(0), c.write(0));
}

void permuteBackward(const OpCall &c, const StepContext &)
{
    cpu_ops::permuteBackward(
        tokensOf(c), c.kernel.k, assignmentOf(c, c.reads[1]).places, c.read(0), c.write(0), c.readCount > 2);
}

void combine(const OpCall &c, const StepContext &)
{
    cpu_ops::combine(tokensOf(c), c.kernel.k, assignmentOf(c, c.reads[0]).places, c.read(1), c.read(2),
        c.readCount > 3 ? c.read(3) : nullptr, c.write(0));
}

void combineBackward(const OpCall &c, const StepContext &)
{
    cpu_ops::combineBackward(tokensOf(c), c.kernel.k,
        {.places = assignmentOf(c, c.reads[0]).places,
            .weights = c.read(1),
            .rows = c.read(2),
            .dy = c.read(3),
            .drows = c.write(0),
            .dweights = c.write(1)});
}

// One grouped GEMM for the rows of each rank that sent rows. Without expert parallelism, there is one rank.
void groupedGemm(const OpCall &c, const StepContext &context)
{
    const std::int64_t ranks = context.model.experts.count / c.kernel.batch;
    for (std::int64_t rank = 0; rank < ranks; ++rank)
        cpu_ops::groupedGemm({.form = c.kernel.form,
                                 .experts = c.kernel.batch,
                                 .offsets = c.read<std::int32_t>(2) + rank * c.kernel.batch,
                                 .m = c.kernel.m,
                                 .n = c.kernel.n,
                                 .k = c.kernel.k,
                                 .accumulate = c.accumulate || (rank > 0 && c.kernel.form == GemmForm::WeightGradient)},
            c.read(0), c.read(1), c.write(0));
}

void receivedRows(const OpCall &c, const StepContext &context)
{
    const Communicator &group = groupOf(c, context);
    const std::int64_t ranks = group.size(), experts = (c.kernel.n - 1) / ranks, first = group.rank() * experts;
    std::int32_t *to = c.write<std::int32_t>(0);
    *to = 0;
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
        const std::int32_t *const offsets = c.read<std::int32_t>(0) + rank * c.kernel.n + first;
        for (std::int64_t expert = 0; expert < experts; ++expert, ++to)
            to[1] = to[0] + offsets[expert + 1] - offsets[expert];
    }
}

// The number of bytes that are sent to each rank, or received from it.
std::vector<std::size_t> exchangedBytes(const OpCall &c, std::size_t offsets, int ranks)
{
    const std::int64_t groups = c.kernel.k / ranks, row = c.kernel.n * sizeOf(c.kernel.type);
    const std::int32_t *const at = c.read<std::int32_t>(offsets);
    std::vector<std::size_t> bytes;
    for (std::int64_t rank = 0; rank < ranks; ++rank)
        bytes.push_back(static_cast<std::size_t>((at[(rank + 1) * groups] - at[rank * groups]) * row));
    return bytes;
}

void allToAll(const OpCall &c, const StepContext &context)
{
    Communicator &group = groupOf(c, context);
    const std::vector<std::size_t> sent = exchangedBytes(c, 1, group.size()),
                                   received = exchangedBytes(c, 2, group.size());
    const auto total = [](const std::vector<std::size_t> &sizes) {
        return std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
    };
    group.allToAll({c.reads[0], total(sent)}, sent, {c.writes[0], total(received)}, received);
}

void gateRows(const OpCall &c, const StepContext &)
{
    cpu_ops::addGatedRows(tokensOf(c), c.read(0), c.read(1), c.write(0));
}

void gateRowsBackward(const OpCall &c, const StepContext &)
{
    cpu_ops::gateRowsBackward(tokensOf(c), c.read(0), c.read(1), c.write(0), c.write(1));
}

} // namespace

OpFunction expertOp(OpKind kind)
{
    switch (kind) {
    case OpKind::Route:
        return route;
    case OpKind::RouteBackward:
        return routeBackward;
    case OpKind::CountExperts:
        return countExperts;
    case OpKind::Permute:
        return permute;
    case OpKind::PermuteBackward:
        return permuteBackward;
    case OpKind::Combine:
        return combine;
    case OpKind::CombineBackward:
        return combineBackward;
    case OpKind::ReceivedRows:
        return receivedRows;
    case OpKind::AllToAll:
        return allToAll;
    case OpKind::GroupedGemm:
        return groupedGemm;
    case OpKind::GateRows:
        return gateRows;
    case OpKind::GateRowsBackward:
        return gateRowsBackward;
    default:
        return nullptr;
    }
}

} // namespace slipway
