// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The GPUs that this program can use.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace slipway {

struct CudaDevice {
    std::string name; // "NVIDIA H100 80GB HBM3"
    Bytes memory = 0;
    int major = 0, minor = 0; // compute capability
    std::string uuid;         // "GPU-8f3c...", which does not depend on CUDA_VISIBLE_DEVICES
};

// From Ada and Hopper on (CUDA C++ Programming Guide, compute capabilities).
[[nodiscard]] constexpr bool hasFp8Gemms(int major, int minor) { return major > 8 || (major == 8 && minor >= 9); }

// At least one GPU, or an error with the reason: a program built without CUDA, no driver, no GPU.
Result<std::vector<CudaDevice>> cudaDevices();

} // namespace slipway
