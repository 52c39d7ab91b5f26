// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What the driver says of a run's GPUs, read by a thread of its own: it may take milliseconds, and a step waits for
// nobody.
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

class GpuWatch {
public:
    static constexpr Seconds kPause = 0.5; // the driver itself averages over a tenth of a second and more

    // Null where there is no driver. The devices by their UUID.
    static std::unique_ptr<GpuWatch> start(
        std::vector<std::string> gpus, std::unique_ptr<Nvml> driver = Nvml::open(), Seconds pause = kPause);

    // In the order of the devices.
    [[nodiscard]] std::vector<GpuSample> newest() const;

private:
    GpuWatch(std::vector<std::string> gpus, std::unique_ptr<Nvml> driver);
    void read();

    std::vector<std::string> m_gpus;
    std::unique_ptr<Nvml> m_driver;
    mutable std::mutex m_mutex;
    std::vector<GpuSample> m_newest;
    PollingThread m_polling; // last: it ends first
};

} // namespace slipway
