// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/convert.h"

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "base/file.h"
#include "config/apply_framework.h"
#include "config/config_io.h"
#include "config/resolve_model.h"
#include "model/hf_config.h"
#include "model/model_fields.h"
#include "plan/build_plan.h"
#include "plan/native/supported.h"
#include "run/journal.h"
#include "run/run_lock.h"
#include "runs/run_directory.h"
#include "state/checkpoint.h"
#include "data/checksum.h"
#include "data/tokenizer.h"

namespace slipway {

namespace {

namespace fs = std::filesystem;

struct RunModel {
    RunConfig config;
    ModelSpec model;
};

Result<RunModel> readRunModel(const RunPaths &paths, const Catalogue &catalogue)
{
    Result<RunConfig> config = readRunConfig(paths.config());
    if (!config)
        return config.error();
    Result<ModelSpec> model = resolveModel(config->model, catalogue);
    if (!model)
        return withFileLocation(model.error(), paths.config());
    return RunModel{std::move(*config), std::move(*model)};
}

// The initial configuration of an imported model: sequences are no longer than its positions, and fp32 is used if it
// cannot be trained in bf16.
RunConfig configFor(const ModelSpec &model)
{
    RunConfig config;
    if (model.position == Position::Learned)
        config.seqLen =
            std::min<std::int64_t>(config.seqLen, model.embedding.positions - model.embedding.firstPosition);
    const std::vector<std::string> devices = native::trainsOn(model);
    if (devices == std::vector<std::string>{"cpu"})
        config.precision = Precision::Fp32;
    return config;
}

// Whether our trainer can execute the model, which the planner decides.
Result<void> checkTrainable(const ModelSpec &model)
{
    RunConfig config = configFor(model);
    config.precision = Precision::Fp32;
    const Result<RunPlan> plan = buildPlan(config, model);
    return plan ? Result<void>() : Result<void>(plan.error());
}

Error outside(const fs::path &path, const std::error_code &error)
{
    return {.what = "cannot be written: " + error.message(), .where = path.string(), .fault = Fault::Outside};
}

Result<void> copyFile(const fs::path &from, const fs::path &to)
{
    std::error_code error;
    fs::copy_file(from, to, fs::copy_options::overwrite_existing, error);
    return error ? Result<void>(outside(to, error)) : Result<void>();
}

// The SentencePiece model or tokenizer.json in a folder; empty if it has neither.
std::string tokenizerIn(const fs::path &folder)
{
    std::error_code ignored;
    for (const char *name : {"tokenizer.model", "tokenizer.json"}) {
        if (fs::exists(folder / name, ignored))
            return name;
    }
    return {};
}

Result<void> writeRunFile(const fs::path &folder, const ModelSpec &model, const RunPaths &paths)
{
    RunConfig config = configFor(model);
    settleChoices(config);
    config.model.name = "config.json";
    config.training.tokenizer = tokenizerIn(folder);
    for (const std::string &name : {config.model.name, config.training.tokenizer}) {
        if (Result<void> copied = name.empty() ? Result<void>() : copyFile(folder / name, paths.directory / name);
            !copied)
            return copied;
    }
    return writeRunConfig(paths, config);
}

std::vector<CheckpointTensor> tensorsOf(std::vector<HfWeight> &weights, std::vector<float> &states)
{
    std::size_t largest = 0;
    for (const HfWeight &weight : weights)
        largest = std::max(largest, weight.values.size());
    states.assign(largest, 0.0f);
    std::vector<CheckpointTensor> tensors;
    for (HfWeight &weight : weights) {
        const std::span<float> zeros(states.data(), weight.values.size());
        tensors.push_back({.name = weight.name,
            .shape = weight.shape,
            .weight = weight.values,
            .momentum = zeros,
            .variance = zeros});
    }
    return tensors;
}

// The marks of LLaMA if there is no tokenizer, or it cannot be read, because the model can be loaded without it.
HfMarks marksOf(const std::string &tokenizer)
{
    const Result<Tokenizer> loaded = tokenizer.empty() ? Result<Tokenizer>(Error{}) : Tokenizer::load(tokenizer);
    if (!loaded)
        return {};
    const auto id = [](std::int32_t mark) { return mark < 0 ? std::nullopt : std::optional<int>(mark); };
    return {.bos = id(loaded->bos()), .eos = id(loaded->eos())};
}

} // namespace

Result<void> importHf(const fs::path &folder, const fs::path &run, const Catalogue &catalogue)
{
    const Result<ModelSpec> model = readHfConfig(folder / "config.json");
    if (!model)
        return model.error();
    if (const Result<void> trainable = checkTrainable(*model); !trainable)
        return Error{.what = trainable.error().what,
            .where = (folder / "config.json").string(),
            .accepted = trainable.error().accepted};
    Result<std::vector<HfWeight>> weights = readHfWeights(folder, *model);
    if (!weights)
        return weights.error();

    const RunPaths paths{.directory = run};
    std::error_code error;
    if (const Result<void> made = makePrivateFolder(run); !made)
        return made.error();
    const Result<RunLock> lock = RunLock::acquire(run);
    if (!lock)
        return lock.error();
    if (hasSteps(paths))
        return Error{.what = "holds the steps of a run", .where = run.string(), .accepted = "a new directory"};
    const bool there = fs::exists(paths.config(), error);
    if (Result<void> written = there ? Result<void>() : writeRunFile(folder, *model, paths); !written)
        return written;
    const Result<RunModel> asked = readRunModel(paths, catalogue);
    if (!asked)
        return asked.error();
    if (const std::string difference = differenceOf(*model, asked->model); !difference.empty())
        return Error{.what = "describes another model: " + difference,
            .where = paths.config().string(),
            .accepted = "the model of " + (folder / "config.json").string()};
    const Result<std::string> text = readPrivateFile(paths.config());
    std::vector<float> states;
    const CheckpointManifest manifest{.seed = asked->config.training.seed,
        .configDigest = text ? checksumOf(std::as_bytes(std::span(*text))) : "",
        .model = asked->model};
    const Result<SavedCheckpoint> saved =
        CheckpointStore(paths.checkpoints()).save(manifest, tensorsOf(*weights, states), 1);
    return saved ? Result<void>() : Result<void>(saved.error());
}

Result<std::int64_t> exportHf(
    const fs::path &run, const fs::path &folder, ExportType type, const Catalogue &catalogue, WeightsOf which)
{
    const RunPaths paths{.directory = run};
    const Result<RunModel> asked = readRunModel(paths, catalogue);
    if (!asked)
        return asked.error();
    const Result<NewestWeights> newest = newestWeights(run, CheckpointStore(paths.checkpoints()), asked->model, which);
    if (!newest)
        return newest.error();
    if (const Result<void> written = writeHfFolder(folder, asked->model, newest->weights, type, asked->config.seqLen,
            marksOf(asked->config.training.tokenizer));
        !written)
        return written.error();
    std::error_code ignored; // optional: the model can be loaded without it
    const fs::path tokenizer = asked->config.training.tokenizer;
    if (!tokenizer.empty())
        fs::copy_file(
            tokenizer, folder / (tokenizer.extension() == ".json" ? "tokenizer.json" : "tokenizer.model"), ignored);
    return newest->step;
}

} // namespace slipway
