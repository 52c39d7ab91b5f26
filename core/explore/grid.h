// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A grid of configurations: every combination of the values of its axes is a point.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
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

    [[nodiscard]] std::size_t size() const; // saturates at the largest size_t
    // The values of a point; the last axis varies fastest.
    [[nodiscard]] std::vector<std::string> valuesAt(std::size_t point) const;
    // The index of a point's value on each axis.
    [[nodiscard]] std::vector<std::size_t> digitsAt(std::size_t point) const;
    [[nodiscard]] const std::string &valueAt(std::size_t point, std::size_t axis) const;
    // The axis of a setting; empty if the grid does not vary it.
    [[nodiscard]] std::optional<std::size_t> axisOf(std::string_view key) const;
    bool operator==(const Grid &) const = default;
};

// Ashkboos et al. 2024 (arXiv 2410.19456), section 2: four models, three GPU types, 1 to 64 GPUs, three
// parallelism strategies, five micro-batch sizes and two attention implementations.
Grid paperGrid();

// Largest number of points in a grid.
inline constexpr std::size_t kLargestGrid = 10'000'000;

// The settings that a grid can vary.
struct GridSettings {
    // The key of a setting by any of its names. `where` is for the error.
    std::function<Result<std::string>(const std::string &name, const std::string &where)> key;
    std::function<Result<void>(const std::string &key, const std::string &text)> check;
    std::function<std::string(const std::string &key)> accepted;
};

// Reads a YAML file as described at readGrid(), with these settings.
Result<Grid> readGridFile(const std::string &file, const GridSettings &settings);

// "paper", or a YAML file whose keys are settings and whose values are a list, one value, or a range: {from: 1, to: 64,
// times: 2} or {from: 0, to: 1, step: 0.1}. Errors name file and line. A grid that is too large is rejected
// before its values are stored.
Result<Grid> readGrid(const std::string &nameOrFile);

// The grid with further axes of one value each, after its own axes: one for every setting that it does not vary. Points
// keep their index.
Grid withAllChoices(Grid grid, const RunConfig &base);

// The configuration of a point: `base` with the point's values.
Result<RunConfig> configAt(const RunConfig &base, const Grid &grid, std::size_t point);

} // namespace slipway
