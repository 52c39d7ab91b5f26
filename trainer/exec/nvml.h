// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Reads utilization, power, temperature, memory and clock of GPUs by NVML. The library is loaded at run time, so that
// the program starts without it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"

namespace slipway {

struct GpuReading {
    std::optional<double> utilisation; // in percent, as nvidia-smi shows it
    std::optional<double> powerWatts, temperatureC;
    std::optional<Bytes> used;                   // device memory of all processes
    std::optional<double> clockMhz, clockMaxMhz; // of the multiprocessors: current and highest
    std::optional<std::int64_t> throttleReasons; // bits of nvmlClocksEventReason*
};

class Nvml {
public:
    // Null without a driver or its library.
    static std::unique_ptr<Nvml> open(const char *library = "libnvidia-ml.so.1");
    ~Nvml();
    Nvml(const Nvml &) = delete;
    Nvml &operator=(const Nvml &) = delete;

    // Devices are named by UUID (CudaDevice), as NVML's numbers ignore CUDA_VISIBLE_DEVICES.
    [[nodiscard]] GpuReading read(const std::string &uuid) const;
    // The connection of two devices, "NVLink" or "PCIe"; empty if unknown.
    [[nodiscard]] std::string linkBetween(const std::string &a, const std::string &b) const;

private:
    struct Functions;
    explicit Nvml(std::unique_ptr<Functions> functions);
    std::unique_ptr<Functions> m_functions;
};

} // namespace slipway
