// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <stdexcept>
#include <string>

#include <cuda_runtime_api.h>

namespace slipway {

// Throws if a call of the CUDA runtime failed.
inline void checkCuda(cudaError_t error, const char *call)
{
    if (error != cudaSuccess)
        throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(error));
}

} // namespace slipway
