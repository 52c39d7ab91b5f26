// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "config/settings.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "base/ascii.h"
#include "base/text.h"
#include "base/unknown_name.h"
#include "config/field_json.h"
#include "config/field_text.h"
#include "frameworks/framework_profile.h"

namespace slipway {

namespace {

using Json = nlohmann::ordered_json;

// Of learning rates, and of a pipeline's micro-batches: no name of one is a name of the other.
constexpr std::string_view kSchedule = "schedule", kPipelineSchedule = "pipeline_schedule";

template<typename T>
struct IsOptional : std::false_type {};
template<typename T>
struct IsOptional<std::optional<T>> : std::true_type {};

// Only reads through the reference; fields are found by the same function for reading and writing.
FieldRef fieldOf(const Setting &setting, const RunConfig &config)
{
    return setting.field(const_cast<RunConfig &>(config));
}

// The table has one way to reach a field; here each kind of field gets its own code, optionals through what they hold.
template<typename Visitor>
auto visitField(const FieldRef &field, Visitor visitor)
{
    return std::visit(visitor, field);
}

Error wrong(const Setting &setting, std::string_view text, std::string_view why)
{
    const std::string shown(text.substr(0, 60));
    return {.what = "'" + shown + "' " + std::string(why), .where = setting.flag(), .accepted = setting.accepted()};
}

bool inRange(const Setting &setting, double value) { return value >= setting.minimum && value <= setting.maximum; }

// A number of the setting's type and within its range.
Result<double> numberFrom(const Setting &setting, std::string_view text)
{
    std::optional<double> value;
    switch (setting.type) {
    case SettingType::Count:
        value = parseCount(text);
        break;
    case SettingType::Duration:
        value = durationFromText(text);
        break;
    default:
        value = parseNumber(text);
        break;
    }
    if (!value)
        return wrong(setting, text, setting.type == SettingType::Duration ? "is not a duration" : "is not a number");
    if (!inRange(setting, *value))
        return wrong(setting, text, "is out of range");
    return *value;
}

Result<std::int64_t> integerFrom(const Setting &setting, std::string_view text)
{
    // Digits alone keep all their bits; the double of the range check would not.
    if (const auto whole = parseInteger(text)) {
        if (!inRange(setting, static_cast<double>(*whole)))
            return wrong(setting, text, "is out of range");
        return *whole;
    }
    const auto count = setting.type == SettingType::Count ? parseCount(text) : std::nullopt;
    if (!count || std::floor(*count) != *count)
        return wrong(setting, text, parseNumber(text) && !count ? "is not an integer in range" : "is not an integer");
    if (!inRange(setting, *count))
        return wrong(setting, text, "is out of range");
    return static_cast<std::int64_t>(*count);
}

Result<bool> truthFrom(const Setting &setting, std::string_view text)
{
    const std::string lower = toLower(text);
    if (lower == "true" || lower == "yes" || lower == "on")
        return true;
    if (lower == "false" || lower == "no" || lower == "off")
        return false;
    return wrong(setting, text, "is neither true nor false");
}

struct ToText {
    std::string operator()(const int *value) const { return std::to_string(*value); }
    std::string operator()(const std::int64_t *value) const { return std::to_string(*value); }
    std::string operator()(const std::uint64_t *value) const { return std::to_string(*value); }
    std::string operator()(const double *value) const { return formatExact(*value); }
    std::string operator()(const bool *value) const { return *value ? "true" : "false"; }
    std::string operator()(const std::string *value) const { return *value; }
    std::string operator()(const std::vector<std::string> *value) const { return textsToLine(*value); }
    std::string operator()(const std::vector<DataSource> *value) const { return sourcesToLine(*value); }
    std::string operator()(const EnumRef &value) const
    {
        return value.isSet && !value.isSet(value.value) ? std::string()
                                                        : std::string(value.names[value.get(value.value)]);
    }
    std::string operator()(const FrameworkRef &value) const
    {
        return value.software->empty() ? std::string(enumName(*value.engine)) : *value.software;
    }
    template<typename T>
    std::string operator()(const std::optional<T> *value) const
    {
        return *value ? (*this)(&**value) : std::string();
    }
};

struct FromText {
    const Setting &setting;
    std::string_view text;

    template<typename T>
    Result<void> assign(T &target, Result<T> value) const
    {
        if (!value)
            return value.error();
        target = *std::move(value);
        return {};
    }
    Result<void> operator()(int *value) const
    {
        const auto number = integerFrom(setting, text);
        if (!number)
            return number.error();
        *value = static_cast<int>(*number); // ranges of int settings lie within an int
        return {};
    }
    Result<void> operator()(std::int64_t *value) const { return assign(*value, integerFrom(setting, text)); }
    Result<void> operator()(std::uint64_t *value) const
    {
        const char *const end = text.data() + text.size();
        const auto [stop, failure] = std::from_chars(text.data(), end, *value);
        if (failure != std::errc{} || stop != end)
            return wrong(setting, text, "is not an integer in range");
        return {};
    }
    Result<void> operator()(double *value) const { return assign(*value, numberFrom(setting, text)); }
    Result<void> operator()(bool *value) const { return assign(*value, truthFrom(setting, text)); }
    Result<void> operator()(std::string *value) const
    {
        *value = text;
        return {};
    }
    Result<void> operator()(std::vector<std::string> *value) const { return assign(*value, textsFromLine(text)); }
    Result<void> operator()(std::vector<DataSource> *value) const { return assign(*value, sourcesFromLine(text)); }
    Result<void> operator()(EnumRef value) const
    {
        if (text.empty() && value.reset) {
            value.reset(value.value);
            return {};
        }
        std::string name = toLower(text);
        std::replace(name.begin(), name.end(), '_', '-');
        const auto found = std::find(value.names.begin(), value.names.end(), name);
        if (found == value.names.end())
            return unknownName("value", text, namesOf(value.names), setting.flag());
        value.set(value.value, static_cast<std::size_t>(found - value.names.begin()));
        return {};
    }
    // Whether the catalogue has the profile, it is asked when a plan is made.
    Result<void> operator()(FrameworkRef value) const
    {
        std::string name = toLower(trimmed(text));
        std::replace(name.begin(), name.end(), '_', '-');
        if (const auto engine = enumFromName<Framework>(name)) {
            *value.engine = *engine;
            value.software->clear();
            return {};
        }
        constexpr std::size_t kLongestName = 80;
        const bool plain =
            !name.empty() && name.size() <= kLongestName && name.front() != '@' && name.back() != '@' &&
            std::count(name.begin(), name.end(), '@') <= 1 && std::all_of(name.begin(), name.end(), [](char c) {
                return isLower(c) || isDigit(c) || std::string_view("-.@+ ").find(c) != std::string_view::npos;
            });
        if (!plain)
            return wrong(setting, text, "is not the name of a framework");
        *value.engine = Framework::PytorchEager;
        *value.software = std::move(name);
        return {};
    }
    template<typename T>
    Result<void> operator()(std::optional<T> *value) const
    {
        T held{};
        if (text.empty()) {
            value->reset();
            return {};
        }
        Result<void> read = (*this)(&held);
        if (read)
            *value = held;
        return read;
    }
};

struct ToJson {
    Json operator()(const std::vector<DataSource> *value) const
    {
        Json list = Json::array();
        for (const DataSource &source : *value) {
            list.push_back({{"path", source.path}, {"weight", source.weight}});
            if (!source.name.empty())
                list.back()["name"] = source.name;
        }
        return list;
    }
    Json operator()(const EnumRef &value) const
    {
        return value.isSet && !value.isSet(value.value) ? Json(nullptr) : Json(ToText{}(value));
    }
    Json operator()(const FrameworkRef &value) const { return ToText{}(value); }
    template<typename T>
    Json operator()(const T *value) const
    {
        if constexpr (IsOptional<T>::value)
            return *value ? Json(**value) : Json(nullptr);
        else
            return *value;
    }
};

template<typename T>
Result<void> assignList(const Setting &setting, std::vector<T> &target, Result<std::vector<T>> read)
{
    if (!read)
        return Error{.what = read.error().what, .where = setting.flag(), .accepted = read.error().accepted};
    target = *std::move(read);
    return {};
}

std::string folded(std::string_view name)
{
    while (name.starts_with('-'))
        name.remove_prefix(1);
    std::string key(name);
    std::replace(key.begin(), key.end(), '-', '_');
    return key;
}

} // namespace

std::string Setting::flag() const
{
    std::string text = "--" + std::string(key);
    std::replace(text.begin(), text.end(), '_', '-');
    return text;
}

std::string Setting::flags(bool forTraining) const
{
    return key == kPipelineSchedule && !forTraining ? flag() + ",--" + std::string(kSchedule) : flag();
}

std::vector<std::string> Setting::choices() const
{
    if (type == SettingType::Bool)
        return {"true", "false"};
    if (type != SettingType::Choice)
        return {};
    RunConfig any;
    const FieldRef ref = field(any);
    if (std::holds_alternative<FrameworkRef>(ref))
        return namesOf(EnumNames<Framework>::names);
    const auto names = std::get<EnumRef>(ref).names;
    return {names.begin(), names.end()};
}

std::string Setting::accepted() const
{
    const auto range = [this](const char *kind) {
        return std::string(kind) + " from " + formatExact(minimum) + " to " + formatExact(maximum);
    };
    switch (type) {
    case SettingType::Integer:
        return range("integers");
    case SettingType::Count:
        return range("integers, also as 20B or 1.5M,");
    case SettingType::Number:
        return range("numbers");
    case SettingType::Duration:
        return "seconds, or a time such as 30m, 12h, 2d";
    case SettingType::Text:
        return "a text";
    case SettingType::Texts:
        return "values separated by commas";
    case SettingType::Sources:
        return "paths separated by commas, each optionally with a weight: a.bin=0.7";
    case SettingType::Bool:
    case SettingType::Choice:
        break;
    }
    std::string list;
    for (const std::string &name : choices())
        list += (list.empty() ? "" : ", ") + name;
    if (key == "framework")
        list += ", or a name that slipway catalog frameworks lists, also with @VERSION or @YYYY-MM";
    return list;
}

bool Setting::optional() const
{
    RunConfig any;
    return visitField(field(any), [](auto ref) {
        if constexpr (std::is_same_v<decltype(ref), EnumRef>)
            return ref.reset != nullptr;
        else
            return IsOptional<std::remove_pointer_t<decltype(ref)>>::value;
    });
}

bool Setting::isFrameworkOption() const
{
    return group == SettingGroup::Framework && key != "framework" && key != "framework_option" && key != "calibration";
}

const Setting *findSetting(std::string_view keyOrFlag)
{
    const std::string key = folded(keyOrFlag);
    const auto all = settings();
    const auto found =
        std::find_if(all.begin(), all.end(), [&key](const Setting &setting) { return setting.key == key; });
    return found == all.end() ? nullptr : &*found;
}

Error unknownSetting(std::string_view key, std::string where)
{
    std::vector<std::string> keys;
    for (const Setting &setting : settings())
        keys.emplace_back(setting.key);
    return unknownName("key", key, keys, std::move(where), "the keys that `slipway plan --help` lists");
}

std::string settingText(const Setting &setting, const RunConfig &config)
{
    return visitField(fieldOf(setting, config), ToText{});
}

Result<void> setSettingText(const Setting &setting, RunConfig &config, std::string_view text)
{
    // The name of a pipeline's schedule says which schedule is meant.
    if (setting.key == kSchedule && enumFromName<PipelineSchedule>(toLower(text)))
        return setSettingText(*findSetting(kPipelineSchedule), config, text);
    if (text.find('\0') != std::string_view::npos)
        return wrong(setting, text.substr(0, text.find('\0')), "contains a NUL byte");
    Result<void> read = visitField(setting.field(config), FromText{setting, text});
    if (!read && read.error().where.empty())
        return Error{.what = read.error().what, .where = setting.flag(), .accepted = read.error().accepted};
    return read;
}

Result<RunConfig> applySettings(RunConfig config, std::span<const std::pair<std::string, std::string>> changes)
{
    if (std::any_of(changes.begin(), changes.end(), [](const auto &change) { return folded(change.first) == "model"; }))
        config.model = {.name = config.model.name};
    for (const auto &[key, text] : changes) {
        const Setting *setting = findSetting(key);
        if (!setting)
            return unknownSetting(folded(key), {});
        if (const Result<void> set = setSettingText(*setting, config, text); !set)
            return set.error();
    }
    return config;
}

Result<RunConfig> applySetting(RunConfig config, std::string_view keyOrFlag, std::string_view text)
{
    return applySettings(std::move(config), SettingTexts{{std::string(keyOrFlag), std::string(text)}});
}

nlohmann::ordered_json settingJson(const Setting &setting, const RunConfig &config)
{
    return visitField(fieldOf(setting, config), ToJson{});
}

Result<void> setSettingJson(const Setting &setting, RunConfig &config, const nlohmann::ordered_json &value)
{
    const FieldRef field = setting.field(config);
    if (auto *const *texts = std::get_if<std::vector<std::string> *>(&field)) {
        if (value.is_array())
            return assignList(setting, **texts, textsFromJson(value));
        if (value.is_object()) // of names and values, such as environment variables
            return assignList(setting, **texts, pairsFromJson(value));
    }
    if (auto *const *sources = std::get_if<std::vector<DataSource> *>(&field);
        sources && (value.is_array() || value.is_object()))
        return assignList(setting, **sources, sourcesFromJson(value));
    if (value.is_string()) {
        // One item, taken as it is: commas and '=' are part of it.
        if (std::holds_alternative<std::vector<std::string> *>(field) ||
            std::holds_alternative<std::vector<DataSource> *>(field))
            return setSettingJson(
                setting, config, value.get_ref<const std::string &>().empty() ? Json::array() : Json::array({value}));
        return setSettingText(setting, config, value.get_ref<const std::string &>());
    }
    if (value.is_number() || value.is_boolean())
        return setSettingText(setting, config, value.dump());
    if (value.is_null() && (setting.optional() || setting.type == SettingType::Text ||
                               setting.type == SettingType::Texts || setting.type == SettingType::Sources))
        return setSettingText(setting, config, "");
    // A key or a text may hold bytes that are no UTF-8, at which a plain dump throws.
    return wrong(setting, value.is_null() ? "nothing" : value.dump(-1, ' ', false, Json::error_handler_t::replace),
        "is not a valid value");
}

bool isDefault(const Setting &setting, const RunConfig &config)
{
    return settingText(setting, config) == settingText(setting, RunConfig{});
}

std::vector<SettingChange> differences(const RunConfig &before, const RunConfig &after)
{
    std::vector<SettingChange> changes;
    for (const Setting &setting : settings()) {
        std::string from = settingText(setting, before), to = settingText(setting, after);
        if (from != to)
            changes.push_back({std::string(setting.key), std::move(from), std::move(to)});
    }
    return changes;
}

bool RunConfig::recomputes(RecomputeOp op) const
{
    if (recompute != Recompute::Selective)
        return false;
    if (recomputeOps.empty())
        return op == RecomputeOp::Attention;
    return std::find(recomputeOps.begin(), recomputeOps.end(), enumName(op)) != recomputeOps.end();
}

int SimulatedOptions::torchVersion() const
{
    constexpr int kNewest = 100'000;
    const int version = torchVersionNumber(torch);
    return version > 0 ? version : kNewest;
}

} // namespace slipway
