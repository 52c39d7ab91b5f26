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

Value ExpertWriter::looped(Value normed)
{
    const std::int64_t turns = std::min(kMostTurns, m_e.experts), tokens = m_e.streamTokens, h = m_s.hidden;
    const Value routing = router(normed, kLoopRouterLaunches, false);
    const double stream = double(tokens * h * sizeOf(m_r.residual));
    Value out = elementsTensor("experts_out", tokens * h, m_r.residual);
    m_tape.add({.name = "zeros", .kernel = bytesKernel(0, stream), .inputs = {}, .outputs = {out}});
    for (std::int64_t turn = 0; turn < turns; ++turn) {
        const std::int64_t experts = m_e.experts / turns + (turn < m_e.experts % turns ? 1 : 0);
        const Rows rows{.each = m_e.rowsPerExpert, .experts = experts, .grouped = false};
        const auto calls = static_cast<std::int32_t>(experts);
        const std::string prefix = "expert" + std::to_string(turn) + "_";
        const double moved = double(rows.all() * h * sizeOf(m_r.residual));

        // The gradient of the copy is as large as the residual stream: zeros, to which rows are added. The gradients of
        // all experts are summed.
        const Value positions = m_tape.tensor(prefix + "positions", rows.all() * 16, Role::Activation, DType::Int64);
        m_tape.add({.name = prefix + "find",
            .kernel = bytesKernel(double(experts * tokens * m_e.perToken * 8), double(rows.all() * 16),
                {.calls = kFindLaunches * calls, .synchronizesHost = true}),
            .inputs = {routing},
            .outputs = {positions}});
        const Value taken = elementsTensor(prefix + "rows", rows.all() * h, m_r.residual);
        m_tape.add({.name = prefix + "take",
            .kernel = bytesKernel(moved, moved, {.calls = calls}),
            .inputs = {normed, positions},
            .outputs = {taken},
            .saves = {positions},
            .backward = {{.name = prefix + "put_back",
                .kernel = bytesKernel(2 * moved + 2 * stream * double(experts - 1),
                    moved + stream * double(2 * experts - 1), {.calls = 2 * calls}),
                .input = 0}},
            .group = RecomputeOp::Experts});
        // Each GEMM casts its input, as each linear layer does under autocast.
        const auto input = [&](const char *name) {
            return castRows(taken, prefix + name + "_input", rows.all(), m_r.residual, m_r.compute);
        };
        const std::int64_t f = m_e.ffn;
        const double inner = double(rows.all() * f * sizeOf(m_r.compute));
        const auto activation = [&](const std::string &name, const std::vector<Value> &inputs) {
            const Value y = elementsTensor(name, rows.all() * f, m_r.compute);
            TapeOp op{.name = name,
                .kernel = bytesKernel(double(inputs.size()) * inner, inner, {.calls = calls}),
                .inputs = inputs,
                .outputs = {y},
                .saves = inputs};
            for (int i = 0; i < static_cast<int>(inputs.size()); ++i)
                op.backward.push_back({.name = name + "_backward",
                    .kernel = bytesKernel(2 * inner, inner, {.calls = calls}),
                    .input = i});
            m_tape.add(std::move(op));
            return y;
        };
        const auto gated = [&] {
            const Value gate = activation(prefix + "silu", {gemm(input("gate"), prefix + "gate", f, h, rows)});
            return activation(prefix + "gate_product", {gate, gemm(input("up"), prefix + "up", f, h, rows)});
        };
        const Value inside = m_e.limited ? activated(input("gate_up"), prefix, rows, std::nullopt)
                             : m_e.gated ? gated()
                                         : activation(prefix + "gelu", {gemm(input("up"), prefix + "up", f, h, rows)});
        const Value result =
            weighted(gemm(inside, prefix + "down", h, f, rows), routing, prefix + "weighted", rows.all(), m_r.residual);

        // index_add_ works in place. Its gradient is that of the residual stream, gathered again row by row. Autograd
        // keeps the added rows for their shape.
        const Value sum = m_tape.inPlace(out);
        m_tape.add({.name = prefix + "add",
            .kernel = bytesKernel(2 * moved, moved, {.calls = calls}),
            .inputs = {out, result},
            .outputs = {sum},
            .saves = {positions, result},
            .backward = {{.name = prefix + "add_backward",
                .kernel = bytesKernel(moved, moved, {.calls = calls}),
                .input = 1}},
            .passesGradient = {0},
            .group = RecomputeOp::Experts});
        out = sum;
    }
    return out;
}

} // namespace slipway
