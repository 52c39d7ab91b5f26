// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The two streams of a step on a LibTorch device, with events between them. enter() makes a stream the thread's current
// stream, which LibTorch's ops use.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "exec/step_streams.h"

namespace slipway {

class DeviceStreams final : public StepStreams {
public:
    // The stream of the collectives has high priority: they are few, and other ranks wait for them.
    explicit DeviceStreams(c10::Device device)
        : m_device(device),
          m_guard(device.type()),
          m_streams{m_guard.getStreamFromGlobalPool(device, false), m_guard.getStreamFromGlobalPool(device, true)},
          m_before(m_guard.exchangeStream(m_streams[0])),
          m_start(device.type()),
          m_end(device.type())
    {
    }
    ~DeviceStreams() override { m_guard.exchangeStream(m_before); }
    DeviceStreams(const DeviceStreams &) = delete;
    DeviceStreams &operator=(const DeviceStreams &) = delete;

    void begin(std::size_t ops) override
    {
        m_events.resize(ops);
        // Other code may have changed the thread's current stream since the last step.
        m_current = DeviceStream::Compute;
        m_guard.exchangeStream(stream());
        m_start.record(stream());
        m_start.block(m_streams[1]);
    }

    void enter(DeviceStream next) override
    {
        if (m_current == next)
            return;
        m_current = next;
        m_guard.exchangeStream(stream());
    }

    void wait(int op) override { m_events[static_cast<std::size_t>(op)]->block(stream()); }

    void signal(int op) override
    {
        std::optional<c10::Event> &event = m_events[static_cast<std::size_t>(op)];
        if (!event)
            event.emplace(m_device.type());
        event->record(stream());
    }

    void join() override
    {
        m_end.record(m_streams[1]);
        m_end.block(m_streams[0]);
    }

    [[nodiscard]] c10::Device device() const { return m_device; }
    // The cudaStream_t of the current stream.
    [[nodiscard]] void *native() const { return stream().native_handle(); }
    [[nodiscard]] const c10::Stream &stream() const { return m_streams[static_cast<std::size_t>(m_current)]; }

private:
    c10::Device m_device;
    c10::impl::VirtualGuardImpl m_guard;
    std::array<c10::Stream, 2> m_streams;
    c10::Stream m_before;
    DeviceStream m_current = DeviceStream::Compute;
    std::vector<std::optional<c10::Event>> m_events; // by op; created once and reused in every step
    c10::Event m_start, m_end;
};

} // namespace slipway
