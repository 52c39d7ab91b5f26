// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A table of measured runs.
#include "measure/measurement.h"

#include "fuzz_input.h"
#include "hardware/catalogue.h"

using namespace slipway;

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    static const TemporaryDirectory folder;
    static const Result<Catalogue> catalogue = loadCatalogue();
    require(static_cast<bool>(catalogue), "the catalogue can be loaded");
    const std::filesystem::path file = folder.path() / "runs.csv";
    writeText(file, textOf(data, size));
    (void)readMeasurements(file, *catalogue);
    return 0;
}
