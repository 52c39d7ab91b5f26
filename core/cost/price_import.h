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

struct PriceImport {
    std::vector<PriceBook> books;          // on demand, then spot, where the list has such prices
    std::size_t rows = 0;                  // of the list
    std::size_t rowsWithoutGpu = 0;        // instances of processors alone
    std::size_t repeatedRows = 0;          // of an instance, region and card that an earlier row prices as well
    std::vector<std::string> unknownCards; // names that the catalogue does not have, each once
};

// Keeps the cheapest region of each card and instance size; of rows that repeat one another too.
// Prices are US dollars: a column Currency that says otherwise, or a sign before a price, is an error. `id` names the books (`id`, `id`-spot), `date` stands in each
// row. Errors name file and line; a list without one known card is an error.
Result<PriceImport> importPriceList(const std::filesystem::path &file, const std::string &id, const std::string &date, const Catalogue &catalogue);

} // namespace slipway
