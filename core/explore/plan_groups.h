// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Finds the points of a grid that share a plan: their values differ only on axes that the plan does not depend on, such
// as the GPU.
#pragma once

#include <vector>

#include "explore/grid.h"

namespace slipway {

class PlanGroups {
public:
    PlanGroups(const RunConfig &base, const Grid &grid);

    // Groups of this many consecutive points share no plan with points outside the group; 1 if no points share a plan.
    [[nodiscard]] std::size_t blockSize() const { return m_blockSize; }
    // The first point with the same plan.
    [[nodiscard]] std::size_t firstOf(std::size_t point) const;
    // Numbers the plans of the points from `first` on, starting at 0. Points that share a plan have the same number.
    [[nodiscard]] std::vector<std::vector<std::size_t>> groups(std::size_t first, std::size_t count) const;

private:
    struct Axis {
        std::size_t stride = 1, values = 1;
    };
    std::vector<Axis> m_axes; // axes that the plan does not depend on
    std::size_t m_blockSize = 1;
};

} // namespace slipway
