// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/native/op_writer.h"

#include <algorithm>

#include "plan/placement.h"

namespace slipway::native {

namespace {

bool uses(const std::vector<Use> &list, const Use &use)
{
    return std::any_of(list.begin(), list.end(),
        [&](const Use &u) { return u.buffer == use.buffer && u.layerShift == use.layerShift; });
}

// Whether nothing after op number `i` reads what is there now.
bool diesAt(const Block &block, std::size_t i, const Use &use)
{
    for (std::size_t later = i + 1; later < block.ops.size(); ++later) {
        if (uses(block.ops[later].reads, use))
            return false;
        if (uses(block.ops[later].writes, use))
            return !block.ops[later].accumulate;
    }
    return true;
}

} // namespace

// What comes out of a split by columns is the stream's part of the ranks' sum.
std::int64_t OpWriter::biasRows(const Linear &linear) const
{
    return placementOf(linear.name) == WeightPlacement::Columns ? s.streamTokens : linear.rows;
}

void OpWriter::linear(const Linear &linear, Use x, Use y, const Use *residual)
{
    std::vector<Use> reads{x, w.at(linear.name).weight};
    if (residual)
        reads.push_back(*residual);
    add(linear.name == "head" ? "logits" : linear.name,
        gemm(GemmForm::Forward, linear, linear.rows, linear.out, linear.in, residual != nullptr), std::move(reads),
        {y});
    const std::string bias = linear.name + "_bias";
    if (w.has(bias))
        add(bias, b.kernel({.kind = OpKind::AddBias, .type = s.type, .m = biasRows(linear), .n = linear.out}),
            {y, w.at(bias).weight}, {y});
}

void OpWriter::linearWeightGradient(const Linear &linear, Use dy, Use x)
{
    const std::string bias = linear.name + "_bias";
    if (w.has(bias))
        addGradient(linear.name + "_dbias",
            b.kernel({.kind = OpKind::BiasBackward, .type = s.type, .m = biasRows(linear), .n = linear.out}), {dy},
            {w.at(bias).gradient});
    addGradient(linear.name + "_dweight",
        gemm(GemmForm::WeightGradient, linear, linear.out, linear.in, linear.rows, false), {dy, x},
        {w.at(linear.name).gradient});
}

void OpWriter::linearInputGradient(const Linear &linear, Use dy, Use dx, const Use *residual)
{
    std::vector<Use> reads{dy, w.at(linear.name).weight};
    if (residual)
        reads.push_back(*residual);
    add(linear.name + "_dx",
        gemm(GemmForm::InputGradient, linear, linear.rows, linear.in, linear.out, residual != nullptr),
        std::move(reads), {dx});
}

void freeDead(Block &block, const std::vector<BufferId> &dying)
{
    for (std::size_t i = 0; i < block.ops.size(); ++i) {
        Op &op = block.ops[i];
        const auto freeDeadOf = [&](const std::vector<Use> &operands) {
            for (const Use &operand : operands) {
                const Use use = at(operand.buffer);
                if (operand.layerShift == 0 && std::find(dying.begin(), dying.end(), operand.buffer) != dying.end() &&
                    !uses(op.frees, use) && diesAt(block, i, use))
                    op.frees.push_back(use);
            }
        };
        freeDeadOf(op.writes);
        freeDeadOf(op.reads);
    }
}

} // namespace slipway::native
