// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "config/resolve_model.h"

#include <filesystem>

#include "base/text.h"
#include "model/hf_config.h"
#include "model/model_yaml.h"
#include "model/size_curve.h"
#include "model/validate_model.h"

namespace slipway {

namespace {

constexpr std::string_view kCustom = "custom, ";

// "700M", "1.3B": a plain number would be a slip.
bool isSize(const std::string &name)
{
    static constexpr std::string_view suffixes = "mMbB";
    return !name.empty() && suffixes.find(name.back()) != std::string_view::npos && parseCount(name);
}

Result<ModelSpec> modelNamed(const std::string &name, const Catalogue &catalogue)
{
    if (name.empty())
        return Error{.what = "no model is given",
            .where = "--model",
            .accepted = "a preset such as 1B, a public model, a size such as 700M, or a file"};
    const std::filesystem::path path(name);
    const std::string extension = toLower(path.extension().string());
    if (extension == ".yaml" || extension == ".yml")
        return readModelYaml(path);
    if (extension == ".json")
        return readHfConfig(path);
    Result<CatalogueModel> known = catalogue.model(name);
    if (known)
        return known->spec;
    if (isSize(name))
        return modelOfSize(*parseCount(name), name);
    std::error_code failure;
    if (std::filesystem::exists(path / "config.json", failure))
        return readHfConfig(path / "config.json");
    return known.error();
}

template<typename T>
bool changes(const std::optional<T> &wanted, T present)
{
    return wanted && *wanted != present;
}

// The user's sizes on top of a shape; what follows from a changed size follows.
Result<ModelSpec> withChoices(ModelSpec model, const ModelChoice &choice)
{
    const ModelSpec base = model;
    const bool widthChanged = changes(choice.hidden, base.hidden) || changes(choice.heads, base.attention.heads);
    model.layers = choice.layers.value_or(base.layers);
    model.hidden = choice.hidden.value_or(base.hidden);
    model.attention.heads = choice.heads.value_or(base.attention.heads);
    if (widthChanged) {
        const Result<int> headDim = headDimOf(model.hidden, model.attention.heads);
        if (!headDim)
            return headDim.error();
        model.attention.headDim = *headDim;
    }
    model.attention.kvHeads = choice.kvHeads.value_or(
        base.attention.kvHeads == base.attention.heads ? model.attention.heads : base.attention.kvHeads);
    const auto scaledFfn = static_cast<int>(std::int64_t{base.mlp.width} * model.hidden / base.hidden);
    model.mlp.width = choice.ffn.value_or(model.hidden == base.hidden ? base.mlp.width : scaledFfn);
    model.vocab = choice.vocab.value_or(base.vocab);
    model.head.tied = choice.tied.value_or(base.head.tied);
    model.experts.count = choice.experts.value_or(base.experts.count);
    model.experts.perToken = choice.expertsPerToken.value_or(model.experts.count == 0 ? 0 : base.experts.perToken);
    if (!(model == base)) // it is no longer what the name says
        model.name = std::string(kCustom) + formatCount(static_cast<double>(parameterCount(model)));
    return model;
}

} // namespace

Result<ModelSpec> resolveModel(const ModelChoice &choice, const Catalogue &catalogue)
{
    Result<ModelSpec> named = modelNamed(choice.name, catalogue);
    if (!named)
        return named;
    Result<ModelSpec> model = withChoices(*named, choice);
    if (!model)
        return model;
    if (const Result<void> valid = validateModel(*model); !valid)
        return valid.error();
    return model;
}

bool isCustom(const ModelSpec &model) { return model.name.starts_with(kCustom); }

RunConfig withSizesOf(RunConfig config, const ModelSpec &model)
{
    const std::string name = config.model.name;
    config.model = {.name = name,
        .layers = model.layers,
        .hidden = model.hidden,
        .heads = model.attention.heads,
        .kvHeads = model.attention.kvHeads,
        .ffn = model.mlp.width,
        .vocab = model.vocab,
        .tied = model.head.tied,
        .experts = model.experts.count,
        .expertsPerToken = model.experts.perToken};
    return config;
}

} // namespace slipway
