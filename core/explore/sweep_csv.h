// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <filesystem>
#include <fstream>
#include <optional>

#include "base/file.h"
#include "explore/sweep.h"

namespace slipway {

// Writes the points of a grid to a CSV file as they arrive. A temporary file replaces the file when it is complete. The
// column `pareto` is 0 until finish() sets it to 1 for the points on the front.
class SweepCsv {
public:
    SweepCsv(std::filesystem::path file, const Grid &grid);
    ~SweepCsv();
    SweepCsv(const SweepCsv &) = delete;
    SweepCsv &operator=(const SweepCsv &) = delete;

    // The error if the file cannot be created; finish() returns it too.
    [[nodiscard]] const std::optional<Error> &failure() const { return m_failure; }

    // Returns the position of the row's `pareto` cell for finish(); -1: it has none.
    std::int64_t add(const SweepPoint &point);
    Result<void> finish(const ParetoFront &front);

private:
    std::filesystem::path m_file;
    TemporaryFile m_temporary;
    const Grid &m_grid;
    std::ofstream m_stream;
    std::int64_t m_written = 0;
    std::optional<Error> m_failure;
};

} // namespace slipway
