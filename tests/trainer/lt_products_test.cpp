// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What is said to cuBLASLt, with functions of our own in its place: they multiply column-major matrices as the
// descriptors say, in the processor's memory, and refuse what a GPU would.
#include "cuda/lt_api.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle.h"

// cuBLASLt leaves these open, or opaque.
struct cublasLtContext {};

namespace slipway::testing {
namespace {

struct Operation {
    cublasOperation_t a = CUBLAS_OP_N, b = CUBLAS_OP_N;
    cublasComputeType_t compute{};
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

// What it was asked, and what it answers.
struct Played {
    int heuristics = 0, products = 0, alive = 0;
    std::set<std::uint32_t> alignments;
    bool nothingFits = false, refusesToRun = false, fails = false;
    int algorithms = 1;                       // that it knows
    std::vector<double> seconds;              // of each of them; timed where there are any
    std::map<std::uint64_t, int> runs;        // of each of them
    std::optional<std::uint64_t> unsupported; // the one that is refused when it is run
    std::uint64_t newest = 0;                 // that ran
    void *stream = nullptr;
};
Played *played = nullptr; // its functions know no object

Operation &of(cublasLtMatmulDesc_t d) { return *reinterpret_cast<Operation *>(d); }
Layout &of(cublasLtMatrixLayout_t l) { return *reinterpret_cast<Layout *>(l); }
Preference &of(cublasLtMatmulPreference_t p) { return *reinterpret_cast<Preference *>(p); }

template<typename Mine, typename Theirs>
cublasStatus_t make(Theirs *to, Mine made)
{
    *to = reinterpret_cast<Theirs>(new Mine(made));
    ++played->alive;
    return CUBLAS_STATUS_SUCCESS;
}
template<typename Mine, typename Theirs>
cublasStatus_t drop(Theirs made)
{
    delete reinterpret_cast<Mine *>(made);
    --played->alive;
    return CUBLAS_STATUS_SUCCESS;
}

// An attribute's value, of the size that it has.
template<typename Field>
cublasStatus_t take(Field &field, const void *value, std::size_t size)
{
    if (size != sizeof field)
        return CUBLAS_STATUS_INVALID_VALUE;
    std::memcpy(&field, value, size);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t create(cublasLtHandle_t *handle)
{
    *handle = new cublasLtContext;
    ++played->alive;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t destroy(cublasLtHandle_t handle)
{
    delete handle;
    --played->alive;
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
    ++played->heuristics;
    *count = 0;
    if (!fits(of(o), of(a), of(b), of(c), of(d)) || wanted < 1)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (played->nothingFits)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    const Preference &p = of(preference);
    EXPECT_EQ(p.reduction, static_cast<std::uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE))
        << "sums would leave fp32";
    *count = std::min(wanted, played->algorithms);
    for (int i = 0; i < *count; ++i) {
        results[i] = {};
        results[i].state = CUBLAS_STATUS_SUCCESS;
        const std::array<std::uint64_t, 6> said{
            p.alignA, p.alignB, p.alignC, p.alignD, p.workspace, static_cast<std::uint64_t>(i)};
        static_assert(sizeof said <= sizeof results->algo);
        std::memcpy(&results[i].algo, said.data(), sizeof said);
    }
    played->alignments.insert({p.alignA, p.alignB, p.alignC, p.alignD});
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
    if (played->refusesToRun)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (played->fails)
        return CUBLAS_STATUS_EXECUTION_FAILED;
    std::array<std::uint64_t, 6> said;
    std::memcpy(said.data(), algorithm, sizeof said);
    if (played->unsupported == said[5])
        return CUBLAS_STATUS_NOT_SUPPORTED;
    ++played->products;
    ++played->runs[said[5]];
    played->newest = said[5];
    played->stream = stream;
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
    if (played->seconds.empty())
        return std::nullopt;
    run();
    return played->seconds[played->newest];
}

std::shared_ptr<const fused_ops::LtApi> playedApi(const std::string &device = "GPU")
{
    return std::make_shared<fused_ops::LtApi>(fused_ops::LtApi{create, destroy, version, statusString, descCreate,
        descDestroy, descSet, layoutCreate, layoutSet, layoutDestroy, preferenceCreate, preferenceDestroy,
        preferenceSet, heuristic, matmul, playedTime, device});
}

class LtProducts : public ::testing::Test {
protected:
    void SetUp() override { played = &m_played; }
    void TearDown() override
    {
        m_products.reset();
        EXPECT_EQ(m_played.alive, 0) << "descriptors are left";
        played = nullptr;
    }
    // Ours and the plain loops', in the types that a step has.
    void check(
        bool transposedA, bool transposedB, fused_ops::Float type, fused_ops::Float result, bool adds, std::int64_t gap)
    {
        const std::int64_t m = 5, n = 12, k = 7, pitchA = (transposedA ? m : k) + gap,
                           pitchB = (transposedB ? k : n) + gap;
        const auto random = [](std::int64_t rows, std::int64_t columns, fused_ops::Float as) {
            return at::randn({rows, columns}).to(as == fused_ops::Float::Bf16 ? at::kBFloat16 : at::kFloat);
        };
        const at::Tensor a = random(transposedA ? k : m, pitchA, type), b = random(transposedB ? n : k, pitchB, type),
                         added = random(m, n, result);
        at::Tensor ours = random(m, n, result), expected = ours.clone(), inPlace = added.clone();
        fused_ops::Product p{.m = m,
            .n = n,
            .k = k,
            .transposedA = transposedA,
            .transposedB = transposedB,
            .type = type,
            .result = result,
            .a = {a.data_ptr(), pitchA},
            .b = {b.data_ptr(), pitchB},
            .c = expected.data_ptr(),
            .added = adds ? added.data_ptr() : nullptr};
        fused_ops::referenceProduct(p);
        p.c = ours.data_ptr();
        ASSERT_TRUE(m_products->multiply(p, {}, {m_workspace.data(), std::ssize(m_workspace)}));
        EXPECT_TRUE(at::allclose(
            ours.to(at::kDouble), expected.to(at::kDouble), result == fused_ops::Float::Bf16 ? 1e-2 : 1e-5, 1e-5));
        if (!adds)
            return;
        p.c = inPlace.data_ptr();
        p.added = inPlace.data_ptr();
        ASSERT_TRUE(m_products->multiply(p, {}, {m_workspace.data(), std::ssize(m_workspace)}));
        EXPECT_TRUE(inPlace.equal(ours));
    }
    // Several in one go, out of the midst of longer rows.
    void checkSeveral(fused_ops::Float type, bool adds)
    {
        const std::int64_t m = 4, n = 6, k = 5, count = 3, pitch = count * k + 2, pitchC = count * n + 1;
        const at::ScalarType as = type == fused_ops::Float::Bf16 ? at::kBFloat16 : at::kFloat;
        const at::Tensor a = at::randn({m, pitch}).to(as), b = at::randn({count, n, k}).to(as);
        at::Tensor ours = at::randn({m, pitchC}).to(as), expected = ours.clone();
        fused_ops::Product p{.m = m,
            .n = n,
            .k = k,
            .transposedB = true,
            .type = type,
            .result = type,
            .a = {a.data_ptr(), pitch, k},
            .b = {b.data_ptr(), k, n * k},
            .c = expected.data_ptr(),
            .added = adds ? expected.data_ptr() : nullptr,
            .pitchC = pitchC,
            .strideC = n,
            .count = count};
        fused_ops::referenceProduct(p);
        p.c = ours.data_ptr();
        p.added = adds ? ours.data_ptr() : nullptr;
        ASSERT_TRUE(m_products->multiply(p, {}, {m_workspace.data(), std::ssize(m_workspace)}));
        EXPECT_TRUE(
            at::allclose(ours.to(at::kDouble), expected.to(at::kDouble), as == at::kBFloat16 ? 1e-2 : 1e-5, 1e-5));
        EXPECT_TRUE(ours.select(1, pitchC - 1).equal(expected.select(1, pitchC - 1))) << "what lies between rows";
    }
    fused_ops::Product small()
    {
        return {.m = 2, .n = 2, .k = 2, .a = {m_values.data(), 2}, .b = {m_values.data(), 2}, .c = m_values.data() + 4};
    }

    Played m_played;
    std::unique_ptr<fused_ops::Products> m_products = (played = &m_played, fused_ops::makeLtProducts(playedApi()));
    std::vector<std::byte> m_workspace = std::vector<std::byte>(1024);
    alignas(256) std::array<float, 64> m_values{1, 2, 3, 4};
};

TEST_F(LtProducts, GiveWhatPlainLoopsDoForEveryFormTypeAndPitch)
{
    using fused_ops::Float;
    for (const bool a : {false, true})
        for (const bool b : {false, true})
            for (const auto &[type, result] : {std::pair(Float::Fp32, Float::Fp32), std::pair(Float::Bf16, Float::Bf16),
                     std::pair(Float::Bf16, Float::Fp32)})
                for (const bool adds : {false, true})
                    for (const std::int64_t gap : {0, 3})
                        check(a, b, type, result, adds, gap);
}

TEST_F(LtProducts, MultiplySeveralInOneGo)
{
    for (const fused_ops::Float type : {fused_ops::Float::Fp32, fused_ops::Float::Bf16})
        for (const bool adds : {false, true})
            checkSeveral(type, adds);
    EXPECT_LE(*m_played.alignments.begin(), 4u) << "matrices lie a few elements apart, wherever the first one lies";
}

// Forward, the gradient of what went in, and that of a weight, which is added to.
TEST_F(LtProducts, OfFp8GiveWhatPlainLoopsDo)
{
    using fused_ops::Float;
    const std::int64_t m = 32, n = 16, k = 48;
    const at::Tensor b = at::randn({n, k}).to(at::kFloat8_e4m3fn);
    const std::array<float, 2> factors{0.5f, 3};
    for (const auto &[type, result] : {std::pair(Float::Fp8, Float::Bf16), std::pair(Float::Fp8Wide, Float::Bf16),
             std::pair(Float::Fp8Wide, Float::Fp32)}) {
        const at::Tensor a = at::randn({m, k}).to(type == Float::Fp8 ? at::kFloat8_e4m3fn : at::kFloat8_e5m2);
        at::Tensor ours = at::randn({m, n}).to(result == Float::Bf16 ? at::kBFloat16 : at::kFloat),
                   expected = ours.clone();
        fused_ops::Product p{.m = m,
            .n = n,
            .k = k,
            .transposedB = true,
            .type = type,
            .result = result,
            .a = {a.data_ptr(), k},
            .b = {b.data_ptr(), k},
            .factorA = factors.data(),
            .factorB = &factors[1],
            .c = expected.data_ptr(),
            .added = result == Float::Fp32 ? expected.data_ptr() : nullptr};
        fused_ops::referenceProduct(p);
        p.c = ours.data_ptr();
        p.added = p.added ? ours.data_ptr() : nullptr;
        ASSERT_TRUE(m_products->multiply(p, {}, {m_workspace.data(), std::ssize(m_workspace)}));
        EXPECT_TRUE(at::allclose(ours.to(at::kDouble), expected.to(at::kDouble), 1e-2, 1e-5));
    }
}

TEST_F(LtProducts, AskOnceForAShapeAndAgainWhereAddressesAreWorse)
{
    fused_ops::Product p = small();
    for (int i = 0; i < 3; ++i)
        ASSERT_TRUE(m_products->multiply(p, {.stream = &m_played, .scratch = nullptr}, {}));
    EXPECT_EQ(m_played.heuristics, 1);
    EXPECT_EQ(m_played.products, 3);
    EXPECT_EQ(m_played.stream, &m_played);
    EXPECT_THAT(m_played.alignments, ::testing::ElementsAre(16u, 256u));
    p.c = m_values.data() + 9; // 4 bytes off
    ASSERT_TRUE(m_products->multiply(p, {}, {}));
    EXPECT_EQ(m_played.heuristics, 2);
    EXPECT_THAT(m_played.alignments, ::testing::ElementsAre(4u, 16u, 256u));
    EXPECT_EQ(m_products->description(), "cublaslt 13.1");
}

TEST_F(LtProducts, SayWhereTheLibraryHasNothingAndDoNotAskAgain)
{
    m_played.nothingFits = true;
    const std::array<float, 64> before = m_values;
    EXPECT_FALSE(m_products->multiply(small(), {}, {}));
    EXPECT_FALSE(m_products->multiply(small(), {}, {}));
    EXPECT_EQ(m_played.heuristics, 1);
    EXPECT_EQ(m_values, before);
    m_played.nothingFits = false;
    m_played.refusesToRun = true;
    fused_ops::Product other = small();
    other.m = 1;
    EXPECT_FALSE(m_products->multiply(other, {}, {}));
    EXPECT_FALSE(m_products->multiply(other, {}, {}));
    EXPECT_EQ(m_played.heuristics, 2);
    EXPECT_EQ(m_products->description(), "cublaslt 13.1 (but for 2 of 2 shapes)");
}

TEST_F(LtProducts, TakeTheFastestOfEightAlgorithmsAndTimeThemOnceForAShape)
{
    m_played.algorithms = 12;
    m_played.seconds = {8, 7, 6, 1, 5, 9, 4, 3};
    m_played.unsupported = 6;
    const fused_ops::Product p = small();
    ASSERT_TRUE(m_products->multiply(p, {}, {}));
    EXPECT_EQ(m_played.runs.size(), 7U) << "all of the eight but the one that is refused";
    EXPECT_EQ(m_played.runs[3], 2) << "and once to multiply";
    EXPECT_EQ(m_played.newest, 3U);
    for (int i = 0; i < 5; ++i)
        ASSERT_TRUE(m_products->multiply(p, {}, {}));
    EXPECT_EQ(m_played.runs[3], 7);
    EXPECT_EQ(m_played.products, 7 + 1 + 5);
}

TEST_F(LtProducts, TimeNothingWhereARepetitionWouldAddTwice)
{
    m_played.algorithms = 2;
    m_played.seconds = {2, 1};
    fused_ops::Product p = small();
    p.c = m_values.data() + 8;
    p.added = p.c;
    m_values[8] = 100;
    ASSERT_TRUE(m_products->multiply(p, {}, {}));
    EXPECT_EQ(m_played.products, 1);
    EXPECT_EQ(m_values[8], 100 + 1 * 1 + 2 * 3);
}

TEST_F(LtProducts, AddWithTheAlgorithmThatTheFirstMicroBatchChose)
{
    m_played.algorithms = 2;
    m_played.seconds = {2, 1};
    fused_ops::Product p = small();
    ASSERT_TRUE(m_products->multiply(p, {}, {}));
    p.added = p.c;
    ASSERT_TRUE(m_products->multiply(p, {}, {}));
    EXPECT_EQ(m_played.newest, 1U);
}

TEST_F(LtProducts, TakeTheLibrarysFirstChoiceWhereNothingCanBeTimed)
{
    m_played.algorithms = 8;
    ASSERT_TRUE(m_products->multiply(small(), {}, {}));
    EXPECT_EQ(m_played.newest, 0U);
    EXPECT_EQ(m_played.products, 1);
}

TEST_F(LtProducts, TakeTheAlgorithmsThatTheyRecallWithoutTimingAnew)
{
    m_played.algorithms = 4;
    m_played.seconds = {4, 3, 1, 2};
    ASSERT_TRUE(m_products->multiply(small(), {}, {}));
    const std::string choices = m_products->choices();
    m_played.seconds = {1, 2, 3, 4};
    m_products = fused_ops::makeLtProducts(playedApi());
    ASSERT_TRUE(m_products->recall(choices));
    m_played.products = 0;
    ASSERT_TRUE(m_products->multiply(small(), {}, {}));
    EXPECT_EQ(m_played.products, 1);
    EXPECT_EQ(m_played.newest, 2U);
    EXPECT_EQ(m_products->choices(), choices);
}

TEST_F(LtProducts, RecallNothingOfAnotherDeviceNorOfWhatIsDamaged)
{
    m_played.algorithms = 4;
    m_played.seconds = {4, 3, 1, 2};
    ASSERT_TRUE(m_products->multiply(small(), {}, {}));
    const std::string choices = m_products->choices();
    const auto recalled = [](const std::string &text, const std::string &device = "GPU") {
        return fused_ops::makeLtProducts(playedApi(device))->recall(text);
    };
    EXPECT_TRUE(recalled(choices));
    EXPECT_FALSE(recalled(choices, "another GPU"));
    EXPECT_FALSE(recalled(""));
    EXPECT_FALSE(recalled(choices.substr(0, choices.size() - 4)));
    EXPECT_FALSE(recalled(choices + "1 2 3\n"));
    std::string beyond = choices;
    beyond.replace(beyond.size() - 2, 1, "8");
    EXPECT_FALSE(recalled(beyond)) << "there are eight, from 0 on";
    beyond.replace(beyond.size() - 2, 1, "-1");
    EXPECT_FALSE(recalled(beyond));
}

TEST_F(LtProducts, SayWhatFailedInTheLibrarysWords)
{
    m_played.fails = true;
    try {
        m_products->multiply(small(), {}, {});
        FAIL();
    } catch (const std::runtime_error &error) {
        EXPECT_STREQ(error.what(), "cublasLtMatmul: execution failed");
    }
}

// Whole steps: every product of a step, its residuals, heads and the sums of gradients.
TEST_F(LtProducts, GiveTheStepsOfLibTorchs)
{
    ModelSpec model = smallModel();
    model.mlp.width = 83; // filled up
    for (const auto &[precision, attention] :
        {std::pair(Precision::Fp32, Attention::Flash), std::pair(Precision::Bf16Mixed, Attention::Flash),
            std::pair(Precision::Fp32, Attention::Vanilla), std::pair(Precision::Bf16Mixed, Attention::Vanilla)}) {
        RunConfig config = smallConfig();
        config.precision = precision;
        config.attention = attention;
        config.seqLen = 24;
        config.gradAccum = 2;
        const StepPlan plan = planOf(config, model);
        std::vector<double> losses[2];
        for (const bool lt : {false, true}) {
            SingleCommunicator alone;
            const std::shared_ptr<fused_ops::Products> products = lt ? fused_ops::makeLtProducts(playedApi()) : nullptr;
            const auto executor =
                std::move(Executor::create(plan, model, alone,
                              {.backend = BackendKind::TorchCpu, .seed = 1, .threads = 2, .products = products}))
                    .value();
            for (int step = 1; step <= 4; ++step) {
                const Batch batch =
                    randomBatch(executor->tokensPerStep(), model.vocab, static_cast<std::uint64_t>(step));
                losses[lt].push_back(executor->step(batch.input(), {.learningRate = 1e-3, .step = step}).value().loss);
            }
            EXPECT_THAT(
                executor->description(), ::testing::HasSubstr(lt ? "cublaslt 13.1 products" : "upcast products"));
        }
        for (std::size_t step = 0; step < losses[0].size(); ++step)
            EXPECT_NEAR(losses[1][step] / losses[0][step], 1.0, precision == Precision::Fp32 ? 1e-5 : 2e-3) << step;
    }
    // 7 products forward and back for each layer and 3 of the head; once a shape, an accumulating gradient apart.
    EXPECT_LT(m_played.heuristics, 160);
    EXPECT_GT(m_played.products, 2 * 4 * 2 * 2 * (3 * 12 + 3) - 1);
}

} // namespace
} // namespace slipway::testing
