// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The functions of cuBLASLt that are called, found at run time: in the copy that LibTorch has loaded, never in a second
// one. Tests put their own here.
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
    // How long a device takes for what `run` puts on a stream, in seconds; empty where that cannot be told now, and
    // then nothing was run. Null: algorithms are not timed.
    std::function<std::optional<double>(void *stream, const std::function<void()> &run)> time = {};
    std::string device = {}; // its name: choices hold for it
};

// Null where the library does not start: there is no GPU.
std::unique_ptr<Products> makeLtProducts(std::shared_ptr<const LtApi> api);

} // namespace slipway::fused_ops
