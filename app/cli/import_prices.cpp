// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/console.h"
#include "cost/price_import.h"
#include "hardware/user_prices.h"

namespace slipway::cli {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kListedRows = 20; // more rows would not be read

void tellSkipped(const std::vector<SkippedPrice> &rows)
{
    for (std::size_t i = 0; i < std::min(rows.size(), kListedRows); ++i)
        note("slipway: " + rows[i].error.message() + ": row skipped");
    if (rows.size() > kListedRows)
        note(fmt::format("slipway: {} more rows were skipped; --json lists all of them", rows.size() - kListedRows));
}

Json toJson(const std::vector<SkippedPrice> &rows)
{
    Json json = Json::array();
    for (const SkippedPrice &row : rows)
        json.push_back({{"where", row.error.where}, {"column", row.column}, {"what", row.error.what},
            {"accepted", row.error.accepted}});
    return json;
}

} // namespace

int importPrices(const CatalogOptions &options)
{
    if (options.file.empty())
        return fail({.what = "no price list is given",
            .where = "slipway catalog import-prices",
            .accepted = "FILE.csv in the format of SkyPilot's catalogue"});
    const Result<Catalogue> catalogue = loadCatalogue();
    if (!catalogue)
        return fail(catalogue.error());
    const std::string name = options.name.empty() ? priceBookNameFor(options.file) : options.name;
    if (catalogue->priceBook(name) || catalogue->priceBook(name + "-spot"))
        return fail({.what = "the price book '" + name + "' is shipped with Slipway",
            .where = "--as",
            .accepted = "another name"});
    const Result<PriceImport> import = importPriceList(options.file, name, dateOfList(options.file), *catalogue);
    if (!import)
        return fail(import.error());
    const fs::path folder = userPriceFolder();
    if (const Result<void> written = writePriceBooks(folder, import->books); !written)
        return fail(written.error());
    Json books = Json::array();
    std::string text;
    for (const PriceBook &book : import->books) {
        const std::string file = (folder / (book.id + ".yaml")).string();
        books.push_back({{"book", book.id}, {"prices", book.prices.size()}, {"file", file}});
        text += fmt::format("{}: {} prices, in {}\n", book.id, book.prices.size(), file);
    }
    if (import->repeatedRows > 0)
        text += fmt::format("{} rows repeat an earlier one; the lower price is used\n", import->repeatedRows);
    if (!import->skipped.empty())
        text += fmt::format("{} of {} rows could not be read and were skipped\n", import->skipped.size(), import->rows);
    for (const std::string &gpu : import->unknownGpus)
        text += fmt::format("skipped: {} (not in the GPU catalogue)\n", gpu);
    tellSkipped(import->skipped);
    print(options.json ? dumped({{"version", 1}, {"books", books}, {"rows", import->rows},
                             {"repeated_rows", import->repeatedRows}, {"unknown_cards", import->unknownGpus},
                             {"skipped", toJson(import->skipped)}})
                       : text);
    return Done;
}

} // namespace slipway::cli
