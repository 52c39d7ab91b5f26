// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/unknown_name.h"
#include "explore/grid.h"

namespace slipway {

// The best point for each combination of the values of some axes; if no point of a combination runs, its first one. A
// Point has an index in the grid, runs() and objective().
template<typename Point>
class BestPoints {
public:
    // An error names an axis that the grid does not have. The grid must outlive it.
    static Result<BestPoints> create(const Grid &grid, const std::vector<std::string> &keys)
    {
        BestPoints best(grid);
        std::vector<std::string> axes;
        for (const GridAxis &axis : grid.axes)
            axes.push_back(axis.key);
        for (const std::string &key : keys) {
            const auto axis = grid.axisOf(key);
            if (!axis)
                return unknownName("setting of the grid", key, axes, "--best-by");
            best.m_axes.push_back(*axis);
        }
        return best;
    }

    void add(const Point &point)
    {
        const std::vector<std::size_t> digits = m_grid.digitsAt(point.index);
        std::vector<std::size_t> combination;
        combination.reserve(m_axes.size());
        for (const std::size_t axis : m_axes)
            combination.push_back(digits[axis]);
        const auto [kept, isNew] = m_best.try_emplace(std::move(combination), point);
        if (!isNew && point.runs() && (!kept->second.runs() || point.objective() > kept->second.objective()))
            kept->second = point;
    }

    // In the grid's order of combinations.
    [[nodiscard]] std::vector<Point> points() const
    {
        std::vector<Point> points;
        for (const auto &[combination, point] : m_best)
            points.push_back(point);
        return points;
    }

private:
    explicit BestPoints(const Grid &grid) : m_grid(grid) {}
    const Grid &m_grid;
    std::vector<std::size_t> m_axes;
    std::map<std::vector<std::size_t>, Point> m_best;
};

} // namespace slipway
