// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "explore/plan_groups.h"

#include <ranges>
#include <unordered_map>

#include "config/settings.h"
#include "predict/shared_plan.h"

namespace slipway {

namespace {

bool isShared(const RunConfig &base, const GridAxis &axis)
{
    if (axis.values.size() < 2)
        return false;
    const Result<RunConfig> one = applySetting(base, axis.key, axis.values[0]),
                            other = applySetting(base, axis.key, axis.values[1]);
    return one && other && sharesPlan(*one, *other);
}

} // namespace

PlanGroups::PlanGroups(const RunConfig &base, const Grid &grid)
{
    std::size_t stride = 1;
    for (const GridAxis &axis : std::views::reverse(grid.axes)) {
        const std::size_t values = axis.values.size();
        if (isShared(base, axis)) {
            m_axes.push_back({stride, values});
            m_blockSize = stride * values;
        }
        stride *= values;
    }
}

std::size_t PlanGroups::firstOf(std::size_t point) const
{
    std::size_t first = point;
    for (const Axis &axis : m_axes)
        first -= point / axis.stride % axis.values * axis.stride;
    return first;
}

std::vector<std::vector<std::size_t>> PlanGroups::groups(std::size_t first, std::size_t count) const
{
    std::vector<std::vector<std::size_t>> groups;
    std::unordered_map<std::size_t, std::size_t> groupOf; // by firstOf()
    for (std::size_t i = 0; i < count; ++i) {
        const auto [known, isNew] = groupOf.try_emplace(firstOf(first + i), groups.size());
        if (isNew)
            groups.emplace_back();
        groups[known->second].push_back(i);
    }
    return groups;
}

} // namespace slipway
