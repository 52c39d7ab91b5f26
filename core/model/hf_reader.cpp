// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "model/hf_reader.h"

#include <fmt/format.h>

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
    std::string operator()(const TextPlace &place) const
    {
        return value.is_string() && place.set(value.get_ref<const std::string &>()) ? std::string() : place.accepted;
    }
};

} // namespace

std::string HfReader::shown(const Json &value) { return value.dump().substr(0, 60); }

const HfReader::Json *HfReader::value(std::string_view key)
{
    pass(key);
    const auto found = m_json.find(key);
    return found == m_json.end() || found->is_null() ? nullptr : &*found;
}

void HfReader::read(std::string_view key, const FieldPlace &place)
{
    pass(key);
    readFrom(m_json, key, place);
}

void HfReader::readFrom(const Json &object, std::string_view key, const FieldPlace &place)
{
    const auto found = object.find(key);
    if (found == object.end() || found->is_null())
        return;
    if (const std::string accepted = std::visit(SetPlace{*found}, place); !accepted.empty())
        fail(fmt::format("'{}' is {}", key, shown(*found)), accepted);
}

void HfReader::require(std::string_view key)
{
    if (!has(key))
        fail(fmt::format("the key '{}' is missing", key), "a config.json with the model's sizes");
}

bool HfReader::truth(std::string_view key, bool fallback)
{
    read(key, &fallback);
    return fallback;
}

int HfReader::integer(std::string_view key, int fallback)
{
    read(key, &fallback);
    return fallback;
}

double HfReader::number(std::string_view key, double fallback)
{
    read(key, &fallback);
    return fallback;
}

void HfReader::fail(std::string what, std::string accepted)
{
    if (!m_error)
        m_error = Error{.what = std::move(what), .where = m_where, .accepted = std::move(accepted)};
}

void HfReader::finish(std::string_view family)
{
    for (const auto &[key, value] : m_json.items()) {
        if (!m_understood.contains(key))
            return fail(fmt::format("'{}' is {}, which is not supported for models of type {}", key.substr(0, 60),
                            shown(value), family),
                "a config.json without this key");
    }
}

} // namespace slipway
