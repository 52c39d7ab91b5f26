// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/passes/tensor_parallel.h"

#include <algorithm>
#include <utility>

namespace slipway {

namespace {

// Of a row of logits: maximum, sum of exponentials, the target's logit.
constexpr std::int64_t kStatistics = 3;

Use at(BufferId buffer) { return {.buffer = buffer}; }

bool isBufferOf(const ParameterUnit &unit, BufferId buffer)
{
    return buffer == unit.parameter || buffer == unit.gradient || buffer == unit.gathered ||
           buffer == unit.fullGradient;
}

} // namespace

KernelId TensorParallel::collective(OpKind kind) const
{
    return m_b.collective(kind, m_stream.type, allTokens() * m_stream.width, m_group);
}

BufferId TensorParallel::add(const std::string &name, Bytes bytes, DType type)
{
    const auto known = m_buffers.find(name);
    if (known != m_buffers.end())
        return known->second;
    const BufferId buffer = m_b.buffer({.name = name,
        .bytes = bytes,
        .type = type,
        .role = Role::Communication,
        .scope = Scope::MicroBatch,
        .perLayer = false});
    m_added.push_back(buffer);
    return m_buffers[name] = buffer;
}

BufferId TensorParallel::wholeStream(const std::string &name)
{
    return add(name, allTokens() * m_stream.width * sizeOf(m_stream.type), m_stream.type);
}

BufferId TensorParallel::part(const std::string &name)
{
    return add(name, partTokens() * m_stream.width * sizeOf(m_stream.type), m_stream.type);
}

Op TensorParallel::gather(std::string name, Phase phase, Use part, BufferId all) const
{
    return {.name = std::move(name),
        .kernel = collective(OpKind::AllGather),
        .phase = phase,
        .reads = {part},
        .writes = {at(all)}};
}

std::vector<Op> TensorParallel::scatter(const std::string &name, Phase phase, BufferId all, Use part) const
{
    std::vector<Op> ops;
    if (const std::int64_t rows = allTokens() - m_stream.tokens; rows > 0)
        ops.push_back({.name = name + "_fill",
            .kernel = m_b.kernel({.kind = OpKind::Zero, .type = m_stream.type, .m = rows, .n = m_stream.width}),
            .phase = phase,
            .reads = {at(all)},
            .writes = {{.buffer = all, .offset = m_stream.tokens * m_stream.width * sizeOf(m_stream.type)}}});
    ops.push_back({.name = name,
        .kernel = collective(OpKind::ReduceScatter),
        .phase = phase,
        .reads = {at(all)},
        .writes = {part}});
    return ops;
}

WeightPlacement TensorParallel::placementOf(const Use &weight) const
{
    const StepPlan &plan = m_b.plan;
    const std::int64_t offset = weight.offset / sizeOf(plan.at(weight.buffer).type);
    for (const ParameterUnit &unit : plan.units) {
        if (!isBufferOf(unit, weight.buffer))
            continue;
        for (const ParameterTensor &tensor : plan.tensors) {
            if (tensor.parameter == unit.parameter && tensor.offset == offset)
                return tensor.placement;
        }
    }
    return WeightPlacement::Whole;
}

void TensorParallel::gatherOperand(Split &split, Op &op, std::size_t operand)
{
    Use &read = op.reads[operand];
    const auto known = split.gathered.find(read.buffer);
    if (known != split.gathered.end()) {
        read = at(known->second);
        return;
    }
    const BufferId all = wholeStream(m_b.plan.at(read.buffer).name + "_gathered");
    split.ops.push_back(gather(op.name + "_gather", op.phase, read, all));
    split.gathered[read.buffer] = all;
    read = at(all);
}

// A residual is added to the sum, once.
void TensorParallel::scatterResult(Split &split, Op op)
{
    const Use result = op.writes.front();
    const BufferId partial = wholeStream(m_b.plan.at(result.buffer).name + "_partial");
    Kernel kernel = m_b.plan.at(op.kernel);
    std::optional<Use> residual;
    if (std::exchange(kernel.residual, false)) {
        residual = op.reads.back();
        op.reads.pop_back();
        op.kernel = m_b.kernel(kernel);
    }
    op.writes.front() = at(partial);
    const std::string name = op.name;
    const Phase phase = op.phase;
    split.ops.push_back(std::move(op));
    const Use sum = residual ? at(part(m_b.plan.at(result.buffer).name + "_sum")) : result;
    const std::vector<Op> summing = scatter(name + "_scatter", phase, partial, sum);
    split.ops.insert(split.ops.end(), summing.begin(), summing.end());
    if (!residual)
        return;
    split.ops.push_back({.name = name + "_add",
        .kernel = m_b.kernel({.kind = OpKind::Add, .type = m_stream.type, .m = partTokens(), .n = m_stream.width}),
        .phase = phase,
        .reads = {*residual, sum},
        .writes = {result}});
}

void TensorParallel::splitOp(Split &split, Op op)
{
    Kernel kernel = m_b.plan.at(op.kernel);
    switch (kernel.kind) {
    case OpKind::Embedding:
        kernel.group = m_group;
        op.kernel = m_b.kernel(kernel);
        return scatterResult(split, std::move(op));
    case OpKind::EmbeddingBackward:
        gatherOperand(split, op, 1);
        [[fallthrough]];
    case OpKind::AddPositions:
    case OpKind::AddPositionsBackward:
        kernel.group = m_group;
        op.kernel = m_b.kernel(kernel);
        break;
    case OpKind::Gemm: {
        const bool gradient = kernel.form == GemmForm::WeightGradient;
        const WeightPlacement placement = placementOf(gradient ? op.writes.front() : op.reads[1]);
        if (placement == WeightPlacement::Whole)
            break;
        const bool byRows = placement == WeightPlacement::Rows;
        if (gradient)
            gatherOperand(split, op, byRows ? 1 : 0);
        else if (byRows == (kernel.form == GemmForm::Forward))
            gatherOperand(split, op, 0);
        else
            return scatterResult(split, std::move(op));
        break;
    }
    default:
        break;
    }
    split.ops.push_back(std::move(op));
}

void TensorParallel::split(Block &block)
{
    Split split;
    for (Op &op : block.ops) {
        const std::vector<Use> writes = op.writes;
        splitOp(split, std::move(op));
        for (const Use &write : writes)
            split.gathered.erase(write.buffer);
    }
    block.ops = std::move(split.ops);
}

void TensorParallel::splitLoss(Block &block)
{
    const auto loss = std::find_if(block.ops.begin(), block.ops.end(),
        [this](const Op &op) { return m_b.plan.at(op.kernel).kind == OpKind::CrossEntropy; });
    Kernel kernel = m_b.plan.at(loss->kernel);
    const std::int64_t numbers = kernel.m * kStatistics;
    // A chunk of the loss may have fewer rows than the one whose buffers these are.
    const BufferId own = add("logit_statistics", numbers * 4, DType::Fp32),
                   all = add("logit_statistics_gathered", numbers * 4 * ranks(), DType::Fp32);
    const Use logits = loss->reads[0], targets = loss->reads[1];
    kernel.group = m_group;
    loss->kernel = m_b.kernel(kernel);
    loss->reads.push_back(at(all));
    const Phase phase = loss->phase;
    kernel.kind = OpKind::LogitStatistics;
    const KernelId gathering = m_b.collective(OpKind::AllGather, DType::Fp32, numbers * ranks(), m_group);
    const std::vector<Op> before{{.name = "logit_statistics",
                                     .kernel = m_b.kernel(kernel),
                                     .phase = phase,
                                     .reads = {logits, targets},
                                     .writes = {logits, at(own)}},
        {.name = "logit_statistics_gather",
            .kernel = gathering,
            .phase = phase,
            .reads = {at(own)},
            .writes = {at(all)}}};
    block.ops.insert(loss, before.begin(), before.end());
}

} // namespace slipway
