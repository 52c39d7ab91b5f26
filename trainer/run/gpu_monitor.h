// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Reads the state of a run's GPUs from the driver on a separate thread, because it may take milliseconds and must not
// delay a step.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/units.h"
#include "comm/polling_thread.h"
#include "exec/nvml.h"
#include "runs/run_directory.h"

namespace slipway {

class GpuMonitor {
public:
    static constexpr Seconds kPause = 0.5; // the driver averages over at least 0.1 s

    // Null without a driver. `gpus` are UUIDs.
    static std::unique_ptr<GpuMonitor> start(
        std::vector<std::string> gpus, std::unique_ptr<Nvml> driver = Nvml::open(), Seconds pause = kPause);

    // The latest samples, in the order of `gpus`.
    [[nodiscard]] std::vector<GpuSample> latest() const;

private:
    GpuMonitor(std::vector<std::string> gpus, std::unique_ptr<Nvml> driver);
    void read();

    std::vector<std::string> m_gpus;
    std::unique_ptr<Nvml> m_driver;
    mutable std::mutex m_mutex;
    std::vector<GpuSample> m_latest;
    PollingThread m_polling; // last member: its thread uses the others
};

} // namespace slipway
