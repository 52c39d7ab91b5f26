// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "base/yaml_row.h"

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "base/unknown_name.h"

namespace slipway {

YamlRow::YamlRow(const YamlNode &row, std::string where)
    : m_row(row),
      m_where(std::move(where)),
      m_used(row.keys.size(), false)
{
    if (row.kind != YamlNode::Kind::Map)
        fail(row.line, "is not a record", "key: value lines");
}

void YamlRow::fail(int line, std::string what, std::string accepted)
{
    if (!m_error)
        m_error = Error{
            .what = std::move(what), .where = m_where + ":" + std::to_string(line), .accepted = std::move(accepted)};
}

const YamlNode *YamlRow::child(std::string_view key)
{
    m_known.emplace_back(key);
    const auto found = std::find(m_row.keys.begin(), m_row.keys.end(), key);
    if (found == m_row.keys.end())
        return nullptr;
    const auto index = static_cast<std::size_t>(found - m_row.keys.begin());
    m_used[index] = true;
    return m_row.items[index].kind == YamlNode::Kind::Null ? nullptr : &m_row.items[index];
}

const YamlNode *YamlRow::scalar(std::string_view key, bool required)
{
    const YamlNode *node = child(key);
    if (!node) {
        if (required)
            fail(m_row.line, "the key '" + std::string(key) + "' is missing", "");
        return nullptr;
    }
    if (node->kind != YamlNode::Kind::Scalar) {
        fail(node->line, "'" + std::string(key) + "' is not a single value", "one value");
        return nullptr;
    }
    return node;
}

std::string YamlRow::text(std::string_view key)
{
    const YamlNode *node = scalar(key, false);
    return node ? node->scalar : std::string();
}

std::string YamlRow::requiredText(std::string_view key)
{
    const YamlNode *node = scalar(key, true);
    return node ? node->scalar : std::string();
}

std::optional<double> YamlRow::number(std::string_view key)
{
    const YamlNode *node = scalar(key, false);
    if (!node)
        return std::nullopt;
    const auto value = parseNumber(node->scalar);
    if (!value)
        fail(node->line, "'" + std::string(key) + "' is '" + node->scalar.substr(0, 60) + "'", "a number");
    return value;
}

double YamlRow::requiredNumber(std::string_view key)
{
    scalar(key, true);
    return number(key).value_or(0);
}

std::optional<double> YamlRow::amount(std::string_view key)
{
    constexpr double kMost = 1e12;
    const std::optional<double> value = number(key);
    if (!value || (*value >= 0 && *value <= kMost))
        return value;
    const YamlNode &node = *scalar(key, false);
    fail(node.line, "'" + std::string(key) + "' is '" + node.scalar.substr(0, 60) + "'", "a number from 0 to 1e12");
    return std::nullopt;
}

double YamlRow::requiredAmount(std::string_view key)
{
    scalar(key, true);
    return amount(key).value_or(0);
}

std::optional<int> YamlRow::integer(std::string_view key)
{
    const YamlNode *node = scalar(key, false);
    if (!node)
        return std::nullopt;
    const auto value = parseInteger(node->scalar);
    if (!value || *value < std::numeric_limits<int>::min() || *value > std::numeric_limits<int>::max()) {
        fail(node->line, "'" + std::string(key) + "' is '" + node->scalar.substr(0, 60) + "'", "a whole number");
        return std::nullopt;
    }
    return static_cast<int>(*value);
}

int YamlRow::requiredInteger(std::string_view key)
{
    scalar(key, true);
    return integer(key).value_or(0);
}

bool YamlRow::boolean(std::string_view key, bool fallback)
{
    const YamlNode *node = scalar(key, false);
    if (!node)
        return fallback;
    if (node->scalar != "true" && node->scalar != "false")
        fail(node->line, "'" + std::string(key) + "' is '" + node->scalar.substr(0, 60) + "'", "true or false");
    return node->scalar == "true";
}

std::vector<std::string> YamlRow::texts(std::string_view key)
{
    std::vector<std::string> values;
    const YamlNode *node = child(key);
    if (!node)
        return values;
    if (node->kind != YamlNode::Kind::Sequence)
        fail(node->line, "'" + std::string(key) + "' is not a list", "[one, two]");
    for (const YamlNode &item : node->items) {
        if (item.kind != YamlNode::Kind::Scalar)
            fail(item.line, "'" + std::string(key) + "' has an item that is not text", "[one, two]");
        values.push_back(item.scalar);
    }
    return values;
}

void YamlRow::ignore(std::initializer_list<std::string_view> keys)
{
    for (const std::string_view key : keys)
        child(key);
}

Result<void> YamlRow::finish()
{
    for (std::size_t i = 0; i < m_used.size() && !m_error; ++i) {
        if (m_used[i])
            continue;
        fail(m_row.keyLines[i], unknownName("key", m_row.keys[i], m_known, "", "").what, "");
    }
    if (m_error)
        return *m_error;
    return {};
}

} // namespace slipway
