// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "tokenizer/json_fields.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/json_location.h"
#include "tokenizer/utf8.h"

namespace slipway {

namespace {

constexpr std::size_t kShown = 60; // bytes of untrusted text in a message

std::string shown(const nlohmann::json &value)
{
    std::string text = value.is_structured() ? (value.is_array() ? "an array" : "an object")
                                             : value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    if (text.size() > kShown)
        text = text.substr(0, kShown) + "...";
    return text;
}

const nlohmann::json &noObject()
{
    static const nlohmann::json empty = nlohmann::json::object();
    return empty;
}

} // namespace

void JsonDocument::refuse(const std::string &key, std::string what, std::string accepted)
{
    if (m_error)
        return;
    m_error = Error{.what = key.empty() ? std::move(what) : key + " " + what,
        .where = jsonLocation(m_file, m_text, key),
        .accepted = std::move(accepted)};
}

void JsonDocument::refuse(const Error &error, const std::string &key)
{
    refuse(error.where.empty() ? key : error.where, error.what, error.accepted);
}

JsonFields::JsonFields(const Json &object, std::string key, JsonDocument &document)
    : m_object(object.is_object() ? object : noObject()),
      m_key(std::move(key)),
      m_document(document)
{
    if (!object.is_object())
        m_document.refuse(m_key, "is " + shown(object), "an object");
}

std::string JsonFields::keyOf(std::string_view name) const
{
    return m_key.empty() ? std::string(name) : fmt::format("{}.{}", m_key, name);
}

void JsonFields::refuse(std::string_view name, std::string what, std::string accepted)
{
    m_document.refuse(keyOf(name), std::move(what), std::move(accepted));
}

const nlohmann::json *JsonFields::find(std::string_view name)
{
    m_seen.emplace(name);
    const auto found = m_object.find(name);
    return found == m_object.end() || found->is_null() ? nullptr : &*found;
}

const nlohmann::json *JsonFields::required(std::string_view name)
{
    const Json *const value = find(name);
    if (!value)
        refuse(name, "is missing");
    return value;
}

const nlohmann::json *JsonFields::object(std::string_view name)
{
    const Json *const value = required(name);
    if (!value || value->is_object())
        return value;
    refuse(name, "is " + shown(*value), "an object");
    return nullptr;
}

const nlohmann::json *JsonFields::array(std::string_view name)
{
    const Json *const value = required(name);
    if (!value || value->is_array())
        return value;
    refuse(name, "is " + shown(*value), "an array");
    return nullptr;
}

std::optional<std::string> JsonFields::textOrNull(std::string_view name)
{
    const Json *const value = find(name);
    if (!value)
        return std::nullopt;
    if (value->is_string())
        return value->get<std::string>();
    refuse(name, "is " + shown(*value), "a text, or null");
    return std::nullopt;
}

std::string JsonFields::text(std::string_view name)
{
    const Json *const value = required(name);
    if (value && value->is_string())
        return value->get<std::string>();
    if (value)
        refuse(name, "is " + shown(*value), "a text");
    return {};
}

char32_t JsonFields::character(std::string_view name)
{
    const std::string value = text(name);
    const char32_t only = onlyCharacter(value);
    if (only == 0)
        refuse(name, "is \"" + value.substr(0, kShown) + "\"", "one character");
    return only;
}

bool JsonFields::flag(std::string_view name, std::optional<bool> otherwise)
{
    const Json *const value = otherwise ? find(name) : required(name);
    if (value && value->is_boolean())
        return value->get<bool>();
    if (value)
        refuse(name, "is " + shown(*value), "true or false");
    return otherwise.value_or(false);
}

std::int64_t JsonFields::whole(std::string_view name, std::int64_t least, std::int64_t most)
{
    const Json *const value = required(name);
    if (!value)
        return least;
    const bool fits = value->is_number_unsigned() ? value->get<std::uint64_t>() <= static_cast<std::uint64_t>(most)
                                                  : value->is_number_integer();
    if (fits && value->get<std::int64_t>() >= least && value->get<std::int64_t>() <= most)
        return value->get<std::int64_t>();
    refuse(name, "is " + shown(*value), fmt::format("{} to {}", least, most));
    return least;
}

std::string JsonFields::choice(
    std::string_view name, std::initializer_list<std::string_view> names, std::string otherwise)
{
    const Json *const value = otherwise.empty() ? required(name) : find(name);
    if (!value)
        return otherwise;
    if (value->is_string() &&
        std::find(names.begin(), names.end(), value->get_ref<const std::string &>()) != names.end())
        return value->get<std::string>();
    refuse(name, "is " + shown(*value), fmt::format("{}", fmt::join(names, ", ")));
    return otherwise;
}

void JsonFields::ignore(std::initializer_list<std::string_view> names) { m_seen.insert(names.begin(), names.end()); }

void JsonFields::finish()
{
    for (const auto &[name, value] : m_object.items()) {
        if (!m_seen.contains(name))
            refuse(name.substr(0, kShown), "is not understood", fmt::format("{}", fmt::join(m_seen, ", ")));
    }
}

} // namespace slipway
