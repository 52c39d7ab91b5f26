// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/build_plan.h"

#include <algorithm>
#include <stdexcept>

#include "config/resolve_model.h"
#include "model/rope_scaling.h"
#include "plan/lifetimes.h"
#include "plan/data_parallel.h"
#include "plan/native/step.h"
#include "plan/simulated_step.h"

namespace slipway {

namespace {

Error unsupported(std::string flag, std::string_view value, const std::string &accepted)
{
    return {.what = "Slipway's trainer does not support '" + std::string(value) + "'",
        .where = std::move(flag),
        .accepted = accepted + "; --framework pytorch-eager, pytorch-compile or megatron plans more"};
}

// What the simulated frameworks cannot express yet.
Result<void> checkSimulated(const RunConfig &c, const ModelSpec &m)
{
    const Parallelism &p = c.parallel;
    if (p.pp > m.layers)
        return Error{
            .what = std::to_string(p.pp) + " pipeline stages exceed the " + std::to_string(m.layers) + " layers",
            .where = "--pp",
            .accepted = "1 to " + std::to_string(m.layers)};
    if (p.gpus % p.modelParallel() != 0)
        return Error{.what = std::to_string(p.gpus) +
                             " GPUs are not a multiple of tp x pp x cp = " + std::to_string(p.modelParallel()),
            .where = "--gpus",
            .accepted = "a multiple of tp x pp x cp"};
    if (p.kind == ParallelKind::None && p.dataParallel() > 1)
        return Error{
            .what = "none needs a single data-parallel rank; this mesh has " + std::to_string(p.dataParallel()),
            .where = "--parallel",
            .accepted = "ddp, zero1, fsdp-full, fsdp-grad-op, hsdp"};
    if (c.optimizer == OptimizerKind::Muon || c.ema > 0)
        return Error{.what = std::string(enumName(c.framework)) + " is not planned with " +
                             (c.ema > 0 ? "a moving average of the weights" : "Muon"),
            .where = c.ema > 0 ? "--ema" : "--optimizer",
            .accepted = c.ema > 0 ? "0, or --framework slipway"
                                  : "adamw, adamw-foreach, adamw-8bit, sgd, or --framework slipway"};
    return validateExperts(p, m);
}

// The first module of a model that our own trainer cannot run in this configuration; empty where it runs them all.
std::string moduleWithoutKernels(const RunConfig &c, const ModelSpec &m)
{
    if (m.norm.kind == NormKind::RmsNorm && (!m.norm.weight || m.norm.bias))
        return "RMSNorm without weights, or with biases";
    if (m.norm.kind == NormKind::LayerNorm && m.attention.qkNorm != QkNorm::None)
        return "LayerNorm of queries and keys";
    if (m.norm.kind == NormKind::LayerNorm && m.norm.onePlusWeight)
        return "LayerNorm whose weights are stored less 1";
    if (m.attention.sinks)
        return "attention sinks";
    if (m.block.parallel && m.block.norms != NormPlacement::Before)
        return "parallel branches with norms behind them";
    if (m.experts.capacityFactor > 0)
        return "experts with a capacity";
    if (m.experts.count > 0 && m.mlp.bias)
        return "experts with biases";
    if (m.experts.count > 0 && c.precision != Precision::Fp32)
        return "experts in bf16";
    return "";
}

// Rotations that do not depend on what has been seen.
Result<void> checkRotations(const RunConfig &c, const ModelSpec &m)
{
    for (const Rope &rope : m.position == Position::Rope ? m.ropes : std::vector<Rope>{}) {
        if (const auto frequencies = ropeFrequencies(rope, m.attention.headDim, c.seqLen); !frequencies)
            return frequencies.error();
    }
    const std::int64_t positions = m.embedding.positions - m.embedding.firstPosition;
    if (m.position == Position::Learned && c.seqLen > positions)
        return Error{.what = m.name + " has learned positions for " + std::to_string(positions) +
                             " tokens; the sequence has " + std::to_string(c.seqLen),
            .where = "--seq-len",
            .accepted = "1 to " + std::to_string(positions)};
    return {};
}

bool runsInFp32(RunConfig c, const ModelSpec &m)
{
    c.precision = Precision::Fp32;
    return moduleWithoutKernels(c, m).empty();
}

// What our own trainer executes.
Result<void> checkSupported(const RunConfig &c, const ModelSpec &m)
{
    const Parallelism &p = c.parallel;
    if (p.tp != 1 || p.pp != 1 || p.cp != 1 || p.ep != 1)
        return unsupported(p.tp != 1   ? "--tp"
                           : p.pp != 1 ? "--pp"
                           : p.cp != 1 ? "--cp"
                                       : "--ep",
            std::to_string(std::max({p.tp, p.pp, p.cp, p.ep})), "1");
    if (p.kind == ParallelKind::None && p.gpus != 1)
        return Error{.what = "none needs a single data-parallel rank; this mesh has " + std::to_string(p.gpus),
            .where = "--parallel",
            .accepted = "ddp, fsdp-full, fsdp-grad-op, hsdp, zero1"};
    if (p.kind == ParallelKind::Hsdp && p.gpus > p.gpusPerNode && p.gpus % p.gpusPerNode != 0)
        return Error{
            .what = std::to_string(p.gpus) + " ranks do not fill whole nodes of " + std::to_string(p.gpusPerNode),
            .where = "--gpus",
            .accepted = "a multiple of --gpus-per-node"};
    if (c.precision != Precision::Bf16Mixed && c.precision != Precision::Fp32)
        return unsupported("--precision", enumName(c.precision), "bf16-mixed, fp32");
    if (!c.recomputeOps.empty())
        return unsupported("--recompute-ops", c.recomputeOps.front(), "no list: selective recomputes attention");
    if (c.offloadActivations || c.optimizerInBackward)
        return unsupported(c.offloadActivations ? "--offload-activations" : "--optimizer-in-backward", "true", "false");
    if (c.gradientType == GradientType::Half)
        return unsupported("--gradient-type", "half", "auto, fp32");
    if (c.dropout.value_or(false))
        return unsupported("--dropout", "true", "false");
    if (c.lossPath != LossPath::Auto && c.lossPath != LossPath::Chunked)
        return unsupported("--loss-path", enumName(c.lossPath), "auto, chunked");
    if (c.optimizer != OptimizerKind::AdamW && c.optimizer != OptimizerKind::Muon)
        return unsupported("--optimizer", enumName(c.optimizer), "adamw, muon");
    if (c.optimizer == OptimizerKind::Muon && dataParallelism(c).shards > 1)
        return Error{
            .what = "muon needs whole matrices, which " + std::string(enumName(p.kind)) + " spreads over ranks",
            .where = "--optimizer",
            .accepted = "--parallel ddp, or adamw"};
    if (const std::string module = moduleWithoutKernels(c, m); !module.empty())
        return Error{.what = "Slipway's trainer does not support " + m.name + ": it has " + module,
            .where = "--framework",
            .accepted = std::string(runsInFp32(c, m) ? "--precision fp32, on the CPU; " : "") +
                        "megatron, pytorch-eager or pytorch-compile, which plan it; or another model"};
    return checkRotations(c, m);
}

Result<RunPlan> buildSimulated(const RunConfig &config, const ModelSpec &model)
{
    if (const Result<void> supported = checkSimulated(config, model); !supported)
        return supported.error();
    RunPlan run;
    for (int stage = 0; stage < config.parallel.pp; ++stage) {
        // Stages between the first two and the last are alike.
        if (stage > 1 && stage + 1 < config.parallel.pp)
            continue;
        run.stages.push_back(buildStage(config, model, stage));
    }
    return run;
}

} // namespace

StepPlan buildStage(const RunConfig &config, const ModelSpec &model, int stage)
{
    StepPlan plan = buildSimulatedStep(config, model, stage);
    if (const std::vector<std::string> faults = markAllocations(plan); !faults.empty())
        throw std::logic_error("internal error in the step plan: " + faults.front());
    return plan;
}

std::vector<std::string> trainsOn(const ModelSpec &model)
{
    std::vector<std::string> devices;
    RunConfig config;
    config.seqLen = 1;
    for (const auto &[device, precision] :
        {std::pair("cpu", Precision::Fp32), std::pair("cuda", Precision::Bf16Mixed)}) {
        config.precision = precision;
        if (moduleWithoutKernels(config, model).empty() && checkRotations(config, model))
            devices.emplace_back(device);
    }
    return devices;
}

Result<RunPlan> buildPlan(const RunConfig &config, const ModelSpec &model)
{
    if (config.framework != Framework::Slipway)
        return buildSimulated(config, model);
    if (const Result<void> supported = checkSupported(config, model); !supported)
        return supported.error();
    StepPlan plan = native::buildStep(config, model);
    if (const std::vector<std::string> faults = markAllocations(plan); !faults.empty())
        throw std::logic_error("internal error in the step plan: " + faults.front());
    RunPlan run;
    run.stages.push_back(std::move(plan)); // an initializer list would copy it
    return run;
}

} // namespace slipway
