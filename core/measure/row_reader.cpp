// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/row_reader.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/ascii.h"
#include "base/text.h"

namespace slipway {

namespace {

constexpr std::size_t kShownCharacters = 40; // characters of an invalid cell

// Removes the commas from a number such as "1,234,567.8". Other text is unchanged.
std::string ungrouped(std::string_view cell)
{
    const std::size_t whole = std::min(cell.find('.'), cell.size()), first = cell.find(',');
    if (first == 0 || first > 3 || first >= whole || (whole - first) % 4 != 0)
        return std::string(cell);
    for (std::size_t i = 0; i < whole; ++i) {
        const bool comma = i >= first && (i - first) % 4 == 0;
        if (comma ? cell[i] != ',' : !isDigit(cell[i]))
            return std::string(cell);
    }
    std::string digits(cell);
    std::erase(digits, ',');
    return digits;
}

} // namespace

std::string_view RowReader::text(std::string_view column) const { return trimmed(m_table.cell(m_row, column)); }

std::string RowReader::lowered(std::initializer_list<std::string_view> columns) const
{
    std::string all;
    for (const std::string_view column : columns)
        all += toLower(text(column)) + "; ";
    return all;
}

std::string RowReader::word(std::string_view column) const
{
    std::string word = toLower(text(column));
    std::replace_if(word.begin(), word.end(), [](char c) { return c == '_' || c == ' '; }, '-');
    return word;
}

std::optional<double> RowReader::number(std::string_view column)
{
    const std::string_view cell = text(column);
    if (cell.empty())
        return std::nullopt;
    const std::optional<double> value = parseNumber(ungrouped(cell));
    if (!value || !std::isfinite(*value))
        skip(std::string(column) + " is '" + std::string(cell.substr(0, kShownCharacters)) + "', not a number");
    return value;
}

std::optional<double> RowReader::amount(std::string_view column, double most)
{
    const std::optional<double> value = number(column);
    if (value && *value < 0)
        skip(std::string(column) + " is " + formatExact(*value) + ", below 0");
    if (value && *value > most)
        skip(std::string(column) + " is " + formatExact(*value) + ", above " + formatExact(most));
    return value;
}

int RowReader::count(std::string_view column, std::optional<int> usual)
{
    const std::optional<double> value = number(column);
    if (!value) {
        if (!usual)
            skip(std::string(column) + " is empty");
        else if (!has(column))
            assume(std::string(column) + " " + std::to_string(*usual));
        return usual.value_or(1);
    }
    if (*value < 1 || *value > 1e9 || *value != std::floor(*value)) {
        skip(std::string(column) + " is " + formatExact(*value) + ", not a count");
        return 1;
    }
    return static_cast<int>(*value);
}

std::optional<bool> RowReader::flag(std::string_view column)
{
    const std::string cell = word(column);
    if (cell.empty())
        return std::nullopt;
    if (cell == "1" || cell == "yes" || cell == "true" || cell == "1.0")
        return true;
    if (cell != "0" && cell != "no" && cell != "false" && cell != "0.0")
        skipUnknown(column, "1 or yes, 0 or no");
    return false;
}

void RowReader::skip(std::string why)
{
    if (m_out.skipped.empty())
        m_out.skipped = m_table.location(m_row) + ": " + std::move(why);
}

void RowReader::warn(std::string_view of)
{
    m_out.warnings.push_back(m_table.location(m_row) + ": " + std::string(of));
}

void RowReader::skipUnknown(std::string_view column, std::string_view accepted)
{
    skip(std::string(column) + " '" + std::string(text(column).substr(0, kShownCharacters)) +
         "' is unknown (accepted: " + std::string(accepted) + ")");
}

} // namespace slipway
