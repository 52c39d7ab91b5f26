// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cost/price_import.h"
#include "hardware/user_prices.h"
#include "runs/run_directory.h"

namespace slipway::cli {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// SkyPilot's lists are PROVIDER/vms.csv.
std::string bookNameOf(const fs::path &file)
{
    std::error_code failure;
    const fs::path absolute = fs::absolute(file, failure);
    const bool named = absolute.stem() != "vms" || !absolute.parent_path().has_filename();
    return toLower((named ? absolute.stem() : absolute.parent_path().filename()).string()) + "-imported";
}

// The list does not say its date; the file was not changed after this one.
std::string dateOf(const fs::path &file)
{
    std::error_code failure;
    const fs::file_time_type time = fs::last_write_time(file, failure);
    const auto system = failure ? std::chrono::system_clock::now() : std::chrono::file_clock::to_sys(time);
    return toIso8601(std::chrono::time_point_cast<std::chrono::system_clock::duration>(system)).substr(0, 10);
}

} // namespace

int importPrices(const CatalogOptions &options)
{
    if (options.file.empty())
        return fail({.what = "no price list is named", .where = "slipway catalog import-prices", .accepted = "FILE.csv in the format of SkyPilot's catalogue"});
    const Result<Catalogue> catalogue = loadCatalogue();
    if (!catalogue)
        return fail(catalogue.error());
    const std::string name = options.name.empty() ? bookNameOf(options.file) : options.name;
    if (catalogue->priceBook(name) || catalogue->priceBook(name + "-spot"))
        return fail({.what = "the price book '" + name + "' is a shipped one", .where = "--as", .accepted = "another name"});
    const Result<PriceImport> import = importPriceList(options.file, name, dateOf(options.file), *catalogue);
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
        text += fmt::format("{} rows repeat an earlier one; the cheaper price counts\n", import->repeatedRows);
    for (const std::string &card : import->unknownCards)
        text += fmt::format("left out: {}, which the catalogue of GPUs does not have\n", card);
    print(options.json ? dumped({{"version", 1}, {"books", books}, {"rows", import->rows}, {"repeated_rows", import->repeatedRows}, {"unknown_cards", import->unknownCards}}) : text);
    return Done;
}

} // namespace slipway::cli
