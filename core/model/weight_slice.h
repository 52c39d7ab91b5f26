// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The rows and columns of a weight that one rank of a tensor-parallel group holds, and the places of their elements in
// the whole weight. All counts are of elements.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace slipway {

// A rectangle of a whole weight seen as [rows, columns]; a vector has one column.
struct WeightSlice {
    std::int64_t firstRow = 0, rows = 0, firstColumn = 0, columns = 0;
    bool operator==(const WeightSlice &) const = default;
    [[nodiscard]] std::int64_t elements() const { return rows * columns; }
};

// All of a weight of this shape. Where there are more than two dimensions, all but the last count as rows.
inline WeightSlice wholeSlice(std::span<const std::int64_t> shape)
{
    WeightSlice whole{.rows = 1, .columns = shape.size() > 1 ? shape.back() : 1};
    for (const std::int64_t extent : shape.size() > 1 ? shape.first(shape.size() - 1) : shape)
        whole.rows *= extent;
    return whole;
}

// Whether the slice has elements and all of them lie in `whole`. Holds for any numbers, also where sums would overflow.
inline bool liesWithin(const WeightSlice &slice, const WeightSlice &whole)
{
    return slice.firstRow >= 0 && slice.rows > 0 && slice.rows <= whole.rows &&
           slice.firstRow <= whole.rows - slice.rows && slice.firstColumn >= 0 && slice.columns > 0 &&
           slice.columns <= whole.columns && slice.firstColumn <= whole.columns - slice.columns;
}

// Calls visit(wholeFirst, offsetInRun, length) for the elements [first, first + count) of the slice's row-major order,
// as runs of the row-major order of the whole weight with `wholeColumns` columns. One run where the slice has all the
// columns, else one for each row. The slice lies within the weight, and the elements lie within the slice.
template<typename Visit>
void forEachWholeRun(
    const WeightSlice &slice, std::int64_t wholeColumns, std::int64_t first, std::int64_t count, const Visit &visit)
{
    const auto placeOf = [&](std::int64_t element) {
        return (slice.firstRow + element / slice.columns) * wholeColumns + slice.firstColumn + element % slice.columns;
    };
    const bool together = slice.columns == wholeColumns;
    for (std::int64_t done = 0; done < count;) {
        const std::int64_t element = first + done, left = count - done;
        const std::int64_t length = together ? left : std::min(slice.columns - element % slice.columns, left);
        visit(placeOf(element), done, length);
        done += length;
    }
}

} // namespace slipway
