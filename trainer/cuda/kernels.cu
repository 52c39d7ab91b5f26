// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The kernels on a GPU.
#include <stdexcept>
#include <string>

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include "fused_ops/fused_ops.h"

namespace slipway::fused_ops {
namespace {

template<typename... Parameters, typename... Arguments>
void start(const char *name, void (*kernel)(Parameters...), dim3 blocks, dim3 threads, const Queue &queue,
    const Arguments &...arguments)
{
    kernel<<<blocks, threads, 0, static_cast<cudaStream_t>(queue.stream)>>>(arguments...);
    if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess)
        throw std::runtime_error(std::string("CUDA kernel ") + name + ": " + cudaGetErrorString(error));
}

} // namespace
} // namespace slipway::fused_ops

#include "cuda/kernel_bodies.h"

const slipway::fused_ops::Table *slipway::fused_ops::cudaKernels() { return &kTable; }
