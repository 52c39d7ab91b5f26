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

// GPU: the CUDA context (catalogue, else 0.55 GiB: 0.47 to 0.92 GiB on an A100) and, with several ranks, the first
// communicator's buffers (1.0 GiB: 0.5 to 1.6 GiB in NVIDIA/nccl issues 864 and 964).
// Processor: LibTorch's code and tables in the process.
OutsideAllocator outsideAllocator(const Gpu &gpu, int ranks);

} // namespace slipway
