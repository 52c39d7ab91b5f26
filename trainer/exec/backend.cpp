// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/backend.h"

#include "exec/cuda_devices.h"
#include "exec/host_backend.h"
#include "exec/plan_checks.h"
#include "exec/torch_backend.h"
#include "exec/torch_op_table.h"

namespace slipway {

bool executes(BackendKind backend, const Kernel &kernel)
{
    if (backend == BackendKind::Host)
        return kernel.type != DType::Bf16 && kernel.type != DType::Fp8 && opFunction(kernel.kind) != nullptr;
    return torchOpFunction(kernel.kind) != nullptr;
}

Result<std::unique_ptr<Backend>> makeBackend(
    BackendKind kind, const StepPlan &plan, const ModelSpec &model, Bytes arenaBytes, DeviceOptions options)
{
    switch (kind) {
    case BackendKind::Host:
        return makeHostBackend(arenaBytes);
    case BackendKind::TorchCpu:
        return makeTorchBackend(TorchDevice::Cpu, plan, model, arenaBytes, options);
    case BackendKind::Cuda: {
        const Result<std::vector<CudaDevice>> devices = cudaDevices();
        if (!devices)
            return devices.error();
        options.shared = options.ranksInProcess > static_cast<int>(devices->size());
        options.localRank %= static_cast<int>(devices->size());
        const CudaDevice &device = (*devices)[static_cast<std::size_t>(options.localRank)];
        if (const Result<void> capable = checkCapability(plan, device.name, device.major, device.minor); !capable)
            return capable.error();
        return makeTorchBackend(TorchDevice::Cuda, plan, model, arenaBytes, options);
    }
    }
    throw std::logic_error("a backend without a maker");
}

Result<BackendKind> backendFor(DeviceKind device)
{
    if (device == DeviceKind::Cpu)
        return BackendKind::Host;
    const Result<std::vector<CudaDevice>> devices = cudaDevices();
    if (devices)
        return BackendKind::Cuda;
    return device == DeviceKind::Cuda ? Result<BackendKind>(devices.error()) : BackendKind::Host;
}

} // namespace slipway
