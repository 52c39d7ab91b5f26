// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/native/experts.h"

#include <algorithm>

#include "plan/native/mlp.h"

namespace slipway::native {

namespace {

// A linear layer of every expert, over the rows of each expert.
struct ExpertLinear {
    std::string name; // "experts_down"
    std::int64_t out = 0, in = 0;
};

class ExpertOps {
public:
    ExpertOps(OpWriter &writer, const ExpertsBuffers &buffers)
        : m_w(writer),
          m_b(buffers),
          m_experts(writer.model.experts),
          m_rows(writer.s.expertRows),
          m_gates(writer.model.mlp.gated ? 2 : 1)
    {
    }

    void forward(BufferId normed, Use to, const Use *residual)
    {
        m_w.linear(router(), at(normed), at(logits()));
        std::vector<Use> routed{at(m_b.scores), at(m_b.weights), at(m_b.assignment)}, counted{at(m_b.load)};
        if (m_b.counts) {
            routed.push_back(at(*m_b.logSums));
            counted.push_back(at(*m_b.counts));
        }
        m_w.add("route", routing(OpKind::Route), {at(logits())}, std::move(routed));
        m_w.add("count_experts", routing(OpKind::CountExperts), {at(m_b.assignment)}, std::move(counted));
        m_w.add("permute", hiddenRows(OpKind::Permute), {at(normed), at(m_b.assignment)}, {at(m_b.input)});
        gemm(GemmForm::Forward, up(), "", m_b.input, at(m_b.inner));
        m_w.add("experts_activation", activation(activations().forward, m_rows, width()), {at(m_b.inner)},
            {at(m_b.product)});
        gemm(GemmForm::Forward, down(), "", m_b.product, at(m_b.out));
        std::vector<Use> reads{at(m_b.assignment), at(m_b.weights), at(m_b.out)};
        if (residual)
            reads.push_back(*residual);
        m_w.add("combine", hiddenRows(OpKind::Combine), std::move(reads), {to});
        if (m_b.sharedInner)
            sharedForward(normed, to);
    }

    void backward(BufferId normed, BufferId dBranch, BufferId dNormed, std::optional<BufferId> residual)
    {
        m_w.add("combine_backward", hiddenRows(OpKind::CombineBackward),
            {at(m_b.assignment), at(m_b.weights), at(m_b.out), at(dBranch)}, {at(m_b.out), at(m_b.dWeights)});
        gradients(down(), m_b.out, m_b.product, m_b.dProduct);
        m_w.add("experts_activation_backward", activation(activations().backward, m_rows, width()),
            {at(m_b.dProduct), at(m_b.inner)}, {at(m_b.inner)});
        gradients(up(), m_b.inner, m_b.input, m_b.dInput);
        std::vector<Use> reads{at(m_b.dInput), at(m_b.assignment)};
        if (residual)
            reads.push_back(at(*residual));
        m_w.add("permute_backward", hiddenRows(OpKind::PermuteBackward), std::move(reads), {at(dNormed)});
        std::vector<Use> routed{at(m_b.scores), at(m_b.weights), at(m_b.assignment), at(m_b.dWeights)};
        if (m_b.counts)
            routed.insert(routed.end(), {at(*m_b.counts), at(*m_b.logSums)});
        m_w.add("route_backward", routing(OpKind::RouteBackward), std::move(routed), {at(logits())});
        joinGradient(router(), at(logits()), normed, dNormed);
        if (m_b.sharedInner)
            sharedBackward(normed, dBranch, dNormed);
    }

private:
    // In fp32, the scores replace the logits.
    [[nodiscard]] BufferId logits() const { return m_b.logits.value_or(m_b.scores); }
    [[nodiscard]] std::int64_t width() const { return m_w.s.ffn; }
    [[nodiscard]] ActivationOps activations() const { return activationOps(m_w.model.mlp); }
    [[nodiscard]] Linear router() const
    {
        return {.name = "router", .rows = m_w.s.tokens, .out = m_experts.count, .in = m_w.s.hidden};
    }
    [[nodiscard]] ExpertLinear up() const
    {
        return {m_gates == 2 ? "experts_gate_up" : "experts_up", m_gates * width(), m_w.s.hidden};
    }
    [[nodiscard]] ExpertLinear down() const { return {"experts_down", m_w.s.hidden, width()}; }
    [[nodiscard]] Linear sharedUp() const
    {
        return {.name = m_gates == 2 ? "shared_gate_up" : "shared_up",
            .rows = m_w.s.tokens,
            .out = m_gates * m_w.s.sharedFfn,
            .in = m_w.s.hidden};
    }
    [[nodiscard]] Linear sharedDown() const
    {
        return {.name = "shared_down", .rows = m_w.s.tokens, .out = m_w.s.hidden, .in = m_w.s.sharedFfn};
    }
    [[nodiscard]] Linear sharedGate() const
    {
        return {.name = "shared_gate", .rows = m_w.s.tokens, .out = 1, .in = m_w.s.hidden};
    }

    // On a GPU, each expert's GEMM is a launch of its own, and the host waits once per layer for the number of rows of
    // each expert. Only GPUs run bf16.
    [[nodiscard]] bool onGpu() const { return m_w.s.type == DType::Bf16; }
    [[nodiscard]] KernelId routing(OpKind kind) const
    {
        return m_w.b.kernel({.kind = kind,
            .type = m_w.s.type,
            .m = m_w.s.tokens,
            .n = m_experts.count,
            .k = m_experts.perToken,
            .libraryBytes = onGpu() ? m_w.s.blasWorkspace + routingBytes(kind) : 0});
    }
    // What LibTorch's ops allocate (aten_ops/experts.h).
    [[nodiscard]] Bytes routingBytes(OpKind kind) const
    {
        const Bytes scores = m_w.s.tokens * m_experts.count, slots = m_w.s.tokens * m_experts.perToken;
        return kind == OpKind::Route ? 20 * scores + 32 * slots : kind == OpKind::RouteBackward ? 12 * scores : 0;
    }
    // A kernel over the rows of the residual stream and of the experts. With expert parallelism, the host waits for
    // another op than Permute (passes/expert_parallel.cpp).
    [[nodiscard]] KernelId hiddenRows(OpKind kind) const
    {
        return m_w.b.kernel({.kind = kind,
            .type = m_w.s.type,
            .m = m_w.s.tokens,
            .n = m_w.s.hidden,
            .k = m_experts.perToken,
            .batch = m_experts.count,
            .synchronizesHost = kind == OpKind::Permute && onGpu() && m_w.s.expertRanks == 1});
    }
    // LibTorch's op multiplies in fp32.
    [[nodiscard]] KernelId gateRowsBackward() const
    {
        const std::int64_t elements = m_w.s.tokens * m_w.s.hidden;
        return m_w.b.kernel({.kind = OpKind::GateRowsBackward,
            .type = m_w.s.type,
            .m = m_w.s.tokens,
            .n = m_w.s.hidden,
            .libraryBytes = onGpu() ? m_w.s.blasWorkspace + elements * sizeOf(DType::Fp32) : 0});
    }
    [[nodiscard]] KernelId activation(OpKind kind, std::int64_t rows, std::int64_t columns) const
    {
        return m_w.b.kernel({.kind = kind, .type = m_w.s.type, .m = rows, .n = columns});
    }
    [[nodiscard]] KernelId grouped(GemmForm form, std::int64_t m, std::int64_t n, std::int64_t k) const
    {
        return m_w.b.kernel({.kind = OpKind::GroupedGemm,
            .type = m_w.s.type,
            .form = form,
            .m = m,
            .n = n,
            .k = k,
            .batch = m_experts.count,
            .calls = onGpu() ? m_experts.count : 1,
            .libraryBytes = m_w.s.blasWorkspace});
    }
    void gemm(GemmForm form, const ExpertLinear &linear, const char *suffix, BufferId from, Use to)
    {
        const bool forward = form == GemmForm::Forward;
        m_w.add(linear.name + suffix,
            grouped(form, m_rows, forward ? linear.out : linear.in, forward ? linear.in : linear.out),
            {at(from), m_w.w.at(linear.name).weight, at(m_b.assignment)}, {to});
    }
    void gradients(const ExpertLinear &linear, BufferId dy, BufferId x, BufferId dx)
    {
        m_w.addGradient(linear.name + "_dweight", grouped(GemmForm::WeightGradient, linear.out, linear.in, m_rows),
            {at(dy), at(x), at(m_b.assignment)}, {m_w.w.at(linear.name).gradient});
        gemm(GemmForm::InputGradient, linear, "_dx", dy, at(dx));
    }
    // The gradients of a layer that reads the residual stream. Its input gradient is added to the existing one.
    void joinGradient(const Linear &linear, Use dy, BufferId normed, BufferId dNormed)
    {
        const Use added = at(dNormed);
        m_w.linearWeightGradient(linear, dy, at(normed));
        m_w.linearInputGradient(linear, dy, at(dNormed), &added);
    }

    void sharedForward(BufferId normed, Use to)
    {
        m_w.linear(sharedUp(), at(normed), at(*m_b.sharedInner));
        m_w.add("shared_activation", activation(activations().forward, m_w.s.tokens, m_w.s.sharedFfn),
            {at(*m_b.sharedInner)}, {at(*m_b.sharedProduct)});
        const KernelId rows = m_w.rows(OpKind::GateRows, m_w.s.hidden);
        if (!m_b.sharedGate)
            return m_w.linear(sharedDown(), at(*m_b.sharedProduct), to, &to);
        m_w.linear(sharedDown(), at(*m_b.sharedProduct), at(*m_b.sharedOut));
        m_w.linear(sharedGate(), at(normed), at(*m_b.sharedGate));
        m_w.add("shared_gate_rows", rows, {at(*m_b.sharedGate), at(*m_b.sharedOut), to}, {to});
    }

    void sharedBackward(BufferId normed, BufferId dBranch, BufferId dNormed)
    {
        BufferId dShared = dBranch;
        if (m_b.sharedGate) {
            dShared = *m_b.dShared;
            m_w.add("shared_gate_rows_backward", gateRowsBackward(),
                {at(dBranch), at(*m_b.sharedOut), at(*m_b.sharedGate)}, {at(dShared), at(*m_b.sharedGate)});
            joinGradient(sharedGate(), at(*m_b.sharedGate), normed, dNormed);
        }
        m_w.linearWeightGradient(sharedDown(), at(dShared), at(*m_b.sharedProduct));
        m_w.linearInputGradient(sharedDown(), at(dShared), at(*m_b.dSharedProduct));
        m_w.add("shared_activation_backward", activation(activations().backward, m_w.s.tokens, m_w.s.sharedFfn),
            {at(*m_b.dSharedProduct), at(*m_b.sharedInner)}, {at(*m_b.sharedInner)});
        joinGradient(sharedUp(), at(*m_b.sharedInner), normed, dNormed);
    }

    OpWriter &m_w;
    const ExpertsBuffers &m_b;
    const ExpertsModule &m_experts;
    std::int64_t m_rows;
    std::int64_t m_gates; // 2 if the MLP has a gate in addition to its up projection
};

void append(std::vector<BufferId> &all, std::initializer_list<std::optional<BufferId>> more)
{
    for (const std::optional<BufferId> &buffer : more) {
        if (buffer)
            all.push_back(*buffer);
    }
}

} // namespace

std::vector<BufferId> ExpertsBuffers::saved() const
{
    std::vector<BufferId> all{scores, weights, assignment, input, inner, product, out};
    append(all, {received, logSums, sharedInner, sharedProduct, sharedOut, sharedGate});
    return all;
}

std::vector<BufferId> ExpertsBuffers::all() const
{
    std::vector<BufferId> all = saved();
    for (const std::vector<BufferId> &more : {temporary(), temporaryForward()})
        all.insert(all.end(), more.begin(), more.end());
    append(all, {load, counts});
    return all;
}

std::vector<BufferId> ExpertsBuffers::temporary() const
{
    std::vector<BufferId> all{dWeights, dProduct, dInput};
    append(all, {logits, dSharedProduct, dShared, dMade, dSent});
    return all;
}

std::vector<BufferId> ExpertsBuffers::temporaryForward() const
{
    std::vector<BufferId> all;
    append(all, {logits, sent, allOffsets, made});
    return all;
}

void declareSaved(const BufferMaker &make, const ModelSpec &model, ExpertsBuffers &b)
{
    const ExpertsModule &experts = model.experts;
    const int gates = model.mlp.gated ? 2 : 1;
    const std::int64_t perToken = experts.perToken, rows = make.s.tokens * perToken;
    b.scores = make.statistics("router_scores", true, experts.count);
    if (make.s.type != DType::Fp32)
        b.logits = make.temporary("router_logits", experts.count);
    b.weights = make.statistics("routing_weights", true, perToken);
    b.assignment = make.add("assignment", (experts.count + 1 + 3 * rows) * sizeOf(DType::Int32), DType::Int32, true);
    const auto ofRun = [&](const char *name, DType type) {
        return make.b.buffer({.name = name,
            .bytes = experts.count * sizeOf(type),
            .type = type,
            .role = Role::Workspace,
            .scope = Scope::Run});
    };
    b.load = ofRun("expert_load", DType::Int64);
    if (make.s.balances) {
        b.counts = make.add("expert_counts", experts.count * sizeOf(DType::Fp32), DType::Fp32, false, Role::Workspace);
        b.logSums = make.statistics("router_log_sums", true);
    }
    const std::int64_t here = make.s.mostExpertRows / make.s.tokens;
    b.input = make.saved("experts_input", here * model.hidden);
    b.inner = make.saved(gates == 2 ? "experts_gate_up" : "experts_up", here * gates * make.s.ffn);
    b.product = make.saved("experts_product", here * make.s.ffn);
    b.out = make.saved("experts_out", perToken * model.hidden);
    if (make.s.expertRanks > 1) {
        const Bytes offsets = (experts.count + 1) * sizeOf(DType::Int32);
        b.received = make.add("received_rows", offsets, DType::Int32, true);
        b.allOffsets = make.add("all_offsets", make.s.expertRanks * offsets, DType::Int32, false, Role::Communication);
        b.sent = make.temporary("experts_sent", perToken * model.hidden);
        b.made = make.temporary("experts_made", here * model.hidden);
    }
    if (experts.sharedWidth == 0)
        return;
    b.sharedInner = make.saved(gates == 2 ? "shared_gate_up" : "shared_up", gates * make.s.sharedFfn);
    b.sharedProduct = make.saved("shared_product", make.s.sharedFfn);
    if (!experts.sharedGate)
        return;
    b.sharedOut = make.saved("shared_out", model.hidden);
    b.sharedGate = make.saved("shared_gate", 1);
}

void declareTemporary(const BufferMaker &make, const ModelSpec &model, ExpertsBuffers &b)
{
    const std::int64_t perToken = model.experts.perToken;
    b.dWeights = make.statistics("drouting_weights", false, perToken);
    const std::int64_t here = make.s.mostExpertRows / make.s.tokens;
    b.dProduct = make.temporary("dexperts_product", here * make.s.ffn);
    b.dInput = make.temporary("dexperts_input", here * model.hidden);
    if (make.s.expertRanks > 1) {
        b.dMade = make.temporary("dexperts_made", here * model.hidden);
        b.dSent = make.temporary("dexperts_sent", perToken * model.hidden);
    }
    if (model.experts.sharedWidth == 0)
        return;
    b.dSharedProduct = make.temporary("dshared_product", make.s.sharedFfn);
    if (model.experts.sharedGate)
        b.dShared = make.temporary("dshared", model.hidden);
}

void expertsForward(OpWriter &writer, const ExpertsBuffers &buffers, BufferId normed, Use to, const Use *residual)
{
    ExpertOps(writer, buffers).forward(normed, to, residual);
}

void expertsBackward(OpWriter &writer, const ExpertsBuffers &buffers, BufferId normed, BufferId dBranch,
    BufferId dNormed, std::optional<BufferId> residual)
{
    ExpertOps(writer, buffers).backward(normed, dBranch, dNormed, residual);
}

} // namespace slipway::native
