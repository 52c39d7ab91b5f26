// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/inference/inference_step.h"

#include <stdexcept>
#include <string>
#include <utility>

#include "plan/inference/layer.h"
#include "plan/lifetimes.h"
#include "plan/native/op_writer.h"

namespace slipway {

namespace {

using inference::StepWriter;
using native::at;

// Tokens in, x out.
Block embeddingBlock(StepWriter &w)
{
    const ModelSpec &m = w.model;
    w.add("load_tokens", w.b.kernel({.kind = OpKind::LoadBatch, .type = DType::Int32, .m = w.rows()}), {},
        {at(w.tokens)});
    w.add("embedding", w.rowKernel(OpKind::Embedding, m.hidden), {at(w.tokens), at(w.embedding)}, {at(w.x)});
    if (m.embeddingScale() != 1)
        w.add("embedding_scale", w.scaleKernel(m.embeddingScale()), {at(w.x)}, {at(w.x)});
    if (m.position == Position::Learned)
        w.add("positions", w.rowKernel(OpKind::AddPositions, m.hidden), {at(w.x), at(w.embedding)}, {at(w.x)});
    return w.take("embedding");
}

// Rows whose next token is drawn; x dies here.
Block headBlock(StepWriter &w)
{
    const ModelSpec &m = w.model;
    const std::int64_t drawn = w.step.decoding + w.step.prefilling;
    const std::int64_t rows = w.layout.allLogits ? w.rows() : drawn;
    w.norm("final_norm", at(w.x), at(w.normed));
    w.add("logits", w.gemm({.rows = rows, .out = w.s.vocab, .in = m.hidden, .bits = w.layout.tableBits, .fp8 = false}),
        {at(w.normed), at(m.head.tied ? w.embedding : w.head)}, {at(w.logits)});
    if (w.layout.tp > 1)
        w.add(
            "gather_logits", w.collective(OpKind::AllGather, drawn * m.vocab), {at(w.logits)}, {at(w.gatheredLogits)});
    // Softmax in fp32 and one draw for each sequence: the logits are read as they are, written as fp32 and read twice.
    const std::int64_t elements = drawn * m.vocab;
    w.add("sample",
        w.b.kernel({.kind = OpKind::Elementwise,
            .type = DType::Fp32,
            .cost = CostClass::Loss,
            .bytesRead = elements * (sizeOf(w.layout.type) + 2 * sizeOf(DType::Fp32)),
            .bytesWritten = elements * 4}),
        {at(w.layout.tp > 1 ? w.gatheredLogits : w.logits)}, {at(w.probabilities)});
    Block block = w.take("head");
    for (const BufferId buffer : {w.x, w.tokens, w.probabilities})
        block.ops.back().frees.push_back(at(buffer));
    return block;
}

void declareState(StepWriter &w)
{
    const InferenceWeights weights = inferenceWeights(w.model, w.layout);
    const auto state = [&](const char *name, Bytes bytes, DType type, Role role, bool perLayer) {
        return w.b.buffer(
            {.name = name, .bytes = bytes, .type = type, .role = role, .scope = Scope::Run, .perLayer = perLayer});
    };
    const DType stored = w.layout.fp8Gemms ? DType::Fp8 : w.layout.type;
    w.embedding = state("embedding", weights.embedding, w.layout.type, Role::Parameter, false);
    w.layerWeights = state("layer", weights.layer, stored, Role::Parameter, true);
    w.head = state("head", weights.head, w.layout.type, Role::Parameter, false);
    for (std::size_t kind = 0; kind < w.step.cacheBytes.size(); ++kind) {
        const std::string name = "kv_cache" + (kind > 0 ? std::to_string(kind) : std::string());
        w.caches.push_back(state(name.c_str(), w.step.cacheBytes[kind], w.layout.type, Role::Activation, false));
    }
    if (w.step.blockTableBytes > 0)
        w.blockTable = state("block_table", w.step.blockTableBytes, DType::Int32, Role::Activation, false);
}

void declareEnds(StepWriter &w)
{
    const std::int64_t drawn = w.step.decoding + w.step.prefilling;
    const std::int64_t logitRows = w.layout.allLogits ? w.rows() : drawn;
    const Bytes e = sizeOf(w.layout.type);
    w.tokens = w.buffer("tokens", 2 * w.rows() * 4, DType::Int32, Role::Activation);
    w.x = w.temporary("x", w.model.hidden);
    w.normed = w.temporary("normed", w.model.hidden);
    w.logits = w.buffer("logits", logitRows * w.s.vocab * e, w.layout.type, Role::Logits);
    if (w.layout.tp > 1)
        w.gatheredLogits = w.buffer("gathered_logits", drawn * w.model.vocab * e, w.layout.type, Role::Communication);
    w.probabilities = w.buffer("probabilities", drawn * w.model.vocab * 4, DType::Fp32, Role::Logits);
}

} // namespace

StepPlan buildInferenceStep(const ModelSpec &model, const InferenceLayout &layout, const InferenceStep &step)
{
    if (step.rows() < 1)
        throw std::logic_error("a step of inference without a token");
    PlanBuilder builder;
    StepPlan &plan = builder.plan;
    plan.workload = Workload::Inference;
    plan.layers = model.layers;
    if (layout.tp > 1)
        plan.groups.push_back({.axis = "tp", .size = layout.tp, .stride = 1});
    StepWriter writer(builder, model, layout, step);
    declareState(writer);
    declareEnds(writer);
    inference::declareLayer(writer);

    Segment segment;
    segment.slots.push_back({.block = builder.block(embeddingBlock(writer))});
    std::vector<BlockId> layers;
    for (std::size_t kind = 0; kind < model.pattern.size(); ++kind)
        layers.push_back(builder.block(inference::layerBlock(writer, kind)));
    for (int layer = 0; layer < model.layers; ++layer)
        segment.slots.push_back({.block = layers[static_cast<std::size_t>(layer) % layers.size()], .index = layer});
    segment.slots.push_back({.block = builder.block(headBlock(writer))});
    plan.schedule.push_back(std::move(segment));
    if (const std::vector<std::string> faults = markAllocations(plan); !faults.empty())
        throw std::logic_error("internal error in the plan of inference: " + faults.front());
    return std::move(builder.plan);
}

} // namespace slipway
