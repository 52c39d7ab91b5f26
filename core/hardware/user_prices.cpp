// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hardware/user_prices.h"

#include <system_error>

#include "base/file.h"
#include "base/text.h"
#include "base/yaml.h"
#include "hardware/calibration.h"
#include "hardware/tables.h"
#include "hardware/user_folder.h"

namespace slipway {

namespace {

std::string line(const char *key, const std::string &value)
{
    return value.empty() ? std::string() : "    " + std::string(key) + ": " + yamlScalar(value) + "\n";
}

std::string toYaml(const PriceBook &book)
{
    std::string yaml = "books:\n- id: " + yamlScalar(book.id) + "\n  title: " + yamlScalar(book.title) + "\n  as_of: " + yamlScalar(book.asOf) + "\n";
    if (!book.notes.empty())
        yaml += "  notes: " + yamlScalar(book.notes) + "\n";
    if (book.ratiosOnly)
        yaml += "  ratios_only: true\n";
    if (!book.prices.empty() && book.prices.front().spot)
        yaml += "  spot: true\n";
    yaml += "  prices:\n";
    for (const Price &price : book.prices) {
        yaml += "  - gpu: " + yamlScalar(price.gpu) + "\n    usd: " + formatExact(price.usdPerGpuHour) + "\n    gpus: " + std::to_string(price.gpus) + "\n";
        yaml += line("instance", price.instance) + line("region", price.region) + line("as_of", price.asOf) + line("source", price.source) + line("notes", price.notes);
    }
    return yaml;
}

} // namespace

std::filesystem::path userPriceFolder() { return userFolder("prices"); }

Result<void> writePriceBooks(const std::filesystem::path &folder, const std::vector<PriceBook> &books)
{
    std::error_code failure;
    std::filesystem::create_directories(folder, failure);
    if (failure)
        return Error{.what = "cannot create: " + failure.message(), .where = folder.string(), .fault = Fault::Outside};
    for (const PriceBook &book : books) {
        const Result<std::filesystem::path> file = yamlFileFor(folder, book.id);
        if (!file)
            return file.error();
        if (Result<void> written = writeFileAtomically(*file, toYaml(book)); !written)
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
                return Error{.what = "the price book '" + book.id + "' is there already", .where = file.string(), .accepted = "another id"};
            catalogue.priceBooks.push_back(book);
        }
    }
    return {};
}

Result<Catalogue> loadUserCatalogue()
{
    Result<Catalogue> catalogue = loadCatalogue();
    if (!catalogue)
        return catalogue;
    if (const Result<void> added = addPriceBooks(*catalogue); !added)
        return added.error();
    if (const Result<void> added = addCalibrations(*catalogue); !added)
        return added.error();
    return catalogue;
}

} // namespace slipway
