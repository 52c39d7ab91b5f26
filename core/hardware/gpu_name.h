// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Parses the names that people use for a GPU: "NVIDIA A100-SXM4-80GB", "8xA100 (80 GB)", "AMD Instinct MI300X OAM".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace slipway {

// The parts of a GPU's name. Vendor, memory generation and count are left out, because they do not identify the GPU.
struct GpuName {
    std::string chip; // "a100", "rtx6000ada"
    std::optional<int> gb;
    std::string form; // "sxm", "pcie", "nvl"; empty if the name does not contain one
    bool operator==(const GpuName &) const = default;
};

GpuName readGpuName(std::string_view name);

// SXM GPUs come on boards of eight. A machine with at most this many GPUs may have the slower PCIe GPUs of the same
// name.
constexpr int kSmallMachine = 4;

// Whether a text contains the form factor of its GPUs: "SXM5", "over PCIe", "HBM3", "NVLink", "DGX".
bool mentionsFormFactor(std::string_view text);

} // namespace slipway
