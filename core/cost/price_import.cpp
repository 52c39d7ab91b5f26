// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cost/price_import.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/csv.h"
#include "base/text.h"

namespace slipway {

namespace {

using Cheapest = std::map<std::pair<std::string, int>, Price>; // by card and cards of the instance

// The list's own names first: what it calls A100 is not what everybody does.
std::string cardNamed(std::string_view name, const Catalogue &catalogue)
{
    const std::string wanted = toLower(name);
    for (const Gpu &gpu : catalogue.gpus) {
        const auto same = [&wanted](const std::string &listed) { return toLower(listed) == wanted; };
        if (std::any_of(gpu.priceListNames.begin(), gpu.priceListNames.end(), same))
            return gpu.id;
    }
    const Result<Gpu> gpu = catalogue.gpu(name);
    return gpu && !gpu->isCpu ? gpu->id : std::string();
}

// Empty or 0 is "not offered"; anything else must be a price.
Result<double> amount(const CsvTable &table, const CsvRow &row, std::string_view column)
{
    const std::string_view text = trimmed(table.cell(row, column));
    if (text.empty())
        return 0.0;
    const auto value = parseNumber(text);
    if (!value || *value < 0 || *value > 1e6) {
        return Error{.what = std::string(column) + " is '" + std::string(text.substr(0, 60)) + "'", .where = table.place(row),
                     .accepted = "US dollars an hour, or nothing"};
    }
    return *value;
}

void keepCheaper(Cheapest &prices, Price price)
{
    const auto key = std::make_pair(price.gpu, price.gpus);
    const auto found = prices.find(key);
    if (found == prices.end() || price.usdPerGpuHour < found->second.usdPerGpuHour)
        prices[key] = std::move(price);
}

void addBook(std::vector<PriceBook> &books, const Cheapest &prices, std::string id, const std::string &title, const std::string &date)
{
    if (prices.empty())
        return;
    PriceBook book{.id = std::move(id), .title = title, .asOf = date, .notes = "cheapest region of each card and instance size"};
    for (const auto &[key, price] : prices) {
        book.prices.push_back(price);
        book.prices.back().book = book.id;
    }
    books.push_back(std::move(book));
}

Result<void> checkCurrency(const CsvTable &table, const CsvRow &row)
{
    for (const char *column : {"Currency", "currency"}) {
        const std::string currency = toLower(trimmed(table.cell(row, column)));
        if (!currency.empty() && currency != "usd" && currency != "$")
            return Error{.what = "the price is in '" + currency.substr(0, 60) + "'", .where = table.place(row), .accepted = "US dollars; convert the list first"};
    }
    return {};
}

Result<void> checkColumns(const CsvTable &table)
{
    for (const char *column : {"AcceleratorName", "AcceleratorCount", "Price"}) {
        if (!table.column(column)) {
            return Error{.what = "the column '" + std::string(column) + "' is missing", .where = table.where,
                         .accepted = "a vms.csv of SkyPilot's catalogue: InstanceType, AcceleratorName, AcceleratorCount, Price, Region, SpotPrice"};
        }
    }
    return {};
}

} // namespace

Result<PriceImport> importPriceList(const std::filesystem::path &file, const std::string &id, const std::string &date, const Catalogue &catalogue)
{
    const Result<CsvTable> table = readCsv(file);
    if (!table)
        return table.error();
    if (const Result<void> checked = checkColumns(*table); !checked)
        return checked.error();
    PriceImport import;
    Cheapest onDemand, spot;
    std::map<std::string, std::string, std::less<>> cards; // lists repeat few names over thousands of rows
    std::set<std::string> unknown;
    std::set<std::string> seen; // what a row prices
    for (const CsvRow &row : table->rows) {
        ++import.rows;
        if (const Result<void> checked = checkCurrency(*table, row); !checked)
            return checked.error();
        const std::string name(trimmed(table->cell(row, "AcceleratorName")));
        if (name.empty()) {
            ++import.rowsWithoutGpu;
            continue;
        }
        const auto known = cards.try_emplace(name).first;
        if (known->second.empty())
            known->second = cardNamed(name, catalogue);
        if (known->second.empty()) {
            unknown.insert(name);
            continue;
        }
        const auto count = parseNumber(trimmed(table->cell(row, "AcceleratorCount")));
        if (!count || *count <= 0 || *count > 1024)
            return Error{.what = "AcceleratorCount is no number of cards", .where = table->place(row), .accepted = "1 to 1024"};
        if (!seen.insert(std::string(table->cell(row, "InstanceType")) + '|' + std::string(table->cell(row, "Region")) + '|' + std::string(table->cell(row, "AvailabilityZone")) + '|' + name).second)
            ++import.repeatedRows;
        Price price{.gpu = known->second, .gpus = std::max(1, static_cast<int>(*count)), .instance = std::string(table->cell(row, "InstanceType")),
                    .region = std::string(table->cell(row, "Region")), .asOf = date, .source = file.filename().string() + ", read " + date};
        for (const bool isSpot : {false, true}) {
            const Result<double> hourly = amount(*table, row, isSpot ? "SpotPrice" : "Price");
            if (!hourly)
                return hourly.error();
            price.usdPerGpuHour = *hourly / *count;
            price.spot = isSpot;
            if (*hourly > 0)
                keepCheaper(isSpot ? spot : onDemand, price);
        }
    }
    import.unknownCards.assign(unknown.begin(), unknown.end());
    addBook(import.books, onDemand, id, id + ", imported", date);
    addBook(import.books, spot, id + "-spot", id + " spot, imported", date);
    if (import.books.empty())
        return Error{.what = "has no price of a card that is known", .where = file.string(), .accepted = "cards as `slipway catalog gpus` lists them"};
    return import;
}

} // namespace slipway
