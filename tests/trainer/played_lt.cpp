// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "played_lt.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

// cuBLASLt leaves these open, or opaque.
struct cublasLtContext {};

namespace slipway::testing {

PlayedLt *playedLt = nullptr;

namespace {

struct Operation {
    cublasOperation_t a = CUBLAS_OP_N, b = CUBLAS_OP_N;
    cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
    const float *scaleA = nullptr, *scaleB = nullptr;
    std::int8_t fast = 0;
};
struct Layout {
    cudaDataType_t type{};
    std::uint64_t rows = 0, columns = 0;
    std::int64_t pitch = 0, stride = 0;
    std::int32_t count = 1;
};
struct Preference {
    std::uint64_t workspace = 0;
    std::uint32_t reduction = 7, alignA = 256, alignB = 256, alignC = 256, alignD = 256;
};

Operation &of(cublasLtMatmulDesc_t d) { return *reinterpret_cast<Operation *>(d); }
Layout &of(cublasLtMatrixLayout_t l) { return *reinterpret_cast<Layout *>(l); }
Preference &of(cublasLtMatmulPreference_t p) { return *reinterpret_cast<Preference *>(p); }

template<typename Mine, typename Theirs>
cublasStatus_t make(Theirs *to, Mine made)
{
    *to = reinterpret_cast<Theirs>(new Mine(made));
    ++playedLt->alive;
    return CUBLAS_STATUS_SUCCESS;
}
template<typename Mine, typename Theirs>
cublasStatus_t drop(Theirs made)
{
    delete reinterpret_cast<Mine *>(made);
    --playedLt->alive;
    return CUBLAS_STATUS_SUCCESS;
}

// An attribute's value, of the size that it has.
template<typename Field>
cublasStatus_t take(Field &field, const void *value, std::size_t size)
{
    if (size != sizeof field)
        return CUBLAS_STATUS_INVALID_VALUE;
    std::memcpy(static_cast<void *>(&field), value, size);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t create(cublasLtHandle_t *handle)
{
    *handle = new cublasLtContext;
    ++playedLt->alive;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t destroy(cublasLtHandle_t handle)
{
    delete handle;
    --playedLt->alive;
    return CUBLAS_STATUS_SUCCESS;
}
std::size_t version() { return 130100; }
const char *statusString(cublasStatus_t status)
{
    return status == CUBLAS_STATUS_EXECUTION_FAILED ? "execution failed" : "some status";
}
cublasStatus_t descCreate(cublasLtMatmulDesc_t *to, cublasComputeType_t compute, cudaDataType_t)
{
    return make(to, Operation{.compute = compute});
}
cublasStatus_t descDestroy(cublasLtMatmulDesc_t d) { return drop<Operation>(d); }
cublasStatus_t descSet(cublasLtMatmulDesc_t d, cublasLtMatmulDescAttributes_t what, const void *value, std::size_t size)
{
    const auto set = [&](auto &field) { return take(field, value, size); };
    switch (what) {
    case CUBLASLT_MATMUL_DESC_TRANSA:
        return set(of(d).a);
    case CUBLASLT_MATMUL_DESC_TRANSB:
        return set(of(d).b);
    case CUBLASLT_MATMUL_DESC_A_SCALE_POINTER:
        return set(of(d).scaleA);
    case CUBLASLT_MATMUL_DESC_B_SCALE_POINTER:
        return set(of(d).scaleB);
    case CUBLASLT_MATMUL_DESC_FAST_ACCUM:
        return set(of(d).fast);
    default:
        return CUBLAS_STATUS_INVALID_VALUE;
    }
}
cublasStatus_t layoutCreate(
    cublasLtMatrixLayout_t *to, cudaDataType type, std::uint64_t rows, std::uint64_t columns, std::int64_t pitch)
{
    return pitch < static_cast<std::int64_t>(rows) ? CUBLAS_STATUS_INVALID_VALUE
                                                   : make(to, Layout{type, rows, columns, pitch});
}
cublasStatus_t layoutSet(
    cublasLtMatrixLayout_t l, cublasLtMatrixLayoutAttribute_t what, const void *value, std::size_t size)
{
    const auto set = [&](auto &field) { return take(field, value, size); };
    switch (what) {
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
        return set(of(l).count);
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
        return set(of(l).stride);
    default:
        return CUBLAS_STATUS_INVALID_VALUE;
    }
}
cublasStatus_t layoutDestroy(cublasLtMatrixLayout_t l) { return drop<Layout>(l); }
cublasStatus_t preferenceCreate(cublasLtMatmulPreference_t *to) { return make(to, Preference{}); }
cublasStatus_t preferenceDestroy(cublasLtMatmulPreference_t p) { return drop<Preference>(p); }
cublasStatus_t preferenceSet(
    cublasLtMatmulPreference_t p, cublasLtMatmulPreferenceAttributes_t what, const void *value, std::size_t size)
{
    Preference &to = of(p);
    const auto set = [&](auto &field) { return take(field, value, size); };
    switch (what) {
    case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
        return set(to.workspace);
    case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK:
        return set(to.reduction);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
        return set(to.alignA);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
        return set(to.alignB);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
        return set(to.alignC);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES:
        return set(to.alignD);
    default:
        return CUBLAS_STATUS_INVALID_VALUE;
    }
}

bool isFp8(const Layout &l) { return l.type == CUDA_R_8F_E4M3 || l.type == CUDA_R_8F_E5M2; }

// As Hopper's: the depth comes first in both, all sizes are multiples of 16, and one operand may be e5m2. Sums are kept
// in fp32 where gradients are among them.
bool fitsFp8(const Operation &o, const Layout &a, const Layout &b, const Layout &c)
{
    const bool wide = a.type == CUDA_R_8F_E5M2 || b.type == CUDA_R_8F_E5M2;
    return isFp8(a) && isFp8(b) && !(a.type == CUDA_R_8F_E5M2 && b.type == CUDA_R_8F_E5M2) && o.a == CUBLAS_OP_T &&
           o.b == CUBLAS_OP_N && a.rows % 16 == 0 && a.columns % 16 == 0 && b.columns % 16 == 0 && o.fast == !wide &&
           (c.type == CUDA_R_16BF || c.type == CUDA_R_32F);
}

// Rows, columns and depth agree: op(A) is m x k, op(B) k x n.
bool fits(const Operation &o, const Layout &a, const Layout &b, const Layout &c, const Layout &d)
{
    const auto [m, k] = o.a == CUBLAS_OP_N ? std::pair(a.rows, a.columns) : std::pair(a.columns, a.rows);
    const auto [depth, n] = o.b == CUBLAS_OP_N ? std::pair(b.rows, b.columns) : std::pair(b.columns, b.rows);
    return k == depth && c.rows == m && c.columns == n && d.rows == m && d.columns == n &&
           (isFp8(a) ? fitsFp8(o, a, b, c) : a.type == b.type && o.fast == 0) && c.type == d.type &&
           a.count == b.count && b.count == c.count && c.count == d.count && o.compute == CUBLAS_COMPUTE_32F;
}

// The algorithm remembers what was said about the addresses.
cublasStatus_t heuristic(cublasLtHandle_t, cublasLtMatmulDesc_t o, cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
    cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d, cublasLtMatmulPreference_t preference, int wanted,
    cublasLtMatmulHeuristicResult_t *results, int *count)
{
    ++playedLt->heuristics;
    *count = 0;
    if (!fits(of(o), of(a), of(b), of(c), of(d)) || wanted < 1)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (playedLt->nothingFits || playedLt->heuristics == playedLt->fitsNot)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    const Preference &p = of(preference);
    EXPECT_EQ(p.reduction, static_cast<std::uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE))
        << "sums would leave fp32";
    *count = std::min(wanted, playedLt->algorithms);
    for (int i = 0; i < *count; ++i) {
        results[i] = {};
        results[i].state = CUBLAS_STATUS_SUCCESS;
        const std::array<std::uint64_t, 6> said{
            p.alignA, p.alignB, p.alignC, p.alignD, p.workspace, static_cast<std::uint64_t>(i)};
        static_assert(sizeof said <= sizeof results->algo);
        std::memcpy(&results[i].algo, said.data(), sizeof said);
    }
    playedLt->alignments.insert({p.alignA, p.alignB, p.alignC, p.alignD});
    return CUBLAS_STATUS_SUCCESS;
}

// [count, rows, columns]
at::Tensor columnMajor(const void *data, const Layout &l)
{
    const at::ScalarType type = l.type == CUDA_R_16BF      ? at::kBFloat16
                                : l.type == CUDA_R_8F_E4M3 ? at::kFloat8_e4m3fn
                                : l.type == CUDA_R_8F_E5M2 ? at::kFloat8_e5m2
                                                           : at::kFloat;
    return at::from_blob(const_cast<void *>(data),
        {l.count, static_cast<std::int64_t>(l.rows), static_cast<std::int64_t>(l.columns)}, {l.stride, 1, l.pitch},
        type);
}

bool aligned(const void *address, std::uint64_t bytes) { return std::bit_cast<std::uintptr_t>(address) % bytes == 0; }

cublasStatus_t matmul(cublasLtHandle_t, cublasLtMatmulDesc_t o, const void *alpha, const void *a,
    cublasLtMatrixLayout_t la, const void *b, cublasLtMatrixLayout_t lb, const void *beta, const void *c,
    cublasLtMatrixLayout_t lc, void *d, cublasLtMatrixLayout_t ld, const cublasLtMatmulAlgo_t *algorithm,
    void *workspace, std::size_t bytes, cudaStream_t stream)
{
    const int attempt = ++playedLt->attempts;
    if (playedLt->refusesToRun || attempt == playedLt->runsNot)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (attempt == playedLt->lacksMemory)
        return CUBLAS_STATUS_ALLOC_FAILED;
    if (playedLt->fails)
        return CUBLAS_STATUS_EXECUTION_FAILED;
    std::array<std::uint64_t, 6> said;
    std::memcpy(said.data(), algorithm, sizeof said);
    if (playedLt->unsupported == said[5])
        return CUBLAS_STATUS_NOT_SUPPORTED;
    ++playedLt->gemms;
    ++playedLt->runs[said[5]];
    playedLt->newest = said[5];
    playedLt->stream = stream;
    EXPECT_TRUE(aligned(a, said[0]) && aligned(b, said[1]) && aligned(c, said[2]) && aligned(d, said[3]));
    EXPECT_LE(said[4], bytes);
    std::memset(workspace, 0xff, bytes);
    EXPECT_EQ(isFp8(of(la)), of(o).scaleA && of(o).scaleB) << "fp8 has factors";
    const float scale = *static_cast<const float *>(alpha) * (isFp8(of(la)) ? *of(o).scaleA * *of(o).scaleB : 1.0f),
                kept = *static_cast<const float *>(beta);
    const at::Tensor left = columnMajor(a, of(la)).to(at::kDouble), right = columnMajor(b, of(lb)).to(at::kDouble);
    at::Tensor sum = scale * at::bmm(of(o).a == CUBLAS_OP_T ? left.transpose(1, 2) : left,
                                 of(o).b == CUBLAS_OP_T ? right.transpose(1, 2) : right);
    if (kept != 0)
        sum += kept * columnMajor(c, of(lc)).to(at::kDouble);
    columnMajor(d, of(ld)).copy_(sum);
    return CUBLAS_STATUS_SUCCESS;
}

// A clock that shows what it was told for the algorithm that ran.
std::optional<double> playedTime(void *, const std::function<void()> &run)
{
    if (playedLt->seconds.empty())
        return std::nullopt;
    run();
    return playedLt->seconds[playedLt->newest];
}

} // namespace

std::shared_ptr<const fused_ops::LtApi> playedLtApi(const std::string &device)
{
    return std::make_shared<fused_ops::LtApi>(fused_ops::LtApi{create, destroy, version, statusString, descCreate,
        descDestroy, descSet, layoutCreate, layoutSet, layoutDestroy, preferenceCreate, preferenceDestroy,
        preferenceSet, heuristic, matmul, playedTime, device});
}

} // namespace slipway::testing
