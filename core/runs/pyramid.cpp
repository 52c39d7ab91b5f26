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
    m_values.push_back(value);
    const std::size_t size = m_values.size();
    if (size % kLeaf != 0)
        return;
    Node node;
    for (std::size_t i = size - kLeaf; i < size; ++i)
        add(node, m_values[i]);
    // A node that completes its parent's pair completes the parent.
    for (std::size_t level = 0;; ++level) {
        if (level == m_levels.size())
            m_levels.emplace_back();
        std::vector<Node> &nodes = m_levels[level];
        nodes.push_back(node);
        if (nodes.size() % 2 != 0)
            return;
        node = nodes[nodes.size() - 2];
        add(node, nodes.back());
    }
}

void Pyramid::truncate(std::size_t size)
{
    if (size >= m_values.size())
        return;
    m_values.resize(size);
    for (std::size_t level = 0, whole = size / kLeaf; level < m_levels.size(); ++level, whole /= 2)
        m_levels[level].resize(std::min(m_levels[level].size(), whole));
}

std::size_t Pyramid::lastFinite(std::size_t begin, std::size_t end) const
{
    for (std::size_t i = end; i > begin;) {
        if (i % kLeaf == 0 && i - begin >= kLeaf && m_levels[0][i / kLeaf - 1].points == 0) { // i is within the values: its leaf is whole
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
        while (level + 1 < m_levels.size() && at % (2 * width) == 0 && at + 2 * width <= end) { // whole nodes of [at, end) are there
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
