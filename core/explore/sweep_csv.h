// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <filesystem>
#include <fstream>
#include <optional>

#include "explore/sweep.h"

namespace slipway {

// The points of a grid as a table that is written while they come, beside its place until it is whole. The column
// `pareto` is 0 until finish() turns those of the front to 1.
class SweepCsv {
public:
    SweepCsv(std::filesystem::path file, const Grid &grid);
    ~SweepCsv();
    SweepCsv(const SweepCsv &) = delete;
    SweepCsv &operator=(const SweepCsv &) = delete;

    // Why the table cannot be begun; finish() says it too.
    [[nodiscard]] const std::optional<Error> &failure() const { return m_failure; }

    // Gives where the row's mark of the front stands, for finish(); -1: it has none.
    std::int64_t add(const SweepPoint &point);
    Result<void> finish(const ParetoFront &front);

private:
    std::filesystem::path m_file, m_temporary;
    const Grid &m_grid;
    std::ofstream m_stream;
    std::int64_t m_written = 0;
    std::optional<Error> m_failure;
};

} // namespace slipway
