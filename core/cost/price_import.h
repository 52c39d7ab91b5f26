// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Price lists in the format of SkyPilot's catalogue (vms.csv: InstanceType, AcceleratorName, AcceleratorCount, Price,
// Region, SpotPrice) as price books.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "hardware/catalogue.h"

namespace slipway {

// A row that cannot be read and is not imported.
struct SkippedPrice {
    std::string column; // empty if the whole record does not match the table
    Error error;        // where: file:line
};

struct PriceImport {
    std::vector<PriceBook> books;         // on-demand prices, then spot prices, as far as the list has them
    std::size_t rows = 0;                 // of the list
    std::size_t rowsWithoutGpu = 0;       // instances without a GPU
    std::size_t repeatedRows = 0;         // rows for an instance, region and GPU that an earlier row has
    std::vector<SkippedPrice> skipped;    // damaged ones, in the list's order
    std::vector<std::string> unknownGpus; // names that are not in the catalogue, each once
};

// Keeps the cheapest region of each GPU and instance size; of rows that repeat one another too. Prices are US dollars:
// a row whose column Currency says otherwise, or with a sign before its price, is skipped like any other damaged one;
// nothing of it counts. `id` names the books (`id`, `id`-spot), `date` stands in each row. An error only where nothing
// can be imported: a column is missing, no GPU is known, or every row is damaged, of which it names the first.
Result<PriceImport> importPriceList(
    const std::filesystem::path &file, const std::string &id, const std::string &date, const Catalogue &catalogue);

// The default name of a list: SkyPilot's lists are PROVIDER/vms.csv.
std::string priceBookNameFor(const std::filesystem::path &file);

// The date on which the file was last changed, in UTC ("2026-01-02"): lists do not contain a date.
std::string dateOfList(const std::filesystem::path &file);

} // namespace slipway
