// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/moe_layer.h"

#include "plan/moe_writer.h"

namespace slipway {

namespace {

constexpr Bytes kPosition = 8; // an index of a row
// Small kernels between logits and rows: softmax, top-k, its sum and division, a cast. Then histogram, sort and
// offsets, or Megatron-LM's masks and its auxiliary loss.
constexpr int kRouterLaunches = 12;

} // namespace

// The router's GEMM and reductions per token: [tokens, experts] in fp32. Backward keeps the softmax and the chosen
// experts. Megatron-LM computes them in fp32 (moe_router_dtype fp32), from a copy of the input that it does not keep.
Value ExpertWriter::router(Value normed, int launches, bool synchronizesHost)
{
    const std::int64_t tokens = m_e.streamTokens, h = m_s.hidden, experts = m_e.experts;
    const DType type = fusedEngine() ? DType::Fp32 : m_r.compute;
    const Bytes copy = fusedEngine() && m_r.residual != DType::Fp32 ? tokens * h * 4 : 0;
    const Value input = fusedEngine() ? normed : castRows(normed, "router_input", tokens, m_r.residual, m_r.compute);
    const auto gemm = [&](GemmForm form, std::int64_t m, std::int64_t n, std::int64_t k) {
        return m_b.kernel({.kind = OpKind::Gemm, .type = type, .form = form, .m = m, .n = n, .k = k});
    };
    const Value logits = elementsTensor("router_logits", tokens * experts, type);
    m_tape.add({.name = "router",
        .kernel = gemm(GemmForm::Forward, tokens, experts, h),
        .inputs = {input},
        .outputs = {logits},
        .weightReads = {m_w.weights},
        .saves = {input},
        .backward = {{.name = "router_dx",
                         .kernel = gemm(GemmForm::InputGradient, tokens, h, experts),
                         .input = 0,
                         .weightReads = {m_w.weights},
                         .needsSaved = false,
                         .workspace = copy},
            {.name = "router_dweight",
                .kernel = gemm(GemmForm::WeightGradient, experts, h, tokens),
                .weightGradients = {m_w.gradients},
                .workspace = copy}},
        .workspace = copy,
        .group = RecomputeOp::Linear});
    const Value probabilities = elementsTensor("router_probabilities", tokens * experts, DType::Fp32);
    const Value routing = elementsTensor("routing_weights", tokens * m_e.perToken, DType::Fp32),
                positions = m_tape.tensor(
                    "routing_positions", tokens * m_e.perToken * kPosition, Role::Activation, DType::Int64);
    const double pass = double(tokens * experts * 4);
    m_tape.add({.name = "route",
        .kernel =
            bytesKernel(launches * pass, launches * pass, {.calls = launches, .synchronizesHost = synchronizesHost}),
        .inputs = {logits},
        .outputs = {routing},
        .saves = {probabilities, positions},
        .backward = {{.name = "route_backward",
            .kernel = bytesKernel(launches * pass, launches * pass, {.calls = launches}),
            .input = 0}},
        .group = RecomputeOp::Linear});
    return routing;
}

Value ExpertWriter::moved(
    Value x, const std::string &name, std::int64_t to, DType type, std::int64_t backRead, std::int64_t backWritten)
{
    const double row = double(m_s.hidden * sizeOf(type));
    const Value y = elementsTensor(name, to * m_s.hidden, type);
    // Reads as many rows as the longer side has: a token's row is read for each of its experts, or the rows of its
    // experts are summed.
    const double rows = double(std::max(to, backWritten));
    m_tape.add({.name = name,
        .kernel = bytesKernel(rows * row, double(to) * row),
        .inputs = {x},
        .outputs = {y},
        .backward = {{.name = name + "_backward",
            .kernel = bytesKernel(double(backRead) * row, double(backWritten) * row),
            .input = 0,
            .needsSaved = false}},
        .group = RecomputeOp::Experts});
    return y;
}

Value ExpertWriter::exchanged(Value x, const std::string &name, OpKind kind, OpKind back, std::int64_t to, DType type,
    Bytes message, GroupId group)
{
    const auto collective = [&](OpKind k) {
        return m_b.kernel({.kind = k, .type = type, .m = 1, .n = message, .messageBytes = message, .group = group});
    };
    const Value y = elementsTensor(name, to * m_s.hidden, type);
    m_tape.add({.name = name,
        .kernel = collective(kind),
        .inputs = {x},
        .outputs = {y},
        .backward = {{.name = name + "_backward", .kernel = collective(back), .input = 0, .needsSaved = false}},
        .group = RecomputeOp::Experts});
    return y;
}

Value ExpertWriter::castRows(Value x, const std::string &name, std::int64_t rows, DType from, DType to)
{
    if (from == to)
        return x;
    const double elements = double(rows * m_s.hidden);
    const Value y = elementsTensor(name, rows * m_s.hidden, to);
    m_tape.add({.name = name,
        .kernel = bytesKernel(elements * double(sizeOf(from)), elements * double(sizeOf(to))),
        .inputs = {x},
        .outputs = {y},
        .backward = {{.name = name + "_backward",
            .kernel = bytesKernel(elements * double(sizeOf(to)), elements * double(sizeOf(from))),
            .input = 0,
            .needsSaved = false}},
        .group = RecomputeOp::Experts});
    return y;
}

Value ExpertWriter::gemm(Value x, const std::string &name, std::int64_t out, std::int64_t in, const Rows &rows)
{
    const auto calls = static_cast<std::int32_t>(rows.grouped ? 1 : rows.experts),
               batch = static_cast<std::int32_t>(rows.grouped ? rows.experts : 0);
    const auto gemm = [&](GemmForm form, std::int64_t m, std::int64_t n, std::int64_t k) {
        return m_b.kernel({.kind = OpKind::Gemm,
            .type = m_gemmInput,
            .form = form,
            .cost = CostClass::Gemm,
            .m = m,
            .n = n,
            .k = k,
            .batch = batch,
            .calls = calls});
    };
    const auto scaling = [&](std::int64_t width) {
        return bytesKernel(2.0 * double(rows.all() * width), 2.0 * double(rows.all() * width), {.calls = calls});
    }; // 16 bits to fp8, in two layouts
    const bool fp8 = m_gemmInput == DType::Fp8;
    const std::int64_t weights = rows.experts * out * in;
    Value kept = x;
    if (fp8) {
        const Value scaled = elementsTensor(name + "_input_fp8", rows.all() * in, DType::Fp8);
        m_tape.add({.name = name + "_quantize", .kernel = scaling(in), .inputs = {x}, .outputs = {scaled}});
        kept = m_r.keepsFp8 ? scaled : x;
    }
    const Value y = elementsTensor(name, rows.all() * out, m_type);
    TapeOp op{.name = name,
        .kernel = gemm(GemmForm::Forward, rows.each, out, in),
        .inputs = {x},
        .outputs = {y},
        .weightReads = {m_expertWeights.weights},
        .saves = {kept},
        .group = RecomputeOp::Experts};
    if (m_castsWeights) {
        op.inputs.push_back(castWeight(name, m_expertWeights.weights, weights, {}));
        op.saves.push_back(op.inputs.back());
    }
    if (fp8)
        op.backward.push_back({.name = name + "_quantize_gradient",
            .kernel = scaling(out),
            .needsSaved = false,
            .workspace = 2 * rows.all() * out});
    op.backward.push_back({.name = name + "_dx",
        .kernel = gemm(GemmForm::InputGradient, rows.each, in, out),
        .input = 0,
        .weightReads = {m_expertWeights.weights}});
    op.backward.push_back({.name = name + "_dweight",
        .kernel = gemm(GemmForm::WeightGradient, out, in, rows.each),
        .weightGradients = {m_expertWeights.gradients},
        .workspace = m_castsWeights || m_r.passesHalfGradients ? weights * sizeOf(m_type) : 0});
    if (m_castsWeights)
        op.backward.push_back({.name = name + "_accumulate",
            .kernel = bytesKernel(double(weights) * 6, double(weights) * 4, {.calls = calls}),
            .weightGradients = {m_expertWeights.gradients},
            .needsSaved = false});
    m_tape.add(std::move(op));
    return m_e.biased ? withBias(y, name, out, rows) : y;
}

// The biases of the experts are gathered for their rows, which is a tensor as large as the result, and added.
Value ExpertWriter::withBias(Value x, const std::string &name, std::int64_t out, const Rows &rows)
{
    const auto calls = static_cast<std::int32_t>(rows.grouped ? 1 : rows.experts);
    const Bytes bytes = rows.all() * out * sizeOf(m_type);
    const Value y = elementsTensor(name + "_biased", rows.all() * out, m_type);
    m_tape.add({.name = name + "_bias",
        .kernel = bytesKernel(2.0 * double(bytes), 2.0 * double(bytes), {.calls = 2 * calls}),
        .inputs = {x},
        .outputs = {y},
        .weightReads = {m_expertWeights.weights},
        .backward = {{.name = name + "_dbias",
            .kernel = bytesKernel(double(bytes), double(bytes), {.calls = calls}),
            .weightGradients = {m_expertWeights.gradients},
            .needsSaved = false}},
        .passesGradient = {0},
        .workspace = bytes,
        .group = RecomputeOp::Experts});
    return y;
}

Value ExpertWriter::activated(Value x, const std::string &prefix, const Rows &rows, std::optional<Value> routing)
{
    const std::int64_t f = m_e.ffn, h = m_s.hidden;
    const auto calls = static_cast<std::int32_t>(rows.grouped ? 1 : rows.experts);
    const double bytes = double(rows.all() * f * sizeOf(m_type));
    enum class Saves { Inputs, Output, Nothing };
    const auto elementwise = [&](const std::string &name, const std::vector<Value> &inputs, double parts,
                                 Saves saves = Saves::Inputs) {
        const Value y = elementsTensor(prefix + name, rows.all() * f, m_type);
        TapeOp op{.name = prefix + name,
            .kernel = bytesKernel(parts * bytes, bytes, {.calls = calls}),
            .inputs = inputs,
            .outputs = {y},
            .saves = saves == Saves::Inputs   ? inputs
                     : saves == Saves::Output ? std::vector<Value>{y}
                                              : std::vector<Value>{}};
        // One kernel computes all gradients. The other ones are only named.
        op.backward.push_back({.name = op.name + "_backward",
            .kernel = bytesKernel((parts + 1) * bytes, parts * bytes, {.calls = calls}),
            .input = 0,
            .needsSaved = saves != Saves::Nothing});
        for (int i = 1; i < static_cast<int>(op.inputs.size()); ++i)
            op.backward.push_back(
                {.name = op.name + "_view", .kernel = viewKernel(m_type), .input = i, .needsSaved = false});
        m_tape.add(std::move(op));
        return y;
    };
    const auto with = [&](std::vector<Value> inputs) {
        if (routing)
            inputs.push_back(*routing);
        return inputs;
    };
    if (!m_e.gated)
        return elementwise("gelu", with({gemm(x, prefix + "up", f, h, rows)}), 1);
    if (m_r.fusedGateUp)
        return elementwise("swiglu", with({gemm(x, prefix + "gate_up", 2 * f, h, rows)}), 2);
    if (m_e.limited && !m_r.fusedMlp) { // GptOssExperts._apply_gate, whose parameter holds both matrices
        const Value both = gemm(x, prefix + "gate_up", 2 * f, h, rows);
        const Value gate = elementwise("clamped_gate", {both}, 2), up = elementwise("clamped_up", {both}, 2);
        const Value scaled = elementwise("scaled_gate", {gate}, 1, Saves::Nothing);
        const Value glu = elementwise("glu", {gate, elementwise("sigmoid", {scaled}, 1, Saves::Output)}, 2);
        return elementwise("gate_product", {elementwise("one_plus_up", {up}, 1, Saves::Nothing), glu}, 2);
    }
    const Value gate = gemm(x, prefix + "gate", f, h, rows), up = gemm(x, prefix + "up", f, h, rows);
    if (m_r.fusedMlp)
        return elementwise("swiglu", with({gate, up}), 2);
    return elementwise("gate_product", {elementwise("silu", {gate}, 1), up}, 2);
}

// Multiplies rows by the router's weights. The gradients of these weights need the rows.
Value ExpertWriter::weighted(Value rows, Value routing, const std::string &name, std::int64_t count, DType type)
{
    const double elements = double(count * m_s.hidden), from = elements * double(sizeOf(m_type)),
                 to = elements * double(sizeOf(type));
    const Value y = elementsTensor(name, count * m_s.hidden, type);
    m_tape.add({.name = name,
        .kernel = bytesKernel(from, to),
        .inputs = {rows, routing},
        .outputs = {y},
        .saves = {rows, routing},
        .backward = {{.name = name + "_backward", .kernel = bytesKernel(to, from), .input = 0},
            {.name = name + "_dweights", .kernel = bytesKernel(from + to, 0), .input = 1}},
        .group = RecomputeOp::Experts});
    return y;
}

Value ExpertWriter::dispatchedExperts(Value normed)
{
    const std::int64_t h = m_s.hidden, sent = m_e.sent, rows = m_e.rows;
    const Bytes half = sizeOf(m_type);
    const bool distributed = m_e.ep > 1 || m_s.tp > 1, sorts = distributed && m_e.local > 1;
    // The host reads the sizes for the all-to-all, and for Megatron-LM's GEMMs with any number of rows.
    const Value routing = router(normed, kRouterLaunches, fusedEngine() || m_e.ep > 1 || !m_e.grouped);
    Value x = castRows(moved(normed, "permuted", sent, m_r.residual, sent, m_e.streamTokens), "permuted_half", sent,
        m_r.residual, m_type);
    if (m_e.ep > 1)
        x = exchanged(x, "dispatch", OpKind::AllToAll, OpKind::AllToAll, sent, m_type, sent * h * half, m_e.group);
    if (m_s.tp > 1)
        x = exchanged(
            x, "dispatch_gather", OpKind::AllGather, OpKind::ReduceScatter, rows, m_type, rows * h * half, m_s.tpGroup);
    if (sorts) // from the order of ranks to that of experts
        x = moved(x, "sorted", rows, m_type, rows, rows);

    const Rows each{.each = m_e.rowsPerExpert, .experts = m_e.local, .grouped = m_e.grouped};
    Value y = gemm(activated(x, "expert_", each, m_r.scalesActivations ? std::optional(routing) : std::nullopt),
        "expert_down", h, m_e.ffn, each);

    if (sorts)
        y = moved(y, "unsorted", rows, m_type, rows, rows);
    if (m_s.tp > 1)
        y = exchanged(
            y, "combine_scatter", OpKind::ReduceScatter, OpKind::AllGather, sent, m_type, rows * h * half, m_s.tpGroup);
    if (m_e.ep > 1)
        y = exchanged(y, "combine", OpKind::AllToAll, OpKind::AllToAll, sent, m_type, sent * h * half, m_e.group);
    if (m_r.scalesActivations)
        return moved(y, "experts_out", m_e.streamTokens, m_r.residual, sent, sent);
    if (!m_e.eagerModules)
        return moved(weighted(y, routing, "weighted", sent, m_r.residual), "experts_out", m_e.streamTokens,
            m_r.residual, sent, sent);
    // The router's weights stay in fp32, and so do the weighted rows. These are put back into the order of tokens
    // before they are summed.
    y = moved(weighted(y, routing, "weighted", sent, DType::Fp32), "weighted_in_order", sent, DType::Fp32, sent, sent);
    return castRows(moved(y, "experts_sum", m_e.streamTokens, DType::Fp32, sent, sent), "experts_out", m_e.streamTokens,
        DType::Fp32, m_r.residual);
}

Value recordExperts(const LayerWriter &writer, const LayerParts &parts, Value normed)
{
    ExpertWriter w(writer, parts);
    return parts.experts.gathersInPlace ? w.expertLoop(normed) : w.dispatchedExperts(normed);
}

} // namespace slipway
