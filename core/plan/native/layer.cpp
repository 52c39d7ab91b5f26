// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/native/layer.h"

namespace slipway::native {

namespace {

bool hasNormBefore(const ModelSpec &model) { return model.block.norms != NormPlacement::After; }
bool hasNormAfter(const ModelSpec &model) { return model.block.norms != NormPlacement::Before; }
bool isScaled(const ModelSpec &model) { return model.block.branchScale != 1; }

class LayerWriter {
public:
    LayerWriter(OpWriter &writer, const LayerBuffers &buffers, const LayerKind &kind)
        : m_w(writer),
          m_model(writer.model),
          m_l(buffers),
          m_kind(kind),
          m_parallel(m_model.block.parallel)
    {
    }

    void forward()
    {
        if (m_l.attentionNorm)
            normForward(m_w, *m_l.attentionNorm, m_l.x, *m_l.attentionNormed);
        if (m_parallel && m_l.mlpNorm)
            normForward(m_w, *m_l.mlpNorm, m_l.x, *m_l.mlpNormed);
        attentionForward(m_w, m_l.attention, m_kind, attentionInput());
        const Use mid = m_parallel ? at(m_l.x, 1) : at(*m_l.xMid);
        joinAttention(mid);
        if (m_l.experts)
            joinExperts(mid);
        else
            joinMlp(mid);
    }

    void backward() { m_parallel ? backwardInParallel() : backwardInTurn(); }

private:
    [[nodiscard]] BufferId attentionInput() const { return m_l.attentionNormed.value_or(m_l.x); }
    [[nodiscard]] BufferId mlpInput() const
    {
        if (m_l.mlpNormed)
            return *m_l.mlpNormed;
        return m_parallel ? attentionInput() : *m_l.xMid;
    }

    // The GEMM adds the residual, without a separate kernel. Tensor-parallel ranks must first reduce.
    [[nodiscard]] bool addsInGemm() const
    {
        return !hasNormAfter(m_model) && !isScaled(m_model) && m_w.s.tensorRanks == 1;
    }

    // Adds the output of a branch to the residual stream after its norm and scale, unless the GEMM has added it.
    void finishBranch(const std::string &name, const std::optional<Norm> &norm, const std::optional<BufferId> &branch)
    {
        if (norm)
            normForward(m_w, *norm, *branch, m_l.projected);
        if (isScaled(m_model))
            m_w.add(name + "_scale", scale(), {at(m_l.projected)}, {at(m_l.projected)});
    }

    // If a norm follows, it adds the residual, because RMSNorm reads the sum anyway.
    void joinAttention(Use mid)
    {
        const Linear projection = projectionOf(m_w.s);
        const bool normFollows = !m_parallel && m_l.mlpNorm, normAdds = normFollows && addsBeforeNorm(m_model);
        const Use out = at(m_l.attention.out), x = at(m_l.x);
        if (addsInGemm() && !normAdds) {
            m_w.linear(projection, out, mid, &x);
        } else {
            m_w.linear(projection, out, at(m_l.attentionBranch.value_or(m_l.projected)));
            finishBranch("attention", m_l.attentionPostNorm, m_l.attentionBranch);
            if (normAdds)
                return addNormForward(m_w, *m_l.mlpNorm, m_l.x, m_l.projected, *m_l.xMid, *m_l.mlpNormed);
            m_w.add("attention_add", m_w.streamRows(OpKind::Add), {x, at(m_l.projected)}, {mid});
        }
        if (normFollows)
            normForward(m_w, *m_l.mlpNorm, *m_l.xMid, *m_l.mlpNormed);
    }

    void joinMlp(Use mid)
    {
        mlpForward(m_w, m_l.mlp, mlpInput());
        const Use product = at(m_l.mlp.product);
        if (addsInGemm())
            return m_w.linear(downOf(m_w.s), product, at(m_l.x, 1), &mid);
        m_w.linear(downOf(m_w.s), product, at(m_l.mlpBranch.value_or(m_l.projected)));
        addMlpBranch(mid);
    }

    void joinExperts(Use mid)
    {
        if (addsInGemm())
            return expertsForward(m_w, *m_l.experts, mlpInput(), at(m_l.x, 1), &mid);
        expertsForward(m_w, *m_l.experts, mlpInput(), at(m_l.mlpBranch.value_or(m_l.projected)), nullptr);
        addMlpBranch(mid);
    }

    void addMlpBranch(Use mid)
    {
        finishBranch("mlp", m_l.mlpPostNorm, m_l.mlpBranch);
        m_w.add("mlp_add", m_w.streamRows(OpKind::Add), {mid, at(m_l.projected)}, {at(m_l.x, 1)});
    }

    [[nodiscard]] KernelId scale() const
    {
        return m_w.b.kernel({.kind = OpKind::Scale,
            .type = m_w.s.type,
            .m = m_w.s.streamTokens,
            .n = m_w.s.hidden,
            .scale = static_cast<float>(m_model.block.branchScale)});
    }

    // The gradient of the output of a branch's last GEMM.
    BufferId branchGradient(
        const std::string &name, const std::optional<Norm> &norm, const std::optional<BufferId> &branch)
    {
        BufferId gradient = m_l.dx;
        if (isScaled(m_model)) {
            m_w.add(name + "_scale_backward", scale(), {at(m_l.dx)}, {at(*m_l.dBranch)});
            gradient = *m_l.dBranch;
        }
        if (!norm)
            return gradient;
        normBackward(m_w, *norm, gradient, *branch, *m_l.dBranch);
        return *m_l.dBranch;
    }

    void mlpOrExpertsBackward(BufferId dBranch, BufferId dNormed, std::optional<BufferId> residual)
    {
        if (m_l.experts)
            expertsBackward(m_w, *m_l.experts, mlpInput(), dBranch, dNormed, residual);
        else
            mlpBackward(m_w, m_l.mlp, mlpInput(), dBranch, dNormed, residual);
    }

    // Without a norm before the branch, its gradient is added to the stream's at once.
    void backwardInTurn()
    {
        const bool normed = hasNormBefore(m_model);
        const BufferId dInput = normed ? m_l.dNormed : m_l.dx;
        const std::optional<BufferId> residual = normed ? std::nullopt : std::optional(m_l.dx);
        mlpOrExpertsBackward(branchGradient("mlp", m_l.mlpPostNorm, m_l.mlpBranch), dInput, residual);
        if (normed)
            normBackward(m_w, *m_l.mlpNorm, m_l.dNormed, *m_l.xMid, m_l.dx, m_l.dx);
        attentionBackward(m_w, m_l.attention, m_kind, attentionInput(),
            branchGradient("attention", m_l.attentionPostNorm, m_l.attentionBranch), dInput, residual);
        if (normed)
            normBackward(m_w, *m_l.attentionNorm, m_l.dNormed, m_l.x, m_l.dx, m_l.dx);
    }

    // Both branches read the gradient of the residual stream before either adds to it.
    void backwardInParallel()
    {
        const BufferId dBranch = branchGradient("branches", {}, {});
        mlpOrExpertsBackward(dBranch, m_l.dMlpNormed.value_or(m_l.dNormed), {});
        attentionBackward(m_w, m_l.attention, m_kind, attentionInput(), dBranch, m_l.dNormed,
            m_l.dMlpNormed ? std::nullopt : std::optional(m_l.dNormed));
        if (m_l.dMlpNormed)
            normBackward(m_w, *m_l.mlpNorm, *m_l.dMlpNormed, m_l.x, m_l.dx, m_l.dx);
        normBackward(m_w, *m_l.attentionNorm, m_l.dNormed, m_l.x, m_l.dx, m_l.dx);
    }

    OpWriter &m_w;
    const ModelSpec &m_model;
    const LayerBuffers &m_l;
    const LayerKind &m_kind;
    const bool m_parallel;
};

void append(std::vector<BufferId> &all, const std::vector<BufferId> &more)
{
    all.insert(all.end(), more.begin(), more.end());
}

} // namespace

std::vector<BufferId> LayerBuffers::saved() const
{
    std::vector<BufferId> all;
    const auto add = [&all](const std::optional<BufferId> &buffer, const std::optional<Norm> &norm) {
        if (buffer)
            all.push_back(*buffer);
        if (norm)
            append(all, norm->buffers());
    };
    add(attentionNormed, attentionNorm);
    append(all, attention.saved());
    add(xMid, {});
    add(mlpNormed, mlpNorm);
    append(all, experts ? experts->saved() : mlp.saved());
    add(attentionBranch, attentionPostNorm);
    add(mlpBranch, mlpPostNorm);
    return all;
}

std::vector<BufferId> LayerBuffers::temporary() const
{
    std::vector<BufferId> all{projected, dNormed};
    for (const std::optional<BufferId> &buffer : {dMlpNormed, dBranch}) {
        if (buffer)
            all.push_back(*buffer);
    }
    append(all, attention.temporary());
    append(all, experts ? experts->temporary() : mlp.temporary());
    return all;
}

void declareSaved(const BufferMaker &make, const ModelSpec &model, LayerBuffers &l)
{
    l.x = make.savedStream("x");
    if (hasNormBefore(model)) {
        l.attentionNormed = make.savedStream("attention_normed");
        l.attentionNorm = declareNorm(make, model, "attention_norm", "attention", true);
    }
    declareSaved(make, model, l.attention);
    if (!model.block.parallel)
        l.xMid = make.savedStream("x_mid");
    if (hasNormBefore(model) && !model.block.sharedNorm) {
        l.mlpNormed = make.savedStream("mlp_normed");
        l.mlpNorm = declareNorm(make, model, "mlp_norm", "mlp", true);
    }
    if (model.experts.count > 0)
        declareSaved(make, model, l.experts.emplace());
    else
        declareSaved(make, model, l.mlp);
    if (!hasNormAfter(model))
        return;
    l.attentionBranch = make.savedStream("attention_branch");
    l.attentionPostNorm = declareNorm(make, model, "attention_post_norm", "attention_post", true);
    l.mlpBranch = make.savedStream("mlp_branch");
    l.mlpPostNorm = declareNorm(make, model, "mlp_post_norm", "mlp_post", true);
}

void declareProjected(const BufferMaker &make, LayerBuffers &l) { l.projected = make.temporaryStream("projected"); }

void declareGradients(const BufferMaker &make, const ModelSpec &model, LayerBuffers &l)
{
    l.dx = make.temporaryStream("dx");
    if (l.experts)
        declareTemporary(make, model, *l.experts);
    else
        declareTemporary(make, l.mlp);
    l.dNormed = make.temporaryStream("dnormed");
    if (model.block.parallel && !model.block.sharedNorm)
        l.dMlpNormed = make.temporaryStream("dmlp_normed");
    if (hasNormAfter(model) || isScaled(model))
        l.dBranch = make.temporaryStream("dbranch");
    declareTemporary(make, l.attention);
}

Block layerForward(OpWriter writer, const LayerBuffers &buffers, const LayerKind &kind)
{
    LayerWriter(writer, buffers, kind).forward();
    return {"layer_forward", writer.take(), true};
}

Block layerBackward(OpWriter writer, const LayerBuffers &buffers, const LayerKind &kind)
{
    LayerWriter(writer, buffers, kind).backward();
    return {"layer_backward", writer.take(), true};
}

std::vector<BufferId> freedInForward(const LayerBuffers &buffers)
{
    std::vector<BufferId> freed{buffers.projected};
    if (buffers.experts)
        append(freed, buffers.experts->temporaryForward());
    return freed;
}

std::vector<BufferId> freedInBackward(const LayerBuffers &buffers)
{
    std::vector<BufferId> freed = buffers.saved();
    append(freed, buffers.temporary());
    freed.push_back(buffers.x);
    return freed;
}

} // namespace slipway::native
