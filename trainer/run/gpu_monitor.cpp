// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/gpu_monitor.h"

#include <utility>

namespace slipway {

GpuMonitor::GpuMonitor(std::vector<std::string> gpus, std::unique_ptr<Nvml> driver)
    : m_gpus(std::move(gpus)),
      m_driver(std::move(driver))
{
}

std::unique_ptr<GpuMonitor> GpuMonitor::start(
    std::vector<std::string> gpus, std::unique_ptr<Nvml> driver, Seconds pause)
{
    if (!driver || gpus.empty())
        return nullptr;
    std::unique_ptr<GpuMonitor> watch(new GpuMonitor(std::move(gpus), std::move(driver)));
    watch->read();
    watch->m_polling.start(pause, [own = watch.get()] {
        own->read();
        return true;
    });
    return watch;
}

std::vector<GpuSample> GpuMonitor::latest() const
{
    const std::lock_guard lock(m_mutex);
    return m_latest;
}

void GpuMonitor::read()
{
    std::vector<GpuSample> samples;
    for (const std::string &gpu : m_gpus) {
        const GpuReading reading = m_driver->read(gpu);
        samples.push_back({.utilisation = reading.utilisation,
            .powerWatts = reading.powerWatts,
            .temperatureC = reading.temperatureC,
            .used = reading.used,
            .clockMhz = reading.clockMhz,
            .clockMaxMhz = reading.clockMaxMhz,
            .throttleReasons = reading.throttleReasons});
    }
    const std::lock_guard lock(m_mutex);
    m_latest = std::move(samples);
}

} // namespace slipway
