// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "explore/grid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "base/yaml.h"
#include "config/settings.h"

namespace slipway {

namespace {

constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();

std::size_t product(std::size_t a, std::size_t b) { return b != 0 && a > kMost / b ? kMost : a * b; }

std::string at(const std::string &file, int line) { return file + ":" + std::to_string(line); }

// {from, to, times} or {from, to, step}.
struct Range {
    double from = 0, to = 0, times = 0, step = 0;

    [[nodiscard]] std::size_t size() const
    {
        constexpr double slack = 1e-9; // 0 to 1 by 0.1 are 11 values
        const double steps = step > 0 ? (to - from) / step : std::log(to / from) / std::log(times);
        return steps < 1e18 ? static_cast<std::size_t>(steps + slack) + 1 : kMost;
    }
    [[nodiscard]] std::string value(std::size_t i) const
    {
        const double n = static_cast<double>(i), exact = step > 0 ? from + n * step : from * std::pow(times, n);
        const double rounded = std::round(exact * 1e9) / 1e9;
        // Whole numbers are written out: a setting that counts takes no 1e+06.
        const bool whole = std::abs(rounded) < 1e15 && rounded == std::floor(rounded);
        return whole ? std::to_string(static_cast<std::int64_t>(rounded)) : formatExact(rounded);
    }
};

Result<Range> readRange(const std::string &file, const YamlNode &node)
{
    const auto wrong = [&](std::string what) {
        return Error{.what = std::move(what),
            .where = at(file, node.line),
            .accepted = "{from: 1, to: 64, times: 2}, or step instead of times"};
    };
    Range range;
    for (std::size_t i = 0; i < node.keys.size(); ++i) {
        const std::string &key = node.keys[i];
        double *const part = key == "from"    ? &range.from
                             : key == "to"    ? &range.to
                             : key == "times" ? &range.times
                             : key == "step"  ? &range.step
                                              : nullptr;
        const auto number =
            node.items[i].kind == YamlNode::Kind::Scalar ? parseCount(node.items[i].scalar) : std::nullopt;
        if (part == nullptr || !number)
            return wrong("'" + key.substr(0, 60) + "' is not a key of a range, or its value is not a number");
        *part = *number;
    }
    const bool multiplied = range.times > 1 && range.step == 0 && range.from > 0,
               added = range.step > 0 && range.times == 0;
    if ((!multiplied && !added) || range.to < range.from)
        return wrong("a range needs times above 1 or step above 0, and to must not be below from");
    return range;
}

Result<std::size_t> sizeOfAxis(const std::string &file, const YamlNode &value)
{
    if (value.kind != YamlNode::Kind::Map)
        return value.kind == YamlNode::Kind::Sequence ? value.items.size() : std::size_t{1};
    const Result<Range> range = readRange(file, value);
    if (!range)
        return range.error();
    return range->size();
}

class AxisReader {
public:
    AxisReader(const std::string &file, const GridSettings &settings, GridAxis &axis)
        : m_file(file),
          m_settings(settings),
          m_axis(axis)
    {
    }

    Result<void> read(const YamlNode &value)
    {
        if (value.kind == YamlNode::Kind::Map)
            return readValuesOf(value);
        if (value.kind != YamlNode::Kind::Sequence)
            return add(value);
        for (const YamlNode &node : value.items) {
            if (const Result<void> added = add(node); !added)
                return added;
        }
        return {};
    }

private:
    Result<void> readValuesOf(const YamlNode &node)
    {
        const Result<Range> range = readRange(m_file, node);
        if (!range)
            return range.error();
        for (std::size_t i = 0; i < range->size(); ++i) {
            if (const Result<void> added = addText(range->value(i), node.line); !added)
                return added;
        }
        return {};
    }

    Result<void> add(const YamlNode &node)
    {
        if (node.kind != YamlNode::Kind::Scalar)
            return Error{.what = "'" + m_axis.key + "' has a value that is neither text nor a number",
                .where = at(m_file, node.line),
                .accepted = m_settings.accepted(m_axis.key)};
        return addText(node.scalar, node.line);
    }

    Result<void> addText(std::string text, int line)
    {
        if (const Result<void> set = m_settings.check(m_axis.key, text); !set) {
            Error error = set.error();
            error.where = at(m_file, line);
            return error;
        }
        m_axis.values.push_back(std::move(text));
        return {};
    }

    const std::string &m_file;
    const GridSettings &m_settings;
    GridAxis &m_axis;
};

Result<GridAxis> readAxis(
    const std::string &file, const GridSettings &settings, const std::string &key, int line, const YamlNode &value)
{
    Result<std::string> known = settings.key(key, at(file, line));
    if (!known)
        return known.error();
    GridAxis axis{.key = *std::move(known)};
    if (const Result<void> read = AxisReader(file, settings, axis).read(value); !read)
        return read.error();
    if (axis.values.empty())
        return Error{.what = "'" + axis.key + "' has no value",
            .where = at(file, line),
            .accepted = settings.accepted(axis.key)};
    return axis;
}

Result<void> checkSize(const std::string &file, const YamlNode &root)
{
    std::size_t points = 1;
    for (const YamlNode &value : root.items) {
        const Result<std::size_t> size = sizeOfAxis(file, value);
        if (!size)
            return size.error();
        points = product(points, std::max<std::size_t>(*size, 1)); // an empty axis is refused where it is read
    }
    if (points <= kLargestGrid)
        return {};
    return Error{.what = "the grid has " + (points == kMost ? "more than 10^19" : std::to_string(points)) + " points",
        .where = file,
        .accepted = "at most " + std::to_string(kLargestGrid)};
}

Result<Grid> parseGrid(const std::string &file, const std::string &text, const GridSettings &settings)
{
    const Result<YamlNode> root = parseYaml(text, file);
    if (!root)
        return root.error();
    if (root->kind != YamlNode::Kind::Map)
        return Error{.what = "a grid must map settings to lists of values",
            .where = at(file, root->line),
            .accepted = "micro_batch: [4, 8, 16]"};
    if (const Result<void> checked = checkSize(file, *root); !checked)
        return checked.error();
    Grid grid{.name = file};
    for (std::size_t i = 0; i < root->keys.size(); ++i) {
        Result<GridAxis> axis = readAxis(file, settings, root->keys[i], root->keyLines[i], root->items[i]);
        if (!axis)
            return axis.error();
        // A setting may have two names.
        if (grid.axisOf(axis->key))
            return Error{.what = "'" + axis->key + "' appears twice",
                .where = at(file, root->keyLines[i]),
                .accepted = "one list of values per setting"};
        grid.axes.push_back(*std::move(axis));
    }
    return grid;
}

// Of runs.
GridSettings runSettings()
{
    return {.key = [](const std::string &name, const std::string &where) -> Result<std::string> {
                const Setting *setting = findSetting(name);
                return setting ? Result<std::string>(std::string(setting->key)) : unknownSetting(name, where);
            },
        .check =
            [](const std::string &key, const std::string &text) {
                RunConfig scratch;
                return setSettingText(*findSetting(key), scratch, text);
            },
        .accepted = [](const std::string &key) { return findSetting(key)->accepted(); }};
}

} // namespace

std::size_t Grid::size() const
{
    std::size_t points = 1;
    for (const GridAxis &axis : axes)
        points = product(points, axis.values.size());
    return points;
}

std::vector<std::size_t> Grid::digitsAt(std::size_t point) const
{
    std::vector<std::size_t> digits(axes.size());
    for (std::size_t i = axes.size(); i-- > 0;) {
        digits[i] = point % axes[i].values.size();
        point /= axes[i].values.size();
    }
    return digits;
}

std::vector<std::string> Grid::valuesAt(std::size_t point) const
{
    std::vector<std::string> values;
    values.reserve(axes.size());
    const std::vector<std::size_t> digits = digitsAt(point);
    for (std::size_t i = 0; i < axes.size(); ++i)
        values.push_back(axes[i].values[digits[i]]);
    return values;
}

const std::string &Grid::valueAt(std::size_t point, std::size_t axis) const
{
    for (std::size_t i = axes.size() - 1; i > axis; --i)
        point /= axes[i].values.size();
    return axes[axis].values[point % axes[axis].values.size()];
}

std::optional<std::size_t> Grid::axisOf(std::string_view key) const
{
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (axes[i].key == key)
            return i;
    }
    return std::nullopt;
}

Grid paperGrid()
{
    return {.name = "paper",
        .axes = {
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

Result<Grid> readGridFile(const std::string &file, const GridSettings &settings)
{
    const Result<std::string> text = readYamlText(file);
    if (!text)
        return text.error();
    return parseGrid(file, *text, settings);
}

Result<Grid> readGrid(const std::string &nameOrFile)
{
    if (nameOrFile == "paper")
        return paperGrid();
    return readGridFile(nameOrFile, runSettings());
}

Grid withAllChoices(Grid grid, const RunConfig &base)
{
    constexpr std::array kChoices{"model", "gpu", "gpus", "gpus_per_node", "parallel", "tp", "pp", "cp", "ep",
        "attention", "recompute", "micro_batch", "seq_len", "grad_accum", "precision", "framework", "loss_path",
        "optimizer"};
    for (const char *key : kChoices) {
        if (!grid.axisOf(key))
            grid.axes.push_back({.key = key, .values = {settingText(*findSetting(key), base)}});
    }
    return grid;
}

Result<RunConfig> configAt(const RunConfig &base, const Grid &grid, std::size_t point)
{
    const std::vector<std::string> values = grid.valuesAt(point);
    SettingTexts changes;
    for (std::size_t i = 0; i < grid.axes.size(); ++i)
        changes.emplace_back(grid.axes[i].key, values[i]);
    return applySettings(base, changes);
}

} // namespace slipway
