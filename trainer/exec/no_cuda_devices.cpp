// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/cuda_devices.h"

namespace slipway {

Result<std::vector<CudaDevice>> cudaDevices()
{
    return Error{.what = "this program was built for the CPU (a build where nvcc and packaging/setup --cuda's LibTorch are found can do more)",
                 .where = "--device cuda", .accepted = "cpu, auto"};
}

} // namespace slipway
