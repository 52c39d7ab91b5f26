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

// GPU: the CUDA context (catalogue, else 0.55 GiB: 0.47 to 0.92 GiB on an A100; before PyTorch 2.0 all kernels were loaded at
// once: 1.78 GiB with 1.10) and buffers of NCCL: 1.0 GiB for the first communicator (0.5 to 1.6 GiB in NVIDIA/nccl issues
// 864 and 964) and 0.3 GiB for each further axis of ranks (0.5 GiB on 4 A100; less on fewer channels).
// Processor: LibTorch's code and tables in the process.
OutsideAllocator outsideAllocator(const Gpu &gpu, const RunConfig &config);

} // namespace slipway
