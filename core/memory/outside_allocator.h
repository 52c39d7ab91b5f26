// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Device memory that is in use outside the trainer's allocator.
#pragma once

#include "config/run_config.h"
#include "hardware/gpu.h"

namespace slipway {

struct OutsideAllocatorMemory {
    Bytes bytes = 0, p10 = 0, p90 = 0;
};

// On a GPU: the CUDA context and NCCL's buffers. The context is that of the catalogue, otherwise 0.55 GiB (0.47 to
// 0.92 GiB on an A100). Before PyTorch 2.0 all kernels were loaded at once: 1.78 GiB with 1.10. NCCL takes 1.0 GiB for
// the first communicator (0.5 to 1.6 GiB in NVIDIA/nccl issues 864 and 964) and 0.3 GiB for each further axis of the
// mesh (0.5 GiB on 4 A100; less with fewer channels). On a CPU: LibTorch's code and tables in the process.
OutsideAllocatorMemory outsideAllocatorMemory(const Gpu &gpu, const RunConfig &config);

// PyTorch's cuBLAS workspaces, which are inside its allocator: one for the thread of the forward pass and one for
// autograd's. Each has 8.125 MiB, or 32 MiB on Hopper and data-center Blackwell
// (aten/src/ATen/cuda/CublasHandlePool.cpp, ":4096:2:16:8"; pytorch/pytorch issues 89027 and 175344). The plan of our
// own trainer contains its workspace.
Bytes cublasWorkspaces(const Gpu &gpu, const RunConfig &config);

} // namespace slipway
