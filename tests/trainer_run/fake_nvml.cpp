// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A driver's library with one GPU, "GPU-1", as NVIDIA's NVML API reference describes it; "GPU-2" is there but says
// nothing.
#include <cstring>

namespace {

constexpr int kSuccess = 0, kNotSupported = 3, kNotFound = 6;
int first = 1, second = 2;

} // namespace

extern "C" {

int nvmlInit_v2() { return kSuccess; }
int nvmlShutdown() { return kSuccess; }
int nvmlDeviceGetHandleByUUID(const char *uuid, void **device)
{
    *device = std::strcmp(uuid, "GPU-1") == 0 ? &first : &second;
    return std::strncmp(uuid, "GPU-", 4) == 0 ? kSuccess : kNotFound;
}
int nvmlDeviceGetUtilizationRates(void *device, unsigned *rates)
{
    rates[0] = 97; // of time, per cent
    rates[1] = 40; // memory
    return device == &first ? kSuccess : kNotSupported;
}
int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts)
{
    *milliwatts = 650'500;
    return device == &first ? kSuccess : kNotSupported;
}
int nvmlDeviceGetTemperature(void *device, int, unsigned *celsius)
{
    *celsius = 61;
    return device == &first ? kSuccess : kNotSupported;
}
int nvmlDeviceGetMemoryInfo(void *device, unsigned long long *memory)
{
    memory[0] = 80ULL << 30U; // total
    memory[1] = 16ULL << 30U; // free
    memory[2] = 64ULL << 30U; // used
    return device == &first ? kSuccess : kNotSupported;
}
struct Apart {
    unsigned version;
    unsigned long long total, reserved, free, used;
};
int nvmlDeviceGetMemoryInfo_v2(void *device, Apart *memory)
{
    if (device != &first || memory->version != (sizeof(Apart) | (2U << 24U)))
        return kNotSupported;
    memory->total = 80ULL << 30U;
    memory->reserved = 1ULL << 30U;
    memory->free = 16ULL << 30U;
    memory->used = 63ULL << 30U;
    return kSuccess;
}
int nvmlDeviceGetClockInfo(void *device, int type, unsigned *mhz)
{
    *mhz = type == 1 ? 1'410 : 2'619; // multiprocessors, memory
    return device == &first ? kSuccess : kNotSupported;
}
int nvmlDeviceGetMaxClockInfo(void *device, int type, unsigned *mhz)
{
    *mhz = type == 1 ? 1'980 : 2'619;
    return device == &first ? kSuccess : kNotSupported;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons)
{
    *reasons = 4; // the power limit
    return device == &first ? kSuccess : kNotSupported;
}
int nvmlDeviceGetP2PStatus(void *, void *, int, int *status)
{
    *status = 0;
    return kSuccess;
}
}
