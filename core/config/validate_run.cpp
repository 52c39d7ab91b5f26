// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "base/text.h"
#include "config/pipeline_layers.h"
#include "config/resolve_model.h"
#include "model/parameter_kind.h"

namespace slipway {

namespace {

Error at(const char *flag, std::string what, std::string accepted)
{
    return {.what = std::move(what), .where = flag, .accepted = std::move(accepted)};
}

Result<void> checkMesh(const Parallelism &mesh)
{
    for (const int size : {mesh.gpus, mesh.gpusPerNode, mesh.tp, mesh.pp, mesh.cp, mesh.ep}) {
        if (size < 1 || size > 65536)
            return at("--gpus", fmt::format("the mesh has an axis of {} ranks", size), "1 to 65536");
    }
    const std::int64_t modelRanks = std::int64_t{mesh.tp} * mesh.pp * mesh.cp;
    if (modelRanks > mesh.gpus || mesh.gpus % modelRanks != 0) {
        return at("--gpus", fmt::format("{} ranks are not a multiple of tp x pp x cp = {}", mesh.gpus, modelRanks),
            fmt::format("a multiple of {}", modelRanks));
    }
    if (mesh.kind == ParallelKind::None && mesh.dataParallel() > 1) {
        return at("--parallel",
            fmt::format("none needs a single data-parallel rank; this mesh has {}", mesh.dataParallel()),
            "ddp, fsdp-full, fsdp-grad-op, hsdp or zero1; or --gpus " + std::to_string(modelRanks));
    }
    return {};
}

Result<void> checkModelOnMesh(const Parallelism &mesh, const ModelSpec &model)
{
    if (model.attention.heads % mesh.tp != 0)
        return at("--tp",
            fmt::format(
                "the tensor-parallel size {} does not divide the {} attention heads", mesh.tp, model.attention.heads),
            "a divisor of the number of attention heads");
    if (model.attention.kvHeads % mesh.tp != 0 && mesh.tp % model.attention.kvHeads != 0)
        return at("--tp",
            fmt::format("the tensor-parallel size {} neither divides nor is a multiple of the {} key-value heads",
                mesh.tp, model.attention.kvHeads),
            "a divisor or a multiple of the number of key-value heads");
    if (mesh.pp > model.layers)
        return at("--pp", fmt::format("{} pipeline stages exceed the {} layers", mesh.pp, model.layers),
            fmt::format("1 to {}", model.layers));
    if (mesh.virtualStages > 1 && (mesh.pp < 2 || !partsDivide(mesh, model.layers)))
        return at("--virtual-stages",
            fmt::format("{} model chunks on each of {} stages do not divide the {} layers", mesh.virtualStages, mesh.pp,
                model.layers),
            "a divisor of the number of layers per stage, with --pp 2 or more");
    return validateExperts(mesh, model);
}

Result<void> checkSequence(const RunConfig &config, const ModelSpec &model)
{
    if (config.seqLen % config.parallel.cp != 0)
        return at("--cp",
            fmt::format("the context-parallel size {} does not divide the sequence length {}", config.parallel.cp,
                config.seqLen),
            "a divisor of seq_len");
    if (model.position == Position::Learned && config.seqLen > model.embedding.positions)
        return at("--seq-len",
            fmt::format(
                "sequence length {} exceeds the {} positions of the model", config.seqLen, model.embedding.positions),
            fmt::format("1 to {}", model.embedding.positions));
    return {};
}

Result<void> checkRecomputation(const RunConfig &config)
{
    for (const std::string &op : config.recomputeOps) {
        if (!enumFromName<RecomputeOp>(op))
            return at("--recompute-ops", "'" + op + "' is not an op that can be recomputed selectively",
                enumChoices<RecomputeOp>());
    }
    if (!config.recomputeOps.empty() && config.recompute != Recompute::Selective)
        return at("--recompute-ops",
            "a list of ops has no effect with --recompute " + std::string(enumName(config.recompute)),
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
        return at("--micro-batch",
            "a micro-batch of " + formatCount(tokens) + " tokens is too large to plan for this model",
            "fewer or shorter sequences");
    if (tokensPerStep > largest)
        return at("--grad-accum", "a global batch of " + formatCount(tokensPerStep) + " tokens is too large to plan",
            "fewer micro-batches or ranks");
    if (20.0 * static_cast<double>(parameterCount(model)) > largest)
        return at("--layers",
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
            return at(
                "--no-decay", "'" + name.substr(0, 60) + "' is not a kind of weights", "norm, bias, embedding, head");
        if (*kind == ParameterKind::Head && model.head.tied)
            return at("--no-decay", "the head of " + model.name + " shares the weights of the embedding", "embedding");
    }
    return {};
}

constexpr std::size_t kMostSets = 32; // each is a value of every evaluated step

Result<void> checkSets(const TrainingChoice &training)
{
    if (std::any_of(training.data.begin(), training.data.end(), [](const DataSource &s) { return !s.name.empty(); }))
        return at("--data", "training data have a name", "names in --eval-data alone");
    std::set<std::string> names;
    for (const DataSource &source : training.evalData)
        names.insert(source.name);
    if (names.size() > kMostSets)
        return at("--eval-data", fmt::format("there are {} evaluation sets", names.size()),
            fmt::format("at most {}", kMostSets));
    return {};
}

Result<void> checkRates(const TrainingChoice &training, const ModelSpec &model)
{
    if (training.headLearningRate && model.head.tied)
        return at("--head-learning-rate", "the head of " + model.name + " shares the weights of the embedding",
            "--embedding-learning-rate");
    if (training.learningRate == 0 && (training.embeddingLearningRate || training.headLearningRate))
        return at("--learning-rate", "rates of the embeddings and the head follow a learning rate, which is 0",
            "a number above 0");
    return {};
}

Result<void> checkBalance(const RunConfig &config, const ModelSpec &model)
{
    if (!config.balanceLoss)
        return {};
    if (model.experts.count == 0)
        return at("--balance-loss", model.name + " has no experts", "false, or a model with experts");
    if (model.experts.auxLoss == 0 && model.experts.zLoss == 0)
        return at("--balance-loss", model.name + " has no factors for these losses",
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
        return at("--min-learning-rate",
            formatExact(training.minLearningRate) + " exceeds the peak learning rate " +
                formatExact(training.learningRate),
            "at most the peak learning rate");
    }
    return {};
}

} // namespace

// Expert-parallel ranks are data- and context-parallel ones, each with all tensor-parallel parts of its experts: tp x
// ep x pp divides the ranks (Megatron-LM's initialize_model_parallel, expert_tensor_parallel_size at its default).
Result<void> validateExperts(const Parallelism &mesh, const ModelSpec &model)
{
    if (mesh.ep <= 1)
        return {};
    if (model.experts.count == 0)
        return at("--ep", fmt::format("expert-parallel size {} is given for a model without experts", mesh.ep),
            "1, or a model with experts (--experts)");
    if (model.experts.count % mesh.ep != 0)
        return at("--ep",
            fmt::format("the expert-parallel size {} does not divide the {} experts", mesh.ep, model.experts.count),
            "a divisor of the number of experts");
    const int ranks = mesh.dataParallel() * mesh.cp;
    if (ranks % mesh.ep != 0)
        return at("--ep",
            fmt::format(
                "the expert-parallel size {} does not divide the {} data- and context-parallel ranks", mesh.ep, ranks),
            "a divisor of gpus / (tp x pp)");
    if (mesh.kind == ParallelKind::Hsdp && mesh.shardRanks() % mesh.ep != 0)
        return at("--ep",
            fmt::format("the expert-parallel size {} does not divide the {} ranks of a sharding group", mesh.ep,
                mesh.shardRanks()),
            "a divisor of the sharding group's size, or --parallel fsdp-full");
    return {};
}

Result<void> validate(const RunConfig &config, const ModelSpec &model)
{
    const auto version = split(config.torch, '.');
    if (!config.torch.empty() && (version.size() < 2 || !parseInteger(version[0]) || !parseInteger(version[1])))
        return at("--torch", "'" + config.torch + "' is not a version", "a version such as 1.12 or 2.5");
    if (Result<void> checked = checkMesh(config.parallel); !checked)
        return checked;
    if (Result<void> checked = checkModelOnMesh(config.parallel, model); !checked)
        return checked;
    if (Result<void> checked = checkSequence(config, model); !checked)
        return checked;
    if (Result<void> checked = checkRecomputation(config); !checked)
        return checked;
    if (Result<void> checked = checkMagnitude(config, model); !checked)
        return checked;
    return checkTraining(config, model);
}

} // namespace slipway
