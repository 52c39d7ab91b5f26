// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Reads one record from a YAML map: each column once, by name and type. After a failure the readers return defaults, so
// that callers need no checks. `finish` reports the first failure, or a column that was not read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_names.h"
#include "base/result.h"
#include "base/yaml.h"

namespace slipway {

class YamlRow {
public:
    YamlRow(const YamlNode &row, std::string where);

    std::string text(std::string_view key); // empty if it is missing
    std::string requiredText(std::string_view key);
    std::optional<double> number(std::string_view key); // finite
    double requiredNumber(std::string_view key);
    std::optional<double> amount(std::string_view key); // a size, a rate or a price: from 0 to 1e12
    double requiredAmount(std::string_view key);
    std::optional<int> integer(std::string_view key);
    int requiredInteger(std::string_view key);
    bool boolean(std::string_view key, bool fallback);
    std::vector<std::string> texts(std::string_view key); // a sequence; empty if it is missing
    const YamlNode *child(std::string_view key);          // of any type; nullptr if it is missing

    template<typename E>
    E choice(std::string_view key, E fallback)
    {
        const YamlNode *node = scalar(key, false);
        if (!node)
            return fallback;
        const auto value = enumFromName<E>(node->scalar);
        if (!value)
            fail(node->line, "'" + std::string(key) + "' is '" + node->scalar.substr(0, 60) + "'", enumChoices<E>());
        return value.value_or(fallback);
    }

    // Accepts columns that exist only as documentation.
    void ignore(std::initializer_list<std::string_view> keys);
    void fail(int line, std::string what, std::string accepted);
    Result<void> finish();

private:
    const YamlNode *scalar(std::string_view key, bool required);

    const YamlNode &m_row;
    std::string m_where;
    std::vector<bool> m_used; // one flag per column
    std::vector<std::string> m_known;
    std::optional<Error> m_error;
};

} // namespace slipway
