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

// Whether no op after number `i` reads the present value.
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

// The output of a layer that is split by columns is reduced to the rank's rows of the residual stream.
std::int64_t OpWriter::biasRows(const Linear &linear) const
{
    return placementOf(linear.name) == WeightPlacement::Columns ? s.streamTokens : linear.rows;
}

// fp8 GEMMs need the summed dimension last in both operands: Hopper supports no other layout.
std::vector<Use> OpWriter::operands(
    const Linear &linear, const std::string &name, const Operand &left, const Operand &right)
{
    if (!inFp8(linear))
        return {left.use, right.use};
    const auto quantize = [&](const Operand &operand, const char *side, BufferId to) {
        const KernelId kernel = b.kernel({.kind = OpKind::Quantize,
            .type = s.type,
            .m = operand.rows,
            .n = operand.columns,
            .transposed = operand.transposed,
            .e5m2 = operand.gradient});
        add(name + side, kernel, {operand.use}, {at(to)});
        return Use{.buffer = to, .offset = kQuantizedOffset};
    };
    const Use first = quantize(left, "_quantize_left", m_quantized->left);
    return {first, quantize(right, "_quantize_right", m_quantized->right)};
}

void OpWriter::linear(const Linear &linear, Use x, Use y, const Use *residual)
{
    const std::string name = linear.name == "head" ? "logits" : linear.name;
    std::vector<Use> reads = operands(linear, name, {.use = x, .rows = linear.rows, .columns = linear.in},
        {.use = w.at(linear.name).weight, .rows = linear.out, .columns = linear.in});
    if (residual)
        reads.push_back(*residual);
    add(name, gemm(GemmForm::Forward, linear, linear.rows, linear.out, linear.in, residual != nullptr),
        std::move(reads), {y});
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
    const std::string name = linear.name + "_dweight";
    std::vector<Use> reads = operands(linear, name,
        {.use = dy, .rows = linear.rows, .columns = linear.out, .transposed = true, .gradient = true},
        {.use = x, .rows = linear.rows, .columns = linear.in, .transposed = true});
    addGradient(name, gemm(GemmForm::WeightGradient, linear, linear.out, linear.in, linear.rows, false),
        std::move(reads), {w.at(linear.name).gradient});
}

void OpWriter::linearInputGradient(const Linear &linear, Use dy, Use dx, const Use *residual)
{
    const std::string name = linear.name + "_dx";
    std::vector<Use> reads =
        operands(linear, name, {.use = dy, .rows = linear.rows, .columns = linear.out, .gradient = true},
            {.use = w.at(linear.name).weight, .rows = linear.out, .columns = linear.in, .transposed = true});
    if (residual)
        reads.push_back(*residual);
    add(name, gemm(GemmForm::InputGradient, linear, linear.rows, linear.in, linear.out, residual != nullptr),
        std::move(reads), {dx});
}

void freeAfterLastUse(Block &block, const std::vector<BufferId> &freed)
{
    for (std::size_t i = 0; i < block.ops.size(); ++i) {
        Op &op = block.ops[i];
        const auto freeDeadOf = [&](const std::vector<Use> &operands) {
            for (const Use &operand : operands) {
                const Use use = at(operand.buffer);
                if (operand.layerShift == 0 && std::find(freed.begin(), freed.end(), operand.buffer) != freed.end() &&
                    !uses(op.frees, use) && diesAt(block, i, use))
                    op.frees.push_back(use);
            }
        };
        freeDeadOf(op.writes);
        freeDeadOf(op.reads);
    }
}

} // namespace slipway::native
