// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <string>

#include "cuda/found_function.h"
#include "cuda/lt_api.h"

namespace slipway::fused_ops {

// The copy that LibTorch has loaded.
std::unique_ptr<Products> cudaProducts()
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
    return lt.api ? makeLtProducts(std::move(lt.api)) : nullptr;
}

} // namespace slipway::fused_ops
