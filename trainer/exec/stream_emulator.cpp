// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/stream_emulator.h"

#include <array>
#include <deque>
#include <stdexcept>
#include <utility>

namespace slipway {

void StreamEmulator::begin(std::size_t ops)
{
    if (!m_capturing)
        finish();
    m_ops = ops;
    m_inStep = true;
    m_current = DeviceStream::Compute;
}

void StreamEmulator::finish()
{
    m_inStep = false;
    run(std::exchange(m_items, {}));
}

void StreamEmulator::end()
{
    if (m_withoutGraphs)
        throw std::runtime_error("this device supports no graphs\nand says so in many lines");
    m_graph = std::exchange(m_items, {});
    m_capturing = false;
}

void StreamEmulator::abandon() noexcept
{
    m_items.clear();
    m_capturing = false;
}

void StreamEmulator::replay() { m_items.insert(m_items.end(), m_graph.begin(), m_graph.end()); }

void StreamEmulator::run(const std::vector<Item> &items)
{
    std::array<std::deque<const Item *>, 2> streams;
    for (const Item &item : items)
        streams[static_cast<std::size_t>(item.stream)].push_back(&item);
    std::vector<bool> done(m_ops);
    const auto canRun = [&](std::size_t stream) {
        if (streams[stream].empty())
            return false;
        const Item &next = *streams[stream].front();
        return next.joins ? streams[1].empty() : next.waitsFor < 0 || done.at(static_cast<std::size_t>(next.waitsFor));
    };
    while (!streams[0].empty() || !streams[1].empty()) {
        m_seed = m_seed < 2 ? m_seed : m_seed * 6364136223846793005U + 1442695040888963407U; // Knuth's MMIX generator
        const std::size_t wanted = m_seed == 0 ? 1 : m_seed == 1 ? 0 : m_seed >> 63;
        const std::size_t stream = canRun(wanted) ? wanted : 1 - wanted;
        if (!canRun(stream))
            throw std::logic_error("the streams of the step wait for each other");
        const Item &item = *streams[stream].front();
        if (item.run)
            item.run();
        if (item.signals >= 0)
            done.at(static_cast<std::size_t>(item.signals)) = true;
        streams[stream].pop_front();
    }
}

} // namespace slipway
