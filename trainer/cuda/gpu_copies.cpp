// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/gpu_copies.h"

#include <stdexcept>
#include <string>

#include <cuda_runtime_api.h>

#include "cuda/cuda_event.h"
#include "exec/cuda_devices.h"

namespace slipway {
namespace {

constexpr std::size_t kBytes = std::size_t{256} << 20;
constexpr int kCopies = 4;

void check(cudaError_t error)
{
    if (error != cudaSuccess)
        throw std::runtime_error(cudaGetErrorString(error));
}

// Memory of a GPU or pinned host memory.
class Memory {
public:
    explicit Memory(int device) : m_device(device)
    {
        if (device < 0)
            check(cudaMallocHost(&m_data, kBytes));
        else
            check(cudaSetDevice(device)), check(cudaMalloc(&m_data, kBytes));
    }
    ~Memory() { m_device < 0 ? cudaFreeHost(m_data) : cudaFree(m_data); }
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;
    [[nodiscard]] void *data() const { return m_data; }

private:
    int m_device;
    void *m_data = nullptr;
};

CopyRate measure(int from, int to)
{
    const Memory source(from), target(to);
    CopyRate link{.from = from, .to = to};
    check(cudaSetDevice(from < 0 ? to : from));
    if (from >= 0 && to >= 0) {
        int possible = 0;
        check(cudaDeviceCanAccessPeer(&possible, from, to));
        link.direct = possible != 0;
        if (possible && cudaDeviceEnablePeerAccess(to, 0) != cudaSuccess)
            cudaGetLastError(); // peer access was already enabled; clears the error
    }
    const auto copy = [&] { check(cudaMemcpyAsync(target.data(), source.data(), kBytes, cudaMemcpyDefault, nullptr)); };
    const CudaEvent begin, end;
    copy(); // warm-up
    begin.record(nullptr);
    for (int i = 0; i < kCopies; ++i)
        copy();
    end.record(nullptr);
    end.wait();
    link.bytesPerSecond = kCopies * static_cast<double>(kBytes) / end.secondsSince(begin);
    return link;
}

} // namespace

Result<std::vector<CopyRate>> measureCopies()
{
    const Result<std::vector<CudaDevice>> devices = cudaDevices();
    if (!devices)
        return devices.error();
    std::vector<CopyRate> links;
    const auto count = static_cast<int>(devices->size());
    try {
        for (int from = -1; from < count; ++from) {
            for (int to = -1; to < count; ++to) {
                if (from != to)
                    links.push_back(measure(from, to));
            }
        }
    } catch (const std::runtime_error &error) {
        return Error{.what = std::string("a copy between devices failed: ") + error.what(),
            .where = "--link",
            .fault = Fault::Outside};
    }
    return links;
}

} // namespace slipway
