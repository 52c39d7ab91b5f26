// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/inference/layer.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "plan/native/op_writer.h"

namespace slipway::inference {

namespace {

using native::at;

bool hasNormBefore(const ModelSpec &model) { return model.block.norms != NormPlacement::After; }
bool hasNormAfter(const ModelSpec &model) { return model.block.norms != NormPlacement::Before; }

// Sequences with equal numbers of queries and of keys before them.
struct Sequences {
    const char *name = "";
    std::int64_t count = 0, queries = 0, past = 0;
};

class LayerWriter {
public:
    LayerWriter(StepWriter &writer, std::size_t kind)
        : m_w(writer),
          m_model(writer.model),
          m_kind(writer.model.pattern[kind]),
          m_weights(at(writer.layerWeights))
    {
        if (kind < writer.caches.size())
            m_cache = at(writer.caches[kind]);
    }

    void write()
    {
        const bool parallel = m_model.block.parallel;
        if (hasNormBefore(m_model))
            m_w.norm("attention_norm", at(m_w.x), at(m_w.normed));
        attention(hasNormBefore(m_model) ? m_w.normed : m_w.x);
        // Both branches read x as it came in: a parallel block adds attention's output only after its MLP has read x.
        if (!parallel)
            join("attention");
        if (hasNormBefore(m_model) && !m_model.block.sharedNorm)
            m_w.norm("mlp_norm", at(m_w.x), at(m_w.normed));
        const BufferId input = hasNormBefore(m_model) ? m_w.normed : m_w.x;
        const BufferId out = parallel ? m_w.attended : m_w.branch;
        if (m_model.experts.count > 0)
            experts(input, out);
        else
            mlp(input, out);
        if (parallel)
            m_w.add("branches_add", m_w.rowKernel(OpKind::Add, m_model.hidden), {at(m_w.branch), at(out)},
                {at(m_w.branch)});
        join("mlp");
    }

private:
    StepGemm linear(std::int64_t out, std::int64_t in, std::int64_t rows = 0) const
    {
        return {.rows = rows > 0 ? rows : m_w.rows(),
            .out = out,
            .in = in,
            .bits = m_w.layout.weightBits,
            .fp8 = m_w.layout.fp8Gemms};
    }

    // The same input through several matrices: one GEMM, or one each.
    void project(const std::string &name, const std::vector<std::int64_t> &widths, BufferId input, BufferId out)
    {
        const std::int64_t all = std::accumulate(widths.begin(), widths.end(), std::int64_t{0});
        const bool one = m_w.layout.fusesProjections || widths.size() == 1;
        for (std::size_t i = 0; i < (one ? 1 : widths.size()); ++i)
            m_w.add(one ? name : name + std::to_string(i), m_w.gemm(linear(one ? all : widths[i], m_model.hidden)),
                {at(input), m_weights}, {at(out)});
    }

    // Ranks add up what each has of a branch.
    void sumOverRanks(const std::string &name, BufferId partial)
    {
        if (m_w.layout.tp > 1)
            m_w.add(name, m_w.collective(OpKind::AllReduce, m_w.rows() * m_model.hidden), {at(partial)}, {at(partial)});
    }

    void bias(const std::string &name, bool has, BufferId y, std::int64_t width)
    {
        if (has)
            m_w.add(name, m_w.rowKernel(OpKind::AddBias, width), {at(y), m_weights}, {at(y)});
    }

    // The branch's norm, its scale, and its sum with the residual stream.
    void join(const std::string &name)
    {
        if (hasNormAfter(m_model))
            m_w.norm(name + "_post_norm", at(m_w.branch), at(m_w.branch));
        if (m_model.block.branchScale != 1)
            m_w.add(name + "_scale", m_w.scaleKernel(m_model.block.branchScale), {at(m_w.branch)}, {at(m_w.branch)});
        m_w.add(name + "_add", m_w.rowKernel(OpKind::Add, m_model.hidden), {at(m_w.x), at(m_w.branch)}, {at(m_w.x)});
    }

    void attention(BufferId input)
    {
        const AttentionModule &a = m_model.attention;
        project("qkv", {m_w.s.qWidth, m_w.s.kvWidth, m_w.s.kvWidth}, input, m_w.qkv);
        bias("qkv_bias", a.qkvBias, m_w.qkv, m_w.s.qkvWidth);
        if (a.qkNorm != QkNorm::None)
            m_w.add(
                "qk_norm", headKernel(OpKind::QkNorm, m_w.layout.normKernels), {at(m_w.qkv), m_weights}, {at(m_w.qkv)});
        if (m_model.position == Position::Rope && m_kind.rope != kNoRope)
            m_w.add("rope", headKernel(OpKind::Rope, m_w.layout.ropeKernels), {at(m_w.qkv)}, {at(m_w.qkv)});
        writeCache();
        for (const Sequences &sequences :
            {Sequences{"prefill_", m_w.step.prefilling, m_w.step.prefillTokens, m_w.step.prefillPast},
                Sequences{"decode_", m_w.step.decoding, 1, m_w.step.decodePast}}) {
            if (sequences.count > 0)
                attend(sequences);
        }
        m_w.add("o", m_w.gemm(linear(m_model.hidden, m_w.s.qWidth)), {at(m_w.attended), m_weights}, {at(m_w.branch)});
        sumOverRanks("sum_attention", m_w.branch);
        bias("o_bias", a.outBias, m_w.branch, m_model.hidden);
    }

    KernelId headKernel(OpKind kind, int calls)
    {
        return m_w.b.kernel({.kind = kind,
            .type = m_w.layout.type,
            .m = m_w.rows(),
            .batch = 1,
            .seq = static_cast<std::int32_t>(m_w.rows()),
            .heads = static_cast<std::int32_t>(m_w.s.heads),
            .kvHeads = static_cast<std::int32_t>(m_w.s.kvHeads),
            .headDim = m_model.attention.headDim,
            .calls = calls});
    }

    [[nodiscard]] Bytes stored(std::int64_t tokens) const { return tokens * cacheBytesPerToken(m_model, m_w.layout); }

    // Keys and values of the step's tokens join those before.
    void writeCache()
    {
        const Bytes read = 2 * m_w.rows() * m_w.s.kvWidth * sizeOf(m_w.layout.type);
        Bytes moved = 0;
        if (m_w.layout.growsCache)
            moved = stored(m_w.step.decoding * m_w.step.decodePast + m_w.step.prefilling * m_w.step.prefillPast);
        std::vector<Use> reads{at(m_w.qkv)}, writes;
        if (m_w.blockTable)
            reads.push_back(at(*m_w.blockTable));
        if (m_cache)
            writes.push_back(*m_cache);
        if (m_w.layout.growsCache) {
            writes.push_back(at(m_w.copied));
            if (m_cache)
                reads.push_back(*m_cache);
        }
        m_w.add("write_cache",
            m_w.b.kernel({.kind = OpKind::Elementwise,
                .type = m_w.layout.type,
                .calls = m_w.layout.growsCache ? 2 : 1, // keys and values apart
                .bytesRead = read + moved,
                .bytesWritten = stored(m_w.rows()) + moved}),
            std::move(reads), std::move(writes));
    }

    void attend(const Sequences &q)
    {
        std::vector<Use> reads{at(m_w.qkv)};
        if (m_cache)
            reads.push_back(*m_cache);
        if (m_w.blockTable)
            reads.push_back(at(*m_w.blockTable));
        if (!m_w.layout.fusedAttention)
            scores(q);
        m_w.add(q.name + std::string("attention"),
            m_w.b.kernel({.kind = OpKind::FlashAttention,
                .type = m_w.layout.type,
                .batch = static_cast<std::int32_t>(q.count),
                .seq = static_cast<std::int32_t>(q.queries),
                .heads = static_cast<std::int32_t>(m_w.s.heads),
                .kvHeads = static_cast<std::int32_t>(m_w.s.kvHeads),
                .headDim = m_model.attention.headDim,
                .window = m_kind.window,
                .past = static_cast<std::int32_t>(q.past),
                .storedBits = static_cast<float>(m_w.layout.cacheBits),
                .scale = static_cast<float>(m_model.attention.scale),
                .softCap = static_cast<float>(m_model.attention.softCap)}),
            std::move(reads), {at(m_w.attended)});
    }

    // Without a fused kernel: products write the scores, a soft-max reads them and writes probabilities, products read
    // these. The products' arithmetic is counted with the fused kernel's.
    void scores(const Sequences &q)
    {
        const Bytes all = q.count * m_w.s.heads * q.queries * (q.past + q.queries) * sizeOf(m_w.layout.type);
        m_w.add(q.name + std::string("scores"),
            m_w.b.kernel({.kind = OpKind::Elementwise,
                .type = m_w.layout.type,
                .cost = CostClass::Attention,
                .calls = 3,
                .bytesRead = 2 * all,
                .bytesWritten = 2 * all}),
            {at(m_w.qkv)}, {at(m_w.scores)});
    }

    void mlp(BufferId input, BufferId out)
    {
        const std::int64_t inner = (m_model.mlp.gated ? 2 : 1) * m_w.s.ffn;
        if (m_model.mlp.gated)
            project("gate_up", {m_w.s.ffn, m_w.s.ffn}, input, m_w.inner);
        else
            project("up", {m_w.s.ffn}, input, m_w.inner);
        bias("up_bias", m_model.mlp.bias, m_w.inner, inner);
        activation("activation", m_w.s.ffn, m_w.rows(), m_w.inner, m_w.product);
        m_w.add("down", m_w.gemm(linear(m_model.hidden, m_w.s.ffn)), {at(m_w.product), m_weights}, {at(out)});
        sumOverRanks("sum_mlp", out);
        bias("down_bias", m_model.mlp.bias, out, m_model.hidden);
    }

    void activation(const std::string &name, std::int64_t width, std::int64_t rows, BufferId from, BufferId to)
    {
        const bool gated = m_model.mlp.gated;
        m_w.add(name,
            m_w.rowKernel(gated ? OpKind::GatedActivation : OpKind::Activation, width,
                {.rows = rows, .calls = gated ? m_w.layout.activationKernels : 1}),
            {at(from)}, {at(to)});
    }

    // Each token's rows go to its experts and come back; only the weights of experts that have rows are read.
    void experts(BufferId input, BufferId out)
    {
        const ExpertsModule &e = m_model.experts;
        const std::int64_t choices = m_w.rows() * e.perToken, gates = m_model.mlp.gated ? 2 : 1;
        const auto routed = [&](OpKind kind, std::int64_t n) {
            return m_w.b.kernel({.kind = kind, .type = m_w.layout.type, .m = m_w.rows(), .n = n, .k = e.perToken});
        };
        const auto grouped = [&](std::int64_t n, std::int64_t k) {
            StepGemm gemm = linear(n, k, choices);
            gemm.experts = expertsTouched(e, m_w.rows());
            return m_w.gemm(gemm);
        };
        m_w.add("router",
            m_w.gemm({.rows = m_w.rows(),
                .out = e.count,
                .in = m_model.hidden,
                .bits = 8.0 * double(sizeOf(m_w.layout.type))}),
            {at(input), m_weights}, {at(m_w.routing)});
        m_w.add("route", routed(OpKind::Route, e.count), {at(m_w.routing)}, {at(m_w.routing)});
        m_w.add(
            "dispatch", routed(OpKind::Permute, m_model.hidden), {at(input), at(m_w.routing)}, {at(m_w.expertRows)});
        m_w.add("experts_up", grouped(gates * m_w.s.ffn, m_model.hidden),
            {at(m_w.expertRows), m_weights, at(m_w.routing)}, {at(m_w.expertInner)});
        activation("experts_activation", m_w.s.ffn, choices, m_w.expertInner, m_w.expertProduct);
        m_w.add("experts_down", grouped(m_model.hidden, m_w.s.ffn), {at(m_w.expertProduct), m_weights, at(m_w.routing)},
            {at(m_w.expertOut)});
        m_w.add("combine", routed(OpKind::Combine, m_model.hidden), {at(m_w.routing), at(m_w.expertOut)}, {at(out)});
        if (e.sharedWidth > 0)
            sharedExpert(input, out);
        sumOverRanks("sum_experts", out);
    }

    void sharedExpert(BufferId input, BufferId out)
    {
        const std::int64_t width = m_w.s.sharedWidth, inner = (m_model.mlp.gated ? 2 : 1) * width;
        m_w.add("shared_up", m_w.gemm(linear(inner, m_model.hidden)), {at(input), m_weights}, {at(m_w.inner)});
        activation("shared_activation", width, m_w.rows(), m_w.inner, m_w.product);
        m_w.add("shared_down", m_w.gemm(linear(m_model.hidden, width)), {at(m_w.product), m_weights}, {at(m_w.shared)});
        m_w.add("shared_add",
            m_w.rowKernel(m_model.experts.sharedGate ? OpKind::GateRows : OpKind::Add, m_model.hidden),
            {at(m_w.shared), at(out)}, {at(out)});
    }

    StepWriter &m_w;
    const ModelSpec &m_model;
    const LayerKind &m_kind;
    Use m_weights;
    std::optional<Use> m_cache;
};

void declareExperts(StepWriter &w)
{
    const ExpertsModule &e = w.model.experts;
    const std::int64_t choices = e.perToken, gates = w.model.mlp.gated ? 2 : 1;
    w.routing = w.buffer("routing", w.rows() * (e.count + 4 * choices) * 4, DType::Fp32, Role::Workspace);
    w.expertRows = w.temporary("expert_rows", choices * w.model.hidden);
    w.expertInner = w.temporary("expert_inner", choices * gates * w.s.ffn);
    w.expertProduct = w.temporary("expert_product", choices * w.s.ffn);
    w.expertOut = w.temporary("expert_out", choices * w.model.hidden);
    if (e.sharedWidth > 0)
        w.shared = w.temporary("shared_out", w.model.hidden);
}

} // namespace

void declareLayer(StepWriter &w)
{
    const ModelSpec &m = w.model;
    const std::int64_t gates = m.mlp.gated ? 2 : 1;
    w.qkv = w.temporary("qkv", w.s.qkvWidth);
    // A parallel block holds its MLP's output where attention's heads were.
    w.attended = w.temporary("attended", m.block.parallel ? std::max(w.s.qWidth, std::int64_t{m.hidden}) : w.s.qWidth);
    w.branch = w.temporary("branch", m.hidden);
    const std::int64_t width = m.experts.count > 0 ? w.s.sharedWidth : w.s.ffn;
    if (width > 0) {
        w.inner = w.temporary("inner", gates * width);
        w.product = w.temporary("product", width);
    }
    if (m.experts.count > 0)
        declareExperts(w);
    const InferenceStep &step = w.step;
    if (!w.layout.fusedAttention) {
        const std::int64_t keys = std::max(step.decoding * (step.decodePast + 1),
            step.prefilling * step.prefillTokens * (step.prefillPast + step.prefillTokens));
        w.scores = w.buffer("scores", w.s.heads * keys * sizeOf(w.layout.type), w.layout.type, Role::Workspace);
    }
    if (w.layout.growsCache) {
        const std::int64_t tokens =
            step.decoding * (step.decodePast + 1) + step.prefilling * (step.prefillPast + step.prefillTokens);
        w.copied = w.buffer("grown_cache", tokens * cacheBytesPerToken(m, w.layout), w.layout.type, Role::Workspace);
    }
}

Block layerBlock(StepWriter &writer, std::size_t kind)
{
    LayerWriter(writer, kind).write();
    Block block = writer.take(writer.model.pattern.size() > 1 ? "layer" + std::to_string(kind) : "layer");
    block.layered = true;
    return block;
}

} // namespace slipway::inference
