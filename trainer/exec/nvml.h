// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What the driver says of a GPU: use, power, temperature, memory. Its library is opened at run time, so that the
// program starts where there is none.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"

namespace slipway {

struct GpuReading {
    std::optional<double> utilisation; // 0 to 100, as nvidia-smi counts
    std::optional<double> powerWatts, temperatureC;
    std::optional<Bytes> used; // by all processes
};

class Nvml {
public:
    // Null where there is no driver, or it has no such library.
    static std::unique_ptr<Nvml> open(const char *library = "libnvidia-ml.so.1");
    ~Nvml();
    Nvml(const Nvml &) = delete;
    Nvml &operator=(const Nvml &) = delete;

    // Devices by their UUID (CudaDevice): the driver counts those that CUDA_VISIBLE_DEVICES hides, too.
    [[nodiscard]] GpuReading read(const std::string &uuid) const;
    // How two devices are connected, "NVLink" or "PCIe"; empty where the driver does not say.
    [[nodiscard]] std::string linkBetween(const std::string &a, const std::string &b) const;

private:
    struct Functions;
    explicit Nvml(std::unique_ptr<Functions> functions);
    std::unique_ptr<Functions> m_functions;
};

} // namespace slipway
