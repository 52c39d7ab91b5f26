// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cost/price_import.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/csv.h"
#include "base/text.h"

namespace slipway {

namespace {

constexpr double kHighestPrice = 1e6, kMostGpus = 1024;
constexpr std::size_t kShown = 60; // characters of a cell in a message

using Cheapest = std::map<std::pair<std::string, int>, Price>; // by GPU and GPUs of the instance

// The list's own names first: what it calls A100 is not what everybody does.
std::string gpuNamed(std::string_view name, const Catalogue &catalogue)
{
    const std::string wanted = toLower(name);
    for (const Gpu &gpu : catalogue.gpus) {
        const auto same = [&wanted](const std::string &listed) { return toLower(listed) == wanted; };
        if (std::any_of(gpu.priceListNames.begin(), gpu.priceListNames.end(), same))
            return gpu.id;
    }
    const Gpu *gpu = catalogue.findGpu(name);
    return gpu && !gpu->isCpu ? gpu->id : std::string();
}

SkippedPrice skippedAt(
    const CsvTable &table, const CsvRow &row, std::string_view column, std::string what, std::string accepted)
{
    return {.column = std::string(column),
        .error = {.what = std::move(what), .where = table.location(row), .accepted = std::move(accepted)}};
}

// "" and 0 are "not offered"; anything else must be a price.
std::optional<double> amount(std::string_view cell)
{
    const std::string_view text = trimmed(cell);
    if (text.empty())
        return 0.0;
    const auto value = parseNumber(text);
    return value && *value >= 0 && *value <= kHighestPrice ? value : std::nullopt;
}

std::optional<double> gpusOf(std::string_view cell)
{
    const auto count = parseNumber(trimmed(cell));
    return count && *count > 0 && *count <= kMostGpus ? count : std::nullopt;
}

void keepCheaper(Cheapest &prices, Price price)
{
    const auto key = std::make_pair(price.gpu, price.gpus);
    const auto found = prices.find(key);
    if (found == prices.end() || price.usdPerGpuHour < found->second.usdPerGpuHour)
        prices[key] = std::move(price);
}

void addBook(std::vector<PriceBook> &books, const Cheapest &prices, std::string id, const std::string &title,
    const std::string &date)
{
    if (prices.empty())
        return;
    PriceBook book{
        .id = std::move(id), .title = title, .asOf = date, .notes = "cheapest region of each GPU and instance size"};
    for (const auto &[key, price] : prices) {
        book.prices.push_back(price);
        book.prices.back().book = book.id;
    }
    books.push_back(std::move(book));
}

// What makes a row of a known GPU unreadable.
std::optional<SkippedPrice> damageOf(const CsvTable &table, const CsvRow &row)
{
    for (const char *column : {"Currency", "currency"}) {
        const std::string currency = toLower(trimmed(table.cell(row, column)));
        if (!currency.empty() && currency != "usd" && currency != "$")
            return skippedAt(table, row, column, std::string(column) + " is '" + currency.substr(0, kShown) + "'",
                "US dollars; convert the list first");
    }
    if (!gpusOf(table.cell(row, "AcceleratorCount")))
        return skippedAt(table, row, "AcceleratorCount", "AcceleratorCount is not a number of GPUs", "1 to 1024");
    for (const char *column : {"Price", "SpotPrice"}) {
        if (const std::string_view cell = table.cell(row, column); !amount(cell))
            return skippedAt(table, row, column,
                std::string(column) + " is '" + std::string(trimmed(cell).substr(0, kShown)) + "'",
                "US dollars per hour, or empty");
    }
    return std::nullopt;
}

Result<void> checkColumns(const CsvTable &table)
{
    for (const char *column : {"AcceleratorName", "AcceleratorCount", "Price"}) {
        if (!table.column(column)) {
            return Error{.what = "the column '" + std::string(column) + "' is missing",
                .where = table.where,
                .accepted = "a vms.csv of SkyPilot's catalogue: InstanceType, AcceleratorName, AcceleratorCount, "
                            "Price, Region, SpotPrice"};
        }
    }
    return {};
}

// Takes the rows one by one.
class PriceReader {
public:
    PriceReader(const CsvTable &table, const Catalogue &catalogue, std::string date, std::string source)
        : m_table(table),
          m_catalogue(catalogue),
          m_date(std::move(date)),
          m_source(std::move(source))
    {
    }

    void take(const CsvRow &row)
    {
        ++m_import.rows;
        if (!row.fault.empty()) {
            m_import.skipped.push_back(skippedAt(m_table, row, {}, row.fault, "as many cells as the header has"));
            return;
        }
        const std::string name(trimmed(m_table.cell(row, "AcceleratorName")));
        if (name.empty()) {
            ++m_import.rowsWithoutGpu;
            return;
        }
        const auto [known, isNew] = m_gpus.try_emplace(name);
        if (isNew)
            known->second = gpuNamed(name, m_catalogue);
        if (known->second.empty()) {
            m_unknown.insert(name);
            return;
        }
        if (auto damage = damageOf(m_table, row)) {
            m_import.skipped.push_back(*std::move(damage));
            return;
        }
        keep(row, name, known->second);
    }

    PriceImport finish(const std::string &id)
    {
        m_import.unknownGpus.assign(m_unknown.begin(), m_unknown.end());
        addBook(m_import.books, m_onDemand, id, id + ", imported", m_date);
        addBook(m_import.books, m_spot, id + "-spot", id + " spot, imported", m_date);
        return std::move(m_import);
    }

private:
    [[nodiscard]] std::string cell(const CsvRow &row, std::string_view column) const
    {
        return std::string(m_table.cell(row, column));
    }

    void keep(const CsvRow &row, const std::string &name, const std::string &gpu)
    {
        if (!m_seen
                .insert(cell(row, "InstanceType") + '|' + cell(row, "Region") + '|' + cell(row, "AvailabilityZone") +
                        '|' + name)
                .second)
            ++m_import.repeatedRows;
        const double count = *gpusOf(m_table.cell(row, "AcceleratorCount"));
        Price price{.gpu = gpu,
            .gpus = std::max(1, static_cast<int>(count)),
            .instance = cell(row, "InstanceType"),
            .region = cell(row, "Region"),
            .asOf = m_date,
            .source = m_source};
        for (const bool isSpot : {false, true}) {
            const double hourly = *amount(m_table.cell(row, isSpot ? "SpotPrice" : "Price"));
            price.usdPerGpuHour = hourly / count;
            price.spot = isSpot;
            if (hourly > 0)
                keepCheaper(isSpot ? m_spot : m_onDemand, price);
        }
    }

    const CsvTable &m_table;
    const Catalogue &m_catalogue;
    std::string m_date, m_source;
    PriceImport m_import;
    Cheapest m_onDemand, m_spot;
    std::map<std::string, std::string, std::less<>> m_gpus; // lists repeat few names over thousands of rows
    std::set<std::string> m_unknown;
    std::set<std::string> m_seen; // what a row prices
};

Error nothingImported(const PriceImport &import, const std::filesystem::path &file)
{
    if (import.skipped.empty())
        return {.what = "has no price of a known GPU",
            .where = file.string(),
            .accepted = "GPUs as listed by `slipway catalog gpus`"};
    Error error = import.skipped.front().error;
    if (import.skipped.size() > 1)
        error.what +=
            ", and " + std::to_string(import.skipped.size() - 1) + " more rows cannot be read: no price remains";
    return error;
}

} // namespace

Result<PriceImport> importPriceList(
    const std::filesystem::path &file, const std::string &id, const std::string &date, const Catalogue &catalogue)
{
    const Result<CsvTable> table = readCsv(file, {.keepsBrokenRecords = true});
    if (!table)
        return table.error();
    if (const Result<void> checked = checkColumns(*table); !checked)
        return checked.error();
    PriceReader reader(*table, catalogue, date, file.filename().string() + ", read " + date);
    for (const CsvRow &row : table->rows)
        reader.take(row);
    PriceImport import = reader.finish(id);
    if (import.books.empty())
        return nothingImported(import, file);
    return import;
}

std::string priceBookNameFor(const std::filesystem::path &file)
{
    std::error_code failure;
    const std::filesystem::path absolute = std::filesystem::absolute(file, failure);
    const bool named = absolute.stem() != "vms" || !absolute.parent_path().has_filename();
    return toLower((named ? absolute.stem() : absolute.parent_path().filename()).string()) + "-imported";
}

std::string dateOfList(const std::filesystem::path &file)
{
    using namespace std::chrono;
    std::error_code failure;
    const auto changed = std::filesystem::last_write_time(file, failure);
    const year_month_day day{floor<days>(
        failure ? system_clock::now() : time_point_cast<system_clock::duration>(file_clock::to_sys(changed)))};
    return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()), static_cast<unsigned>(day.month()),
        static_cast<unsigned>(day.day()));
}

} // namespace slipway
