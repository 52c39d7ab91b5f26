// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Which points of a grid share a plan: those whose values differ only along axes that a plan does not go by, such as
// the card.
#pragma once

#include <vector>

#include "explore/grid.h"

namespace slipway {

class PlanAxes {
public:
    PlanAxes(const RunConfig &base, const Grid &grid);

    // So many points in a row, from a multiple of it on, share no plan with any others; 1 where no point does.
    [[nodiscard]] std::size_t span() const { return m_span; }
    // The first point with the same plan.
    [[nodiscard]] std::size_t firstOf(std::size_t point) const;
    // Numbers from 0 on for points from `first` on, together where they share a plan.
    [[nodiscard]] std::vector<std::vector<std::size_t>> groups(std::size_t first, std::size_t count) const;

private:
    struct Axis {
        std::size_t stride = 1, values = 1;
    };
    std::vector<Axis> m_axes; // those that a plan does not go by
    std::size_t m_span = 1;
};

} // namespace slipway
