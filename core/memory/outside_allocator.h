// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Device memory that is in use outside the trainer's allocator.
#pragma once

#include "config/run_config.h"
#include "hardware/gpu.h"
#include "hardware/speed_rates.h"

namespace slipway {

struct OutsideAllocatorMemory {
    Bytes bytes = 0, p10 = 0, p90 = 0;
};

// On a GPU: the CUDA context, that of the catalogue if it has one, and NCCL's buffers, for which catalogue/rates.yaml
// has the sources. On a CPU: LibTorch's code and tables in the process.
OutsideAllocatorMemory outsideAllocatorMemory(const Gpu &gpu, const RunConfig &config, const SpeedRates &rates);

// PyTorch's cuBLAS workspaces, which are inside its allocator: one for the thread of the forward pass and one for
// autograd's. Each has 8.125 MiB, or 32 MiB on Hopper and data-center Blackwell
// (aten/src/ATen/cuda/CublasHandlePool.cpp, ":4096:2:16:8"; pytorch/pytorch issues 89027 and 175344). The plan of our
// own trainer contains its workspace.
Bytes cublasWorkspaces(const Gpu &gpu, const RunConfig &config);

} // namespace slipway
