// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hardware/user_prices.h"

#include <algorithm>
#include <set>
#include <system_error>

#include "base/file.h"
#include "base/text.h"
#include "base/user_folders.h"
#include "base/yaml.h"
#include "base/yaml_files.h"
#include "hardware/calibration.h"
#include "hardware/tables.h"
#include "hardware/processor_rates.h"
#include "hardware/user_folder.h"

namespace slipway {

namespace {

std::string line(const char *key, const std::string &value)
{
    return value.empty() ? std::string() : "    " + std::string(key) + ": " + yamlScalar(value) + "\n";
}

std::string toYaml(const PriceBook &book)
{
    std::string yaml = "books:\n- id: " + yamlScalar(book.id) + "\n  title: " + yamlScalar(book.title) +
                       "\n  as_of: " + yamlScalar(book.asOf) + "\n";
    if (!book.notes.empty())
        yaml += "  notes: " + yamlScalar(book.notes) + "\n";
    if (book.ratiosOnly)
        yaml += "  ratios_only: true\n";
    if (book.medians)
        yaml += "  medians: true\n";
    if (!book.prices.empty() && book.prices.front().spot)
        yaml += "  spot: true\n";
    yaml += "  prices:\n";
    for (const Price &price : book.prices) {
        yaml += "  - gpu: " + yamlScalar(price.gpu) + "\n    usd: " + formatExact(price.usdPerGpuHour) +
                "\n    gpus: " + std::to_string(price.gpus) + "\n";
        yaml += line("instance", price.instance) + line("region", price.region) + line("as_of", price.asOf) +
                line("source", price.source) + line("notes", price.notes);
    }
    return yaml;
}

} // namespace

std::filesystem::path userPriceFolder() { return userDataPath("prices"); }

Result<void> writePriceBooks(const std::filesystem::path &folder, const std::vector<PriceBook> &books)
{
    if (Result<void> made = makeUserFolder(folder); !made)
        return made;
    for (const PriceBook &book : books) {
        const Result<std::filesystem::path> file = yamlFileFor(folder, book.id);
        if (!file)
            return file.error();
        if (Result<void> written = writeNamedFile(*file, toYaml(book)); !written)
            return written;
    }
    return {};
}

Result<void> addPriceBooks(Catalogue &catalogue, const std::filesystem::path &folder)
{
    for (const std::filesystem::path &file : yamlFiles(folder)) {
        const Result<YamlNode> tree = readYaml(file, {.bytes = 16 * kMiB});
        if (!tree)
            return tree.error();
        const Result<std::vector<PriceBook>> books = priceBooksOf(*tree, file.string());
        if (!books)
            return books.error();
        for (const PriceBook &book : *books) {
            if (!book.id.empty() && catalogue.priceBook(book.id))
                return Error{.what = "the price book '" + book.id + "' exists already",
                    .where = file.string(),
                    .accepted = "another name"};
            catalogue.priceBooks.push_back(book);
        }
    }
    return {};
}

std::vector<PriceEdit> priceEditsOf(const PriceBook &book)
{
    std::vector<PriceEdit> rows;
    for (const Price &price : book.prices) {
        rows.push_back({.gpu = price.gpu,
            .usdPerGpuHour = formatExact(price.usdPerGpuHour),
            .gpus = price.gpus > 0 ? std::to_string(price.gpus) : std::string(),
            .instance = price.instance,
            .region = price.region,
            .source = price.source,
            .notes = price.notes});
    }
    return rows;
}

Result<PriceBook> editedBook(const PriceBook &before, const std::string &id, bool spot,
    const std::vector<PriceEdit> &rows, const std::string &today, const Catalogue &catalogue)
{
    const Result<std::filesystem::path> nameable = yamlFileFor({}, id);
    if (!nameable)
        return Error{.what = nameable.error().what, .where = "name", .accepted = nameable.error().accepted};
    PriceBook book{.id = id,
        .title = before.id == id && !before.title.empty() ? before.title : id,
        .asOf = today,
        .notes = before.notes,
        .ratiosOnly = before.ratiosOnly,
        .medians = before.medians && before.id == id};
    const std::vector<PriceEdit> known = priceEditsOf(before);
    std::set<std::string> priced;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const PriceEdit &row = rows[i];
        const auto wrong = [i](const char *column, std::string what, std::string accepted) {
            return Error{.what = std::move(what),
                .where = "row " + std::to_string(i + 1) + ", " + column,
                .accepted = std::move(accepted)};
        };
        const Result<Gpu> gpu = catalogue.gpu(row.gpu);
        if (!gpu)
            return wrong("GPU", gpu.error().what, gpu.error().accepted);
        const std::optional<double> usd = parseNumber(row.usdPerGpuHour);
        constexpr double kDearest = 10'000;
        if (!usd || !(*usd > 0) || *usd > kDearest)
            return wrong("USD", "'" + row.usdPerGpuHour.substr(0, 40) + "' is not a price",
                "more than 0 and at most 10000 USD per GPU-hour");
        const std::optional<std::int64_t> gpus =
            row.gpus.empty() ? std::optional<std::int64_t>(0) : parseInteger(row.gpus);
        if (!gpus || *gpus < 0 || *gpus > 4096)
            return wrong("GPUs", "'" + row.gpus.substr(0, 40) + "' is not a count", "1 to 4096, or empty");
        if (!priced.insert(gpu->id + '|' + row.gpus + '|' + row.instance + '|' + row.region).second)
            return wrong(
                "GPU", "prices " + gpu->id + " as an earlier row does", "one row for each GPU, instance and region");
        const auto same = std::find(known.begin(), known.end(), row);
        const std::string asOf =
            same == known.end() ? today : before.prices[static_cast<std::size_t>(same - known.begin())].asOf;
        book.prices.push_back({.book = id,
            .gpu = gpu->id,
            .usdPerGpuHour = *usd,
            .gpus = static_cast<int>(*gpus),
            .spot = spot,
            .instance = row.instance,
            .region = row.region,
            .asOf = asOf.empty() ? before.asOf : asOf,
            .source = row.source.empty() ? "own entry" : row.source,
            .notes = row.notes});
    }
    return book;
}

Result<Catalogue> loadUserCatalogue()
{
    Result<Catalogue> catalogue = loadCatalogue();
    if (!catalogue)
        return catalogue;
    useStoredProcessorRates(*catalogue);
    if (const Result<void> added = addPriceBooks(*catalogue); !added)
        return added.error();
    if (const Result<void> added = addCalibrations(*catalogue); !added)
        return added.error();
    return catalogue;
}

} // namespace slipway
