// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What is said to cuBLASLt, with functions of our own in its place (played_lt.h).
#include <algorithm>
#include <map>
#include <optional>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/out_of_memory.h"
#include "oracle.h"
#include "played_lt.h"

namespace slipway::testing {
namespace {

class CublasLt : public ::testing::Test {
protected:
    void SetUp() override { playedLt = &m_played; }
    void TearDown() override
    {
        m_library.reset();
        EXPECT_EQ(m_played.alive, 0) << "descriptors are left";
        playedLt = nullptr;
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
        fused_ops::Gemm p{.m = m,
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
        fused_ops::referenceGemm(p);
        p.c = ours.data_ptr();
        ASSERT_TRUE(m_library->multiply(p, {}, {m_workspace.data(), std::ssize(m_workspace)}));
        EXPECT_TRUE(at::allclose(
            ours.to(at::kDouble), expected.to(at::kDouble), result == fused_ops::Float::Bf16 ? 1e-2 : 1e-5, 1e-5));
        if (!adds)
            return;
        p.c = inPlace.data_ptr();
        p.added = inPlace.data_ptr();
        ASSERT_TRUE(m_library->multiply(p, {}, {m_workspace.data(), std::ssize(m_workspace)}));
        EXPECT_TRUE(inPlace.equal(ours));
    }
    // Several in one go, out of the midst of longer rows.
    void checkSeveral(fused_ops::Float type, bool adds)
    {
        const std::int64_t m = 4, n = 6, k = 5, count = 3, pitch = count * k + 2, pitchC = count * n + 1;
        const at::ScalarType as = type == fused_ops::Float::Bf16 ? at::kBFloat16 : at::kFloat;
        const at::Tensor a = at::randn({m, pitch}).to(as), b = at::randn({count, n, k}).to(as);
        at::Tensor ours = at::randn({m, pitchC}).to(as), expected = ours.clone();
        fused_ops::Gemm p{.m = m,
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
        fused_ops::referenceGemm(p);
        p.c = ours.data_ptr();
        p.added = adds ? ours.data_ptr() : nullptr;
        ASSERT_TRUE(m_library->multiply(p, {}, {m_workspace.data(), std::ssize(m_workspace)}));
        EXPECT_TRUE(
            at::allclose(ours.to(at::kDouble), expected.to(at::kDouble), as == at::kBFloat16 ? 1e-2 : 1e-5, 1e-5));
        EXPECT_TRUE(ours.select(1, pitchC - 1).equal(expected.select(1, pitchC - 1))) << "what lies between rows";
    }
    fused_ops::Gemm small()
    {
        return {.m = 2, .n = 2, .k = 2, .a = {m_values.data(), 2}, .b = {m_values.data(), 2}, .c = m_values.data() + 4};
    }

    PlayedLt m_played;
    std::unique_ptr<fused_ops::GemmLibrary> m_library = (playedLt = &m_played, fused_ops::makeCublasLt(playedLtApi()));
    std::vector<std::byte> m_workspace = std::vector<std::byte>(1024);
    alignas(256) std::array<float, 64> m_values{1, 2, 3, 4};
};

TEST_F(CublasLt, GivesWhatPlainLoopsDoForEveryFormTypeAndPitch)
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

TEST_F(CublasLt, MultipliesSeveralMatricesInOneCall)
{
    for (const fused_ops::Float type : {fused_ops::Float::Fp32, fused_ops::Float::Bf16})
        for (const bool adds : {false, true})
            checkSeveral(type, adds);
    EXPECT_LE(*m_played.alignments.begin(), 4u) << "matrices lie a few elements apart, wherever the first one lies";
}

// Forward, the gradient of what went in, and that of a weight, which is added to.
TEST_F(CublasLt, GivesWhatPlainLoopsDoInFp8)
{
    using fused_ops::Float;
    const std::int64_t m = 32, n = 16, k = 48;
    const at::Tensor b = at::randn({n, k}).to(at::kFloat8_e4m3fn);
    const std::array<float, 2> factors{0.5f, 3};
    for (const auto &[type, result] : {std::pair(Float::E4m3, Float::Bf16), std::pair(Float::E5m2, Float::Bf16),
             std::pair(Float::E5m2, Float::Fp32)}) {
        const at::Tensor a = at::randn({m, k}).to(type == Float::E4m3 ? at::kFloat8_e4m3fn : at::kFloat8_e5m2);
        at::Tensor ours = at::randn({m, n}).to(result == Float::Bf16 ? at::kBFloat16 : at::kFloat),
                   expected = ours.clone();
        fused_ops::Gemm p{.m = m,
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
        fused_ops::referenceGemm(p);
        p.c = ours.data_ptr();
        p.added = p.added ? ours.data_ptr() : nullptr;
        ASSERT_TRUE(m_library->multiply(p, {}, {m_workspace.data(), std::ssize(m_workspace)}));
        EXPECT_TRUE(at::allclose(ours.to(at::kDouble), expected.to(at::kDouble), 1e-2, 1e-5));
    }
}

TEST_F(CublasLt, AsksOnceForAShapeAndAgainWhereAddressesAreWorse)
{
    fused_ops::Gemm p = small();
    for (int i = 0; i < 3; ++i)
        ASSERT_TRUE(m_library->multiply(p, {.stream = &m_played, .scratch = nullptr}, {}));
    EXPECT_EQ(m_played.heuristics, 1);
    EXPECT_EQ(m_played.gemms, 3);
    EXPECT_EQ(m_played.stream, &m_played);
    EXPECT_THAT(m_played.alignments, ::testing::ElementsAre(16u, 256u));
    p.c = m_values.data() + 9; // 4 bytes off
    ASSERT_TRUE(m_library->multiply(p, {}, {}));
    EXPECT_EQ(m_played.heuristics, 2);
    EXPECT_THAT(m_played.alignments, ::testing::ElementsAre(4u, 16u, 256u));
    EXPECT_EQ(m_library->description(), "cublaslt 13.1");
}

TEST_F(CublasLt, SaysWhichShapesTheLibraryRefusesAndDoesNotAskAgain)
{
    m_played.nothingFits = true;
    const std::array<float, 64> before = m_values;
    EXPECT_FALSE(m_library->multiply(small(), {}, {}));
    EXPECT_FALSE(m_library->multiply(small(), {}, {}));
    EXPECT_EQ(m_played.heuristics, 1);
    EXPECT_EQ(m_values, before);
    m_played.nothingFits = false;
    m_played.refusesToRun = true;
    fused_ops::Gemm other = small();
    other.m = 1;
    EXPECT_FALSE(m_library->multiply(other, {}, {}));
    EXPECT_FALSE(m_library->multiply(other, {}, {}));
    EXPECT_EQ(m_played.heuristics, 2);
    EXPECT_EQ(m_library->description(), "cublaslt 13.1 (but for 2 of 2 shapes)");
}

TEST_F(CublasLt, TakesTheFastestOfEightAlgorithmsAndTimesThemOnceForAShape)
{
    m_played.algorithms = 12;
    m_played.seconds = {8, 7, 6, 1, 5, 9, 4, 3};
    m_played.unsupported = 6;
    const fused_ops::Gemm p = small();
    ASSERT_TRUE(m_library->multiply(p, {}, {}));
    EXPECT_EQ(m_played.runs.size(), 7U) << "all of the eight but the one that is refused";
    EXPECT_EQ(m_played.runs[3], 2) << "and once to multiply";
    EXPECT_EQ(m_played.newest, 3U);
    for (int i = 0; i < 5; ++i)
        ASSERT_TRUE(m_library->multiply(p, {}, {}));
    EXPECT_EQ(m_played.runs[3], 7);
    EXPECT_EQ(m_played.gemms, 7 + 1 + 5);
}

TEST_F(CublasLt, TimesNothingWhereARepetitionWouldAddTwice)
{
    m_played.algorithms = 2;
    m_played.seconds = {2, 1};
    fused_ops::Gemm p = small();
    p.c = m_values.data() + 8;
    p.added = p.c;
    m_values[8] = 100;
    ASSERT_TRUE(m_library->multiply(p, {}, {}));
    EXPECT_EQ(m_played.gemms, 1);
    EXPECT_EQ(m_values[8], 100 + 1 * 1 + 2 * 3);
}

TEST_F(CublasLt, AddsWithTheAlgorithmThatTheFirstMicroBatchChose)
{
    m_played.algorithms = 2;
    m_played.seconds = {2, 1};
    fused_ops::Gemm p = small();
    ASSERT_TRUE(m_library->multiply(p, {}, {}));
    p.added = p.c;
    ASSERT_TRUE(m_library->multiply(p, {}, {}));
    EXPECT_EQ(m_played.newest, 1U);
}

TEST_F(CublasLt, TakesTheLibrarysFirstChoiceWhereNothingCanBeTimed)
{
    m_played.algorithms = 8;
    ASSERT_TRUE(m_library->multiply(small(), {}, {}));
    EXPECT_EQ(m_played.newest, 0U);
    EXPECT_EQ(m_played.gemms, 1);
}

TEST_F(CublasLt, UsesSavedAlgorithmsWithoutTimingThemAgain)
{
    m_played.algorithms = 4;
    m_played.seconds = {4, 3, 1, 2};
    ASSERT_TRUE(m_library->multiply(small(), {}, {}));
    const std::string choices = m_library->algorithms();
    m_played.seconds = {1, 2, 3, 4};
    m_library = fused_ops::makeCublasLt(playedLtApi());
    ASSERT_TRUE(m_library->restoreAlgorithms(choices));
    m_played.gemms = 0;
    ASSERT_TRUE(m_library->multiply(small(), {}, {}));
    EXPECT_EQ(m_played.gemms, 1);
    EXPECT_EQ(m_played.newest, 2U);
    EXPECT_EQ(m_library->algorithms(), choices);
}

TEST_F(CublasLt, RestoresNothingFromAnotherDeviceNorFromDamagedText)
{
    m_played.algorithms = 4;
    m_played.seconds = {4, 3, 1, 2};
    ASSERT_TRUE(m_library->multiply(small(), {}, {}));
    const std::string choices = m_library->algorithms();
    const auto recalled = [](const std::string &text, const std::string &device = "GPU") {
        return fused_ops::makeCublasLt(playedLtApi(device))->restoreAlgorithms(text);
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

TEST_F(CublasLt, SaysWhatFailedInTheLibrarysWords)
{
    m_played.fails = true;
    try {
        m_library->multiply(small(), {}, {});
        FAIL();
    } catch (const std::runtime_error &error) {
        EXPECT_STREQ(error.what(), "cublasLtMatmul: execution failed");
    }
}

// Whole steps: every product of a step, its residuals, heads and the sums of gradients.
TEST_F(CublasLt, ComputesTheStepsThatLibTorchDoes)
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
            const std::shared_ptr<fused_ops::GemmLibrary> gemmLibrary =
                lt ? fused_ops::makeCublasLt(playedLtApi()) : nullptr;
            const auto executor =
                std::move(Executor::create(plan, model, alone,
                              {.backend = BackendKind::TorchCpu, .seed = 1, .threads = 2, .gemmLibrary = gemmLibrary}))
                    .value();
            for (int step = 1; step <= 4; ++step) {
                const Batch batch =
                    randomBatch(executor->tokensPerStep(), model.vocab, static_cast<std::uint64_t>(step));
                losses[lt].push_back(executor->step(batch.input(), {.learningRate = 1e-3, .step = step}).value().loss);
            }
            EXPECT_THAT(executor->description(), ::testing::HasSubstr(lt ? "cublaslt 13.1 GEMMs" : "upcast GEMMs"));
        }
        for (std::size_t step = 0; step < losses[0].size(); ++step)
            EXPECT_NEAR(losses[1][step] / losses[0][step], 1.0, precision == Precision::Fp32 ? 1e-5 : 2e-3) << step;
    }
    // 7 GEMMs forward and back for each layer and 3 of the head; once a shape, an accumulating gradient apart.
    EXPECT_LT(m_played.heuristics, 160);
    EXPECT_GT(m_played.gemms, 2 * 4 * 2 * 2 * (3 * 12 + 3) - 1);
}

// What was met before the first step is not looked for in it, accumulating gradients and the head's parts included. In
// vanilla attention the second query of a key adds to what the first one gave, from other addresses: that alone is not
// timed.
TEST_F(CublasLt, ChoosesTheAlgorithmsOfAStepBeforeItBegins)
{
    m_played.algorithms = 3;
    m_played.seconds = {2, 3, 1};
    for (const Precision precision : {Precision::Fp32, Precision::Bf16Mixed}) {
        for (const auto &[attention, recompute] : {std::pair(Attention::Flash, Recompute::None),
                 std::pair(Attention::Vanilla, Recompute::Selective), std::pair(Attention::Flash, Recompute::Full)}) {
            RunConfig config = smallConfig();
            config.precision = precision;
            config.attention = attention;
            config.recompute = recompute;
            config.gradAccum = 2;
            SingleCommunicator alone;
            m_played.heuristics = m_played.gemms = 0;
            const auto executor = std::move(Executor::create(planOf(config, smallModel()), smallModel(), alone,
                                                {.backend = BackendKind::TorchCpu,
                                                    .seed = 1,
                                                    .threads = 1,
                                                    .gemmLibrary = fused_ops::makeCublasLt(playedLtApi())}))
                                      .value();
            const int shapes = m_played.heuristics;
            EXPECT_GT(shapes, 10);
            EXPECT_GT(m_played.gemms, 3 * 10) << "they are timed";
            m_played.runs.clear();
            const std::string choices = executor->gemmAlgorithms();
            for (int step = 1; step <= 2; ++step)
                ASSERT_TRUE(executor->step(
                    randomBatch(executor->tokensPerStep(), smallModel().vocab, 1).input(), {.step = step}));
            EXPECT_EQ(m_played.heuristics, shapes);
            EXPECT_TRUE(m_played.runs.size() == 1 || attention == Attention::Vanilla) << "the fastest alone";
            EXPECT_EQ(m_played.runs.count(2), 1U);
            EXPECT_EQ(executor->gemmAlgorithms(), choices);
        }
    }
}

// A step of one layer, whose sizes fp8 takes too.
class LtFaults : public CublasLt, public ::testing::WithParamInterface<Precision> {
protected:
    LtFaults()
    {
        m_model.layers = 1;
        m_model.hidden = 64;
        m_model.attention = {.heads = 4, .kvHeads = 2, .headDim = 16};
        m_model.mlp.width = 96;
        RunConfig config = smallConfig();
        config.precision = GetParam();
        config.seqLen = 16;
        m_plan = planOf(config, m_model);
    }
    [[nodiscard]] StepOutcome step()
    {
        m_played.heuristics = m_played.attempts = 0;
        SingleCommunicator alone;
        const auto executor = std::move(Executor::create(m_plan, m_model, alone,
                                            {.backend = BackendKind::TorchCpu,
                                                .seed = 1,
                                                .threads = 1,
                                                .gemmLibrary = fused_ops::makeCublasLt(playedLtApi())}))
                                  .value();
        return executor->step(randomBatch(executor->tokensPerStep(), m_model.vocab, 1).input(), {}).value();
    }
    void expectTheSameStep(const StepOutcome &whole, int number)
    {
        const StepOutcome outcome = step();
        const double near = GetParam() == Precision::Fp32 ? 1e-5 : 5e-3;
        EXPECT_NEAR(outcome.loss / whole.loss, 1.0, near) << number;
        EXPECT_NEAR(outcome.gradNorm / whole.gradNorm, 1.0, 2 * near) << number;
    }

    ModelSpec m_model = smallModel();
    StepPlan m_plan;
};

TEST_P(LtFaults, ThatRefuseAnyOneShapeLeaveItToLibTorchAndTheStepStaysTheSame)
{
    const StepOutcome whole = step();
    const int shapes = m_played.heuristics, attempts = m_played.attempts;
    ASSERT_GT(shapes, 10);
    for (m_played.fitsNot = 1; m_played.fitsNot <= shapes; ++m_played.fitsNot)
        expectTheSameStep(whole, m_played.fitsNot);
    m_played.fitsNot = 0;
    for (m_played.runsNot = 1; m_played.runsNot <= attempts; m_played.runsNot += 3)
        expectTheSameStep(whole, m_played.runsNot);
}

TEST_P(LtFaults, ThatLackMemoryEndTheStepAsOutOfMemoryAndNameTheLibrary)
{
    static_cast<void>(step());
    const int attempts = m_played.attempts;
    for (m_played.lacksMemory = 1; m_played.lacksMemory <= attempts; m_played.lacksMemory += 5) {
        try {
            static_cast<void>(step());
            ADD_FAILURE() << m_played.lacksMemory << " passed";
        } catch (const OutOfMemory &error) {
            EXPECT_THAT(error.what(), ::testing::StartsWith(std::string(kOutOfMemory)));
            EXPECT_THAT(error.what(), ::testing::HasSubstr("cublasLtMatmul"));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    , LtFaults, ::testing::Values(Precision::Fp32, Precision::Bf16Mixed, Precision::Fp8Mixed), [](const auto &test) {
        std::string name(enumName(test.param));
        std::ranges::replace(name, '-', '_');
        return name;
    });

} // namespace
} // namespace slipway::testing
