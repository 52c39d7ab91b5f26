// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What people write for a GPU: "NVIDIA A100-SXM4-80GB", "8xA100 (80 GB)", "AMD Instinct MI300X OAM".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace slipway {

// The parts of a name: whoever sells the GPU, its generation of memory and how many of them there are say nothing
// about which it is.
struct GpuName {
    std::string chip; // "a100", "rtx6000ada"
    std::optional<int> gb;
    std::string form; // "sxm", "pcie", "nvl"; empty where it is not said
    bool operator==(const GpuName &) const = default;
};

GpuName readGpuName(std::string_view name);

// SXM GPUs come on boards of eight, PCIe GPUs of the same name one by one, and slower: this many at most are a
// machine that may well have these.
constexpr int kSmallMachine = 4;

// Whether a text says anywhere how its GPUs are mounted: "SXM5", "over PCIe", "HBM3", "NVLink", "DGX".
bool namesForm(std::string_view text);

} // namespace slipway
