// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/pyramid.h"

#include <algorithm>
#include <cmath>

namespace slipway {

namespace {

constexpr std::size_t kLeaf = 64;

} // namespace

void Pyramid::add(Node &node, double value)
{
    if (!std::isfinite(value)) {
        ++node.notFinite;
        return;
    }
    node.min = std::min(node.min, value);
    node.max = std::max(node.max, value);
    ++node.points;
}

void Pyramid::add(Node &node, const Node &other)
{
    node.min = std::min(node.min, other.min);
    node.max = std::max(node.max, other.max);
    node.points += other.points;
    node.notFinite += other.notFinite;
}

void Pyramid::grow() const
{
    if (m_levels.empty())
        m_levels.emplace_back();
    for (std::size_t leaf = m_levels[0].size(); (leaf + 1) * kLeaf <= m_values.size(); ++leaf) {
        Node node;
        m_values.forEach(leaf * kLeaf, (leaf + 1) * kLeaf, [&node](double value) { add(node, value); });
        // If a node completes a pair, the parent of the pair is complete as well.
        for (std::size_t level = 0;; ++level) {
            if (level == m_levels.size())
                m_levels.emplace_back();
            std::vector<Node> &nodes = m_levels[level];
            nodes.push_back(node);
            if (nodes.size() % 2 != 0)
                break;
            node = nodes[nodes.size() - 2];
            add(node, nodes.back());
        }
    }
}

void Pyramid::truncate(std::size_t size)
{
    m_values.truncate(size);
    for (std::size_t level = 0, whole = size / kLeaf; level < m_levels.size(); ++level, whole /= 2)
        m_levels[level].resize(std::min(m_levels[level].size(), whole));
}

void Pyramid::share(const Column &values, std::size_t from)
{
    truncate(from);
    m_values.share(values, from);
}

std::size_t Pyramid::lastFinite(std::size_t begin, std::size_t end) const
{
    for (std::size_t i = end; i > begin;) {
        if (i % kLeaf == 0 && i - begin >= kLeaf &&
            m_levels[0][i / kLeaf - 1].points == 0) { // i is within the values, so its leaf is complete
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
    grow();
    Node sum;
    for (std::size_t at = begin; at < end;) {
        // Takes the widest node that begins here and ends within the range.
        std::size_t level = 0, width = kLeaf;
        if (at % kLeaf != 0 || at + kLeaf > end) {
            add(sum, m_values[at++]);
            continue;
        }
        while (level + 1 < m_levels.size() && at % (2 * width) == 0 &&
               at + 2 * width <= end) { // complete nodes of [at, end) exist
            width *= 2;
            ++level;
        }
        add(sum, m_levels[level][at / width]);
        at += width;
    }
    const std::size_t last = sum.points > 0 ? lastFinite(begin, end) : begin;
    EnvelopeBucket bucket{.x = static_cast<double>(last), .points = sum.points, .notFinite = sum.notFinite};
    if (sum.points > 0) {
        bucket.last = m_values[last];
        bucket.min = sum.min;
        bucket.max = sum.max;
    }
    return bucket;
}

} // namespace slipway
