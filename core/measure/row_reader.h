// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The cells of one row of a measurement table: numbers and words with their ranges. The first cell that is wrong makes
// the row skipped, with its place; what an empty one is taken for is listed as assumed.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "base/csv.h"
#include "base/enum_names.h"
#include "measure/measurement.h"

namespace slipway {

class RowReader {
public:
    RowReader(const CsvTable &table, const CsvRow &row, MeasuredRow &out) : m_table(table), m_row(row), m_out(out) {}

    [[nodiscard]] std::string_view text(std::string_view column) const;
    // Lower case, and a hyphen for each underscore and blank: how choices are compared.
    [[nodiscard]] std::string word(std::string_view column) const;
    // Several cells in small letters, to look for names in.
    [[nodiscard]] std::string lowered(std::initializer_list<std::string_view> columns) const;
    [[nodiscard]] bool has(std::string_view column) const { return !text(column).empty(); }

    std::optional<double> number(std::string_view column);
    // What was measured: a number from 0 to `most`.
    std::optional<double> amount(std::string_view column, double most = 1e15);
    // A count from 1 to 1e9; `usual` where the cell is empty, which is then listed as assumed.
    int count(std::string_view column, std::optional<int> usual = std::nullopt);
    // 1 or 0, yes or no, true or false.
    std::optional<bool> flag(std::string_view column);

    void skip(std::string why);
    void skipUnknown(std::string_view column, std::string_view accepted);
    void warn(std::string_view of);
    void assume(std::string what) { m_out.assumed.push_back(std::move(what)); }

private:
    const CsvTable &m_table;
    const CsvRow &m_row;
    MeasuredRow &m_out;
};

} // namespace slipway
