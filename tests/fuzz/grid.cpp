// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A grid of configurations: its first and last point can be made.
#include "explore/grid.h"

#include "fuzz_input.h"

using namespace slipway;

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    static const TemporaryDirectory folder;
    const std::filesystem::path file = folder.path() / "grid.yaml";
    writeText(file, textOf(data, size));
    const Result<Grid> grid = readGrid(file.string());
    if (!grid)
        return 0;
    require(grid->size() <= kLargestGrid, "a grid has no more points than are accepted");
    for (const std::size_t point : {std::size_t{0}, grid->size() - 1})
        (void)configAt({}, *grid, point);
    return 0;
}
