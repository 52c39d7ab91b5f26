// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A cloud's price list. Its books can be shown.
#include "cost/price_import.h"

#include "fuzz_input.h"
#include "hardware/user_prices.h"

using namespace slipway;

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    static const TemporaryDirectory folder;
    static const Result<Catalogue> catalogue = loadCatalogue();
    require(static_cast<bool>(catalogue), "the catalogue can be loaded");
    const std::filesystem::path file = folder.path() / "vms.csv";
    writeText(file, textOf(data, size));
    const Result<PriceImport> import = importPriceList(file, "cloud", "2026-01-02", *catalogue);
    if (!import)
        return 0;
    for (const PriceBook &book : import->books)
        (void)priceEditsOf(book);
    require(static_cast<bool>(writePriceBooks(folder.path() / "books", import->books)), "price books can be written");
    Catalogue read = *catalogue;
    require(static_cast<bool>(addPriceBooks(read, folder.path() / "books")), "price books can be read again");
    return 0;
}
