// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <string>

#include "cuda/found_function.h"
#include "cuda/lt_api.h"

namespace slipway::kernels {
namespace {

std::shared_ptr<const LtApi> loadLt()
{
    const std::string name = "libcublasLt.so." + std::to_string(CUBLAS_VER_MAJOR);
    void *const library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL); // stays: LibTorch has it anyway
    if (!library)
        return nullptr;
    auto api = std::make_shared<LtApi>();
    std::string missing;
    find(library, api->create, "cublasLtCreate", missing);
    find(library, api->destroy, "cublasLtDestroy", missing);
    find(library, api->getVersion, "cublasLtGetVersion", missing);
    find(library, api->getStatusString, "cublasLtGetStatusString", missing);
    find(library, api->matmulDescCreate, "cublasLtMatmulDescCreate", missing);
    find(library, api->matmulDescDestroy, "cublasLtMatmulDescDestroy", missing);
    find(library, api->matmulDescSetAttribute, "cublasLtMatmulDescSetAttribute", missing);
    find(library, api->matrixLayoutCreate, "cublasLtMatrixLayoutCreate", missing);
    find(library, api->matrixLayoutSetAttribute, "cublasLtMatrixLayoutSetAttribute", missing);
    find(library, api->matrixLayoutDestroy, "cublasLtMatrixLayoutDestroy", missing);
    find(library, api->matmulPreferenceCreate, "cublasLtMatmulPreferenceCreate", missing);
    find(library, api->matmulPreferenceDestroy, "cublasLtMatmulPreferenceDestroy", missing);
    find(library, api->matmulPreferenceSetAttribute, "cublasLtMatmulPreferenceSetAttribute", missing);
    find(library, api->matmulAlgoGetHeuristic, "cublasLtMatmulAlgoGetHeuristic", missing);
    find(library, api->matmul, "cublasLtMatmul", missing);
    return missing.empty() ? api : nullptr;
}

} // namespace

std::unique_ptr<Products> cudaProducts()
{
    std::shared_ptr<const LtApi> api = loadLt();
    return api ? makeLtProducts(std::move(api)) : nullptr;
}

} // namespace slipway::kernels
