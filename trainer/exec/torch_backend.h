// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// LibTorch's ops (trainer/aten_ops) on a GPU, or on the CPU, where tests hold the same code against the oracle. The
// arena is one tensor; ops see parts of it. What they allocate for a moment comes from LibTorch's caching allocator.
#pragma once

#include "exec/backend.h"

namespace slipway {

enum class TorchDevice { Cpu, Cuda };

Result<std::unique_ptr<Backend>> makeTorchBackend(
    TorchDevice device, const StepPlan &plan, const ModelSpec &model, Bytes arenaBytes, DeviceChoice choice);

} // namespace slipway
