// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hardware/user_prices.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "base/file.h"
#include "base/text.h"
#include "base/yaml.h"
#include "hardware/tables.h"

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

bool isFileName(const std::string &id)
{
    return !id.empty() && id.size() <= 100 && id.front() != '.'
        && std::all_of(id.begin(), id.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.'; });
}

} // namespace

std::filesystem::path userPriceFolder()
{
    const char *const data = std::getenv("XDG_DATA_HOME");
    if (data && *data == '/') // the specification: a relative one is ignored
        return std::filesystem::path(data) / "slipway/prices";
    const char *const home = std::getenv("HOME");
    return std::filesystem::path(home && *home ? home : "/tmp") / ".local/share/slipway/prices";
}

Result<void> writePriceBooks(const std::filesystem::path &folder, const std::vector<PriceBook> &books)
{
    std::error_code failure;
    std::filesystem::create_directories(folder, failure);
    if (failure)
        return Error{.what = "cannot create: " + failure.message(), .where = folder.string(), .fault = Fault::Outside};
    for (const PriceBook &book : books) {
        if (!isFileName(book.id))
            return Error{.what = "'" + book.id.substr(0, 60) + "' cannot name a price book", .accepted = "small letters, digits, - and _"};
        if (Result<void> written = writeFileAtomically(folder / (book.id + ".yaml"), toYaml(book)); !written)
            return written;
    }
    return {};
}

Result<void> addPriceBooks(Catalogue &catalogue, const std::filesystem::path &folder)
{
    std::vector<std::filesystem::path> files;
    std::error_code failure;
    for (std::filesystem::directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure)) {
        if (entry->path().extension() == ".yaml")
            files.push_back(entry->path());
    }
    std::sort(files.begin(), files.end());
    for (const std::filesystem::path &file : files) {
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
    return catalogue;
}

} // namespace slipway
