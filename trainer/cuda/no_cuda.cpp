// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Replaces the other files of this folder in programs for the CPU.
#include "comm/nccl_group.h"
#include "exec/cuda_devices.h"
#include "exec/gpu_copies.h"
#include "exec/step_graph.h"
#include "fused_ops/fused_ops.h"
#include "fused_ops/gemm.h"

namespace slipway {

const fused_ops::Table *fused_ops::cudaKernels() { return nullptr; }
std::unique_ptr<fused_ops::GemmLibrary> fused_ops::cudaGemmLibrary(bool) { return nullptr; }
std::unique_ptr<StepGraph> makeStepGraph() { return nullptr; }

std::unique_ptr<DeviceMemory> makeDeviceMemory() { return nullptr; }
Result<std::vector<CopyRate>> measureCopies() { return cudaDevices().error(); }

std::string ncclMissing() { return "this program was built for the CPU"; }

Result<std::unique_ptr<Communicator>> withNccl(std::unique_ptr<Communicator> &, const Rendezvous &)
{
    return Error{.what = ncclMissing(), .where = "communicator: nccl", .accepted = "gloo, threads, auto"};
}

Result<std::vector<CudaDevice>> cudaDevices()
{
    return Error{.what = "this program was built for the CPU only (a build with nvcc and the LibTorch of "
                         "packaging/setup --cuda supports GPUs)",
        .where = "--device cuda",
        .accepted = "cpu, auto"};
}

} // namespace slipway
