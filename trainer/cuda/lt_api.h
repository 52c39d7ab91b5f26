// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The functions of cuBLASLt, looked up at run time in the library that LibTorch has loaded. Tests pass their own.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <cublasLt.h>

#include "fused_ops/gemm.h"

namespace slipway::fused_ops {

struct LtApi {
    decltype(&cublasLtCreate) create = nullptr;
    decltype(&cublasLtDestroy) destroy = nullptr;
    decltype(&cublasLtGetVersion) getVersion = nullptr;
    decltype(&cublasLtGetStatusString) getStatusString = nullptr;
    decltype(&cublasLtMatmulDescCreate) matmulDescCreate = nullptr;
    decltype(&cublasLtMatmulDescDestroy) matmulDescDestroy = nullptr;
    decltype(&cublasLtMatmulDescSetAttribute) matmulDescSetAttribute = nullptr;
    decltype(&cublasLtMatrixLayoutCreate) matrixLayoutCreate = nullptr;
    decltype(&cublasLtMatrixLayoutSetAttribute) matrixLayoutSetAttribute = nullptr;
    decltype(&cublasLtMatrixLayoutDestroy) matrixLayoutDestroy = nullptr;
    decltype(&cublasLtMatmulPreferenceCreate) matmulPreferenceCreate = nullptr;
    decltype(&cublasLtMatmulPreferenceDestroy) matmulPreferenceDestroy = nullptr;
    decltype(&cublasLtMatmulPreferenceSetAttribute) matmulPreferenceSetAttribute = nullptr;
    decltype(&cublasLtMatmulAlgoGetHeuristic) matmulAlgoGetHeuristic = nullptr;
    decltype(&cublasLtMatmul) matmul = nullptr;
    // Runs `run` on the stream and returns its time on the device in seconds. Empty if it cannot be timed now; then it
    // was not run. Null: algorithms are not timed.
    std::function<std::optional<double>(void *stream, const std::function<void()> &run)> time = {};
    std::string device = {}; // name of the GPU for which saved algorithms are valid
};

// Null if the library fails to start, as without a GPU.
std::unique_ptr<GemmLibrary> makeCublasLt(std::shared_ptr<const LtApi> api);

} // namespace slipway::fused_ops
