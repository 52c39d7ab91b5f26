// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The price books of the user, stored separately from the shipped tables: one file per book, in the format of
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

// Writes each book atomically to `id`.yaml and creates the folder if it is missing.
Result<void> writePriceBooks(const std::filesystem::path &folder, const std::vector<PriceBook> &books);

// Appends the books of the folder, sorted by file name; a missing folder is treated as empty. An id that the catalogue
// already contains is an error.
Result<void> addPriceBooks(Catalogue &catalogue, const std::filesystem::path &folder = userPriceFolder());

// A row of a price book as the user entered it.
struct PriceEdit {
    std::string gpu, usdPerGpuHour, gpus, instance, region, source, notes;
    bool operator==(const PriceEdit &) const = default;
};
std::vector<PriceEdit> priceEditsOf(const PriceBook &book);

// Builds the book `id` from the rows: a row that `before` does not contain gets the date `today`, the others keep their
// date. An error names the row, from 1, and the column.
Result<PriceBook> editedBook(const PriceBook &before, const std::string &id, bool spot,
    const std::vector<PriceEdit> &rows, const std::string &today, const Catalogue &catalogue);

// Loads the shipped tables and the user's price books and calibrations.
Result<Catalogue> loadUserCatalogue();

} // namespace slipway
