// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A table of comma-separated values, with and without a stop at the first broken record.
#include "base/csv.h"

#include "fuzz_input.h"

using namespace slipway;

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view text = textOf(data, size);
    const Result<CsvTable> tolerant = parseCsv(text, "table.csv", {.keepsBrokenRecords = true});
    const Result<CsvTable> table = parseCsv(text, "table.csv");
    if (!table)
        return 0;
    require(tolerant && tolerant->rows.size() == table->rows.size(),
        "going on changes nothing about a table without fault");
    std::string written =
        "\xEF\xBB\xBF" + csvRecord(table->header); // a byte order mark, so that no name begins with one
    for (const CsvRow &row : table->rows)
        written += csvRecord(row.cells);
    const Result<CsvTable> again = parseCsv(written, "again.csv");
    require(again && again->header == table->header && again->rows.size() == table->rows.size(),
        "a table that was written is read again");
    for (std::size_t i = 0; i < again->rows.size(); ++i)
        require(again->rows[i].cells == table->rows[i].cells, "its cells are the same");
    return 0;
}
