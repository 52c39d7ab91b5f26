// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Emulates the streams of a device on the CPU: ops are stored until the host waits, and then run in an order that the
// events between the streams permit. So a missing event shows up as a wrong result.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "exec/step_graph.h"
#include "exec/step_streams.h"

namespace slipway {

class StreamEmulator final : public StepStreams, public StepGraph {
public:
    static constexpr std::uint64_t kWithoutGraphs = 2;
    // The seed decides which stream runs first if both can. 0: always communication; 1: always computation;
    // kWithoutGraphs: emulates a device on which graphs fail.
    explicit StreamEmulator(std::uint64_t seed) : m_seed(seed) {}

    void store(std::function<void()> op) { m_items.push_back({.stream = m_current, .run = std::move(op)}); }

    // Whether ops are stored; only those of a step are.
    [[nodiscard]] bool stores() const { return m_inStep; }

    void begin(std::size_t ops) override;
    void enter(DeviceStream stream) override { m_current = stream; }
    void wait(int op) override { m_items.push_back({.stream = m_current, .waitsFor = op}); }
    void signal(int op) override { m_items.push_back({.stream = m_current, .signals = op}); }
    void join() override { m_items.push_back({.stream = DeviceStream::Compute, .joins = true}); }

    // Runs all stored ops. Throws std::logic_error if the streams wait for each other.
    void finish();

    void begin() override { m_capturing = true; }
    void end() override;
    void abandon() noexcept override;
    void replay() override;
    int mark() override { return m_marks++; }
    Seconds secondsBetween(int, int) override { return 0; }

private:
    struct Item {
        DeviceStream stream = DeviceStream::Compute;
        std::function<void()> run = {};
        int waitsFor = -1, signals = -1;
        bool joins = false;
    };
    void run(const std::vector<Item> &items);

    std::uint64_t m_seed;
    bool m_withoutGraphs = m_seed == kWithoutGraphs;
    DeviceStream m_current = DeviceStream::Compute;
    std::vector<Item> m_items, m_graph;
    std::size_t m_ops = 0;
    bool m_inStep = false, m_capturing = false;
    int m_marks = 0;
};

} // namespace slipway
