// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <functional>
#include <optional>
#include <string>

#include <cuda_runtime_api.h>

#include "cuda/cuda_event.h"
#include "cuda/found_function.h"
#include "cuda/lt_api.h"

namespace slipway::fused_ops {

namespace {

constexpr int kRuns = 3; // timed runs per algorithm, after a warm-up run

// Nothing can be timed while the stream is being captured.
std::optional<double> timeOn(void *stream, const std::function<void()> &run)
{
    const auto on = static_cast<cudaStream_t>(stream);
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    if (cudaStreamIsCapturing(on, &capture) != cudaSuccess || capture != cudaStreamCaptureStatusNone)
        return std::nullopt;
    try {
        const CudaEvent begin, end;
        run();
        begin.record(on);
        for (int i = 0; i < kRuns; ++i)
            run();
        end.record(on);
        end.wait();
        return end.secondsSince(begin) / kRuns;
    } catch (const CudaEventFailed &) {
        return std::nullopt;
    }
}

std::string nameOfDevice()
{
    int device = 0;
    cudaDeviceProp properties{};
    return cudaGetDevice(&device) == cudaSuccess && cudaGetDeviceProperties(&properties, device) == cudaSuccess
               ? properties.name
               : "";
}

} // namespace

// cuBLASLt in the copy that LibTorch has loaded.
std::unique_ptr<GemmLibrary> cudaGemmLibrary(bool timed)
{
    Loaded<LtApi> lt =
        loadLibrary<LtApi>("libcublasLt.so." + std::to_string(CUBLAS_VER_MAJOR), [](LtApi &api, const auto &find) {
            find(api.create, "cublasLtCreate");
            find(api.destroy, "cublasLtDestroy");
            find(api.getVersion, "cublasLtGetVersion");
            find(api.getStatusString, "cublasLtGetStatusString");
            find(api.matmulDescCreate, "cublasLtMatmulDescCreate");
            find(api.matmulDescDestroy, "cublasLtMatmulDescDestroy");
            find(api.matmulDescSetAttribute, "cublasLtMatmulDescSetAttribute");
            find(api.matrixLayoutCreate, "cublasLtMatrixLayoutCreate");
            find(api.matrixLayoutSetAttribute, "cublasLtMatrixLayoutSetAttribute");
            find(api.matrixLayoutDestroy, "cublasLtMatrixLayoutDestroy");
            find(api.matmulPreferenceCreate, "cublasLtMatmulPreferenceCreate");
            find(api.matmulPreferenceDestroy, "cublasLtMatmulPreferenceDestroy");
            find(api.matmulPreferenceSetAttribute, "cublasLtMatmulPreferenceSetAttribute");
            find(api.matmulAlgoGetHeuristic, "cublasLtMatmulAlgoGetHeuristic");
            find(api.matmul, "cublasLtMatmul");
        });
    if (!lt.api)
        return nullptr;
    lt.api->device = nameOfDevice();
    if (timed)
        lt.api->time = timeOn;
    return makeCublasLt(std::move(lt.api));
}

} // namespace slipway::fused_ops
