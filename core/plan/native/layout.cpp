// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/native/layout.h"

namespace slipway::native {

namespace {

// What cuBLAS takes on an H100; NVIDIA recommends as much for cuBLASLt.
constexpr Bytes kGemmWorkspaceBytes = 32 * kMiB;

HeadBuffers declareHead(const BufferMaker &make, const ModelSpec &model)
{
    const Sizes &s = make.s;
    HeadBuffers head;
    head.normed = make.passing("final_normed", s.hidden);
    head.norm = declareNorm(make, model, "final_norm", "final", false);
    head.logits = make.add("logits", s.chunkRows * s.vocabPitch * sizeOf(s.type), s.type, false, Role::Logits);
    return head;
}

BufferId runWorkspace(PlanBuilder &b, std::string name, Bytes bytes)
{
    return b.buffer(
        {.name = std::move(name), .bytes = bytes, .type = DType::Fp32, .role = Role::Workspace, .scope = Scope::Run});
}

void declareBuffers(PlanBuilder &builder, const ModelSpec &model, Layout &l)
{
    const BufferMaker make{builder, l.sizes};
    l.tokens = make.add("tokens", l.sizes.tokens * 4, DType::Int32, false);
    l.targets = make.add("targets", l.sizes.tokens * 4, DType::Int32, false);
    declareKept(make, model, l.layer);
    declareProjected(make, l.layer);
    l.head = declareHead(make, model);
    declareGradients(make, model, l.layer);
    l.loss = runWorkspace(builder, "loss", 4);
    l.norm2Sum = runWorkspace(builder, "gradient_norm2", 4);
    if (l.sizes.type == DType::Bf16)
        l.gemmWorkspace = runWorkspace(builder, "product_workspace", kGemmWorkspaceBytes);
}

} // namespace

Layout addLayout(PlanBuilder &builder, const RunConfig &config, const ModelSpec &model)
{
    const Sizes sizes = sizesOf(config, model);
    const DataParallelism data = dataParallelism(config);
    builder.plan.layers = model.layers;
    builder.plan.gradAccum = config.gradAccum;
    addGroups(builder.plan, data);
    Layout layout{.sizes = sizes, .data = data, .weights = Weights(builder, data, model, sizes)};
    declareBuffers(builder, model, layout);
    return layout;
}

} // namespace slipway::native
