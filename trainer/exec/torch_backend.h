// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// LibTorch's ops (trainer/aten_ops) on a GPU, or on the CPU, where tests compare the same code with the reference. The
// arena is one tensor, and operands are views of it. Temporary tensors of ops come from LibTorch's caching allocator.
#pragma once

#include "exec/backend.h"

namespace slipway {

enum class TorchDevice { Cpu, Cuda };

Result<std::unique_ptr<Backend>> makeTorchBackend(
    TorchDevice device, const StepPlan &plan, const ModelSpec &model, Bytes arenaBytes, const DeviceOptions &options);

} // namespace slipway
