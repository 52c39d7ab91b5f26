// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A growing column of values that answers the envelope of any stretch of it without walking it: least, greatest and
// counts of 64, 128, 256 ... neighbours are kept beside the values. One thread at a time, also to read.
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
    void truncate(std::size_t size);                    // forgets what is at `size` and after
    void share(const Column &values, std::size_t from); // as Column::share
    [[nodiscard]] std::size_t size() const { return m_values.size(); }
    [[nodiscard]] double operator[](std::size_t i) const { return m_values[i]; }
    [[nodiscard]] const Column &values() const { return m_values; }

    // Of the values [begin, end); x of the bucket is the index of the last finite one, or `begin`.
    [[nodiscard]] EnvelopeBucket over(std::size_t begin, std::size_t end) const;

private:
    struct Node {
        double min = std::numeric_limits<double>::infinity(), max = -min; // of the finite ones
        std::uint32_t points = 0, notFinite = 0;
    };
    void grow() const; // the levels, up to the values that are there
    static void add(Node &node, double value);
    static void add(Node &node, const Node &other);
    [[nodiscard]] std::size_t lastFinite(std::size_t begin, std::size_t end) const;

    Column m_values;
    mutable std::vector<std::vector<Node>> m_levels; // made when they are asked for: not every column is looked at.
                                                     // m_levels[k][i]: values [i, i + 1) x 64 x 2^k, once all are there
};

} // namespace slipway
