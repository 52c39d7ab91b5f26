// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "base/text.h"
#include "config/resolve_model.h"
#include "config/validate_mesh.h"
#include "model/parameter_kind.h"

namespace slipway {

namespace {

Result<void> checkSequence(const RunConfig &config, const ModelSpec &model)
{
    if (model.position == Position::Learned && config.seqLen > model.embedding.positions)
        return flagError("--seq-len",
            fmt::format(
                "sequence length {} exceeds the {} positions of the model", config.seqLen, model.embedding.positions),
            fmt::format("1 to {}", model.embedding.positions));
    return {};
}

Result<void> checkRecomputation(const RunConfig &config)
{
    for (const std::string &op : config.recomputeOps) {
        if (!enumFromName<RecomputeOp>(op))
            return flagError("--recompute-ops", "'" + op + "' is not an op that can be recomputed selectively",
                enumChoices<RecomputeOp>());
    }
    if (!config.recomputeOps.empty() && config.recompute != Recompute::Selective)
        return flagError("--recompute-ops",
            "a list of ops has no effect with --recompute " + std::string(enumName(config.recomputeOrNone())),
            "--recompute selective");
    return {};
}

// What a step touches, generously, as a double: a plan beyond this would overflow its integers, and no machine holds
// it.
Result<void> checkMagnitude(const RunConfig &config, const ModelSpec &model)
{
    constexpr double largest = 1e18;
    const double tokens = static_cast<double>(config.microBatch) * static_cast<double>(config.seqLen);
    const double scores =
        config.attention == Attention::Vanilla ? static_cast<double>(config.seqLen) * model.attention.heads : 0;
    const double width =
        40.0 * model.hidden + 10.0 * model.mlp.width * std::max(1, model.experts.perToken) + scores * 3;
    const double activations = 4 * tokens * (width * model.layers + 3.0 * model.vocab);
    const double tokensPerStep = tokens * static_cast<double>(config.gradAccum) * config.parallel.gpus;
    if (activations > largest)
        return flagError("--micro-batch",
            "a micro-batch of " + formatCount(tokens) + " tokens is too large to plan for this model",
            "fewer or shorter sequences");
    if (tokensPerStep > largest)
        return flagError("--grad-accum",
            "a global batch of " + formatCount(tokensPerStep) + " tokens is too large to plan",
            "fewer micro-batches or ranks");
    if (20.0 * static_cast<double>(parameterCount(model)) > largest)
        return flagError("--layers",
            "a model of " + formatCount(static_cast<double>(parameterCount(model))) +
                " parameters is too large to plan",
            "a smaller model");
    return {};
}

// What an optimizer tells apart, by the names of ParameterKind.
Result<void> checkNoDecay(const TrainingChoice &training, const ModelSpec &model)
{
    for (const std::string &name : training.noDecay) {
        const std::optional<ParameterKind> kind = enumFromName<ParameterKind>(name);
        if (!kind || *kind == ParameterKind::Matrix)
            return flagError(
                "--no-decay", "'" + name.substr(0, 60) + "' is not a kind of weights", "norm, bias, embedding, head");
        if (*kind == ParameterKind::Head && model.head.tied)
            return flagError(
                "--no-decay", "the head of " + model.name + " shares the weights of the embedding", "embedding");
    }
    return {};
}

constexpr std::size_t kMostSets = 32; // each is a value of every evaluated step

Result<void> checkSets(const TrainingChoice &training)
{
    if (std::any_of(training.data.begin(), training.data.end(), [](const DataSource &s) { return !s.name.empty(); }))
        return flagError("--data", "training data cannot have a name", "names in --eval-data only");
    std::set<std::string> names;
    for (const DataSource &source : training.evalData)
        names.insert(source.name);
    if (names.size() > kMostSets)
        return flagError("--eval-data", fmt::format("there are {} evaluation sets", names.size()),
            fmt::format("at most {}", kMostSets));
    return {};
}

Result<void> checkRates(const TrainingChoice &training, const ModelSpec &model)
{
    if (training.headLearningRate && model.head.tied)
        return flagError("--head-learning-rate", "the head of " + model.name + " shares the weights of the embedding",
            "--embedding-learning-rate");
    if (training.learningRate == 0 && (training.embeddingLearningRate || training.headLearningRate))
        return flagError("--learning-rate",
            "the learning rates of the embeddings and the head need a learning_rate above 0", "a number above 0");
    return {};
}

Result<void> checkBalance(const RunConfig &config, const ModelSpec &model)
{
    if (!config.balanceLoss)
        return {};
    if (model.experts.count == 0)
        return flagError("--balance-loss", model.name + " has no experts", "false, or a model with experts");
    if (model.experts.auxLoss == 0 && model.experts.zLoss == 0)
        return flagError("--balance-loss", model.name + " has no factors for these losses",
            "false, or a model with router_aux_loss_coef (aux_loss in a model's file)");
    return {};
}

Result<void> checkTraining(const RunConfig &config, const ModelSpec &model)
{
    const TrainingChoice &training = config.training;
    for (const Result<void> &checked : {checkSets(training), checkNoDecay(training, model), checkRates(training, model),
             checkBalance(config, model)}) {
        if (!checked)
            return checked;
    }
    if (training.minLearningRate > training.learningRate) {
        return flagError("--min-learning-rate",
            formatExact(training.minLearningRate) + " exceeds the peak learning rate " +
                formatExact(training.learningRate),
            "at most the peak learning rate");
    }
    return {};
}

// Adapters can be planned for dense layers without tensor or pipeline parallelism.
Result<void> checkAdapters(const RunConfig &config, const ModelSpec &model)
{
    if (!config.trainsAdapters())
        return config.frozenWeightsOrWhole() == FrozenWeights::Whole
                   ? Result<void>()
                   : flagError("--frozen-weights", "no weights are frozen", "whole, or --lora-rank above 0");
    if (config.loraRank > model.hidden)
        return flagError("--lora-rank",
            fmt::format("rank {} exceeds the hidden size {} of {}", config.loraRank, model.hidden, model.name),
            "a rank of at most the hidden size");
    if (model.experts.count > 0)
        return flagError(
            "--lora-rank", model.name + " has experts, for which LoRA is not supported", "0, or a dense model");
    if (config.parallel.tp * config.parallel.pp > 1)
        return flagError(
            "--lora-rank", "LoRA is not supported with tensor or pipeline parallelism", "0, or --tp 1 --pp 1");
    if (config.precisionOrMixed() == Precision::Fp8Mixed)
        return flagError("--precision", "LoRA is not supported with fp8-mixed precision",
            "bf16-mixed, bf16, fp16-mixed or fp32; or --lora-rank 0");
    if (config.framework == Framework::Megatron)
        return flagError(
            "--lora-rank", "LoRA is not supported with Megatron", "0, or a framework on PyTorch's modules");
    return {};
}

} // namespace

Result<void> validate(const RunConfig &config, const ModelSpec &model)
{
    const auto version = split(config.simulated.torch, '.');
    if (!config.simulated.torch.empty() &&
        (version.size() < 2 || !parseInteger(version[0]) || !parseInteger(version[1])))
        return flagError(
            "--torch", "'" + config.simulated.torch + "' is not a version", "a version such as 1.12 or 2.5");
    if (Result<void> checked = validateMesh(config, model); !checked)
        return checked;
    if (Result<void> checked = checkSequence(config, model); !checked)
        return checked;
    if (Result<void> checked = checkRecomputation(config); !checked)
        return checked;
    if (Result<void> checked = checkMagnitude(config, model); !checked)
        return checked;
    if (Result<void> checked = checkAdapters(config, model); !checked)
        return checked;
    return checkTraining(config, model);
}

} // namespace slipway
