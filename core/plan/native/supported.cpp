// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/native/supported.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>
#include <utility>

#include "base/enum_names.h"
#include "model/rope_scaling.h"
#include "plan/native/sizes.h"

namespace slipway::native {

namespace {

Error unsupported(std::string flag, std::string_view value, const std::string &accepted)
{
    return {.what = "Slipway's trainer does not support '" + std::string(value) + "'",
        .where = std::move(flag),
        .accepted = accepted + "; --framework pytorch-eager, pytorch-compile or megatron plans more"};
}

bool isDynamic(const Rope &rope) { return rope.scaling == RopeScaling::Dynamic; }

// The first module of a model that our trainer cannot run in this configuration. Empty if it runs all of them.
std::string moduleWithoutKernels(const RunConfig &c, const ModelSpec &m)
{
    if (m.norm.kind == NormKind::RmsNorm && (!m.norm.weight || m.norm.bias))
        return "RMSNorm without weights, or with biases";
    if (m.norm.kind == NormKind::LayerNorm && m.attention.qkNorm != QkNorm::None)
        return "LayerNorm of queries and keys";
    if (m.norm.kind == NormKind::LayerNorm && m.norm.onePlusWeight)
        return "LayerNorm with weights stored minus 1";
    if (m.attention.sinks)
        return "attention sinks";
    // Its frequencies depend on the longest sequence so far.
    if (m.position == Position::Rope && std::any_of(m.ropes.begin(), m.ropes.end(), isDynamic))
        return "RoPE scaling 'dynamic'";
    if (m.block.parallel && m.block.norms != NormPlacement::Before)
        return "parallel branches with norms after them";
    if (m.experts.capacityFactor > 0)
        return "experts with a capacity";
    if (m.experts.count > 0 && (m.mlp.bias || m.experts.routerBias))
        return "experts with biases";
    if (m.mlp.limit > 0 || m.mlp.onePlusUp)
        return "an MLP with a limited gate";
    if (m.experts.count > 0 && c.precisionOrMixed() == Precision::Fp8Mixed)
        return "experts in fp8";
    return "";
}

// What positions a model cannot have.
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

bool runsInBf16(RunConfig c, const ModelSpec &m)
{
    c.precision = Precision::Bf16Mixed;
    return moduleWithoutKernels(c, m).empty();
}

// cuBLASLt has no fp8 GEMMs of other sizes. The MLP width is padded.
Result<void> checkFp8(const RunConfig &c, const ModelSpec &m)
{
    if (c.simulated.fp8Scales != Fp8Scales::Tensor)
        return unsupported("--fp8-scales", enumName(c.simulated.fp8Scales), "tensor");
    const Sizes s = sizesOf(c, m);
    const bool sharded = s.tensorRanks > 1;
    for (const auto &[size, what, where] :
        {std::tuple(
             s.tokens, s.contextRanks > 1 ? "micro_batch x seq_len / cp" : "micro_batch x seq_len", "--micro-batch"),
            std::tuple(s.hidden, "the hidden size", "--hidden"),
            std::tuple(s.qWidth, sharded ? "the width of one rank's query heads" : "the width of all query heads",
                sharded ? "--tp" : "--heads"),
            std::tuple((s.qkvWidth - s.qWidth) / 2,
                sharded ? "the width of one rank's key-value heads" : "the width of all key-value heads",
                sharded ? "--tp" : "--kv-heads")}) {
        if (size % kFp8Multiple != 0)
            return Error{.what = "fp8 GEMMs need multiples of " + std::to_string(kFp8Multiple) + "; " + what + " is " +
                                 std::to_string(size),
                .where = where,
                .accepted = std::string(where) == "--tp"
                                ? "a smaller --tp, or --precision bf16-mixed"
                                : "a multiple of " + std::to_string(kFp8Multiple) + ", or --precision bf16-mixed"};
    }
    return {};
}

} // namespace

// Checks whether our trainer can execute the configuration, whose mesh has been checked (config/trainer_mesh.h).
Result<void> checkSupported(const RunConfig &c, const ModelSpec &m)
{
    if (c.precisionOrMixed() != Precision::Bf16Mixed && c.precisionOrMixed() != Precision::Fp32 &&
        c.precisionOrMixed() != Precision::Fp8Mixed)
        return unsupported("--precision", enumName(c.precisionOrMixed()), "bf16-mixed, fp8-mixed, fp32");
    if (const Result<void> fp8 = c.precisionOrMixed() == Precision::Fp8Mixed ? checkFp8(c, m) : Result<void>(); !fp8)
        return fp8;
    if (c.reduceType == ReduceType::Bf16 && c.precisionOrMixed() == Precision::Fp32)
        return unsupported("--reduce-type", "bf16", "fp32, or bf16 with --precision bf16-mixed");
    if (!c.recomputeOps.empty())
        return unsupported("--recompute-ops", c.recomputeOps.front(), "no list; selective then recomputes attention");
    if (c.offloadActivations || c.optimizerInBackward)
        return unsupported(c.offloadActivations ? "--offload-activations" : "--optimizer-in-backward", "true", "false");
    if (c.trainsAdapters())
        return unsupported("--lora-rank", std::to_string(c.loraRank), "0");
    if (c.expertCapacity < 1)
        return unsupported(
            "--expert-capacity", fmt::format("{:.3g}", c.expertCapacity), "1 or more, because it drops no token");
    if (c.simulated.gradientType == GradientType::Half)
        return unsupported("--gradient-type", "half", "auto, fp32");
    if (c.simulated.dropout.value_or(false))
        return unsupported("--dropout", "true", "false");
    if (c.simulated.lossPath != LossPath::Auto && c.simulated.lossPath != LossPath::Chunked)
        return unsupported("--loss-path", enumName(c.simulated.lossPath), "auto, chunked");
    if (c.optimizer != OptimizerKind::AdamW && c.optimizer != OptimizerKind::Muon)
        return unsupported("--optimizer", enumName(c.optimizer), "adamw, muon");
    if (const std::string module = moduleWithoutKernels(c, m); !module.empty())
        return Error{.what = "Slipway's trainer does not support " + m.name + ": it has " + module,
            .where = "--framework",
            .accepted = std::string(runsInBf16(c, m) ? "--precision bf16-mixed; " : "") +
                        "megatron, pytorch-eager or pytorch-compile, which plan it; or another model"};
    return checkRotations(c, m);
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

} // namespace slipway::native
