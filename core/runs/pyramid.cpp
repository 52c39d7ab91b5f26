// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/pyramid.h"

#include <algorithm>
#include <cmath>

namespace slipway {

namespace {

constexpr std::size_t kLeaf = 16;

} // namespace

void Pyramid::add(Node &node, double value)
{
    if (!std::isfinite(value)) {
        ++node.notFinite;
        return;
    }
    node.min = node.points == 0 ? value : std::min(node.min, value);
    node.max = node.points == 0 ? value : std::max(node.max, value);
    ++node.points;
}

void Pyramid::add(Node &node, const Node &other)
{
    if (other.points > 0) {
        node.min = node.points == 0 ? other.min : std::min(node.min, other.min);
        node.max = node.points == 0 ? other.max : std::max(node.max, other.max);
    }
    node.points += other.points;
    node.notFinite += other.notFinite;
}

void Pyramid::append(double value)
{
    const std::size_t at = m_values.size();
    m_values.push_back(value);
    for (std::size_t level = 0, width = kLeaf; level == 0 || at >= width / 2; ++level, width *= 2) {
        if (level == m_levels.size()) {
            // A new top begins with what lies left of the value: the first node of the level below.
            m_levels.emplace_back();
            if (level > 0)
                m_levels[level].push_back(m_levels[level - 1].front());
        }
        if (m_levels[level].size() <= at / width)
            m_levels[level].emplace_back();
        add(m_levels[level][at / width], value);
    }
}

void Pyramid::truncate(std::size_t size)
{
    if (size >= m_values.size())
        return;
    const std::vector<double> begun(m_values.begin() + static_cast<std::ptrdiff_t>(size / kLeaf * kLeaf), m_values.begin() + static_cast<std::ptrdiff_t>(size));
    const std::size_t whole = size - begun.size();
    m_values.resize(whole);
    std::size_t width = kLeaf;
    for (std::size_t level = 0; level < m_levels.size(); ++level, width *= 2) {
        std::vector<Node> &nodes = m_levels[level];
        nodes.resize(std::min(nodes.size(), whole / width));
        if (level == 0 || whole % width == 0)
            continue;
        // The node that the cut goes through, from those below it.
        Node &cut = nodes.emplace_back();
        for (std::size_t below = 2 * (nodes.size() - 1); below < m_levels[level - 1].size(); ++below)
            add(cut, m_levels[level - 1][below]);
    }
    // Levels that the shorter column does not reach would be taken for begun ones.
    while (!m_levels.empty() && (m_levels.back().empty() || (m_levels.size() > 1 && whole <= (kLeaf << (m_levels.size() - 2)))))
        m_levels.pop_back();
    for (const double value : begun)
        append(value);
}

std::size_t Pyramid::lastFinite(std::size_t begin, std::size_t end) const
{
    for (std::size_t i = end; i > begin;) {
        if (i % kLeaf == 0 && i - begin >= kLeaf && m_levels[0][i / kLeaf - 1].points == 0) {
            i -= kLeaf;
            continue;
        }
        if (std::isfinite(m_values[--i]))
            return i;
    }
    return begin;
}

EnvelopeBucket Pyramid::over(std::size_t begin, std::size_t end) const
{
    Node sum;
    for (std::size_t at = begin; at < end;) {
        // The widest node that begins here and ends within.
        std::size_t level = 0, width = kLeaf;
        if (at % kLeaf != 0 || at + kLeaf > end) {
            add(sum, m_values[at++]);
            continue;
        }
        while (level + 1 < m_levels.size() && at % (2 * width) == 0 && at + 2 * width <= end) {
            width *= 2;
            ++level;
        }
        add(sum, m_levels[level][at / width]);
        at += width;
    }
    const std::size_t last = sum.points > 0 ? lastFinite(begin, end) : begin;
    EnvelopeBucket bucket{.x = static_cast<double>(last), .min = sum.min, .max = sum.max, .points = sum.points, .notFinite = sum.notFinite};
    if (sum.points > 0)
        bucket.last = m_values[last];
    return bucket;
}

std::vector<EnvelopeBucket> envelope(std::span<const double> x, const Pyramid &values, std::size_t most, double from, double to)
{
    const auto first = static_cast<std::size_t>(std::lower_bound(x.begin(), x.end(), from) - x.begin());
    const auto end = static_cast<std::size_t>(std::upper_bound(x.begin(), x.end(), to) - x.begin());
    std::vector<EnvelopeBucket> buckets;
    if (first >= end)
        return buckets;
    const double width = envelopeBucketWidth(x[end - 1] - x[first], most);
    buckets.reserve(std::min(most + 2, end - first));
    for (std::size_t at = first; at < end;) {
        const double next = (std::floor(x[at] / width) + 1) * width; // first x beyond the bucket
        // Buckets hold about as many points each: look near before far.
        std::size_t step = 1, below = at;
        while (below + step < end && x[below + step] < next) {
            below += step;
            step *= 2;
        }
        const auto stop = static_cast<std::size_t>(
            std::lower_bound(x.begin() + static_cast<std::ptrdiff_t>(below), x.begin() + static_cast<std::ptrdiff_t>(std::min(below + step, end)), next) - x.begin());
        const std::size_t until = std::max(stop, at + 1);
        EnvelopeBucket bucket = values.over(at, until);
        bucket.x = x[static_cast<std::size_t>(bucket.x)];
        buckets.push_back(bucket);
        at = until;
    }
    return buckets;
}

} // namespace slipway
