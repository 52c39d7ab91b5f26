// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Settings that vary: every combination of their values is a point.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/run_config.h"

namespace slipway {

struct GridAxis {
    std::string key;                 // of the settings table
    std::vector<std::string> values; // as text
    bool operator==(const GridAxis &) const = default;
};

struct Grid {
    std::string name;
    std::vector<GridAxis> axes;

    [[nodiscard]] std::size_t size() const;
    // The values of a point; the last axis varies fastest.
    [[nodiscard]] std::vector<std::string> valuesAt(std::size_t point) const;
    bool operator==(const Grid &) const = default;
};

// Ashkboos et al. 2024 (arXiv 2410.19456), section 2: four models on three GPUs, 1 to 64 of them, three ways to share, five
// micro-batches and both kinds of attention.
Grid paperGrid();

// "paper", or a YAML file whose keys are settings and whose values are a list or one value. Errors name file and line.
Result<Grid> readGrid(const std::string &nameOrFile);

// The configuration of a point: `base` with the point's values.
Result<RunConfig> configAt(const RunConfig &base, const Grid &grid, std::size_t point);

} // namespace slipway
