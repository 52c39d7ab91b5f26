// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Comma-separated tables as RFC 4180 has them: quotes, commas and line breaks inside quotes, LF or CRLF, with or
// without a byte order mark. The first record names the columns; blanks around a name are none of it.
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
    std::size_t line = 0;           // where the record starts in the file, from 1
    std::vector<std::string> cells; // as many as the header has; of a record with a fault what could be read of it
    std::string fault;              // why the record is none of this table; only where CsvLimits asks to go on

    bool operator==(const CsvRow &) const = default;
};

struct CsvTable {
    std::string where; // for messages: the path
    std::vector<std::string> header;
    std::vector<CsvRow> rows;

    [[nodiscard]] std::optional<std::size_t> column(std::string_view name) const;
    // The cell of a column by name; empty where the table has no such column.
    [[nodiscard]] std::string_view cell(const CsvRow &row, std::string_view column) const;
    // "table.csv:12", for an error about a row.
    [[nodiscard]] std::string place(const CsvRow &row) const;

    bool operator==(const CsvTable &) const = default;
};

struct CsvLimits {
    Bytes bytes = 64 * kMiB;
    std::size_t columns = 1000;
    std::size_t rows = 1'000'000;
    std::size_t cells = 20'000'000; // of all rows: each takes 32 bytes, be it empty
    std::size_t cellBytes = static_cast<std::size_t>(kMiB);
    bool goesOn = false; // a broken record is a row with its fault, and reading goes on with the next line
};
// Broken records beyond so many share one row.
inline constexpr std::size_t kBrokenRows = 1000;

// Errors: a record with more or fewer cells than the header, an open quote, text after a closing quote, a NUL byte,
// a column named twice, no header. Each names the line.
Result<CsvTable> parseCsv(std::string_view text, std::string where, const CsvLimits &limits = {});
Result<CsvTable> readCsv(const std::filesystem::path &path, const CsvLimits &limits = {});

// One record with its line end; cells are quoted where they must be. A text that a spreadsheet would take for a formula
// (=cmd(), +1-800, @x) gets an apostrophe before it, as people write it there. A spreadsheet may separate cells at
// semicolons, tabs or line ends instead, so a formula within a cell gets one behind each of them. parseCsv takes these
// apostrophes off again.
std::string csvRecord(std::span<const std::string> cells);

} // namespace slipway
