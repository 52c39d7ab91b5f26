// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "explore/grid.h"

#include <yaml-cpp/yaml.h>

#include "base/file.h"
#include "config/settings.h"

namespace slipway {

namespace {

constexpr std::size_t kLargestGrid = 10'000'000;

std::string at(const std::string &file, const YAML::Mark &mark) { return file + ":" + std::to_string(mark.line + 1); }

Result<GridAxis> readAxis(const std::string &file, const YAML::Node &key, const YAML::Node &value)
{
    const Setting *setting = findSetting(key.Scalar());
    if (setting == nullptr)
        return unknownSetting(key.Scalar(), at(file, key.Mark()));
    GridAxis axis{.key = std::string(setting->key)};
    RunConfig scratch;
    const auto add = [&](const YAML::Node &node) -> Result<void> {
        if (!node.IsScalar())
            return Error{.what = "'" + axis.key + "' has a value that is not a word or a number", .where = at(file, node.Mark()), .accepted = setting->accepted()};
        if (Result<void> set = setSettingText(*setting, scratch, node.Scalar()); !set) {
            Error error = set.error();
            error.where = at(file, node.Mark());
            return error;
        }
        axis.values.push_back(node.Scalar());
        return {};
    };
    if (!value.IsSequence()) {
        if (const Result<void> added = add(value); !added)
            return added.error();
        return axis;
    }
    for (const YAML::Node &node : value) {
        if (const Result<void> added = add(node); !added)
            return added.error();
    }
    if (axis.values.empty())
        return Error{.what = "'" + axis.key + "' has no value", .where = at(file, key.Mark()), .accepted = setting->accepted()};
    return axis;
}

Result<Grid> parseGrid(const std::string &file, const std::string &text)
{
    Grid grid{.name = file};
    try {
        const YAML::Node root = YAML::Load(text);
        if (!root.IsMap())
            return Error{.what = "a grid is a list of settings with their values", .where = file + ":1", .accepted = "micro_batch: [4, 8, 16]"};
        for (const auto &entry : root) {
            Result<GridAxis> axis = readAxis(file, entry.first, entry.second);
            if (!axis)
                return axis.error();
            grid.axes.push_back(*std::move(axis));
            if (grid.size() > kLargestGrid)
                return Error{.what = "the grid has more than " + std::to_string(kLargestGrid) + " points", .where = at(file, entry.first.Mark()), .accepted = "fewer values"};
        }
    } catch (const YAML::Exception &fault) {
        return Error{.what = fault.msg, .where = at(file, fault.mark), .accepted = "YAML"};
    }
    return grid;
}

} // namespace

std::size_t Grid::size() const
{
    std::size_t points = 1;
    for (const GridAxis &axis : axes)
        points *= axis.values.size();
    return points;
}

std::vector<std::string> Grid::valuesAt(std::size_t point) const
{
    std::vector<std::string> values(axes.size());
    for (std::size_t i = axes.size(); i-- > 0;) {
        values[i] = axes[i].values[point % axes[i].values.size()];
        point /= axes[i].values.size();
    }
    return values;
}

Grid paperGrid()
{
    return {.name = "paper", .axes = {
        {"framework", {"pytorch-eager"}},
        {"seq_len", {"1024"}},
        {"model", {"100M", "500M", "1B", "2B"}},
        {"gpu", {"a100-sxm-40gb", "a100-sxm-80gb", "h100-sxm-80gb"}},
        {"gpus", {"1", "2", "4", "8", "16", "32", "64"}},
        {"parallel", {"ddp", "fsdp-full", "fsdp-grad-op"}},
        {"micro_batch", {"4", "8", "16", "32", "64"}},
        {"attention", {"flash", "vanilla"}},
    }};
}

Result<Grid> readGrid(const std::string &nameOrFile)
{
    if (nameOrFile == "paper")
        return paperGrid();
    const Result<std::string> text = readFile(nameOrFile, kMiB);
    if (!text)
        return text.error();
    return parseGrid(nameOrFile, *text);
}

Result<RunConfig> configAt(const RunConfig &base, const Grid &grid, std::size_t point)
{
    RunConfig config = base;
    const std::vector<std::string> values = grid.valuesAt(point);
    for (std::size_t i = 0; i < grid.axes.size(); ++i) {
        if (const Result<void> set = setSettingText(*findSetting(grid.axes[i].key), config, values[i]); !set)
            return set.error();
    }
    return config;
}

} // namespace slipway
