// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Measures the phases of a step on an asynchronous device: an event marks the start of each phase, and is read at the
// end of the step.
#pragma once

#include <utility>
#include <vector>

#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "exec/executor.h"

namespace slipway {

class DeviceClock {
public:
    explicit DeviceClock(c10::Device device) : m_device(device), m_guard(device.type()) {}

    void start() { m_marks.clear(); }

    void enter(Seconds PhaseSeconds::*part)
    {
        c10::Event event(m_device.type(), c10::EventFlag::BACKEND_DEFAULT); // the flag that enables timing
        event.record(m_guard.getStream(m_device));
        m_marks.emplace_back(part, std::move(event));
    }

    // Waits for the device. Calls `waits` before each event that it waits for.
    template<typename Waits>
    PhaseSeconds stop(const Waits &waits)
    {
        PhaseSeconds seconds;
        enter(nullptr);
        for (auto &[part, end] : m_marks) {
            waits();
            end.synchronize();
        }
        for (std::size_t i = 0; i + 1 < m_marks.size(); ++i)
            seconds.*m_marks[i].first += m_marks[i].second.elapsedTime(m_marks[i + 1].second) * 1e-3;
        m_marks.clear();
        return seconds;
    }

private:
    c10::Device m_device;
    c10::impl::VirtualGuardImpl m_guard;
    std::vector<std::pair<Seconds PhaseSeconds::*, c10::Event>> m_marks;
};

} // namespace slipway
