// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Copies, on the host, of the offsets at which the rows of each expert begin. The device computes them, and the host
// needs them for the sizes of GEMMs and messages. The host waits for the device when it first needs the offsets of a
// layer, and later ops of this layer use the same copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

namespace slipway {

class HostOffsets {
public:
    // `reportDeviceWait` is called before the host waits.
    HostOffsets(at::Device device, std::function<void()> reportDeviceWait)
        : m_device(device),
          m_waitsForDevice(std::move(reportDeviceWait))
    {
    }

    // Call it when an op that writes offsets to this address of the device has been launched.
    void written(const std::byte *address) { m_copies[address].clear(); }
    // The `count` offsets that the latest such op wrote. Empty if there was none, as when ops are prepared before the
    // first step. Valid until the next call of written() with this address.
    std::span<const std::int32_t> at(const std::byte *address, std::int64_t count);

private:
    at::Device m_device;
    std::function<void()> m_waitsForDevice;
    std::map<const std::byte *, std::vector<std::int32_t>> m_copies; // empty: not copied since they were written
};

} // namespace slipway
