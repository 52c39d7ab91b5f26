// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Operands are in the order that OpKind documents (plan/step_plan.h).
#include "exec/torch_op_groups.h"

#include <tuple>

#include "aten_ops/experts.h"
#include "exec/host_offsets.h"
#include "exec/torch_collectives.h"
#include "exec/torch_operands.h"

namespace slipway::torch_ops {
namespace {

// The tables of an assignment (plan/native/experts.h). The kernel has m tokens with k rows each.
struct Assignment {
    Assignment(const OpCall &c, const std::byte *address, std::int64_t experts, at::Device device)
    {
        const std::int64_t rows = c.kernel.m * c.kernel.k;
        const at::Tensor all = tensorAt(address, {experts + 1 + 3 * rows}, at::kInt, device);
        offsets = all.narrow(0, 0, experts + 1);
        chosen = all.narrow(0, experts + 1, rows);
        slots = all.narrow(0, experts + 1 + rows, rows);
        places = all.narrow(0, experts + 1 + 2 * rows, rows);
    }
    at::Tensor offsets, chosen, slots, places;
};

// For ops over the rows of the residual stream, whose kernels have `batch` experts.
Assignment assignmentOf(const OpCall &c, const std::byte *address, const TorchContext &t)
{
    return {c, address, c.kernel.batch, t.device};
}

bool normalises(const StepContext &step)
{
    return step.model.experts.normalizesTopK || !step.model.experts.softmaxBeforeTopK;
}

void route(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const auto [tokens, experts, topK] = std::tuple(c.kernel.m, c.kernel.n, c.kernel.k);
    const Operands o(c, t);
    const Assignment to(c, c.writes[2], experts, t.device);
    aten_ops::route(o.read(0, {tokens, experts}), normalises(step),
        {.scores = o.write(0, {tokens, experts}, at::kFloat),
            .weights = o.write(1, {tokens, topK}, at::kFloat),
            .chosen = to.chosen.view({tokens, topK}),
            .logSums = c.writes[3] ? o.write(3, {tokens}, at::kFloat) : at::Tensor()});
    aten_ops::groupByExpert(to.chosen, {.offsets = to.offsets, .slots = to.slots, .places = to.places});
    t.offsets->written(c.writes[2]);
}

void countExperts(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    aten_ops::countExperts(Assignment(c, c.reads[0], c.kernel.n, t.device).offsets, o.write(0, {c.kernel.n}, at::kLong),
        c.writes[1] ? o.write(1, {c.kernel.n}, at::kFloat) : at::Tensor());
}

// The losses are means over the tokens of a micro-batch and over all layers, as in Transformers'
// load_balancing_loss_func.
void routeBackward(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const auto [tokens, experts, topK] = std::tuple(c.kernel.m, c.kernel.n, c.kernel.k);
    const Operands o(c, t);
    aten_ops::RoutingGradient gradient{.scores = o.read(0, {tokens, experts}, at::kFloat),
        .weights = o.read(1, {tokens, topK}, at::kFloat),
        .dweights = o.read(3, {tokens, topK}, at::kFloat),
        .chosen = Assignment(c, c.reads[2], experts, t.device).chosen.view({tokens, topK}),
        .normalised = normalises(step)};
    if (c.readCount > 4) {
        const double all = static_cast<double>(step.sequenceShard.whole(tokens)) * step.model.layers,
                     share = static_cast<double>(step.microBatchShare);
        gradient.counts = o.read(4, {experts}, at::kFloat);
        gradient.balance = share * step.model.experts.auxLoss * static_cast<double>(experts) / (all * all);
        gradient.logSums = o.read(5, {tokens}, at::kFloat);
        gradient.zLoss = share * step.model.experts.zLoss / all;
    }
    aten_ops::routeBackward(gradient, o.write(0, {tokens, experts}));
}

void permute(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    aten_ops::permute(o.read(0, {c.kernel.m, c.kernel.n}), assignmentOf(c, c.reads[1], t).slots,
        o.write(0, {c.kernel.m * c.kernel.k, c.kernel.n}));
}

// A residual gradient is in dx already.
void permuteBackward(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    aten_ops::permuteBackward(o.read(0, {c.kernel.m * c.kernel.k, c.kernel.n}), assignmentOf(c, c.reads[1], t).places,
        o.write(0, {c.kernel.m, c.kernel.n}), c.readCount > 2);
}

void combine(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const std::int64_t rows = c.kernel.m * c.kernel.k;
    const Operands o(c, t);
    aten_ops::combine(o.read(2, {rows, c.kernel.n}), assignmentOf(c, c.reads[0], t).places,
        o.read(1, {rows}, at::kFloat), c.readCount > 3 ? o.read(3, {c.kernel.m, c.kernel.n}) : at::Tensor(),
        o.write(0, {c.kernel.m, c.kernel.n}));
}

void combineBackward(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const std::int64_t rows = c.kernel.m * c.kernel.k;
    const Operands o(c, t);
    const Assignment from = assignmentOf(c, c.reads[0], t);
    aten_ops::combineBackward({.slots = from.slots,
        .places = from.places,
        .weights = o.read(1, {rows}, at::kFloat),
        .dy = o.read(3, {c.kernel.m, c.kernel.n}),
        .rows = o.write(0, {rows, c.kernel.n}),
        .dweights = o.write(1, {rows}, at::kFloat)});
}

// The rows come in groups: those of each rank that sent rows, by expert. Without expert parallelism, there is one rank.
void groupedGemm(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const std::int64_t groups = step.model.experts.count, experts = c.kernel.batch;
    const std::span<const std::int32_t> offsets = t.offsets->at(c.reads[2], groups + 1);
    if (offsets.empty())
        return;
    const auto [m, n, k] = std::tuple(c.kernel.m, c.kernel.n, c.kernel.k);
    const std::int64_t rows = offsets.back();
    const bool weights = c.kernel.form == GemmForm::WeightGradient, forward = c.kernel.form == GemmForm::Forward;
    const Operands o(c, t);
    aten_ops::groupedGemm({.form = c.kernel.form,
                              .offsets = offsets,
                              .a = o.read(0, {rows, weights ? m : k}),
                              .b = weights   ? o.read(1, {rows, n})
                                   : forward ? o.read(1, {experts, n, k})
                                             : o.read(1, {experts, k, n}),
                              .c = weights ? o.write(0, {experts, m, n}, at::kFloat) : o.write(0, {rows, n}),
                              .accumulate = c.accumulate},
        fp32GradientGemm(t));
}

void receivedRows(const OpCall &c, const StepContext &step, const TorchContext &t)
{
    const Communicator &group = groupOf(c, step);
    const Operands o(c, t);
    aten_ops::receivedRows(
        o.read(0, {group.size(), c.kernel.n}, at::kInt), group.rank(), o.write(0, {c.kernel.n}, at::kInt));
    t.offsets->written(c.writes[0]);
}

void gateRows(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    aten_ops::addGatedRows(
        o.read(0, {c.kernel.m}), o.read(1, {c.kernel.m, c.kernel.n}), o.write(0, {c.kernel.m, c.kernel.n}));
}

void gateRowsBackward(const OpCall &c, const StepContext &, const TorchContext &t)
{
    const Operands o(c, t);
    aten_ops::gateRowsBackward(o.read(0, {c.kernel.m, c.kernel.n}), o.read(1, {c.kernel.m, c.kernel.n}),
        o.write(0, {c.kernel.m, c.kernel.n}), o.write(1, {c.kernel.m}));
}

} // namespace

TorchOpFunction expertOp(OpKind kind)
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
        return torchCollective(kind);
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

} // namespace slipway::torch_ops
