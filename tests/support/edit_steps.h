// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <vector>

#include "runs/step_table.h"

namespace slipway {

// Changes rows of a table, which itself only grows.
template<typename Edit>
void editSteps(StepTable &steps, Edit edit)
{
    std::vector<StepMetrics> rows;
    for (const StepMetrics &row : steps)
        rows.push_back(row);
    edit(rows);
    steps.clear();
    for (const StepMetrics &row : rows)
        steps.push_back(row);
}

} // namespace slipway
