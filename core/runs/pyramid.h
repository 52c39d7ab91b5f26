// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A growing column of values that returns the envelope of any range without reading all its values: minimum, maximum
// and counts of 64, 128, 256 ... consecutive values are stored in addition to the values. Not thread-safe, not even for
// reading.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "runs/column.h"
#include "runs/decimation.h"

namespace slipway {

class Pyramid {
public:
    void append(double value) { m_values.push_back(value); }
    void truncate(std::size_t size);                    // removes the values from index `size` on
    void share(const Column &values, std::size_t from); // see Column::share
    [[nodiscard]] std::size_t size() const { return m_values.size(); }
    [[nodiscard]] double operator[](std::size_t i) const { return m_values[i]; }
    [[nodiscard]] const Column &values() const { return m_values; }

    // The envelope of the values [begin, end); x of the bucket is the index of the last finite value, or `begin` if
    // there is none.
    [[nodiscard]] EnvelopeBucket over(std::size_t begin, std::size_t end) const;

private:
    struct Node {
        double min = std::numeric_limits<double>::infinity(), max = -min; // of the finite values
        std::uint32_t points = 0, notFinite = 0;
    };
    void grow() const; // extends the levels to the current values
    static void add(Node &node, double value);
    static void add(Node &node, const Node &other);
    [[nodiscard]] std::size_t lastFinite(std::size_t begin, std::size_t end) const;

    Column m_values;
    // Built on first use, because not every column is displayed. m_levels[k][i] covers the values [i, i + 1) x 64 x
    // 2^k, once all of them exist.
    mutable std::vector<std::vector<Node>> m_levels;
};

} // namespace slipway
