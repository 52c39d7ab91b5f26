// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The functions of NCCL that are called, found at run time: in the copy that LibTorch has loaded, never in a second
// one. Tests put their own here.
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
    // Between two questions whether a call is over.
    std::function<void(std::chrono::microseconds)> sleep = [](std::chrono::microseconds pause) {
        std::this_thread::sleep_for(pause);
    };
    // Puts a mark on a stream; the answer says whether the device has passed it, to any thread.
    std::function<std::function<bool()>(void *stream)> mark;
};

// Tells the other ranks which GPU this one has, by its UUID; empty: none. The same answer for all: an error where a
// rank has none or two have the same, which NCCL refuses.
Result<void> eachHasItsOwn(Communicator &control, const std::string &device);

// Once all ranks have a GPU: joins them. Not thread-safe but for the watching within.
Result<std::unique_ptr<Communicator>> joinNccl(
    std::shared_ptr<const NcclApi> api, std::unique_ptr<Communicator> control, const Rendezvous &rendezvous);

} // namespace slipway
