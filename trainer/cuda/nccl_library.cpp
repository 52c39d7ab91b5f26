// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <cuda_runtime_api.h>

#include "comm/nccl_group.h"
#include "cuda/cuda_event.h"
#include "cuda/found_function.h"
#include "cuda/nccl_api.h"
#include "exec/cuda_devices.h"

namespace slipway {
namespace {

std::function<bool()> markOn(void *stream)
{
    const auto event = std::make_shared<const CudaEvent>(cudaEventDisableTiming);
    event->record(static_cast<cudaStream_t>(stream));
    int device = 0;
    cudaGetDevice(&device);
    // Called from another thread, which must select the device, or a context that is not needed would be created on the
    // first GPU.
    return [event, device] {
        return cudaSetDevice(device) != cudaSuccess || cudaEventQuery(event->get()) != cudaErrorNotReady;
    };
}

Result<std::shared_ptr<const NcclApi>> loadNccl()
{
    Loaded<NcclApi> nccl = loadLibrary<NcclApi>("libnccl.so.2", [](NcclApi &api, const auto &find) {
        find(api.getUniqueId, "ncclGetUniqueId");
        find(api.commInitRankConfig, "ncclCommInitRankConfig");
        find(api.commGetAsyncError, "ncclCommGetAsyncError");
        find(api.commFinalize, "ncclCommFinalize");
        find(api.commDestroy, "ncclCommDestroy");
        find(api.commAbort, "ncclCommAbort");
        find(api.allReduce, "ncclAllReduce");
        find(api.reduceScatter, "ncclReduceScatter");
        find(api.allGather, "ncclAllGather");
        find(api.send, "ncclSend");
        find(api.receive, "ncclRecv");
        find(api.groupStart, "ncclGroupStart");
        find(api.groupEnd, "ncclGroupEnd");
        find(api.getErrorString, "ncclGetErrorString");
        find(api.getLastError, "ncclGetLastError");
    });
    if (!nccl.api)
        return Error{.what = "NCCL " + nccl.why,
            .where = "communicator: nccl",
            .accepted = "gloo, threads, or NCCL 2.18 or newer",
            .fault = Fault::Outside};
    nccl.api->mark = markOn;
    return std::shared_ptr<const NcclApi>(std::move(nccl.api));
}

// Selects the GPU of this rank and returns its UUID: ranks take the visible GPUs in order, as in the executor. If the
// job gives each rank a GPU of its own, that is its first visible one.
Result<std::string> chooseDevice(const Communicator &control)
{
    const Result<std::vector<CudaDevice>> devices = cudaDevices();
    if (!devices)
        return devices.error();
    const int place = control.localRank() % static_cast<int>(devices->size());
    if (const cudaError_t status = cudaSetDevice(place); status != cudaSuccess)
        return Error{.what = std::string("GPU ") + std::to_string(place) + ": " + cudaGetErrorString(status),
            .where = "--device cuda",
            .fault = Fault::Outside};
    return (*devices)[static_cast<std::size_t>(place)].uuid;
}

} // namespace

std::string ncclMissing() { return {}; }

Result<std::unique_ptr<Communicator>> withNccl(std::unique_ptr<Communicator> &control, const Rendezvous &rendezvous)
{
    control->reportLoading("loading NCCL");
    Result<std::shared_ptr<const NcclApi>> api = loadNccl();
    control->reportLoading("starting its GPU");
    const Result<std::string> device = api ? chooseDevice(*control) : Result<std::string>(api.error());
    // A rank that cannot use its GPU must tell the others, which would otherwise wait for it.
    const Result<void> apart = requireDistinctDevices(*control, device.valueOr({}));
    if (!device)
        return device.error();
    if (!apart)
        return apart.error();
    return joinNccl(std::move(*api), std::move(control), rendezvous);
}

} // namespace slipway
