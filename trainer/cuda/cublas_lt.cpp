// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// cuBLASLt's matrices are column-major, so a row-major matrix is its own transpose there. C^T = B^T A^T is computed
// instead, in which a matrix is marked as transposed if it is so in the row-major GEMM.
#include "cuda/lt_api.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "base/text.h"

namespace slipway::fused_ops {
namespace {

// All properties of a GEMM that determine its algorithm.
struct Shape {
    std::int64_t m, n, k, pitchA, pitchB, pitchC, count, strideA, strideB, strideC;
    bool transposedA, transposedB, adds;
    Float type, result;
    std::uint32_t alignA, alignB, alignAdded, alignC; // bytes
    std::int64_t workspace;
    auto operator<=>(const Shape &) const = default;
};

// The common alignment of all matrices of a batch, up to the largest that the library distinguishes.
std::uint32_t alignmentOf(const void *address, std::int64_t stride, Float type)
{
    constexpr std::uintptr_t kMost = 256;
    const std::uintptr_t apart = static_cast<std::uintptr_t>(stride) * static_cast<std::uintptr_t>(sizeOf(type));
    return static_cast<std::uint32_t>(std::uintptr_t{1} << static_cast<unsigned>(
                                          std::countr_zero(std::bit_cast<std::uintptr_t>(address) | apart | kMost)));
}

Shape shapeOf(const Gemm &p, const Workspace &workspace)
{
    return {p.m, p.n, p.k, p.a.pitch, p.b.pitch, p.rowsOfC(), p.count, p.a.stride, p.b.stride, p.strideC, p.transposedA,
        p.transposedB, p.added != nullptr, p.type, p.result, alignmentOf(p.a.data, p.a.stride, p.type),
        alignmentOf(p.b.data, p.b.stride, p.typeB()), alignmentOf(p.added ? p.added : p.c, p.strideC, p.result),
        alignmentOf(p.c, p.strideC, p.result), workspace.bytes};
}

// Statuses that the library returns before it has launched anything.
bool refuses(cublasStatus_t status)
{
    return status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_INVALID_VALUE ||
           status == CUBLAS_STATUS_ARCH_MISMATCH;
}

// Number of algorithms requested from the library, which sorts them by their estimated speed.
constexpr int kAlgorithms = 8;
constexpr std::size_t kChoices = 10000; // limit of restored choices; a step has some dozens of shapes
constexpr std::string_view kHeading = "slipway gemm algorithms 1";

// The key under which choices are stored: the arguments of the request for algorithms. Whether there is an addend is
// left out, so that the first micro-batch's GEMM of a gradient, which can be repeated, also determines the algorithm of
// the GEMMs that accumulate.
using ChoiceKey = std::array<std::int64_t, 19>;

ChoiceKey keyOf(const Shape &s)
{
    return {s.m, s.n, s.k, s.pitchA, s.pitchB, s.pitchC, s.count, s.strideA, s.strideB, s.strideC, s.transposedA,
        s.transposedB, static_cast<std::int64_t>(s.type), static_cast<std::int64_t>(s.result), s.alignA, s.alignB,
        s.alignAdded, s.alignC, s.workspace};
}

// Parses a line of text: the numbers of the key, then the index of the algorithm.
std::optional<std::pair<ChoiceKey, int>> choiceOf(std::string_view line)
{
    ChoiceKey key{};
    const std::vector<std::string_view> words = split(line, ' ');
    if (words.size() != key.size() + 1)
        return std::nullopt;
    for (std::size_t i = 0; i < key.size(); ++i) {
        const auto number = parseInteger(words[i]);
        if (!number)
            return std::nullopt;
        key[i] = *number;
    }
    const auto choice = parseInteger(words.back());
    if (!choice || *choice < 0 || *choice >= kAlgorithms)
        return std::nullopt;
    return std::pair(key, static_cast<int>(*choice));
}

cudaDataType_t typeOf(Float type)
{
    switch (type) {
    case Float::Bf16:
        return CUDA_R_16BF;
    case Float::E4m3:
        return CUDA_R_8F_E4M3;
    case Float::E5m2:
        return CUDA_R_8F_E5M2;
    default:
        return CUDA_R_32F;
    }
}

bool isFp8(Float type) { return type == Float::E4m3 || type == Float::E5m2; }

class CublasLt final : public GemmLibrary {
public:
    CublasLt(std::shared_ptr<const LtApi> api, cublasLtHandle_t handle) : m_api(std::move(api)), m_handle(handle) {}
    ~CublasLt() override
    {
        for (auto &[shape, plan] : m_plans)
            discard(plan);
        m_api->destroy(m_handle);
    }
    CublasLt(const CublasLt &) = delete;
    CublasLt &operator=(const CublasLt &) = delete;

    bool multiply(const Gemm &p, const Queue &queue, Workspace workspace) override
    {
        const Shape shape = shapeOf(p, workspace);
        auto found = m_plans.find(shape);
        if (found == m_plans.end()) {
            found = m_plans.emplace(shape, planOf(shape)).first;
            choose(found->second, shape, {p, queue, workspace});
        }
        Plan &plan = found->second;
        if (!plan.supported)
            return false;
        const cublasStatus_t status = start(plan, plan.algorithm, {p, queue, workspace});
        if (refuses(status))
            return plan.supported = false;
        check(status, "cublasLtMatmul");
        return true;
    }

    std::string algorithms() const override
    {
        if (m_choices.empty())
            return {};
        std::string text = heading();
        for (const auto &[key, choice] : m_choices) {
            for (const std::int64_t number : key)
                text += std::to_string(number) + ' ';
            text += std::to_string(choice) + '\n';
        }
        return text;
    }

    bool restoreAlgorithms(std::string_view text) override
    {
        if (!text.starts_with(heading()))
            return false;
        std::map<ChoiceKey, int> recalled;
        for (const std::string_view line : split(text.substr(heading().size()), '\n')) {
            if (line.empty())
                continue;
            const auto choice = choiceOf(line);
            if (!choice || recalled.size() >= kChoices)
                return false;
            recalled.insert(*choice);
        }
        m_choices.merge(recalled);
        return true;
    }

    std::string description() const override
    {
        const std::size_t version = m_api->getVersion();
        const auto refused =
            std::count_if(m_plans.begin(), m_plans.end(), [](const auto &entry) { return !entry.second.supported; });
        return "cublaslt " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) +
               (refused > 0
                       ? " (but for " + std::to_string(refused) + " of " + std::to_string(m_plans.size()) + " shapes)"
                       : "");
    }

private:
    // A GEMM with its queue and workspace.
    struct Asked {
        const Gemm &product;
        const Queue &queue;
        const Workspace &workspace;
    };

    // The descriptors and algorithms of a shape, created when it first occurs.
    struct Plan {
        cublasLtMatmulDesc_t operation = nullptr;
        cublasLtMatrixLayout_t a = nullptr, b = nullptr, c = nullptr;
        cublasLtMatmulAlgo_t algorithm{};
        std::vector<cublasLtMatmulAlgo_t> algorithms = {}; // candidates, in the order of the library
        bool supported = false;
    };

    // Choices are valid for one version of the library and one kind of device.
    [[nodiscard]] std::string heading() const
    {
        return std::string(kHeading) + ", cublaslt " + std::to_string(m_api->getVersion()) + ", " + m_api->device +
               "\n";
    }

    cublasStatus_t start(const Plan &plan, const cublasLtMatmulAlgo_t &algorithm, const Asked &asked) const
    {
        const auto &[p, queue, workspace] = asked;
        const float one = 1, beta = p.added ? 1.0f : 0.0f;
        if (const cublasStatus_t status = setFactors(plan, p); status != CUBLAS_STATUS_SUCCESS)
            return status;
        return m_api->matmul(m_handle, plan.operation, &one, p.b.data, plan.b, p.a.data, plan.a, &beta,
            p.added ? p.added : p.c, plan.c, p.c, plan.c, &algorithm, workspace.data,
            static_cast<std::size_t>(workspace.bytes), static_cast<cudaStream_t>(queue.stream));
    }

    // The scales are on the device, and their addresses differ between calls. cuBLASLt's first operand is our B.
    cublasStatus_t setFactors(const Plan &plan, const Gemm &p) const
    {
        if (!isFp8(p.type))
            return CUBLAS_STATUS_SUCCESS;
        const cublasStatus_t first = m_api->matmulDescSetAttribute(plan.operation, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER,
            static_cast<const void *>(&p.factorB), sizeof p.factorB);
        return first != CUBLAS_STATUS_SUCCESS
                   ? first
                   : m_api->matmulDescSetAttribute(plan.operation, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER,
                         static_cast<const void *>(&p.factorA), sizeof p.factorA);
    }

    // Selects the algorithm that was chosen for the shape before, else the fastest one.
    void choose(Plan &plan, const Shape &shape, const Asked &asked)
    {
        if (!plan.supported)
            return;
        const auto known = m_choices.find(keyOf(shape));
        const auto kept = known == m_choices.end() ? std::size_t{0} : static_cast<std::size_t>(known->second);
        if (known != m_choices.end() && kept < plan.algorithms.size()) {
            plan.algorithm = plan.algorithms[kept];
        } else if (m_api->time) {
            const std::size_t fastest = fastestOf(plan, asked);
            plan.algorithm = plan.algorithms[fastest];
            m_choices[keyOf(shape)] = static_cast<int>(fastest);
        }
        plan.algorithms.clear();
    }

    // Runs all algorithms on the operands of this call. Their results in c differ only by rounding, and are overwritten
    // afterwards. Not possible if c accumulates, because each run would change the result.
    std::size_t fastestOf(const Plan &plan, const Asked &asked) const
    {
        std::size_t fastest = 0;
        std::optional<double> least;
        const bool repeatable = asked.product.added != asked.product.c;
        for (std::size_t i = 0; repeatable && plan.algorithms.size() > 1 && i < plan.algorithms.size(); ++i) {
            cublasStatus_t worst = CUBLAS_STATUS_SUCCESS;
            const std::optional<double> seconds = m_api->time(asked.queue.stream, [&] {
                if (worst == CUBLAS_STATUS_SUCCESS)
                    worst = start(plan, plan.algorithms[i], asked);
            });
            if (refuses(worst))
                continue;
            check(worst, "cublasLtMatmul");
            if (!seconds)
                break;
            if (!least || *seconds < *least) {
                least = seconds;
                fastest = i;
            }
        }
        return fastest;
    }

    void check(cublasStatus_t status, const char *what) const
    {
        if (status == CUBLAS_STATUS_ALLOC_FAILED) // getStatusString() does not mention memory here
            throw std::runtime_error(std::string(what) + ": CUBLAS_STATUS_ALLOC_FAILED");
        if (status != CUBLAS_STATUS_SUCCESS)
            throw std::runtime_error(std::string(what) + ": " + m_api->getStatusString(status));
    }

    Plan planOf(const Shape &s) const
    {
        Plan plan;
        try {
            describe(s, plan);
            ask(s, plan);
        } catch (...) {
            discard(plan);
            throw;
        }
        return plan;
    }

    // The rows of a row-major matrix are the columns of the library's layout.
    void layOut(
        cublasLtMatrixLayout_t &made, Float type, std::int64_t rows, std::int64_t columns, std::int64_t pitch) const
    {
        check(m_api->matrixLayoutCreate(
                  &made, typeOf(type), static_cast<std::uint64_t>(columns), static_cast<std::uint64_t>(rows), pitch),
            "cublasLtMatrixLayoutCreate");
    }

    void repeat(cublasLtMatrixLayout_t layout, std::int64_t count, std::int64_t stride) const
    {
        const auto number = static_cast<std::int32_t>(count);
        check(m_api->matrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &number, sizeof number),
            "CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT");
        check(m_api->matrixLayoutSetAttribute(
                  layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride),
            "CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET");
    }

    void describe(const Shape &s, Plan &plan) const
    {
        check(m_api->matmulDescCreate(&plan.operation, CUBLAS_COMPUTE_32F, CUDA_R_32F), "cublasLtMatmulDescCreate");
        // cuBLASLt's first operand is our B.
        const cublasOperation_t first = s.transposedB ? CUBLAS_OP_T : CUBLAS_OP_N,
                                second = s.transposedA ? CUBLAS_OP_T : CUBLAS_OP_N;
        check(m_api->matmulDescSetAttribute(plan.operation, CUBLASLT_MATMUL_DESC_TRANSA, &first, sizeof first),
            "CUBLASLT_MATMUL_DESC_TRANSA");
        check(m_api->matmulDescSetAttribute(plan.operation, CUBLASLT_MATMUL_DESC_TRANSB, &second, sizeof second),
            "CUBLASLT_MATMUL_DESC_TRANSB");
        // Fast accumulation makes Hopper sum fp8 GEMMs with less precision than fp32. It is used in the forward pass,
        // as in TransformerEngine, but not for gradients.
        if (const std::int8_t fast = s.type == Float::E4m3; fast != 0)
            check(m_api->matmulDescSetAttribute(plan.operation, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast, sizeof fast),
                "CUBLASLT_MATMUL_DESC_FAST_ACCUM");
        layOut(plan.a, s.type, s.transposedA ? s.k : s.m, s.transposedA ? s.m : s.k, s.pitchA);
        layOut(plan.b, s.type == Float::E5m2 ? Float::E4m3 : s.type, s.transposedB ? s.n : s.k,
            s.transposedB ? s.k : s.n, s.pitchB);
        layOut(plan.c, s.result, s.m, s.n, s.pitchC);
        if (s.count == 1)
            return;
        for (const auto &[layout, stride] :
            {std::pair(plan.a, s.strideA), std::pair(plan.b, s.strideB), std::pair(plan.c, s.strideC)})
            repeat(layout, s.count, stride);
    }

    // Partial sums of a split GEMM are added in fp32. The actual alignment of the addresses is passed, because the
    // library would otherwise assume the largest.
    void ask(const Shape &s, Plan &plan) const
    {
        cublasLtMatmulPreference_t made = nullptr;
        check(m_api->matmulPreferenceCreate(&made), "cublasLtMatmulPreferenceCreate");
        const std::unique_ptr<cublasLtMatmulPreferenceOpaque_t, decltype(m_api->matmulPreferenceDestroy)> preference(
            made, m_api->matmulPreferenceDestroy);
        const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t what, const auto &value) {
            check(m_api->matmulPreferenceSetAttribute(preference.get(), what, &value, sizeof value),
                "cublasLtMatmulPreferenceSetAttribute");
        };
        prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, static_cast<std::uint64_t>(s.workspace));
        prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
            static_cast<std::uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
        prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, s.alignB);
        prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, s.alignA);
        prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, s.alignAdded);
        prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, s.alignC);
        std::array<cublasLtMatmulHeuristicResult_t, kAlgorithms> found{};
        int count = 0;
        const cublasStatus_t status = m_api->matmulAlgoGetHeuristic(m_handle, plan.operation, plan.b, plan.a, plan.c,
            plan.c, preference.get(), kAlgorithms, found.data(), &count);
        for (int i = 0; status == CUBLAS_STATUS_SUCCESS && i < std::min(count, kAlgorithms); ++i) {
            if (found[static_cast<std::size_t>(i)].state == CUBLAS_STATUS_SUCCESS)
                plan.algorithms.push_back(found[static_cast<std::size_t>(i)].algo);
        }
        plan.supported = !plan.algorithms.empty();
        if (plan.supported)
            plan.algorithm = plan.algorithms.front();
    }

    void discard(Plan &plan) const noexcept
    {
        for (cublasLtMatrixLayout_t layout : {plan.a, plan.b, plan.c}) {
            if (layout)
                m_api->matrixLayoutDestroy(layout);
        }
        if (plan.operation)
            m_api->matmulDescDestroy(plan.operation);
    }

    std::shared_ptr<const LtApi> m_api;
    cublasLtHandle_t m_handle;
    std::map<Shape, Plan> m_plans;
    std::map<ChoiceKey, int> m_choices; // restored or found by timing
};

} // namespace

std::unique_ptr<GemmLibrary> makeCublasLt(std::shared_ptr<const LtApi> api)
{
    cublasLtHandle_t handle = nullptr;
    if (api->create(&handle) != CUBLAS_STATUS_SUCCESS)
        return nullptr;
    return std::make_unique<CublasLt>(std::move(api), handle);
}

} // namespace slipway::fused_ops
