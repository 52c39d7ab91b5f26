// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Counts what one rank allocates from LibTorch's allocator. The allocator's own statistics are per device, so ranks
// that are threads of one process and share a GPU would report each other's memory. LibTorch reports each allocation to
// the thread that makes it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include "base/units.h"

namespace slipway {

// Counts allocations on one device by the threads that have a Counting object.
class AllocationCounter final : public c10::MemoryReportingInfoBase {
public:
    // Counts the allocations of this thread during its lifetime.
    class Counting {
    public:
        explicit Counting(const std::shared_ptr<AllocationCounter> &counter)
            : m_guard(c10::DebugInfoKind::PROFILER_STATE, counter)
        {
        }

    private:
        c10::DebugInfoGuard m_guard;
    };

    explicit AllocationCounter(c10::Device device) : m_device(device) {}

    void reportMemoryUsage(void *, std::int64_t bytes, std::size_t, std::size_t, c10::Device device) override
    {
        if (device != m_device)
            return;
        m_now += bytes;
        m_peak = std::max(m_peak, m_now);
    }
    [[nodiscard]] bool memoryProfilingEnabled() const override { return true; }

    // The peak in bytes since the last call.
    [[nodiscard]] Bytes takePeak()
    {
        const Bytes peak = m_peak;
        m_peak = m_now;
        return peak;
    }

private:
    c10::Device m_device;
    Bytes m_now = 0, m_peak = 0;
};

} // namespace slipway
