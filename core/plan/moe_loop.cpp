// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The loop over experts of Transformers before version 5 (MixtralSparseMoeBlock, OlmoeSparseMoeBlock). For each expert,
// it finds and copies the tokens that chose it, runs its GEMMs, weights the result and adds it to the output.
#include <algorithm>

#include "plan/moe_writer.h"

namespace slipway {

namespace {

// The number of iterations that are written out. With more experts, one iteration stands for several, whose temporary
// tensors then exist at the same time. Each is a small part of the layer.
constexpr std::int64_t kMostTurns = 8;
constexpr int kLoopRouterLaunches = 9; // softmax, top-k, sum, division, cast, one-hot, permutation
constexpr int kFindLaunches = 4;       // torch.where: count, scan, select, and a copy that the host waits for

} // namespace

Value ExpertWriter::expertLoop(Value normed)
{
    const std::int64_t turns = std::min(kMostTurns, m_e.experts), elements = m_e.streamTokens * m_s.hidden;
    const Value routing = router(normed, kLoopRouterLaunches, false);
    Value out = elementsTensor("experts_out", elements, m_r.residual);
    m_tape.add({.name = "zeros",
        .kernel = bytesKernel(0, double(elements * sizeOf(m_r.residual))),
        .inputs = {},
        .outputs = {out}});
    for (std::int64_t number = 0; number < turns; ++number) {
        const std::int64_t experts = m_e.experts / turns + (number < m_e.experts % turns ? 1 : 0);
        const Iteration iteration{.prefix = "expert" + std::to_string(number) + "_",
            .rows = {.each = m_e.rowsPerExpert, .experts = experts, .grouped = false}};
        const Value positions = tokenPositions(iteration, routing);
        const Value last = expertMlp(iteration, gatherRows(iteration, normed, positions));
        const Value result = weighted(last, routing, iteration.prefix + "weighted", iteration.rows.all(), m_r.residual);
        out = scatterAdd(iteration, out, result, positions);
    }
    return out;
}

Value ExpertWriter::tokenPositions(const Iteration &iteration, Value routing)
{
    const std::int64_t rows = iteration.rows.all();
    const Value positions = m_tape.tensor(iteration.prefix + "positions", rows * 16, Role::Activation, DType::Int64);
    m_tape.add({.name = iteration.prefix + "find",
        .kernel = bytesKernel(double(iteration.rows.experts * m_e.streamTokens * m_e.perToken * 8), double(rows * 16),
            {.calls = kFindLaunches * iteration.calls(), .synchronizesHost = true}),
        .inputs = {routing},
        .outputs = {positions}});
    return positions;
}

// The gradient of the copy is as large as the residual stream: zeros, to which rows are added. The gradients of all
// experts are summed.
Value ExpertWriter::gatherRows(const Iteration &iteration, Value normed, Value positions)
{
    const std::int64_t elements = iteration.rows.all() * m_s.hidden, experts = iteration.rows.experts;
    const double moved = double(elements * sizeOf(m_r.residual));
    const double stream = double(m_e.streamTokens * m_s.hidden * sizeOf(m_r.residual));
    const Value taken = elementsTensor(iteration.prefix + "rows", elements, m_r.residual);
    m_tape.add({.name = iteration.prefix + "take",
        .kernel = bytesKernel(moved, moved, {.calls = iteration.calls()}),
        .inputs = {normed, positions},
        .outputs = {taken},
        .saves = {positions},
        .backward = {{.name = iteration.prefix + "put_back",
            .kernel = bytesKernel(2 * moved + 2 * stream * double(experts - 1),
                moved + stream * double(2 * experts - 1), {.calls = 2 * iteration.calls()}),
            .input = 0}},
        .group = RecomputeOp::Experts});
    return taken;
}

// Each GEMM casts its input, as each linear layer does under autocast.
Value ExpertWriter::expertMlp(const Iteration &iteration, Value taken)
{
    const std::int64_t f = m_e.ffn, h = m_s.hidden;
    const std::string &prefix = iteration.prefix;
    const auto input = [&](const char *name) {
        return castRows(taken, prefix + name + "_input", iteration.rows.all(), m_r.residual, m_r.compute);
    };
    const auto gated = [&] {
        const Value gate =
            expertActivation(iteration, "silu", {gemm(input("gate"), prefix + "gate", f, h, iteration.rows)});
        return expertActivation(
            iteration, "gate_product", {gate, gemm(input("up"), prefix + "up", f, h, iteration.rows)});
    };
    const auto plain = [&] {
        return expertActivation(iteration, "gelu", {gemm(input("up"), prefix + "up", f, h, iteration.rows)});
    };
    const Value inside = m_e.limited ? activated(input("gate_up"), prefix, iteration.rows, std::nullopt)
                         : m_e.gated ? gated()
                                     : plain();
    return gemm(inside, prefix + "down", h, f, iteration.rows);
}

Value ExpertWriter::expertActivation(
    const Iteration &iteration, const std::string &kind, const std::vector<Value> &inputs)
{
    const std::string name = iteration.prefix + kind;
    const std::int64_t elements = iteration.rows.all() * m_e.ffn;
    const double inner = double(elements * sizeOf(m_r.compute));
    const Value y = elementsTensor(name, elements, m_r.compute);
    TapeOp op{.name = name,
        .kernel = bytesKernel(double(inputs.size()) * inner, inner, {.calls = iteration.calls()}),
        .inputs = inputs,
        .outputs = {y},
        .saves = inputs};
    for (int i = 0; i < static_cast<int>(inputs.size()); ++i)
        op.backward.push_back({.name = name + "_backward",
            .kernel = bytesKernel(2 * inner, inner, {.calls = iteration.calls()}),
            .input = i});
    m_tape.add(std::move(op));
    return y;
}

// index_add_ works in place. Its gradient is that of the residual stream, gathered again row by row. Autograd keeps the
// added rows for their shape.
Value ExpertWriter::scatterAdd(const Iteration &iteration, Value out, Value result, Value positions)
{
    const double moved = double(iteration.rows.all() * m_s.hidden * sizeOf(m_r.residual));
    const Value sum = m_tape.inPlace(out);
    m_tape.add({.name = iteration.prefix + "add",
        .kernel = bytesKernel(2 * moved, moved, {.calls = iteration.calls()}),
        .inputs = {out, result},
        .outputs = {sum},
        .saves = {positions, result},
        .backward = {{.name = iteration.prefix + "add_backward",
            .kernel = bytesKernel(moved, moved, {.calls = iteration.calls()}),
            .input = 1}},
        .passesGradient = {0},
        .group = RecomputeOp::Experts});
    return sum;
}

} // namespace slipway
