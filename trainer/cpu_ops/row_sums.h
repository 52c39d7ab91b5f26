// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Sums over rows, for gradients of weights that all rows use. Ranges of rows have partial sums, which are added in
// order, so that the result does not depend on the number of threads.
#pragma once

#include <vector>

#include "cpu_ops/norm_rows.h"
#include "cpu_ops/parallel.h"

namespace slipway::cpu_ops {

class RowSums {
public:
    RowSums(std::int64_t rows, std::int64_t width)
        : m_rows(rows),
          m_width(width),
          m_grain(std::max<std::int64_t>(1, ceilDiv(rows, kPieces))),
          m_pieces(ceilDiv(rows, m_grain)),
          m_sums(static_cast<std::size_t>(m_pieces * width), 0.0f)
    {
    }

    // Calls body(row, sums) for each row. The body adds the row's contribution to sums [width].
    template<typename Body>
    void forEachRow(const Body &body)
    {
        parallelFor(m_pieces, [&](std::int64_t piece) {
            for (std::int64_t row = piece * m_grain; row < std::min(m_rows, (piece + 1) * m_grain); ++row)
                body(row, m_sums.data() + piece * m_width);
        });
    }

    // result [width] = or += the sums from column `first` on. Does nothing for a null result.
    void addTo(float *result, std::int64_t first, std::int64_t width, bool accumulate) const
    {
        if (!result)
            return;
        if (!accumulate)
            std::fill_n(result, width, 0.0f);
        for (std::int64_t piece = 0; piece < m_pieces; ++piece)
            addRow(width, result, m_sums.data() + piece * m_width + first, result);
    }

private:
    std::int64_t m_rows, m_width, m_grain, m_pieces;
    std::vector<float> m_sums; // [pieces, width]
};

} // namespace slipway::cpu_ops
