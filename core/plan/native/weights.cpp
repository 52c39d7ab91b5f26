// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/native/weights.h"

#include <algorithm>
#include <vector>

#include "model/model_weights.h"
#include "plan/placement.h"

namespace slipway::native {

namespace {

struct Extent {
    std::int64_t rows, columns;
};

bool isOfExperts(const WeightTensor &tensor) { return tensor.name.starts_with("experts_"); }

// The shape on one rank. The MLP width and the vocabulary size are padded.
Extent laidOut(const WeightTensor &tensor, const Sizes &s)
{
    const std::string_view name = tensor.name;
    if (name == "embedding")
        return {s.tableRows, tensor.columns()};
    if (name == "head" || name == "head_bias")
        return {s.vocabPitch, tensor.columns()};
    if (name == "gate_up" || name == "up" || name == "gate_up_bias" || name == "up_bias")
        return {static_cast<std::int64_t>(tensor.parts.size()) * s.ffn, tensor.columns()};
    if (name == "down")
        return {tensor.rows(), s.ffn};
    if (name == "qkv" || name == "qkv_bias")
        return {s.qkvWidth, tensor.columns()};
    if (name == "qk_norm_all_heads")
        return {(s.qkvWidth + s.qWidth) / 2, tensor.columns()}; // of queries and keys, without values
    if (name == "o")
        return {tensor.rows(), s.qWidth};
    if (name == "experts_down")
        return {tensor.rows() / s.expertRanks, s.ffn};
    if (isOfExperts(tensor))
        return {static_cast<std::int64_t>(tensor.parts.size()) / s.expertRanks * s.ffn, tensor.columns()};
    if (name == "shared_gate_up" || name == "shared_up")
        return {static_cast<std::int64_t>(tensor.parts.size()) * s.sharedFfn, tensor.columns()};
    if (name == "shared_down")
        return {tensor.rows(), s.sharedFfn};
    return {tensor.rows(), tensor.columns()};
}

// The number of rows for keys, or for keys and values, that several tensor-parallel ranks hold, if there are more ranks
// than key-value heads.
std::int64_t replicatedRows(const WeightTensor &tensor, const StepPlan &plan, const Sizes &s)
{
    const std::int64_t keysAndValues = plan.kvReplicas > 1 ? s.qkvWidth - s.qWidth : 0;
    return tensor.name == "qkv" || tensor.name == "qkv_bias" ? keysAndValues
           : tensor.name == "qk_norm_all_heads"              ? keysAndValues / 2
                                                             : 0;
}

// Adds the sharded buffers, and those that hold the whole unit.
void addFlatBuffers(PlanBuilder &b, ParameterUnit &unit, const DataParallelism &data, const Sizes &sizes)
{
    const DType type = sizes.type;
    const auto flat = [&](std::string_view what, std::int64_t elements, DType bufferType, Role role, Scope scope) {
        return b.buffer({.name = unit.name + "." + std::string(what),
            .bytes = elements * sizeOf(bufferType),
            .type = bufferType,
            .role = role,
            .scope = scope,
            .perLayer = unit.perLayer});
    };
    const std::int64_t held = data.gathers ? unit.shardElements : unit.padded;
    unit.parameter = flat("parameters", held, type, Role::Parameter, Scope::Run);
    unit.master = type == DType::Fp32
                      ? unit.parameter
                      : flat("masters", unit.shardElements, DType::Fp32, Role::MasterWeight, Scope::Run);
    unit.momentum = flat("momentum", unit.shardElements, DType::Fp32, Role::OptimizerState, Scope::Run);
    unit.variance =
        unit.muon ? unit.momentum : flat("variance", unit.shardElements, DType::Fp32, Role::OptimizerState, Scope::Run);
    if (sizes.averageDecay > 0)
        unit.average = flat("average", unit.shardElements, DType::Fp32, Role::OptimizerState, Scope::Run);
    unit.gradient = flat("gradients", held, DType::Fp32, Role::Gradient, Scope::Step);
    if (data.gathers)
        unit.gathered = flat("gathered", unit.padded, type, Role::Communication, Scope::MicroBatch);
    if (data.ownGradientBuffer(true) || (data.ownGradientBuffer(false) && b.plan.gradAccum > 1))
        unit.fullGradient = flat("full_gradients", unit.padded, DType::Fp32, Role::Gradient,
            data.everyMicroBatch ? Scope::MicroBatch : Scope::Step);
    if (data.reducesInBf16)
        unit.bf16Gradient = flat("narrow_gradients", unit.padded, DType::Bf16, Role::Communication, Scope::Step);
}

// Adds a unit with its flat buffers: parameters, fp32 master weights if the parameters are not fp32, gradients, Adam's
// moments. Tensors are in the given order, matrices first.
ParameterUnit addUnit(PlanBuilder &b, const DataParallelism &data, ParameterUnit unit, const Sizes &sizes,
    const std::vector<WeightTensor> &tensors)
{
    unit.perLayer = unit.section == UnitSection::Layer;
    for (const WeightTensor &tensor : tensors) {
        const Extent extent = laidOut(tensor, sizes);
        unit.elements += extent.rows * extent.columns;
    }
    unit.padded = data.shards > 1 ? roundUp(unit.elements, data.shards * kPartAlignment) : unit.elements;
    unit.shardElements = unit.padded / data.shards;
    addFlatBuffers(b, unit, data, sizes);
    std::int64_t offset = 0;
    for (const WeightTensor &tensor : tensors) {
        const Extent extent = laidOut(tensor, sizes);
        b.plan.tensors.push_back({.name = tensor.name,
            .parameter = unit.parameter,
            .offset = offset,
            .rows = extent.rows,
            .columns = extent.columns,
            .kind = tensor.kind,
            .placement = sizes.tensorRanks > 1 ? placementOf(tensor.name) : WeightPlacement::Whole,
            .replicatedRows = replicatedRows(tensor, b.plan, sizes)});
        offset += extent.rows * extent.columns;
    }
    b.plan.units.push_back(unit);
    return unit;
}

} // namespace

Weights::Weights(
    PlanBuilder &builder, const WeightSharing &sharing, const ModelSpec &model, const Sizes &sizes, StagePosition stage)
{
    const auto addOne = [&](ParameterUnit described, const std::vector<WeightTensor> &tensors) {
        if (tensors.empty())
            return;
        const std::size_t first = builder.plan.tensors.size();
        const DataParallelism &data = described.experts ? sharing.experts : sharing.all;
        const ParameterUnit unit = addUnit(builder, data, std::move(described), sizes, tensors);
        for (std::size_t i = first; i < builder.plan.tensors.size(); ++i) {
            const ParameterTensor &tensor = builder.plan.tensors[i];
            m_uses[tensor.name] = {{.buffer = unit.gathered.value_or(unit.parameter),
                                       .offset = tensor.offset * sizeOf(builder.plan.at(unit.parameter).type)},
                {.buffer = unit.gradient, .offset = tensor.offset * sizeOf(DType::Fp32)}};
            m_rows[tensor.name] = tensor.rows;
        }
    };
    // Muon updates the matrices of layers.
    const auto addByOptimizer = [&](const ParameterUnit &described, std::vector<WeightTensor> tensors) {
        if (!sizes.muon || described.section != UnitSection::Layer)
            return addOne(described, tensors);
        const auto vectors = std::stable_partition(tensors.begin(), tensors.end(),
            [](const WeightTensor &tensor) { return tensor.kind == ParameterKind::Matrix; });
        ParameterUnit matrices = described, rest = described;
        matrices.muon = true;
        rest.name += "_vectors";
        addOne(matrices, {tensors.begin(), vectors});
        addOne(rest, {vectors, tensors.end()});
    };
    const auto add = [&](const std::string &name, UnitSection section, std::vector<WeightTensor> tensors) {
        std::vector<WeightTensor> whole;
        const bool shared = section == UnitSection::Embedding && model.head.tied && stage.count > 1;
        if (sizes.tensorRanks > 1 || shared) { // the stage of the LM head has only the table
            const auto split = std::stable_partition(tensors.begin(), tensors.end(),
                [](const WeightTensor &tensor) { return placementOf(tensor.name) != WeightPlacement::Whole; });
            whole.assign(split, tensors.end());
            tensors.erase(split, tensors.end());
        }
        const auto firstOfExperts = std::stable_partition(tensors.begin(), tensors.end(),
            [&](const WeightTensor &tensor) { return sizes.expertRanks == 1 || !isOfExperts(tensor); });
        const std::vector<WeightTensor> experts(firstOfExperts, tensors.end());
        tensors.erase(firstOfExperts, tensors.end());
        const bool copy = section == UnitSection::Embedding && !stage.isFirst();
        addByOptimizer({.name = name, .section = section, .copy = copy}, tensors);
        addByOptimizer({.name = name + "_whole", .section = section, .whole = sizes.tensorRanks > 1}, whole);
        addByOptimizer({.name = name + "_experts", .section = section, .experts = true}, experts);
    };
    if (stage.isFirst())
        add("embedding", UnitSection::Embedding, embeddingTensors(model));
    else if (stage.isLast() && model.head.tied)
        add("embedding", UnitSection::Embedding, {embeddingTensors(model).front()});
    add("layer", UnitSection::Layer, layerTensors(model));
    if (stage.isLast())
        add("head", UnitSection::Head, headTensors(model));
    if (model.head.tied && stage.isLast()) {
        m_uses["head"] = at("embedding");
        m_rows["head"] = rows("embedding");
    }
}

Weights Weights::withGradientsOf(const StepPlan &plan, const DataParallelism &data, bool firstMicroBatch) const
{
    Weights seen = *this;
    if (!data.ownGradientBuffer(firstMicroBatch))
        return seen;
    for (auto &[name, use] : seen.m_uses) {
        const auto unit = std::find_if(plan.units.begin(), plan.units.end(),
            [&gradient = use.gradient](const ParameterUnit &u) { return u.gradient == gradient.buffer; });
        use.gradient.buffer = *unit->fullGradient;
    }
    return seen;
}

} // namespace slipway::native
