// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/cuda_devices.h"

namespace slipway {

Result<std::vector<CudaDevice>> cudaDevices()
{
    return Error{.what = "this program was built for the CPU", .where = "--device cuda",
                 .accepted = "cpu, auto; or a build where nvcc and LibTorch for CUDA are found (packaging/setup --cuda)"};
}

} // namespace slipway
