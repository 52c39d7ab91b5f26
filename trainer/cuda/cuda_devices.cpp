// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/cuda_devices.h"

#include <string_view>

#include <cuda_runtime_api.h>

#include "hardware/cuda_driver.h"

static_assert(CUDART_VERSION / 1000 == slipway::kTrainerCuda, "the drivers of another CUDA are named to users");

namespace slipway {

namespace {

// Formats a UUID as nvidia-smi -L does.
std::string textOf(const cudaUUID_t &uuid)
{
    constexpr std::string_view kHexDigits = "0123456789abcdef";
    std::string text = "GPU";
    for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
        const auto byte = static_cast<unsigned char>(uuid.bytes[i]);
        if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10)
            text += '-';
        text += kHexDigits[byte >> 4U];
        text += kHexDigits[byte & 15U];
    }
    return text;
}

} // namespace

// Errors have the text of the CUDA runtime, except where that is misleading.
Result<std::vector<CudaDevice>> cudaDevices()
{
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess || count == 0) {
        cudaGetLastError(); // clears the error, which the next call would return again
        int driver = 0;     // stays 0 without a driver, which the runtime reports as a driver that is too old
        const bool noDriver = cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0;
        const std::string tooOld = status == cudaErrorInsufficientDriver ? driverTooOldForCuda(driver) : std::string();
        const std::string why = noDriver                ? "no NVIDIA driver was found"
                                : !tooOld.empty()       ? tooOld
                                : status == cudaSuccess ? "no CUDA-capable device is detected"
                                                        : cudaGetErrorString(status);
        return Error{.what = "there is no GPU to train on: " + why,
            .where = "--device cuda",
            .accepted = "cpu, auto",
            .fault = Fault::Outside};
    }
    std::vector<CudaDevice> devices;
    for (int i = 0; i < count; ++i) {
        cudaDeviceProp properties{};
        if (cudaGetDeviceProperties(&properties, i) == cudaSuccess)
            devices.push_back({properties.name, static_cast<Bytes>(properties.totalGlobalMem), properties.major,
                properties.minor, textOf(properties.uuid)});
    }
    return devices;
}

} // namespace slipway
