// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The functions of NCCL, looked up at run time in the library that LibTorch has loaded. Tests pass their own.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include <nccl.h>

#include "base/result.h"
#include "comm/communicator.h"
#include "comm/rendezvous.h"

namespace slipway {

struct NcclApi {
    decltype(&ncclGetUniqueId) getUniqueId = nullptr;
    decltype(&ncclCommInitRankConfig) commInitRankConfig = nullptr;
    decltype(&ncclCommGetAsyncError) commGetAsyncError = nullptr;
    decltype(&ncclCommFinalize) commFinalize = nullptr;
    decltype(&ncclCommDestroy) commDestroy = nullptr;
    decltype(&ncclCommAbort) commAbort = nullptr;
    decltype(&ncclAllReduce) allReduce = nullptr;
    decltype(&ncclReduceScatter) reduceScatter = nullptr;
    decltype(&ncclAllGather) allGather = nullptr;
    decltype(&ncclSend) send = nullptr;
    decltype(&ncclRecv) receive = nullptr;
    decltype(&ncclGroupStart) groupStart = nullptr;
    decltype(&ncclGroupEnd) groupEnd = nullptr;
    decltype(&ncclGetErrorString) getErrorString = nullptr;
    decltype(&ncclGetLastError) getLastError = nullptr;
    // Called between two checks whether a call has ended.
    std::function<void(std::chrono::microseconds)> sleep = [](std::chrono::microseconds pause) {
        std::this_thread::sleep_for(pause);
    };
    // Records an event on a stream. The result tells any thread whether the device has passed it.
    std::function<std::function<bool()>(void *stream)> mark;
};

// Exchanges the UUIDs of the ranks' GPUs; an empty one means no GPU. Returns an error on all ranks if a rank has no GPU
// or two ranks have the same one, which NCCL refuses.
Result<void> requireDistinctDevices(Communicator &control, const std::string &device);

// Joins ranks that each have a GPU. The result is not thread-safe.
Result<std::unique_ptr<Communicator>> joinNccl(
    std::shared_ptr<const NcclApi> api, std::unique_ptr<Communicator> control, const Rendezvous &rendezvous);

} // namespace slipway
