// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include <cuda_runtime_api.h>

namespace slipway {

class CudaEventFailed : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// An event of the current device, destroyed with its owner. Failures throw CudaEventFailed, and leave no error that a
// later call would report (cudaGetLastError).
class CudaEvent {
public:
    explicit CudaEvent(unsigned flags = cudaEventDefault)
    {
        check(cudaEventCreateWithFlags(&m_event, flags), "cudaEventCreateWithFlags");
    }
    CudaEvent(CudaEvent &&other) noexcept : m_event(std::exchange(other.m_event, nullptr)) {}
    CudaEvent &operator=(CudaEvent &&other) noexcept
    {
        std::swap(m_event, other.m_event);
        return *this;
    }
    ~CudaEvent()
    {
        if (m_event)
            cudaEventDestroy(m_event);
    }

    [[nodiscard]] cudaEvent_t get() const { return m_event; }

    void record(cudaStream_t stream, unsigned flags = cudaEventRecordDefault) const
    {
        check(cudaEventRecordWithFlags(m_event, stream, flags), "cudaEventRecordWithFlags");
    }

    void wait() const { check(cudaEventSynchronize(m_event), "cudaEventSynchronize"); }

    // The seconds between two events that the device has reached.
    [[nodiscard]] double secondsSince(const CudaEvent &begin) const
    {
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, begin.m_event, m_event), "cudaEventElapsedTime");
        return static_cast<double>(milliseconds) * 1e-3;
    }

private:
    static void check(cudaError_t error, const char *call)
    {
        if (error != cudaSuccess) {
            cudaGetLastError();
            throw CudaEventFailed(std::string(call) + ": " + cudaGetErrorString(error));
        }
    }

    cudaEvent_t m_event = nullptr;
};

} // namespace slipway
