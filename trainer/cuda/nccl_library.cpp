// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <dlfcn.h>

#include <cuda_runtime_api.h>

#include "comm/nccl_group.h"
#include "cuda/nccl_api.h"
#include "exec/cuda_devices.h"

namespace slipway {
namespace {

std::function<bool()> markOn(void *stream)
{
    cudaEvent_t event = nullptr;
    if (cudaEventCreateWithFlags(&event, cudaEventDisableTiming) != cudaSuccess || cudaEventRecord(event, static_cast<cudaStream_t>(stream)) != cudaSuccess)
        throw std::runtime_error(std::string("an event on a stream: ") + cudaGetErrorString(cudaGetLastError()));
    const std::shared_ptr<void> kept(event, [](void *old) { cudaEventDestroy(static_cast<cudaEvent_t>(old)); });
    return [kept] { return cudaEventQuery(static_cast<cudaEvent_t>(kept.get())) != cudaErrorNotReady; };
}

template<typename Function>
void find(void *library, Function &function, const char *name, std::string &missing)
{
    function = reinterpret_cast<Function>(::dlsym(library, name));
    if (!function)
        missing += std::string(missing.empty() ? "" : ", ") + name;
}

Result<std::shared_ptr<const NcclApi>> loadNccl()
{
    void *const library = ::dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL); // stays: LibTorch has it anyway
    if (!library)
        return Error{.what = std::string("NCCL is not there: ") + ::dlerror(), .where = "communicator: nccl", .accepted = "gloo, threads", .fault = Fault::Outside};
    auto api = std::make_shared<NcclApi>();
    std::string missing;
    find(library, api->getUniqueId, "ncclGetUniqueId", missing);
    find(library, api->commInitRankConfig, "ncclCommInitRankConfig", missing);
    find(library, api->commGetAsyncError, "ncclCommGetAsyncError", missing);
    find(library, api->commFinalize, "ncclCommFinalize", missing);
    find(library, api->commDestroy, "ncclCommDestroy", missing);
    find(library, api->commAbort, "ncclCommAbort", missing);
    find(library, api->allReduce, "ncclAllReduce", missing);
    find(library, api->reduceScatter, "ncclReduceScatter", missing);
    find(library, api->allGather, "ncclAllGather", missing);
    find(library, api->getErrorString, "ncclGetErrorString", missing);
    if (!missing.empty())
        return Error{.what = "this NCCL is too old: it has no " + missing, .where = "communicator: nccl", .accepted = "NCCL 2.18 or newer", .fault = Fault::Outside};
    api->mark = markOn;
    return std::shared_ptr<const NcclApi>(std::move(api));
}

// Of this rank: its GPU is chosen, and no other rank's.
Result<void> chooseDevice(const Communicator &control)
{
    const Result<std::vector<CudaDevice>> devices = cudaDevices();
    if (!devices)
        return devices.error();
    if (control.ranksInMachine() > std::ssize(*devices))
        return Error{.what = std::to_string(control.ranksInMachine()) + " ranks on a machine with " + std::to_string(devices->size()) + " GPUs: NCCL wants one for each",
                     .where = "communicator: nccl", .accepted = "gloo, threads, auto"};
    if (const cudaError_t status = cudaSetDevice(control.placeInMachine()); status != cudaSuccess)
        return Error{.what = std::string("GPU ") + std::to_string(control.placeInMachine()) + ": " + cudaGetErrorString(status), .where = "--device cuda", .fault = Fault::Outside};
    return {};
}

} // namespace

std::string ncclMissing() { return {}; }

Result<std::unique_ptr<Communicator>> withNccl(std::unique_ptr<Communicator> &control, const Rendezvous &rendezvous)
{
    Result<std::shared_ptr<const NcclApi>> api = loadNccl();
    const Result<void> ready = api ? chooseDevice(*control) : Result<void>(api.error());
    // One that cannot tells the others: they would wait for it.
    float unable = ready ? 0 : 1;
    control->allReduceSum({&unable, 1});
    if (!ready)
        return ready.error();
    if (unable > 0)
        return Error{.what = "a rank has no GPU to itself", .where = "communicator: nccl", .accepted = "gloo, auto"};
    return joinNccl(std::move(*api), std::move(control), rendezvous);
}

} // namespace slipway
