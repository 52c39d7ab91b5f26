// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/llama_layout.h"

#include <algorithm>
#include <initializer_list>

namespace slipway {

namespace {

// Each chunk reads and writes all of the head's fp32 gradient: on an H100 its 2 V h numbers cost as much time as the
// GEMMs of some 300 rows do. bf16 runs on GPUs alone, where 4,096 rows of 32,000 pieces keep that below a tenth; a
// processor reads chunks of 64 MiB as fast as larger ones. All chunks but the last are as large as they may be: more
// tokens never need less memory.
constexpr std::int64_t kTileRows = 128;
constexpr Bytes kWideLogitsChunkBytes = 64 * kMiB, kNarrowLogitsChunkBytes = 256 * kMiB;

// What cuBLAS takes on an H100; NVIDIA recommends as much for cuBLASLt.
constexpr Bytes kGemmWorkspaceBytes = 32 * kMiB;

LlamaSizes sizesOf(const RunConfig &config, const ModelSpec &model)
{
    LlamaSizes s{};
    s.batch = config.microBatch;
    s.seq = config.seqLen;
    s.tokens = config.tokensPerMicroBatch();
    s.hidden = model.hidden;
    s.qWidth = model.queryWidth();
    s.qkvWidth = model.queryWidth() + 2 * model.kvWidth();
    s.vocab = model.vocab;
    s.heads = model.attention.heads;
    s.kvHeads = model.attention.kvHeads;
    s.headDim = model.attention.headDim;
    s.type = config.precision == Precision::Fp32 ? DType::Fp32 : DType::Bf16;
    s.attention = config.attention;
    s.ffn = laidOutWidth(model.mlp.width, s.type);
    s.vocabPitch = laidOutWidth(model.vocab, s.type);
    s.tableRows = model.head.tied ? s.vocabPitch : s.vocab;
    s.chunkRows = lossChunkRows(s.tokens, s.hidden, s.vocabPitch, sizeOf(s.type));
    return s;
}

struct TensorShape {
    std::string_view name;
    std::int64_t rows, columns;
    bool decay;
};

// What is spread over the ranks, and what holds all of a unit beside its part.
void addFlatBuffers(PlanBuilder &b, ParameterUnit &unit, const DataParallelism &data, DType type)
{
    const auto flat = [&](std::string_view what, std::int64_t elements, DType bufferType, Role role, Scope scope) {
        return b.buffer({.name = unit.name + "." + std::string(what),
            .bytes = elements * sizeOf(bufferType),
            .type = bufferType,
            .role = role,
            .scope = scope,
            .perLayer = unit.perLayer});
    };
    const std::int64_t held = data.gathers ? unit.part : unit.padded;
    unit.parameter = flat("parameters", held, type, Role::Parameter, Scope::Run);
    unit.master =
        type == DType::Fp32 ? unit.parameter : flat("masters", unit.part, DType::Fp32, Role::Master, Scope::Run);
    unit.momentum = flat("momentum", unit.part, DType::Fp32, Role::OptimizerState, Scope::Run);
    unit.variance = flat("variance", unit.part, DType::Fp32, Role::OptimizerState, Scope::Run);
    unit.gradient = flat("gradients", held, DType::Fp32, Role::Gradient, Scope::Step);
    if (data.gathers)
        unit.gathered = flat("gathered", unit.padded, type, Role::Communication, Scope::MicroBatch);
    if (data.ownGradientBuffer(true) || (data.ownGradientBuffer(false) && b.plan.gradAccum > 1))
        unit.fullGradient = flat("full_gradients", unit.padded, DType::Fp32, Role::Gradient,
            data.everyMicroBatch ? Scope::MicroBatch : Scope::Step);
}

// One unit with its flat buffers: parameters, fp32 masters where the parameters are not, gradients, Adam's moments.
// Tensors lie in the order given: those that decay first.
ParameterUnit addUnit(PlanBuilder &b, const DataParallelism &data, std::string_view name, bool perLayer, DType type,
    std::initializer_list<TensorShape> tensors)
{
    ParameterUnit unit{.name = std::string(name), .perLayer = perLayer};
    for (const TensorShape &t : tensors) {
        unit.elements += t.rows * t.columns;
        unit.decayElements += t.decay ? t.rows * t.columns : 0;
    }
    unit.padded = data.shards > 1 ? roundUp(unit.elements, data.shards * kPartAlignment) : unit.elements;
    unit.part = unit.padded / data.shards;
    addFlatBuffers(b, unit, data, type);
    std::int64_t offset = 0;
    for (const TensorShape &t : tensors) {
        b.plan.tensors.push_back({.name = std::string(t.name),
            .parameter = unit.parameter,
            .offset = offset,
            .rows = t.rows,
            .columns = t.columns,
            .decay = t.decay});
        offset += t.rows * t.columns;
    }
    b.plan.units.push_back(unit);
    return unit;
}

WeightUse weightUse(const StepPlan &plan, const ParameterUnit &unit, std::string_view tensorName)
{
    const auto tensor = std::find_if(plan.tensors.begin(), plan.tensors.end(),
        [&](const ParameterTensor &t) { return t.parameter == unit.parameter && t.name == tensorName; });
    return {{.buffer = unit.gathered.value_or(unit.parameter),
                .offset = tensor->offset * sizeOf(plan.at(unit.parameter).type)},
        {.buffer = unit.gradient, .offset = tensor->offset * sizeOf(DType::Fp32)}};
}

void addWeights(PlanBuilder &b, LlamaLayout &l, const ModelSpec &model)
{
    const LlamaSizes &s = l.sizes;
    const ParameterUnit embedding =
        addUnit(b, l.data, "embedding", false, s.type, {{"embedding", s.tableRows, s.hidden, true}});
    const ParameterUnit layer = addUnit(b, l.data, "layer", true, s.type,
        {{"qkv", s.qkvWidth, s.hidden, true}, {"o", s.hidden, s.qWidth, true}, {"gate_up", 2 * s.ffn, s.hidden, true},
            {"down", s.hidden, s.ffn, true}, {"attention_norm", s.hidden, 1, false}, {"mlp_norm", s.hidden, 1, false}});
    const ParameterUnit head = model.head.tied
                                   ? addUnit(b, l.data, "head", false, s.type, {{"final_norm", s.hidden, 1, false}})
                                   : addUnit(b, l.data, "head", false, s.type,
                                         {{"head", s.vocabPitch, s.hidden, true}, {"final_norm", s.hidden, 1, false}});
    l.table = weightUse(b.plan, embedding, "embedding");
    l.qkv = weightUse(b.plan, layer, "qkv");
    l.o = weightUse(b.plan, layer, "o");
    l.gateUp = weightUse(b.plan, layer, "gate_up");
    l.down = weightUse(b.plan, layer, "down");
    l.norm1 = weightUse(b.plan, layer, "attention_norm");
    l.norm2 = weightUse(b.plan, layer, "mlp_norm");
    l.finalNorm = weightUse(b.plan, head, "final_norm");
    l.head = model.head.tied ? l.table : weightUse(b.plan, head, "head");
}

void addActivations(PlanBuilder &b, LlamaLayout &l)
{
    const LlamaSizes &s = l.sizes;
    const Bytes e = sizeOf(s.type);
    const auto add = [&](std::string_view name, Bytes bytes, DType type, bool perLayer, Role role = Role::Activation) {
        return b.buffer({.name = std::string(name),
            .bytes = bytes,
            .type = type,
            .role = role,
            .scope = Scope::MicroBatch,
            .perLayer = perLayer});
    };
    const auto kept = [&](std::string_view name, std::int64_t width) {
        return add(name, s.tokens * width * e, s.type, true);
    };
    const auto passing = [&](std::string_view name, std::int64_t width) {
        return add(name, s.tokens * width * e, s.type, false);
    };
    const auto rstd = [&](std::string_view name, bool perLayer) {
        return add(name, s.tokens * 4, DType::Fp32, perLayer);
    };
    const bool flash = s.attention == Attention::Flash;
    const Bytes scores = s.batch * s.heads * s.seq * s.seq * e;

    l.tokens = add("tokens", s.tokens * 4, DType::Int32, false);
    l.targets = add("targets", s.tokens * 4, DType::Int32, false);
    l.x = kept("x", s.hidden);
    l.n1 = kept("attention_normed", s.hidden);
    l.rstd1 = rstd("attention_rstd", true);
    l.qkvOut = kept("qkv", s.qkvWidth);
    l.attentionOut = kept("attention_out", s.qWidth);
    l.attentionSaved = flash ? add("attention_lse", s.tokens * s.heads * 4, DType::Fp32, true)
                             : add("attention_probabilities", scores, s.type, true);
    l.xMid = kept("x_mid", s.hidden);
    l.n2 = kept("mlp_normed", s.hidden);
    l.rstd2 = rstd("mlp_rstd", true);
    l.gateUpOut = kept("gate_up", 2 * s.ffn);
    l.product = kept("mlp_product", s.ffn);
    l.projected = passing("projected", s.hidden);
    l.finalNormed = passing("final_normed", s.hidden);
    l.rstdFinal = rstd("final_rstd", false);
    l.logits = add("logits", s.chunkRows * s.vocabPitch * e, s.type, false, Role::Logits);
    l.dx = passing("dx", s.hidden);
    l.dProduct = passing("dproduct", s.ffn);
    l.dNormed = passing("dnormed", s.hidden);
    l.dAttention = passing("dattention", s.qWidth);
    l.dQkv = passing("dqkv", s.qkvWidth);
    if (flash) {
        l.attentionDelta = add("attention_delta", s.tokens * s.heads * 4, DType::Fp32, false, Role::Workspace);
        if (s.type == DType::Bf16)
            l.attentionDq = add("attention_dq", s.tokens * s.qWidth * 4, DType::Fp32, false, Role::Workspace);
    } else {
        l.dScores = add("dscores", scores, s.type, false, Role::Workspace);
    }
    l.loss = b.buffer({.name = "loss", .bytes = 4, .type = DType::Fp32, .role = Role::Workspace, .scope = Scope::Run});
    l.norm2Sum = b.buffer(
        {.name = "gradient_norm2", .bytes = 4, .type = DType::Fp32, .role = Role::Workspace, .scope = Scope::Run});
    if (s.type == DType::Bf16)
        l.gemmWorkspace = b.buffer({.name = "product_workspace",
            .bytes = kGemmWorkspaceBytes,
            .type = DType::Fp32,
            .role = Role::Workspace,
            .scope = Scope::Run});
}

} // namespace

std::int64_t laidOutWidth(std::int64_t width, DType type)
{
    constexpr std::int64_t kWhole = 8, kLine = 64; // elements: 16 bytes, a cache line
    if (type != DType::Bf16 || width % kWhole == 0)
        return width;
    const std::int64_t lines = roundUp(width, kLine);
    return (lines - width) * 100 <= width
               ? lines
               : roundUp(width, kWhole); // more than 1 % of a GEMM costs more than lines give
}

std::int64_t lossChunkRows(std::int64_t tokens, std::int64_t hidden, std::int64_t vocab, Bytes elementBytes)
{
    const Bytes usual = elementBytes == sizeOf(DType::Bf16) ? kNarrowLogitsChunkBytes : kWideLogitsChunkBytes;
    const Bytes limit = std::max(usual, tokens * hidden * elementBytes);
    const std::int64_t most = std::max<std::int64_t>(1, limit / (vocab * elementBytes));
    return std::min(tokens, most < kTileRows ? most : most / kTileRows * kTileRows);
}

LlamaLayout withGradientsOf(const LlamaLayout &layout, const StepPlan &plan, bool firstMicroBatch)
{
    LlamaLayout seen = layout;
    if (!layout.data.ownGradientBuffer(firstMicroBatch))
        return seen;
    for (WeightUse *weight : {&seen.table, &seen.norm1, &seen.qkv, &seen.o, &seen.norm2, &seen.gateUp, &seen.down,
             &seen.finalNorm, &seen.head}) {
        const auto unit = std::find_if(plan.units.begin(), plan.units.end(),
            [&](const ParameterUnit &u) { return u.gradient == weight->gradient.buffer; });
        weight->gradient.buffer = *unit->fullGradient;
    }
    return seen;
}

LlamaLayout addLlamaLayout(PlanBuilder &builder, const RunConfig &config, const ModelSpec &model)
{
    LlamaLayout layout{};
    layout.sizes = sizesOf(config, model);
    layout.data = dataParallelism(config);
    builder.plan.layers = model.layers;
    builder.plan.gradAccum = config.gradAccum;
    addGroups(builder.plan, layout.data);
    addWeights(builder, layout, model);
    addActivations(builder, layout);
    return layout;
}

} // namespace slipway
