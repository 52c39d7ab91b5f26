// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Price books of the user's own, kept apart from the shipped tables: one file a book, in the format of
// resources/catalogue/prices.yaml.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "hardware/catalogue.h"

namespace slipway {

// $XDG_DATA_HOME/slipway/prices, else ~/.local/share/slipway/prices.
std::filesystem::path userPriceFolder();

// Writes each book as `id`.yaml, whole or not at all, making the folder where it is missing.
Result<void> writePriceBooks(const std::filesystem::path &folder, const std::vector<PriceBook> &books);

// Appends the folder's books, by name of the file; a missing folder holds none. An id that the catalogue has is an
// error.
Result<void> addPriceBooks(Catalogue &catalogue, const std::filesystem::path &folder = userPriceFolder());

// A row of a price book as a person types it.
struct PriceEdit {
    std::string gpu, usdPerGpuHour, gpus, instance, region, source, notes;
    bool operator==(const PriceEdit &) const = default;
};
std::vector<PriceEdit> priceEditsOf(const PriceBook &book);

// The book that the rows make under `id`: a row that `before` does not have bears the day `today`, the others keep
// theirs. An error names the row, from 1, and the column.
Result<PriceBook> editedBook(const PriceBook &before, const std::string &id, bool spot,
    const std::vector<PriceEdit> &rows, const std::string &today, const Catalogue &catalogue);

// The shipped tables, and the user's books and calibrations.
Result<Catalogue> loadUserCatalogue();

} // namespace slipway
