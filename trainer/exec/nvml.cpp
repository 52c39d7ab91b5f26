// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Declares the few functions that are used, after NVIDIA's NVML API reference, because not every toolkit has its
// header.
#include "exec/nvml.h"

#include <dlfcn.h>

namespace slipway {

namespace {

using Handle = void *;
constexpr int kTemperatureOfGpu = 0, kTopologyP2pNvlink = 2, kClockOfMultiprocessors = 1;

} // namespace

struct Nvml::Functions {
    struct Utilisation {
        unsigned gpu, memory; // in percent
    };
    struct Memory {
        unsigned long long total, free, used;
    };
    // `reserved` is memory of the driver, which Memory counts as used; programs cannot allocate it.
    struct MemoryV2 {
        unsigned version;
        unsigned long long total, reserved, free, used;
    };
    static constexpr unsigned kMemoryV2 = sizeof(MemoryV2) | (2U << 24U);

    void *library = nullptr;
    int (*init)() = nullptr;
    int (*shutdown)() = nullptr;
    int (*handle)(const char *uuid, Handle *) = nullptr;
    int (*utilisation)(Handle, Utilisation *) = nullptr;
    int (*power)(Handle, unsigned *) = nullptr; // milliwatts
    int (*temperature)(Handle, int, unsigned *) = nullptr;
    int (*memory)(Handle, Memory *) = nullptr;
    // These functions are missing in some drivers.
    int (*memoryV2)(Handle, MemoryV2 *) = nullptr;
    int (*p2p)(Handle, Handle, int, int *) = nullptr;
    int (*clock)(Handle, int, unsigned *) = nullptr; // MHz
    int (*maxClock)(Handle, int, unsigned *) = nullptr;
    int (*throttleReasons)(Handle, unsigned long long *) = nullptr;

    template<typename Function>
    bool find(Function &function, const char *name)
    {
        function = reinterpret_cast<Function>(::dlsym(library, name));
        return function != nullptr;
    }
    [[nodiscard]] Handle of(const std::string &uuid) const
    {
        Handle found = nullptr;
        return handle(uuid.c_str(), &found) == 0 ? found : nullptr;
    }
};

Nvml::Nvml(std::unique_ptr<Functions> functions) : m_functions(std::move(functions)) {}

Nvml::~Nvml()
{
    m_functions->shutdown();
    ::dlclose(m_functions->library);
}

std::unique_ptr<Nvml> Nvml::open(const char *library)
{
    auto f = std::make_unique<Functions>();
    f->library = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!f->library)
        return nullptr;
    const bool complete =
        f->find(f->init, "nvmlInit_v2") && f->find(f->shutdown, "nvmlShutdown") &&
        f->find(f->handle, "nvmlDeviceGetHandleByUUID") && f->find(f->utilisation, "nvmlDeviceGetUtilizationRates") &&
        f->find(f->power, "nvmlDeviceGetPowerUsage") && f->find(f->temperature, "nvmlDeviceGetTemperature") &&
        f->find(f->memory, "nvmlDeviceGetMemoryInfo");
    f->find(f->memoryV2, "nvmlDeviceGetMemoryInfo_v2");
    f->find(f->p2p, "nvmlDeviceGetP2PStatus");
    f->find(f->clock, "nvmlDeviceGetClockInfo");
    f->find(f->maxClock, "nvmlDeviceGetMaxClockInfo");
    // Drivers before version 535 have only the second name, later ones have both.
    if (!f->find(f->throttleReasons, "nvmlDeviceGetCurrentClocksEventReasons"))
        f->find(f->throttleReasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
    if (!complete || f->init() != 0) {
        ::dlclose(f->library);
        return nullptr;
    }
    return std::unique_ptr<Nvml>(new Nvml(std::move(f)));
}

GpuReading Nvml::read(const std::string &uuid) const
{
    GpuReading reading;
    const Handle handle = m_functions->of(uuid);
    if (!handle)
        return reading;
    Functions::Utilisation use{};
    Functions::Memory memory{};
    unsigned value = 0;
    if (m_functions->utilisation(handle, &use) == 0)
        reading.utilisation = use.gpu;
    if (m_functions->power(handle, &value) == 0)
        reading.powerWatts = value / 1000.0;
    if (m_functions->temperature(handle, kTemperatureOfGpu, &value) == 0)
        reading.temperatureC = value;
    Functions::MemoryV2 detailed{.version = Functions::kMemoryV2, .total = 0, .reserved = 0, .free = 0, .used = 0};
    if (m_functions->memoryV2 && m_functions->memoryV2(handle, &detailed) == 0)
        reading.used = static_cast<Bytes>(detailed.used);
    else if (m_functions->memory(handle, &memory) == 0)
        reading.used = static_cast<Bytes>(memory.used);
    if (m_functions->clock && m_functions->clock(handle, kClockOfMultiprocessors, &value) == 0)
        reading.clockMhz = value;
    if (m_functions->maxClock && m_functions->maxClock(handle, kClockOfMultiprocessors, &value) == 0)
        reading.clockMaxMhz = value;
    unsigned long long reasons = 0;
    if (m_functions->throttleReasons && m_functions->throttleReasons(handle, &reasons) == 0)
        reading.throttleReasons = static_cast<std::int64_t>(reasons);
    return reading;
}

std::string Nvml::linkBetween(const std::string &a, const std::string &b) const
{
    const Handle first = m_functions->of(a), second = m_functions->of(b);
    int status = 0;
    if (!m_functions->p2p || !first || !second || m_functions->p2p(first, second, kTopologyP2pNvlink, &status) != 0)
        return {};
    return status == 0 ? "NVLink" : "PCIe";
}

} // namespace slipway
