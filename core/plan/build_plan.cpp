// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/build_plan.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "plan/lifetimes.h"
#include "plan/llama_blocks.h"
#include "plan/recompute.h"
#include "plan/torch_step.h"

namespace slipway {

namespace {

Error unsupported(std::string flag, std::string_view value, std::string accepted)
{
    return {.what = "'" + std::string(value) + "' cannot be planned yet", .where = std::move(flag), .accepted = std::move(accepted)};
}

// What the simulated frameworks cannot express yet.
Result<void> checkSimulated(const RunConfig &c, const ModelSpec &m)
{
    const Parallelism &p = c.parallel;
    if (m.experts > 0)
        return unsupported("--experts", std::to_string(m.experts), "0");
    if (p.pp > m.layers)
        return Error{.what = std::to_string(p.pp) + " pipeline stages for " + std::to_string(m.layers) + " layers", .where = "--pp", .accepted = "1 to " + std::to_string(m.layers)};
    if (p.gpus % p.modelParallel() != 0)
        return Error{.what = std::to_string(p.gpus) + " GPUs do not divide by tp x pp x cp = " + std::to_string(p.modelParallel()), .where = "--gpus", .accepted = "a multiple of it"};
    if (p.kind == ParallelKind::None && p.dataParallel() > 1)
        return Error{.what = "none keeps one copy of the model, but " + std::to_string(p.dataParallel()) + " ranks would hold one", .where = "--parallel", .accepted = "ddp, zero1, fsdp-full, fsdp-grad-op, hsdp"};
    return {};
}

// What our own trainer executes.
Result<void> checkSupported(const RunConfig &c, const ModelSpec &m)
{
    const Parallelism &p = c.parallel;
    if (p.kind != ParallelKind::None && p.kind != ParallelKind::Ddp)
        return unsupported("--parallel", enumName(p.kind), "none, ddp");
    if (p.tp != 1 || p.pp != 1 || p.cp != 1 || p.ep != 1)
        return unsupported(p.tp != 1 ? "--tp" : p.pp != 1 ? "--pp" : p.cp != 1 ? "--cp" : "--ep", std::to_string(std::max({p.tp, p.pp, p.cp, p.ep})), "1");
    if (p.kind == ParallelKind::None && p.gpus != 1)
        return Error{.what = "none uses one GPU, but --gpus is " + std::to_string(p.gpus), .where = "--parallel", .accepted = "ddp"};
    if (c.precision == Precision::Bf16)
        return unsupported("--precision", "bf16", "bf16-mixed, fp32");
    if (c.lossPath != LossPath::Auto && c.lossPath != LossPath::Chunked)
        return unsupported("--loss-path", enumName(c.lossPath), "auto, chunked");
    if (c.optimizer != OptimizerKind::AdamW)
        return unsupported("--optimizer", enumName(c.optimizer), "adamw");
    if (m.experts > 0)
        return unsupported("--experts", std::to_string(m.experts), "0");
    if (m.mlp != Mlp::SwiGlu || m.norm != Norm::RmsNorm || m.position != Position::Rope)
        return unsupported("--model", m.name, "a LLaMA-style model: SwiGLU, RMSNorm, RoPE");
    if (m.qkvBias || m.attentionOutBias || m.mlpBias || m.headBias || m.normBias)
        return unsupported("--model", m.name + " with biases", "a model without biases");
    return {};
}

// Blocks that a micro-batch goes through, by the part of its gradients in the step's sum.
struct MicroBatchBlocks {
    BlockId embeddingForward, layerForward, finalNormForward, lossFirst, loss, lossTail, finalNormBackward, layerBackward, embeddingBackward;
};

// Sums a unit's gradients over the data-parallel ranks as soon as the block that completes them is through.
void addReduction(PlanBuilder &b, Block &block, const ParameterUnit &unit)
{
    const KernelId kernel = b.kernel({.kind = OpKind::AllReduce, .type = DType::Fp32, .m = 1, .n = unit.elements, .messageBytes = unit.elements * 4, .group = GroupId{0}});
    const Use gradient{.buffer = unit.gradient};
    block.ops.push_back({.name = unit.name + "_reduce", .kernel = kernel, .stream = Stream::Reduce, .phase = Phase::Backward, .reads = {gradient}, .writes = {gradient}});
}

std::vector<BufferId> droppedBuffers(const LlamaLayout &l, Recompute mode)
{
    switch (mode) {
    case Recompute::None: return {};
    // Of attention, what is large and cheap to bring back (Korthikanti et al. 2022, arXiv 2205.05198, section 5).
    case Recompute::Selective: return l.sizes.attention == Attention::Flash ? std::vector{l.attentionOut, l.attentionSaved} : std::vector{l.attentionSaved};
    case Recompute::Full: return {l.n1, l.rstd1, l.qkvOut, l.attentionOut, l.attentionSaved, l.xMid, l.n2, l.rstd2, l.gateUpOut, l.product};
    }
    return {};
}

class StepBuilder {
public:
    StepBuilder(const RunConfig &config, const ModelSpec &model) : m_config(config), m_model(model), m_layout(addLlamaLayout(m_builder, config, model))
    {
        if (ranks() > 1)
            plan().groups.push_back({.axis = "dp", .size = ranks(), .stride = 1});
    }

    StepPlan build()
    {
        addMicroBatches();
        addOptimizer();
        return std::move(m_builder.plan);
    }

private:
    StepPlan &plan() { return m_builder.plan; }
    [[nodiscard]] int ranks() const { return m_config.parallel.dataParallel(); }

    // The first micro-batch writes the gradients, the others add to them, the last one lets the ranks sum them.
    void addMicroBatches()
    {
        const std::int64_t n = m_config.gradAccum;
        const bool reduce = ranks() > 1;
        addSegment(1, {.accumulate = false}, reduce && n == 1);
        if (n > 1 && !reduce)
            addSegment(n - 1, {.accumulate = true}, false);
        if (n > 2 && reduce)
            addSegment(n - 2, {.accumulate = true}, false);
        if (n > 1 && reduce)
            addSegment(1, {.accumulate = true}, true);
    }

    MicroBatchBlocks addBlocks(GradientMode mode, bool reduce)
    {
        const LlamaLayout &l = m_layout;
        Block forward = layerForward(m_builder, l);
        Block backward = layerBackward(m_builder, l, mode);
        recompute(forward, backward, droppedBuffers(l, m_config.recompute));
        Block normBackward = finalNormBackward(m_builder, l, mode);
        Block tableBackward = embeddingBackward(m_builder, l, mode, m_model.tied);
        if (reduce) {
            addReduction(m_builder, normBackward, plan().units[2]);
            addReduction(m_builder, backward, plan().units[1]);
            addReduction(m_builder, tableBackward, plan().units[0]);
        }
        const std::int64_t rows = l.sizes.chunkRows;
        const std::int64_t tail = l.sizes.tokens - (chunks() - 1) * rows;
        MicroBatchBlocks blocks{};
        if (!m_forwardBlocks) {
            m_forwardBlocks = MicroBatchBlocks{};
            m_forwardBlocks->embeddingForward = m_builder.block(embeddingForward(m_builder, l));
            m_forwardBlocks->layerForward = m_builder.block(std::move(forward));
            m_forwardBlocks->finalNormForward = m_builder.block(finalNormForward(m_builder, l));
        }
        blocks = *m_forwardBlocks;
        blocks.lossFirst = m_builder.block(lossChunk(m_builder, l, std::min(rows, l.sizes.tokens), !mode.accumulate, mode.accumulate));
        if (chunks() > 2)
            blocks.loss = m_builder.block(lossChunk(m_builder, l, rows, false, true));
        if (chunks() > 1)
            blocks.lossTail = m_builder.block(lossChunk(m_builder, l, tail, false, true));
        blocks.finalNormBackward = m_builder.block(std::move(normBackward));
        blocks.layerBackward = m_builder.block(std::move(backward));
        blocks.embeddingBackward = m_builder.block(std::move(tableBackward));
        return blocks;
    }

    void addSegment(std::int64_t repeat, GradientMode mode, bool reduce)
    {
        const MicroBatchBlocks blocks = addBlocks(mode, reduce);
        Segment segment{.repeat = static_cast<std::int32_t>(repeat)};
        const auto slot = [&](BlockId block, int at) { segment.slots.push_back({.block = block, .index = at}); };
        const int layers = m_model.layers;
        slot(blocks.embeddingForward, 0);
        for (int layer = 0; layer < layers; ++layer)
            slot(blocks.layerForward, layer);
        slot(blocks.finalNormForward, layers);
        for (int chunk = 0; chunk < chunks(); ++chunk)
            slot(chunk == 0 ? blocks.lossFirst : chunk + 1 < chunks() ? blocks.loss : blocks.lossTail, chunk);
        slot(blocks.finalNormBackward, layers);
        for (int layer = layers - 1; layer >= 0; --layer)
            slot(blocks.layerBackward, layer);
        slot(blocks.embeddingBackward, 0);
        plan().schedule.push_back(std::move(segment));
    }

    // The norm over all gradients comes before the first update: clipping scales them all.
    void addOptimizer()
    {
        Segment segment{.microBatches = 0};
        const std::vector<ParameterUnit> units = plan().units;
        const auto forEachInstance = [&](const ParameterUnit &unit, BlockId block) {
            for (int i = 0; i < (unit.perLayer ? m_model.layers : 1); ++i)
                segment.slots.push_back({.block = block, .index = i});
        };
        if (ranks() > 1)
            segment.slots.push_back({.block = m_builder.block(lossReduction())});
        for (const ParameterUnit &unit : units)
            forEachInstance(unit, m_builder.block(sumSquares(m_builder, m_layout, unit, &unit == &units.front())));
        for (const ParameterUnit &unit : units)
            forEachInstance(unit, m_builder.block(adamW(m_builder, m_layout, unit)));
        plan().schedule.push_back(std::move(segment));
    }

    Block lossReduction()
    {
        const KernelId kernel = m_builder.kernel({.kind = OpKind::AllReduce, .type = DType::Fp32, .m = 1, .n = 1, .messageBytes = 4, .group = GroupId{0}});
        const Use loss{.buffer = m_layout.loss};
        return {"loss_reduce", {{.name = "loss_reduce", .kernel = kernel, .stream = Stream::Reduce, .phase = Phase::Optimizer, .reads = {loss}, .writes = {loss}}}};
    }

    [[nodiscard]] int chunks() const { return static_cast<int>(ceilDiv(m_layout.sizes.tokens, m_layout.sizes.chunkRows)); }

    const RunConfig &m_config;
    const ModelSpec &m_model;
    PlanBuilder m_builder;
    LlamaLayout m_layout;
    std::optional<MicroBatchBlocks> m_forwardBlocks; // forward does not depend on the mode
};

Result<RunPlan> buildSimulated(const RunConfig &config, const ModelSpec &model)
{
    if (const Result<void> supported = checkSimulated(config, model); !supported)
        return supported.error();
    RunPlan run;
    for (int stage = 0; stage < config.parallel.pp; ++stage) {
        // Stages between the first two and the last are alike.
        if (stage > 1 && stage + 1 < config.parallel.pp)
            continue;
        StepPlan plan = buildTorchStep(config, model, stage);
        if (const std::vector<std::string> faults = markBirths(plan); !faults.empty())
            throw std::logic_error("the plan is faulty: " + faults.front());
        run.stages.push_back(std::move(plan));
    }
    return run;
}

} // namespace

Result<RunPlan> buildPlan(const RunConfig &config, const ModelSpec &model)
{
    if (config.framework != Framework::Slipway)
        return buildSimulated(config, model);
    if (const Result<void> supported = checkSupported(config, model); !supported)
        return supported.error();
    StepPlan plan = StepBuilder(config, model).build();
    if (const std::vector<std::string> faults = markBirths(plan); !faults.empty())
        throw std::logic_error("the plan is faulty: " + faults.front());
    return RunPlan{{std::move(plan)}};
}

} // namespace slipway
