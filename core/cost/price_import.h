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

// A row that cannot be read: left out, with its place and why.
struct SkippedPrice {
    std::string column; // empty where the record as a whole is none of this table
    Error error;        // where: file:line
    bool operator==(const SkippedPrice &) const = default;
};

struct PriceImport {
    std::vector<PriceBook> books;         // on demand, then spot, where the list has such prices
    std::size_t rows = 0;                 // of the list
    std::size_t rowsWithoutGpu = 0;       // instances of processors alone
    std::size_t repeatedRows = 0;         // of an instance, region and GPU that an earlier row prices as well
    std::vector<SkippedPrice> skipped;    // damaged ones, in the list's order
    std::vector<std::string> unknownGpus; // names that the catalogue does not have, each once
};

// Keeps the cheapest region of each GPU and instance size; of rows that repeat one another too. Prices are US dollars:
// a row whose column Currency says otherwise, or with a sign before its price, is skipped like any other damaged one;
// nothing of it counts. `id` names the books (`id`, `id`-spot), `date` stands in each row. An error only where nothing
// can be imported: a column is missing, no GPU is known, or every row is damaged, of which it names the first.
Result<PriceImport> importPriceList(
    const std::filesystem::path &file, const std::string &id, const std::string &date, const Catalogue &catalogue);

// What a list is called where nobody names it: SkyPilot's lists are PROVIDER/vms.csv.
std::string priceBookNameFor(const std::filesystem::path &file);

// "2026-01-02", UTC: a list does not say its date, but its file was not changed after this one.
std::string dateOfList(const std::filesystem::path &file);

} // namespace slipway
