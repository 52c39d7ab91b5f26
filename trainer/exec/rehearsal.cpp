// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/rehearsal.h"

#include <array>
#include <deque>
#include <stdexcept>
#include <utility>

namespace slipway {

void Rehearsal::begin(std::size_t ops)
{
    if (!m_capturing)
        finish();
    m_ops = ops;
    m_inStep = true;
    m_lane = Lane::Compute;
}

void Rehearsal::finish()
{
    m_inStep = false;
    play(std::exchange(m_items, {}));
}

void Rehearsal::end()
{
    if (m_withoutGraphs)
        throw std::runtime_error("this device supports no graphs\nand says so in many lines");
    m_graph = std::exchange(m_items, {});
    m_capturing = false;
}

void Rehearsal::abandon() noexcept
{
    m_items.clear();
    m_capturing = false;
}

void Rehearsal::replay() { m_items.insert(m_items.end(), m_graph.begin(), m_graph.end()); }

void Rehearsal::play(const std::vector<Item> &items)
{
    std::array<std::deque<const Item *>, 2> lanes;
    for (const Item &item : items)
        lanes[static_cast<std::size_t>(item.lane)].push_back(&item);
    std::vector<bool> done(m_ops);
    const auto canRun = [&](std::size_t lane) {
        if (lanes[lane].empty())
            return false;
        const Item &next = *lanes[lane].front();
        return next.joins ? lanes[1].empty() : next.waitsFor < 0 || done.at(static_cast<std::size_t>(next.waitsFor));
    };
    while (!lanes[0].empty() || !lanes[1].empty()) {
        m_seed = m_seed < 2 ? m_seed : m_seed * 6364136223846793005U + 1442695040888963407U; // Knuth's MMIX generator
        const std::size_t wanted = m_seed == 0 ? 1 : m_seed == 1 ? 0 : m_seed >> 63;
        const std::size_t lane = canRun(wanted) ? wanted : 1 - wanted;
        if (!canRun(lane))
            throw std::logic_error("the lanes of the step wait for each other");
        const Item &item = *lanes[lane].front();
        if (item.run)
            item.run();
        if (item.signals >= 0)
            done.at(static_cast<std::size_t>(item.signals)) = true;
        lanes[lane].pop_front();
    }
}

} // namespace slipway
