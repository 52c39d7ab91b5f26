// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a device shows in use beyond the trainer's arena.
#pragma once

#include "config/run_config.h"
#include "hardware/gpu.h"

namespace slipway {

struct OutsideAllocator {
    Bytes bytes = 0, p10 = 0, p90 = 0;
};

// GPU: the CUDA context (catalogue, else 0.55 GiB: 0.47 to 0.92 GiB on an A100; before PyTorch 2.0 all kernels were
// loaded at once: 1.78 GiB with 1.10) and buffers of NCCL: 1.0 GiB for the first communicator (0.5 to 1.6 GiB in
// NVIDIA/nccl issues 864 and 964) and 0.3 GiB for each further axis of ranks (0.5 GiB on 4 A100; less on fewer
// channels). Processor: LibTorch's code and tables in the process.
OutsideAllocator outsideAllocator(const Gpu &gpu, const RunConfig &config);

// What PyTorch keeps for cuBLAS inside its allocator, once for the thread that runs forward and once for
// autograd's: 8.125 MiB each, 32 MiB on Hopper and data-centre Blackwell (aten/src/ATen/cuda/CublasHandlePool.cpp,
// ":4096:2:16:8"; pytorch/pytorch issues 89027 and 175344). Our own trainer's plan counts its own.
Bytes cublasWorkspaces(const Gpu &gpu, const RunConfig &config);

} // namespace slipway
