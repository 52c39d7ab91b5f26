// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Comma-separated tables as defined by RFC 4180: quoted cells may contain quotes, commas and line breaks; lines end in
// LF or CRLF; a byte order mark is optional. The first record names the columns; spaces around a column name are
// ignored.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace slipway {

struct CsvRow {
    std::size_t line = 0;           // the line of the file in which the record starts, from 1
    std::vector<std::string> cells; // one per column of the header; of a faulty record, the cells that could be read
    std::string fault;              // why the record is invalid; set only if CsvLimits::keepsBrokenRecords is set

    bool operator==(const CsvRow &) const = default;
};

struct CsvTable {
    std::string where; // the path, for messages
    std::vector<std::string> header;
    std::vector<CsvRow> rows;

    [[nodiscard]] std::optional<std::size_t> column(std::string_view name) const;
    // The cell of a column by name; empty if the table has no such column.
    [[nodiscard]] std::string_view cell(const CsvRow &row, std::string_view column) const;
    // Formats the position of a row for error messages: "table.csv:12".
    [[nodiscard]] std::string location(const CsvRow &row) const;

    bool operator==(const CsvTable &) const = default;
};

struct CsvLimits {
    Bytes bytes = 64 * kMiB;
    std::size_t columns = 1000;
    std::size_t rows = 1'000'000;
    std::size_t cells = 20'000'000; // cells of all rows; each takes 32 bytes, even if it is empty
    std::size_t cellBytes = static_cast<std::size_t>(kMiB);
    bool keepsBrokenRecords =
        false; // a broken record becomes a row with `fault` set, and reading continues on the next line
};
// Broken records beyond this number share one row.
inline constexpr std::size_t kBrokenRows = 1000;

// Fails on a record with more or fewer cells than the header, an unterminated quote, text after a closing quote, a NUL
// byte, a repeated column name or a missing header. Each error names the line.
Result<CsvTable> parseCsv(std::string_view text, std::string where, const CsvLimits &limits = {});
Result<CsvTable> readCsv(const std::filesystem::path &path, const CsvLimits &limits = {});

// Formats one record, with its line end; cells are quoted if necessary. A cell that a spreadsheet would evaluate as a
// formula (=cmd(), +1-800, @x) is prefixed with an apostrophe, as people do in spreadsheets. A spreadsheet may also
// split cells at semicolons, tabs or line ends, so an apostrophe is also inserted after each of these if a formula
// follows. parseCsv removes these apostrophes.
std::string csvRecord(std::span<const std::string> cells);

} // namespace slipway
