// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Prepares a LibTorch device before the arena is allocated: streams, libraries, choice of implementations.
#pragma once

#include <memory>
#include <string>

#include "exec/attention_choice.h"
#include "exec/device_streams.h"
#include "exec/torch_backend.h"
#include "exec/torch_op_table.h"

namespace slipway {

at::Device deviceOf(TorchDevice device, int place);

// The two streams of a step; null if the device has no streams. On the CPU it uses the streams of a device that a test
// has registered with LibTorch as PrivateUse1, to see on which stream each op would run.
std::unique_ptr<DeviceStreams> streamsFor(at::Device device);

// Sets the variable that makes cuBLAS deterministic, as LibTorch requires (CUBLAS_WORKSPACE_CONFIG).
void makeDeterministic();

// The attention kernel, the same on all ranks. cuDNN's is faster from Hopper (compute capability 9) on, but its
// backward pass is not deterministic. A plan whose attention cuDNN does not support makes no collective call.
AttentionChoice attentionOf(
    at::Device device, const StepPlan &plan, const ModelSpec &model, const DeviceOptions &options);

TorchContext contextOf(at::Device device, const StepPlan &plan, const ModelSpec &model, aten_ops::FlashKernel attention,
    const DeviceOptions &options);

// The message of a failed allocation: requested memory, memory in use, and the library's message `words`.
std::string outOfMemory(Bytes arena, const std::string &words, at::Device device);

// Runs options.firstUse on the stream of the collectives.
OutsideMemory runFirstUse(at::Device device, DeviceStreams *streams, const DeviceOptions &options);

} // namespace slipway
