// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/build_plan.h"

#include <algorithm>
#include <stdexcept>

#include "config/resolve_model.h"
#include "plan/lifetimes.h"
#include "plan/data_parallel.h"
#include "plan/llama_step.h"
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
    return validateExperts(p, m);
}

// The first module of a model that our own trainer has no kernels for; empty where it has them all.
std::string moduleWithoutKernels(const ModelSpec &m)
{
    const ModelSpec plain;
    const AttentionModule plainAttention{
        .heads = m.attention.heads, .kvHeads = m.attention.kvHeads, .headDim = m.attention.headDim};
    const MlpModule plainMlp{.width = m.mlp.width};
    const NormModule plainNorm{.eps = m.norm.eps};
    const HeadModule plainHead{.tied = m.head.tied};
    if (!(m.norm == plainNorm))
        return "norm " + std::string(enumName(m.norm.kind));
    if (m.position != Position::Rope)
        return "position " + std::string(enumName(m.position));
    if (m.ropes.size() > 1 || m.rope().scaling != RopeScaling::Default || m.rope().fraction != 1)
        return "RoPE that is scaled, partial, or differs between layers";
    if (!(m.pattern == plain.pattern))
        return "sliding windows, or layers without RoPE";
    if (!(m.attention == plainAttention))
        return "attention with biases, norms of queries and keys, a scale or a cap";
    if (!(m.mlp == plainMlp))
        return "MLP that is not SwiGLU, or has biases";
    if (!(m.block == plain.block))
        return "blocks that are parallel, scaled, or have norms behind their branches";
    if (!(m.embedding == plain.embedding))
        return "embedding with a scale";
    return m.head == plainHead ? "" : "LM head with a bias, a scale or a cap";
}

// What our own trainer executes.
Result<void> checkSupported(const RunConfig &c, const ModelSpec &m)
{
    const Parallelism &p = c.parallel;
    if (m.experts.count > 0)
        return Error{.what = m.name + " is a mixture-of-experts model with " + std::to_string(m.experts.count) +
                             " experts, which Slipway's trainer does not support",
            .where = "--framework",
            .accepted = "megatron, pytorch-eager, pytorch-compile, or --experts 0"};
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
    if (c.optimizer != OptimizerKind::AdamW)
        return unsupported("--optimizer", enumName(c.optimizer), "adamw");
    if (const std::string module = moduleWithoutKernels(m); !module.empty())
        return unsupported("--model", m.name + " (" + module + ")", "a LLaMA-style model: SwiGLU, RMSNorm, RoPE");
    return {};
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

Result<RunPlan> buildPlan(const RunConfig &config, const ModelSpec &model)
{
    if (config.framework != Framework::Slipway)
        return buildSimulated(config, model);
    if (const Result<void> supported = checkSupported(config, model); !supported)
        return supported.error();
    StepPlan plan = buildLlamaStep(config, model);
    if (const std::vector<std::string> faults = markAllocations(plan); !faults.empty())
        throw std::logic_error("internal error in the step plan: " + faults.front());
    RunPlan run;
    run.stages.push_back(std::move(plan)); // an initializer list would copy it
    return run;
}

} // namespace slipway
