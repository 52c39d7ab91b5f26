// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cpu_ops/bias.h"

#include "cpu_ops/parallel.h"
#include "cpu_ops/row_sums.h"

namespace slipway::cpu_ops {

void addBias(Rows shape, const float *bias, float *y)
{
    parallelRanges(shape.rows, kRowGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
            addRow(shape.width, y + i * shape.width, bias, y + i * shape.width);
    });
}

void biasGradient(Rows shape, const float *dy, float *dbias, bool accumulate)
{
    RowSums sums(shape.rows, shape.width);
    sums.forEachRow([&](std::int64_t i, float *own) { addRow(shape.width, own, dy + i * shape.width, own); });
    sums.addTo(dbias, 0, shape.width, accumulate);
}

} // namespace slipway::cpu_ops
