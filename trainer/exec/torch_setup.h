// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What is found out about LibTorch's device, and what its libraries load and take, before the arena is made.
#pragma once

#include <memory>
#include <string>

#include "exec/attention_choice.h"
#include "exec/device_streams.h"
#include "exec/torch_backend.h"
#include "exec/torch_op_table.h"

namespace slipway {

at::Device deviceOf(TorchDevice device, int place);

// The lanes' streams, where the device has any. The processor has those of a device that the program has registered
// with LibTorch as PrivateUse1: a test's, which sees on which stream each op would run.
std::unique_ptr<DeviceStreams> streamsFor(at::Device device);

// cuBLAS repeats its results with a workspace of its own for each stream alone, and LibTorch asks for the variable.
void makeDeterministic();

// cuDNN's is faster from Hopper on (compute capability 9). Its backward pass adds in any order. A plan without
// attention that cuDNN could run asks nobody. All ranks take the same.
AttentionChoice attentionOf(
    at::Device device, const StepPlan &plan, const ModelSpec &model, const DeviceChoice &choice);

TorchContext contextOf(at::Device device, const StepPlan &plan, const ModelSpec &model, aten_ops::FlashKernel attention,
    const DeviceChoice &choice);

// Requested, in use, and the library's own words.
std::string outOfMemory(Bytes arena, const std::string &words, at::Device device);

// Runs what is first used before the arena is made, where collectives run.
OutsideMemory takeFirst(at::Device device, DeviceStreams *streams, const DeviceChoice &choice);

} // namespace slipway
