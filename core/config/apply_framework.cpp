// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "config/apply_framework.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

#include "base/text.h"
#include "base/unknown_name.h"
#include "config/settings.h"

namespace slipway {

namespace {

template<bool &(*of)(ModelSpec &)>
Result<void> setTruth(ModelSpec &model, const std::string &value)
{
    if (value != "true" && value != "false")
        return Error{.what = "'" + value + "' is neither true nor false", .accepted = "true or false"};
    of(model) = value == "true";
    return {};
}

Result<void> setBiases(ModelSpec &model, const std::string &value)
{
    if (value != "true" && value != "false")
        return Error{.what = "'" + value + "' is neither true nor false", .accepted = "true or false"};
    model.attention.qkvBias = model.attention.outBias = model.mlp.bias = value == "true";
    return {};
}

template<typename E, E &(*of)(ModelSpec &)>
Result<void> setKind(ModelSpec &model, const std::string &value)
{
    const auto kind = enumFromName<E>(value);
    if (!kind)
        return unknownName("value", value, namesOf(EnumNames<E>::names), {});
    of(model) = *kind;
    return {};
}

Result<void> setNorm(ModelSpec &model, const std::string &value)
{
    const auto kind = enumFromName<NormKind>(value);
    if (!kind)
        return unknownName("value", value, namesOf(EnumNames<NormKind>::names), {});
    model.norm.kind = *kind;
    model.norm.bias = model.norm.bias && *kind == NormKind::LayerNorm;
    return {};
}

Result<void> setVocabulary(ModelSpec &model, const std::string &value)
{
    constexpr std::int64_t kMost = 10'000'000;
    const auto size = parseInteger(value);
    if (!size || *size < 1 || *size > kMost)
        return Error{.what = "'" + value + "' is not a vocabulary size", .accepted = "1 to 10000000"};
    model.vocab = static_cast<int>(*size);
    return {};
}

// What software makes of a model, and what is said of a model that no column has.
struct ModelOption {
    std::string_view key;
    Result<void> (*set)(ModelSpec &, const std::string &);
};
constexpr std::array kModelOptions{
    ModelOption{"model.unfused_gelu", setTruth<[](ModelSpec &m) -> bool & { return m.mlp.byParts; }>},
    ModelOption{"model.dropout", setTruth<[](ModelSpec &m) -> bool & { return m.dropout; }>},
    ModelOption{"model.split_qkv", setTruth<[](ModelSpec &m) -> bool & { return m.attention.splitQkv; }>},
    ModelOption{"model.biases", setBiases},
    ModelOption{"model.activation", setKind<Activation, [](ModelSpec &m) -> Activation & { return m.mlp.activation; }>},
    ModelOption{"model.qk_norm", setKind<QkNorm, [](ModelSpec &m) -> QkNorm & { return m.attention.qkNorm; }>},
    ModelOption{"model.norm", setNorm},
    ModelOption{"model.wide_norm", setTruth<[](ModelSpec &m) -> bool & { return m.norm.fp32Weight; }>},
    ModelOption{"model.vocab", setVocabulary},
};

const ModelOption *modelOption(std::string_view key)
{
    const auto found = std::find_if(
        kModelOptions.begin(), kModelOptions.end(), [key](const ModelOption &option) { return option.key == key; });
    return found == kModelOptions.end() ? nullptr : &*found;
}

// A change of PyTorch that the user overrides: "torch.stops_early".
const NamedTorchChange *torchChange(std::string_view key)
{
    const auto found = std::find_if(kTorchChanges.begin(), kTorchChanges.end(), [key](const NamedTorchChange &change) {
        return key.starts_with(kTorchOption) && key.substr(kTorchOption.size()) == change.key;
    });
    return found == kTorchChanges.end() ? nullptr : &*found;
}

Result<void> setTorchChange(RunConfig &config, const NamedTorchChange &change, const std::string &value)
{
    if (value != "true" && value != "false")
        return Error{.what = "'" + value + "' is neither true nor false", .accepted = "true or false"};
    config.simulated.torchChanges.*change.member = value == "true";
    return {};
}

// The engine is a field as any other; the name of the profile is not.
Result<void> setOption(RunConfig &config, ModelSpec &model, const std::string &key, const std::string &value)
{
    if (const ModelOption *option = modelOption(key)) {
        const Result<void> set = option->set(model, value);
        return set ? set : Error{.what = "'" + key + "': " + set.error().what, .accepted = set.error().accepted};
    }
    if (key == "engine") {
        const auto engine = enumFromName<Framework>(value);
        if (!engine)
            return unknownName("engine", value, namesOf(EnumNames<Framework>::names), {});
        config.framework = *engine;
        return {};
    }
    if (const NamedTorchChange *change = torchChange(key))
        return setTorchChange(config, *change, value);
    // DeepSpeed's "auto" in the Hugging Face Trainer depends on the model.
    if (key == "reduce_bucket" && value == "hidden-squared") {
        config.simulated.reduceBucket = std::int64_t{model.hidden} * model.hidden;
        return {};
    }
    const Setting *setting = findSetting(key);
    if (!setting || setting->runOnly || key == "framework" || key == "framework_option") {
        std::vector<std::string> keys{"engine"};
        for (const Setting &each : settings()) {
            if (each.group == SettingGroup::Framework)
                keys.emplace_back(each.key);
        }
        for (const NamedTorchChange &change : kTorchChanges)
            keys.push_back(std::string(kTorchOption) + std::string(change.key));
        return unknownName("framework option", key, keys, {}, "the keys that slipway catalog frameworks --json lists");
    }
    return setSettingText(*setting, config, value);
}

std::string choiceText(std::string_view key, const RunConfig &config, const ModelSpec &model)
{
    if (key == "engine")
        return std::string(enumName(config.framework));
    if (key == "attention") // as if settled: a choice that stays open gets its usual value at the end
        return std::string(enumName(config.attentionOrFlash()));
    if (key == "recompute")
        return std::string(enumName(config.recomputeOrNone()));
    if (key == "precision")
        return std::string(enumName(config.precisionOrMixed()));
    if (key == "model") // as the catalogue has it, however the user wrote it
        return model.name;
    if (key == "model.params")
        return std::to_string(parameterCount(model));
    if (key == "model.norm")
        return std::string(enumName(model.norm.kind));
    if (key == "model.mlp")
        return model.mlp.gated ? "swiglu" : "gelu";
    if (key == "model.position")
        return std::string(enumName(model.position));
    if (key == "model.tied")
        return model.head.tied ? "true" : "false";
    if (key == "model.experts")
        return std::to_string(model.experts.count);
    if (key == "dp")
        return std::to_string(config.parallel.dataParallel());
    const Setting *setting = findSetting(key);
    return setting ? settingText(*setting, config) : std::string();
}

bool isConditionKey(std::string_view key)
{
    constexpr std::array<std::string_view, 8> kOthers{
        "engine", "model.params", "model.norm", "model.mlp", "model.position", "model.tied", "model.experts", "dp"};
    return std::find(kOthers.begin(), kOthers.end(), key) != kOthers.end() || findSetting(key) != nullptr;
}

bool matches(const std::string &value, std::string_view accepted)
{
    if (accepted.starts_with('!'))
        return value != accepted.substr(1);
    const bool greater = accepted.starts_with('>'), less = accepted.starts_with('<');
    if (!greater && !less)
        return value == accepted;
    const bool equal = accepted.size() > 1 && accepted[1] == '=';
    const auto bound = parseNumber(accepted.substr(equal ? 2 : 1)), number = parseNumber(value);
    if (!bound || !number)
        return false;
    return (equal && *number == *bound) || (greater ? *number > *bound : *number < *bound);
}

bool holds(const FrameworkField &field, const RunConfig &config, const ModelSpec &model, int day)
{
    const int torch = config.simulated.torchVersion();
    // The newest version is younger than every bound.
    if ((field.from > 0 && day > 0 && day < field.from) || (field.until > 0 && (day == 0 || day >= field.until)))
        return false;
    if ((field.torchFrom > 0 && torch < field.torchFrom) || (field.torchUntil > 0 && torch >= field.torchUntil))
        return false;
    return conditionsHold(field.when, config, model);
}

using Keys = std::set<std::string, std::less<>>;

// The choices that conditions of other fields read. They are settled before all other fields.
bool isSettledFirst(std::string_view key) { return key == "attention" || key == "recompute" || key == "precision"; }

// Settings that the user, or a row of a table, has given: a profile leaves them alone.
Keys givenSettings(const RunConfig &config)
{
    Keys given;
    for (const Setting &setting : settings()) {
        if (setting.key != "framework" && !isDefault(setting, config))
            given.emplace(setting.key);
    }
    return given;
}

// Sets the fields that hold on `day`, except those of `given` keys: those that are settled first, or all others.
Result<void> applyOpen(const std::vector<FrameworkField> &fields, bool first, const Keys &given, int day,
    RunConfig &config, ModelSpec &model, std::vector<AppliedField> &applied)
{
    for (const FrameworkField &field : fields) {
        if (isSettledFirst(field.key) != first || given.contains(field.key) || !holds(field, config, model, day))
            continue;
        if (const Result<void> set = setOption(config, model, field.key, field.value); !set)
            return Error{.what = set.error().what, .where = field.where, .accepted = set.error().accepted};
        std::erase_if(applied, [&](const AppliedField &before) { return before.key == field.key; });
        applied.push_back({field.key, field.value, field.origin, field.reference, field.asOf});
    }
    return {};
}

// The engines are frameworks too, though they have no profile.
Error unknownFramework(std::string_view name, const Frameworks &frameworks)
{
    std::vector<std::string> accepted = namesOf(EnumNames<Framework>::names);
    for (const FrameworkProfile &profile : frameworks.profiles) {
        if (std::find(accepted.begin(), accepted.end(), profile.id) == accepted.end())
            accepted.push_back(profile.id);
    }
    std::vector<std::string> known = accepted;
    for (const FrameworkProfile &profile : frameworks.profiles)
        known.insert(known.end(), profile.aliases.begin(), profile.aliases.end());
    return unknownName("framework", name, known, "--framework", fmt::format("{}", fmt::join(accepted, ", ")));
}

Result<void> applyProfile(RunConfig &config, ModelSpec &model, const Frameworks &frameworks, const Keys &given,
    std::vector<AppliedField> &applied)
{
    const Result<FrameworkVersion> version = frameworks.resolve(config.software);
    if (!version) {
        const std::string_view id = softwareName(config.software);
        return frameworks.find(id) == nullptr ? unknownFramework(id, frameworks) : version.error();
    }
    if (config.simulated.torch.empty())
        config.simulated.torch = version->torch;
    config.framework = Framework::PytorchEager;
    for (const bool first : {true, false}) {
        for (const FrameworkProfile *profile : frameworks.lineage(version->id)) {
            const Result<void> set = applyOpen(profile->fields, first, given, version->day, config, model, applied);
            if (!set)
                return set;
        }
    }
    return {};
}

Result<void> applyOptions(RunConfig &config, ModelSpec &model, std::vector<AppliedField> &applied)
{
    for (const std::string &option : config.frameworkOptions) {
        const std::size_t at = option.find('=');
        const std::string key(trimmed(std::string_view(option).substr(0, at)));
        if (at == std::string::npos)
            return Error{.what = "'" + option.substr(0, 60) + "' has no value",
                .where = "--framework-option",
                .accepted = "KEY=VALUE"};
        std::string value(trimmed(std::string_view(option).substr(at + 1)));
        if (const Result<void> set = setOption(config, model, key, value); !set)
            return Error{
                .what = set.error().what, .where = "--framework-option " + key, .accepted = set.error().accepted};
        applied.push_back({key, std::move(value), FieldOrigin::Documented, "given"});
    }
    return {};
}

} // namespace

bool conditionsHold(const std::vector<FieldCondition> &conditions, const RunConfig &config, const ModelSpec &model)
{
    return std::all_of(conditions.begin(), conditions.end(), [&](const FieldCondition &condition) {
        const std::string value = choiceText(condition.key, config, model);
        return std::any_of(condition.accepted.begin(), condition.accepted.end(),
            [&](const std::string &accepted) { return matches(value, accepted); });
    });
}

Result<std::vector<AppliedField>> applyFields(
    const std::vector<FrameworkField> &fields, RunConfig &config, ModelSpec &model, int day)
{
    std::vector<AppliedField> applied;
    for (const FrameworkField &field : fields) {
        if (!holds(field, config, model, day))
            continue;
        const RunConfig before = config;
        const ModelSpec spec = model;
        if (const Result<void> set = setOption(config, model, field.key, field.value); !set)
            return Error{.what = set.error().what, .where = field.where, .accepted = set.error().accepted};
        if (!(config == before) || !(model == spec))
            applied.push_back({field.key, field.value, field.origin, field.reference, field.asOf});
    }
    return applied;
}

Result<void> checkFields(const std::vector<FrameworkField> &fields)
{
    for (const FrameworkField &field : fields) {
        if (torchChange(field.key))
            return Error{.what = "'" + field.key + "' follows from the version of PyTorch",
                .where = field.where,
                .accepted = "a change in engines/torch_changes.yaml, or another option"};
        RunConfig config;
        ModelSpec model;
        if (const Result<void> set = setOption(config, model, field.key, field.value); !set)
            return Error{.what = set.error().what, .where = field.where, .accepted = set.error().accepted};
        for (const FieldCondition &condition : field.when) {
            if (!isConditionKey(condition.key))
                return Error{.what = "'" + condition.key + "' is neither a setting nor a property of the plan",
                    .where = field.where,
                    .accepted =
                        "a setting's key, engine, dp, or model.params, .norm, .mlp, .position, .tied, .experts"};
        }
    }
    return {};
}

OpenChoices openChoicesOf(const RunConfig &config)
{
    return {.attention = !config.attention, .recompute = !config.recompute, .precision = !config.precision};
}

void settleChoices(RunConfig &config)
{
    config.attention = config.attentionOrFlash();
    config.recompute = config.recomputeOrNone();
    config.precision = config.precisionOrMixed();
}

RunConfig withSettledChoices(RunConfig asked, const RunConfig &resolved)
{
    asked.attention = resolved.attention;
    asked.recompute = resolved.recompute;
    asked.precision = resolved.precision;
    return asked;
}

Result<std::vector<AppliedField>> applyFramework(RunConfig &config, ModelSpec &model, const Frameworks &frameworks)
{
    std::vector<AppliedField> options, applied;
    // First, so that fields whose conditions ask for them hold.
    if (const Result<void> set = applyOptions(config, model, options); !set)
        return set.error();
    if (config.simulated.attentionKernel != AttentionKernel::Auto && !config.attention)
        config.attention = Attention::Flash; // whoever names one of its kernels means it
    if (config.framework != Framework::Slipway || !config.software.empty()) {
        Keys given = givenSettings(config);
        for (const AppliedField &option : options)
            given.insert(option.key);
        if (!config.software.empty()) {
            if (const Result<void> set = applyProfile(config, model, frameworks, given, applied); !set)
                return set.error();
        }
        for (const AppliedField &field : applied)
            given.insert(field.key);
        if (const Result<void> set = applyOpen(frameworks.ofEngines, false, given, 0, config, model, applied); !set)
            return set.error();
        config.simulated.torchChanges = frameworks.changesOf(config.simulated.torchVersion());
        for (const AppliedField &option : options) {
            if (const NamedTorchChange *change = torchChange(option.key))
                config.simulated.torchChanges.*change->member = option.value == "true";
        }
    }
    settleChoices(config);
    applied.insert(applied.end(), options.begin(), options.end());
    return applied;
}

Result<void> checkFrameworks(const Frameworks &frameworks)
{
    for (const FrameworkProfile &profile : frameworks.profiles) {
        for (const ArgumentRule &rule : profile.script.arguments) {
            RunConfig config;
            const Setting *setting = findSetting(rule.set);
            if (enumFromName<ScriptQuantity>(rule.set))
                continue;
            const auto cannotBe = [&](const std::string &value) {
                return !value.empty() && !setSettingText(*setting, config, value);
            };
            if (!setting || cannotBe(rule.to) || cannotBe(rule.off))
                return Error{.what = "an argument sets '" + rule.set + "' to '" + rule.to +
                                     (rule.off.empty() ? "" : "' or '" + rule.off) + "', which is not possible",
                    .where = "framework " + profile.id,
                    .accepted = "the key of a setting with one of its values, or " + enumChoices<ScriptQuantity>()};
        }
        if (const Result<void> checked = checkFields(profile.fields); !checked)
            return checked;
    }
    return checkFields(frameworks.ofEngines);
}

} // namespace slipway
