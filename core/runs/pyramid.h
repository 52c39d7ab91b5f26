// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A growing column of values that answers the envelope of any stretch of it without walking it: least, greatest and
// counts of 16, 32, 64 ... neighbours are kept beside the values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runs/decimation.h"

namespace slipway {

class Pyramid {
public:
    void append(double value);
    void truncate(std::size_t size); // forgets what is at `size` and after
    [[nodiscard]] std::size_t size() const { return m_values.size(); }
    [[nodiscard]] double operator[](std::size_t i) const { return m_values[i]; }
    [[nodiscard]] std::span<const double> values() const { return m_values; }

    // Of the values [begin, end); x of the bucket is the index of the last finite one, or `begin`.
    [[nodiscard]] EnvelopeBucket over(std::size_t begin, std::size_t end) const;

private:
    struct Node {
        double min = 0, max = 0;
        std::uint32_t points = 0, notFinite = 0;
    };
    static void add(Node &node, double value);
    static void add(Node &node, const Node &other);
    [[nodiscard]] std::size_t lastFinite(std::size_t begin, std::size_t end) const;

    std::vector<double> m_values;
    std::vector<std::vector<Node>> m_levels; // m_levels[k][i]: values [i, i + 1) x 16 x 2^k, once all are there
};

// The same buckets as envelope(x, values, most, from, to), value for value.
std::vector<EnvelopeBucket> envelope(std::span<const double> x, const Pyramid &values, std::size_t most, double from, double to);

} // namespace slipway
