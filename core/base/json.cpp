// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "base/json.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace slipway {

namespace {

using Json = nlohmann::json;

// Either the byte at which the text is no JSON, and perhaps why, or the limit that it exceeds.
struct JsonRefusal {
    std::string what;
    std::optional<std::size_t> offset;
};

struct Place {
    std::size_t line = 1, column = 1;
};

Place placeOf(std::string_view text, std::size_t offset)
{
    const std::string_view before = text.substr(0, std::min(offset, text.size()));
    const std::size_t begin = before.rfind('\n') + 1; // 0 where there is none
    return {.line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1,
        .column = before.size() - begin + 1};
}

// Builds the value as the parser reports its parts, and refuses what is over a limit. nlohmann's parser holds the open
// arrays and objects in a list of its own: no depth of the text makes it recurse.
class LimitedBuilder final : public nlohmann::json_sax<Json> {
public:
    explicit LimitedBuilder(const JsonLimits &limits) : m_limits(limits) {}

    [[nodiscard]] Json take() && { return std::move(m_root); }
    // Why the parser refused the text.
    [[nodiscard]] JsonRefusal refusal() const { return m_refusal; }

    bool null() override { return add(nullptr) != nullptr; }
    bool boolean(bool value) override { return add(value) != nullptr; }
    bool number_integer(number_integer_t value) override { return add(value) != nullptr; }
    bool number_unsigned(number_unsigned_t value) override { return add(value) != nullptr; }
    bool number_float(number_float_t value, const string_t &) override { return add(value) != nullptr; }
    bool string(string_t &value) override { return add(std::move(value)) != nullptr; }
    bool binary(binary_t &) override { return false; } // no text holds one

    bool start_object(std::size_t) override { return open(Json::object()); }
    bool start_array(std::size_t) override { return open(Json::array()); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool key(string_t &name) override
    {
        if (++m_open.back().keys > m_limits.keys)
            return refuse("has an object with more than " + std::to_string(m_limits.keys) + " keys");
        m_member = &m_open.back().value->operator[](std::move(name));
        return true;
    }

    // The exception quotes the text, which is not shown.
    bool parse_error(std::size_t position, const std::string &, const nlohmann::detail::exception &) override
    {
        m_refusal.offset = position == 0 ? 0 : position - 1;
        return false;
    }

private:
    struct Open {
        Json *value;
        std::size_t keys = 0;
    };

    bool refuse(std::string what)
    {
        m_refusal.what = std::move(what);
        return false;
    }
    // Where the next value belongs; null where there are too many of them.
    Json *add(Json value)
    {
        if (++m_values > m_limits.values) {
            refuse("has more than " + std::to_string(m_limits.values) + " values");
            return nullptr;
        }
        if (m_open.empty())
            return &(m_root = std::move(value));
        if (m_open.back().value->is_array())
            return &m_open.back().value->emplace_back(std::move(value));
        return &(*m_member = std::move(value));
    }
    bool open(Json empty)
    {
        if (m_open.size() == m_limits.depth)
            return refuse("has arrays and objects more than " + std::to_string(m_limits.depth) + " deep");
        Json *const added = add(std::move(empty));
        if (added)
            m_open.push_back({.value = added});
        return added != nullptr;
    }
    bool close()
    {
        m_open.pop_back();
        return true;
    }

    const JsonLimits &m_limits;
    Json m_root;
    std::vector<Open> m_open; // each holds still while the next one grows
    Json *m_member = nullptr; // the value of the key that was just read
    std::size_t m_values = 0;
    JsonRefusal m_refusal;
};

// Nothing if the text was parsed into `json`.
std::optional<JsonRefusal> refusalOf(std::string_view text, const JsonLimits &limits, Json &json)
{
    if (static_cast<Bytes>(text.size()) > limits.bytes)
        return JsonRefusal{.what = "is larger than " + std::to_string(limits.bytes) + " bytes", .offset = {}};
    // nlohmann's parser takes a NUL byte for the end and would ignore what stands behind it.
    if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
        return JsonRefusal{.what = ": a NUL byte", .offset = nul};
    LimitedBuilder builder(limits);
    if (!Json::sax_parse(text.begin(), text.end(), &builder))
        return builder.refusal();
    json = std::move(builder).take();
    return std::nullopt;
}

} // namespace

Result<Json> parseJson(std::string_view text, const JsonLimits &limits)
{
    Json json;
    const std::optional<JsonRefusal> refusal = refusalOf(text, limits, json);
    if (!refusal)
        return json;
    if (!refusal->offset)
        return Error{.what = refusal->what};
    const Place place = placeOf(text, *refusal->offset);
    return Error{.what = "is not valid JSON at line " + std::to_string(place.line) + ", column " +
                         std::to_string(place.column) + refusal->what};
}

Result<Json> parseJsonFile(std::string_view text, const std::string &file, const JsonLimits &limits)
{
    Json json;
    const std::optional<JsonRefusal> refusal = refusalOf(text, limits, json);
    if (!refusal)
        return json;
    if (!refusal->offset)
        return Error{.what = refusal->what, .where = file};
    const Place place = placeOf(text, *refusal->offset);
    return Error{.what = "is not valid JSON at column " + std::to_string(place.column) + refusal->what,
        .where = file + ":" + std::to_string(place.line)};
}

} // namespace slipway
