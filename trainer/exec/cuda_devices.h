// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The GPUs that this program can train on.
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
    std::string uuid;         // "GPU-8f3c..." as the driver names it, whatever CUDA_VISIBLE_DEVICES hides
};

// One or more, or an error that says why there is none: a program built without CUDA, no driver, no GPU.
Result<std::vector<CudaDevice>> cudaDevices();

} // namespace slipway
