// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/native/layout.h"

#include <algorithm>

#include "plan/mesh.h"
#include "plan/pipeline_order.h"

namespace slipway::native {

namespace {

// cuBLAS uses this much on an H100. NVIDIA recommends the same for cuBLASLt.
constexpr Bytes kGemmWorkspaceBytes = 32 * kMiB;

// The blocks write an all-gather of weights one block ahead of its use. It may start one block earlier than that, so
// that at most two units are gathered ahead.
constexpr int kGathersAhead = 2;

HeadBuffers declareHead(const BufferMaker &make, const ModelSpec &model)
{
    const Sizes &s = make.s;
    HeadBuffers head;
    head.normed = make.temporaryStream("final_normed");
    head.input = s.tensorRanks > 1 ? make.add("final_normed_gathered",
                                         s.tensorRanks * s.streamTokens * s.hidden * sizeOf(s.type), s.type, false)
                                   : head.normed;
    head.norm = declareNorm(make, model, "final_norm", "final", false);
    head.logits = make.add("logits", s.chunkRows * s.vocabPitch * sizeOf(s.type), s.type, false, Role::Logits);
    return head;
}

BufferId runWorkspace(PlanBuilder &b, std::string name, Bytes bytes)
{
    return b.buffer(
        {.name = std::move(name), .bytes = bytes, .type = DType::Fp32, .role = Role::Workspace, .scope = Scope::Run});
}

// Sized for the largest operands of all linear layers.
QuantizedBuffers declareQuantized(const BufferMaker &make, const ModelSpec &model)
{
    const Sizes &s = make.s;
    const std::int64_t inner = (model.mlp.gated ? 2 : 1) * s.ffn, widestIn = std::max({s.hidden, s.qWidth, s.ffn}),
                       widest = std::max({widestIn, s.qkvWidth, inner}),
                       weights = std::max({s.qkvWidth * s.hidden, s.hidden * s.qWidth, inner * s.hidden});
    const auto buffer = [&make](const char *name, std::int64_t elements) {
        return make.add(name, kQuantizedOffset + elements * sizeOf(DType::Fp8), DType::Fp8, false, Role::Workspace);
    };
    return {buffer("fp8_left", s.tokens * widest), buffer("fp8_right", std::max(s.tokens * widestIn, weights))};
}

void declareBuffers(PlanBuilder &builder, const ModelSpec &model, Layout &l)
{
    const BufferMaker make{builder, l.sizes};
    l.tokens = make.add("tokens", l.sizes.tokens * 4, DType::Int32, false);
    l.targets = make.add("targets", l.sizes.tokens * 4, DType::Int32, false);
    if (l.sizes.separateDocuments)
        l.layer.attention.documents = {make.add("document_positions", l.sizes.tokens * 4, DType::Int32, false),
            make.add("document_bounds", (l.sizes.tokens + 1) * 4, DType::Int32, false)};
    declareSaved(make, model, l.layer);
    declareProjected(make, l.layer);
    l.head = declareHead(make, model);
    declareGradients(make, model, l.layer);
    if (l.sizes.fp8)
        l.quantized = declareQuantized(make, model);
    l.loss = runWorkspace(builder, "loss", 4);
    l.norm2Sum = runWorkspace(builder, "gradient_norm2", 4);
    if (l.sizes.type == DType::Bf16)
        l.gemmWorkspace = runWorkspace(builder, "gemm_workspace", kGemmWorkspaceBytes);
}

// The order is Megatron-LM's: tensor-parallel ranks are adjacent, then context parallelism, then data parallelism, then
// the pipeline. Every stage has the same number of groups, because all ranks create them together.
struct ModelGroups {
    GroupId tensor = GroupId::None, pipeline = GroupId::None, gradient = GroupId::None, context = GroupId::None;
    GroupId wrap = GroupId::None, wrapGradient = GroupId::None;
    std::optional<GroupId> key, embedding;
};
ModelGroups addModelGroups(StepPlan &plan, const Parallelism &parallel, StagePosition stage, bool tied)
{
    const auto add = [&plan](std::string_view axis, MeshAxis ranks) {
        plan.groups.push_back({.axis = std::string(axis), .size = ranks.size, .stride = ranks.stride});
        return static_cast<GroupId>(plan.groups.size() - 1);
    };
    ModelGroups groups;
    const Mesh mesh = plan.mesh;
    if (mesh.tensor.size > 1)
        groups.tensor = add("tp", mesh.tensor);
    if (plan.kvReplicas > 1)
        groups.key = add("kv", {plan.kvReplicas, mesh.tensor.stride});
    if (mesh.context.size > 1)
        groups.context = add("cp", mesh.context);
    if (mesh.pipeline.size < 2)
        return groups;
    // A stage sends activations forward while the next one sends gradients back. NCCL executes the operations of a rank
    // in a group in the order of its calls, and hands over a message only when it is received. In one group, the two
    // would wait for each other.
    groups.pipeline = add("pp", mesh.pipeline);
    groups.gradient = add(kGradientAxis, mesh.pipeline);
    // Model chunks pass the stages in a ring. Without separate groups for messages from the last stage to the first,
    // all stages would send and none would receive.
    if (parallel.virtualStages > 1) {
        groups.wrap = add(kWrapAxis, mesh.pipeline);
        groups.wrapGradient = add(kWrapGradientAxis, mesh.pipeline);
    }
    if (!tied)
        return groups;
    const bool member = stage.isFirst() || stage.isLast();
    const GroupId embedding =
        add("embedding", member ? MeshAxis{2, (mesh.pipeline.size - 1) * mesh.pipeline.stride} : MeshAxis{});
    if (member)
        groups.embedding = embedding;
    return groups;
}

// The model chunks in the stage's own numbering of layers.
std::vector<LayerRange> modelChunksOf(const Parallelism &mesh, int layers, int stage)
{
    std::vector<LayerRange> modelChunks;
    int first = 0;
    for (int modelChunk = 0; modelChunk < mesh.virtualStages; ++modelChunk) {
        const int count = layersOfModelChunk(mesh, layers, stage, modelChunk).count;
        modelChunks.push_back({first, count});
        first += count;
    }
    return modelChunks;
}

} // namespace

Layout addLayout(PlanBuilder &builder, const RunConfig &config, const ModelSpec &model, int stage)
{
    const Parallelism &mesh = config.parallel;
    const Sizes sizes = sizesOf(config, model);
    const DataParallelism data = dataParallelism(config);
    const StagePosition position{.number = stage, .count = mesh.pp, .modelChunks = mesh.virtualStages};
    StepPlan &plan = builder.plan;
    plan.mesh = meshOf(mesh);
    plan.oneCommunicationLane = true;
    plan.gathersAhead = data.gathers ? kGathersAhead : 0;
    plan.kvReplicas = std::max(1, mesh.tp / model.attention.kvHeads);
    plan.stage = stage;
    plan.layers = layersOfStage(mesh, model.layers, stage);
    plan.layerNumbers = layerNumbersOfStage(mesh, model.layers, stage);
    plan.gradAccum = config.gradAccum;
    if (mesh.pp > 1)
        plan.microBatchesInFlight = foldedOrder(mesh, stage, config.gradAccum).instances;
    addGroups(plan, data);
    const ModelGroups groups = addModelGroups(plan, mesh, position, model.head.tied);
    const ExpertGroups expertGroups = mesh.ep > 1 ? addExpertGroups(plan, data) : ExpertGroups{};
    const DataParallelism expertDataParallel = expertDataParallelism(data, mesh.ep, expertGroups);
    Layout layout{.sizes = sizes,
        .data = data,
        .expertDataParallel = expertDataParallel,
        .stage = position,
        .modelChunks = modelChunksOf(mesh, model.layers, stage),
        .splitsBackward = splitsBackward(mesh),
        .tensorGroup = groups.tensor,
        .pipelineGroup = groups.pipeline,
        .contextGroup = groups.context,
        .gradientGroup = groups.gradient,
        .wrapGroup = groups.wrap,
        .wrapGradientGroup = groups.wrapGradient,
        .expertGroup = expertGroups.exchange,
        .keyGroup = groups.key,
        .embeddingGroup = groups.embedding,
        .weights = Weights(builder, {data, expertDataParallel}, model, sizes, position)};
    declareBuffers(builder, model, layout);
    return layout;
}

} // namespace slipway::native
