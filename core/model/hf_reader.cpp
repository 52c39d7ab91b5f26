// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "model/hf_reader.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/json_location.h"

namespace slipway {

namespace {

constexpr int kLargestInteger = 1 << 30;

// A value into a place of its type; otherwise what would be accepted.
struct SetPlace {
    const nlohmann::json &value;

    std::string operator()(int *place) const
    {
        if (!value.is_number_integer() || value < 0 || value > kLargestInteger)
            return "an integer of 0 or more";
        *place = value.get<int>();
        return {};
    }
    std::string operator()(double *place) const
    {
        if (!value.is_number())
            return "a number";
        *place = value.get<double>();
        return {};
    }
    std::string operator()(bool *place) const
    {
        if (!value.is_boolean())
            return "true or false";
        *place = value.get<bool>();
        return {};
    }
    std::string operator()(const TextAccessor &place) const
    {
        return value.is_string() && place.set(value.get_ref<const std::string &>()) ? std::string() : place.accepted;
    }
};

struct Address {
    const void *operator()(const int *place) const { return place; }
    const void *operator()(const double *place) const { return place; }
    const void *operator()(const bool *place) const { return place; }
    const void *operator()(const TextAccessor &) const { return nullptr; }
};

// Where validateModel()'s setting is kept; null if it has no place of its own.
const void *placeOf(std::string_view setting, ModelSpec &model)
{
    // No family has more than two kinds of RoPE, so the last one is the only one after the first.
    if (setting == "further_rope_thetas" && !model.ropes.empty())
        return &model.ropes.back().base;
    std::string key(setting.starts_with("--") ? setting.substr(2) : setting);
    std::replace(key.begin(), key.end(), '-', '_');
    for (const ModelField &field : modelFields()) {
        if (field.key == key)
            return std::visit(Address{}, field.at(model));
    }
    return nullptr;
}

std::string pathOf(std::string_view object, std::string_view key)
{
    return fmt::format("{}{}{}", object, object.empty() ? "" : ".", key);
}

} // namespace

std::string HfReader::shown(const Json &value) { return value.dump().substr(0, 60); }

const HfReader::Json *HfReader::value(std::string_view key)
{
    ignore(key);
    const auto found = m_json.find(key);
    return found == m_json.end() || found->is_null() ? nullptr : &*found;
}

void HfReader::read(std::string_view key, const FieldPointer &place)
{
    ignore(key);
    readFrom(m_json, "", key, place);
}

void HfReader::readFrom(const Json &object, std::string_view path, std::string_view key, const FieldPointer &place)
{
    if (assign(object, path, key, place))
        m_sources[std::visit(Address{}, place)] = pathOf(path, key);
}

bool HfReader::assign(const Json &object, std::string_view path, std::string_view key, const FieldPointer &place)
{
    const auto found = object.find(key);
    if (found == object.end() || found->is_null())
        return false;
    const std::string accepted = std::visit(SetPlace{*found}, place);
    if (!accepted.empty())
        fail(pathOf(path, key), fmt::format("'{}' is {}", key, shown(*found)), accepted);
    return accepted.empty();
}

void HfReader::take(std::string_view key, const FieldPointer &place)
{
    ignore(key);
    assign(m_json, "", key, place);
}

void HfReader::recordSource(const void *place, std::string_view key)
{
    if (has(key))
        m_sources[place] = key;
}

void HfReader::copySource(const void *place, const void *field)
{
    if (const auto source = m_sources.find(field); source != m_sources.end())
        m_sources[place] = source->second;
}

void HfReader::require(std::string_view key)
{
    if (!has(key))
        fail("", fmt::format("the key '{}' is missing", key), "a config.json with the model's sizes");
}

bool HfReader::boolean(std::string_view key, bool fallback)
{
    take(key, &fallback);
    return fallback;
}

int HfReader::integer(std::string_view key, int fallback)
{
    take(key, &fallback);
    return fallback;
}

double HfReader::number(std::string_view key, double fallback)
{
    take(key, &fallback);
    return fallback;
}

void HfReader::fail(std::string_view path, std::string what, std::string accepted)
{
    if (!m_error)
        m_error = Error{
            .what = std::move(what), .where = jsonLocation(m_file, m_text, path), .accepted = std::move(accepted)};
}

void HfReader::failAt(const Error &ofSetting, ModelSpec &model)
{
    const void *const place = placeOf(ofSetting.where, model);
    const auto source = place ? m_sources.find(place) : m_sources.end();
    const std::string path = source == m_sources.end() ? std::string() : source->second;
    const std::string key = path.substr(path.rfind('.') + 1);
    fail(path, (key.empty() ? ofSetting.where : key) + ": " + ofSetting.what, ofSetting.accepted);
}

void HfReader::finish(std::string_view family)
{
    for (const auto &[key, value] : m_json.items()) {
        if (!m_understood.contains(key))
            return fail(key,
                fmt::format("'{}' is {}, which is not supported for models of type {}", key.substr(0, 60), shown(value),
                    family),
                "a config.json without this key");
    }
}

} // namespace slipway
