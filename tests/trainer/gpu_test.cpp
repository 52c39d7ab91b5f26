// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What one rank does on a GPU; packaging/gpu-check runs it.
#include <cmath>

#include <ATen/ATen.h>

#include "download.h"
#include "fused_ops/gemm.h"
#include "gpu_fixture.h"
#include "memory/memory_walk.h"
#include "support/family_models.h"

namespace slipway::testing {
namespace {

struct Case {
    Precision precision;
    Attention attention;
    Recompute recompute;
    std::int64_t gradAccum;
    bool ownKernels;
    bool odd = false; // widths that are filled up
};

std::vector<Case> allCases()
{
    std::vector<Case> cases;
    for (const Precision precision : {Precision::Fp32, Precision::Bf16Mixed}) {
        for (const Attention attention : {Attention::Flash, Attention::Vanilla}) {
            for (const auto &[recompute, gradAccum] :
                {std::pair(Recompute::None, 1), std::pair(Recompute::Selective, 2), std::pair(Recompute::Full, 3)}) {
                for (const bool own : {true, false})
                    cases.push_back({precision, attention, recompute, gradAccum, own});
            }
        }
    }
    for (const bool own : {true, false})
        cases.push_back({Precision::Bf16Mixed, Attention::Flash, Recompute::None, 2, own, true});
    return cases;
}

class GpuStep : public OnGpu<::testing::TestWithParam<Case>> {};

TEST_P(GpuStep, IsWithinTheErrorOfPyTorchsOwn)
{
    const Case &c = GetParam();
    ModelSpec model = gpuModel();
    model.mlp.width = c.odd ? 203 : model.mlp.width;
    model.vocab = c.odd ? 317 : model.vocab;
    RunConfig config = smallConfig();
    config.precision = c.precision;
    config.attention = c.attention;
    config.recompute = c.recompute;
    config.gradAccum = c.gradAccum;
    SingleCommunicator alone;
    const auto executor = gpuExecutor(planOf(config, model), model, alone, {.ownKernels = c.ownKernels});
    const Batch batch = randomBatch(executor->tokensPerStep(), model.vocab, 3);
    Gradients gradients;
    collectGradients(*executor, gradients);
    const OracleStep exact = oracleStep(model, executor->weights(), batch, config.seqLen, OracleType::Fp64);
    const bool narrow = c.precision != Precision::Fp32;
    const OracleStep rounded =
        oracleStep(model, executor->weights(), batch, config.seqLen, narrow ? OracleType::Bf16 : OracleType::Fp64);

    const Result<StepOutcome> outcome = executor->step(batch.input(), {});

    ASSERT_TRUE(outcome);
    RecordProperty("kernels", executor->description());
    EXPECT_NEAR(outcome->loss / exact.loss, 1.0, narrow ? 1e-3 : 1e-5) << executor->description();
    for (const auto &[name, gradient] : exact.gradients)
        EXPECT_LT(relativeDistance(gradients.at(name), gradient),
            narrow ? 1.5 * relativeDistance(rounded.gradients.at(name), gradient) : 1e-4)
            << name;
    EXPECT_LT(
        distanceOfAll(gradients, exact.gradients), narrow ? distanceOfAll(rounded.gradients, exact.gradients) : 1e-4)
        << executor->description();
}

INSTANTIATE_TEST_SUITE_P(, GpuStep, ::testing::ValuesIn(allCases()), [](const auto &test) {
    const Case &c = test.param;
    return std::string(c.precision == Precision::Fp32 ? "fp32_" : "bf16_") + std::string(enumName(c.attention)) +
           "_recompute_" + std::string(enumName(c.recompute)) + (c.ownKernels ? "_own" : "_libtorch") +
           (c.odd ? "_odd" : "");
});

// The forms, types and sums of a step, at aligned addresses and at others.
TEST_F(Gpu, CublasLtGivesWhatPlainLoopsDo)
{
    using fused_ops::Float;
    const std::unique_ptr<fused_ops::GemmLibrary> gemmLibrary = fused_ops::cudaGemmLibrary(true);
    ASSERT_TRUE(gemmLibrary) << "no cuBLASLt";
    constexpr std::int64_t kM = 72, kN = 136, kK = 264;
    const at::Tensor workspace = at::zeros({32 << 20}, at::TensorOptions(at::kByte).device(at::kCUDA));
    for (const auto &[transposedA, transposedB] :
        {std::pair(false, true), std::pair(false, false), std::pair(true, false)}) {
        for (const auto &[type, result] : {std::pair(Float::Fp32, Float::Fp32), std::pair(Float::Bf16, Float::Bf16),
                 std::pair(Float::Bf16, Float::Fp32)}) {
            for (const bool adds : {false, true}) {
                for (const std::int64_t shift : {0, 1}) { // elements by which operands are misplaced
                    const auto random = [shift](std::int64_t elements, Float as) {
                        return at::randn({elements + shift})
                            .to(as == Float::Bf16 ? at::kBFloat16 : at::kFloat)
                            .narrow(0, shift, elements);
                    };
                    const at::Tensor a = random(kM * kK, type), b = random(kK * kN, type),
                                     added = random(kM * kN, result), expected = added.clone();
                    const auto copy = [shift](const at::Tensor &host) {
                        const at::Tensor device = at::empty({host.numel() + shift}, host.options().device(at::kCUDA))
                                                      .narrow(0, shift, host.numel());
                        device.copy_(host);
                        return device;
                    };
                    const at::Tensor deviceA = copy(a), deviceB = copy(b), device = copy(added);
                    const auto gemm = [&](const at::Tensor &left, const at::Tensor &right, const at::Tensor &c) {
                        return fused_ops::Gemm{.m = kM,
                            .n = kN,
                            .k = kK,
                            .transposedA = transposedA,
                            .transposedB = transposedB,
                            .type = type,
                            .result = result,
                            .a = {left.data_ptr(), transposedA ? kM : kK},
                            .b = {right.data_ptr(), transposedB ? kK : kN},
                            .c = c.data_ptr(),
                            .added = adds ? c.data_ptr() : nullptr};
                    };
                    fused_ops::referenceGemm(gemm(a, b, expected));
                    const bool ran = gemmLibrary->multiply(
                        gemm(deviceA, deviceB, device), {}, {workspace.data_ptr(), workspace.numel()});
                    EXPECT_TRUE(ran || shift > 0) << "nothing for aligned operands";
                    if (!ran)
                        continue;
                    const at::Tensor got = device.cpu().to(at::kDouble), want = expected.to(at::kDouble);
                    EXPECT_LT(((got - want).norm() / want.norm()).item<double>(), result == Float::Bf16 ? 4e-3
                                                                                  : type == Float::Bf16 ? 1e-5
                                                                                                        : 1e-6)
                        << transposedA << transposedB << adds << shift << static_cast<int>(type)
                        << static_cast<int>(result);
                }
            }
        }
    }
    RecordProperty("gemms", gemmLibrary->description());
}

// Chunks on a stream of their own, while the next step runs.
TEST_F(Gpu, BringsWeightsOverBesideASteps)
{
    const ModelSpec model = gpuModel();
    RunConfig config = smallConfig();
    config.precision = Precision::Bf16Mixed;
    config.attention = Attention::Vanilla;
    const StepPlan plan = planOf(config, model);
    for (const StepGraphs graphs : {StepGraphs::Off, StepGraphs::On}) {
        SingleCommunicator alone;
        const auto executor = gpuExecutor(plan, model, alone, {.graphs = graphs});
        SCOPED_TRACE(enumName(graphs));
        expectDownloadHoldsBesideAStep(*executor, model.vocab);
    }
}

// A graph keeps nothing that the host would have to wait for: that it can be made shows that a step has no such thing.
// Flash attention's backward adds up dq in any order, so that its losses are near and vanilla's are equal.
TEST_F(Gpu, ReplaysAStep)
{
    const ModelSpec model = gpuModel();
    for (const Attention attention : {Attention::Vanilla, Attention::Flash}) {
        RunConfig config = smallConfig();
        config.precision = Precision::Bf16Mixed;
        config.attention = attention;
        config.gradAccum = 2;
        const StepPlan plan = planOf(config, model);
        std::vector<double> losses[2];
        for (const bool graph : {false, true}) {
            SingleCommunicator alone;
            const auto executor = gpuExecutor(plan, model, alone, {.graphs = graph ? StepGraphs::On : StepGraphs::Off});
            for (int step = 1; step <= 8; ++step) {
                const Batch batch =
                    randomBatch(executor->tokensPerStep(), model.vocab, static_cast<std::uint64_t>(step));
                const StepOutcome outcome =
                    executor->step(batch.input(), {.learningRate = 1e-2 / step, .step = step}).value();
                losses[graph].insert(losses[graph].end(), {outcome.loss, outcome.gradNorm});
                EXPECT_EQ(outcome.replayed, graph && step > 3) << executor->description();
                EXPECT_GT(outcome.seconds.backward, 0);
                EXPECT_GT(outcome.allocatedPeak, 0);
            }
        }
        for (std::size_t i = 0; i < losses[0].size(); ++i)
            EXPECT_NEAR(losses[1][i] / losses[0][i], 1.0, attention == Attention::Vanilla ? 0 : 1e-2)
                << enumName(attention) << " " << i;
    }
}

// What the device took is what the plan says, besides what libraries keep for themselves: tables, and where LibTorch
// multiplies after all 34 MB of cuBLAS.
TEST_F(Gpu, AllocatesWhatThePlanSays)
{
    const ModelSpec model{.name = "wide",
        .layers = 2,
        .hidden = 1024,
        .attention = {.heads = 16, .kvHeads = 16, .headDim = 64},
        .mlp = {.width = 2816},
        .vocab = 32000};
    RunConfig config = smallConfig();
    config.precision = Precision::Bf16Mixed;
    config.seqLen = 1024;
    config.microBatch = 4;
    for (const Attention attention : {Attention::Flash, Attention::Vanilla}) {
        config.attention = attention;
        const StepPlan plan = planOf(config, model);
        SingleCommunicator alone;
        const auto executor = gpuExecutor(plan, model, alone);
        const Batch batch = randomBatch(executor->tokensPerStep(), model.vocab, 1);
        Bytes allocated = 0;
        for (int step = 1; step <= 3; ++step)
            allocated = executor->step(batch.input(), {.step = step}).value().allocatedPeak;
        const Bytes planned = peakMemory(plan).allocated;
        EXPECT_GE(allocated, planned);
        EXPECT_LE(allocated, planned + planned / 50 + 48 * kMiB) << enumName(attention);
    }
}

// Two in each sequence, against sequences of half the length.
TEST_F(Gpu, KeepsDocumentsApart)
{
    const ModelSpec model = gpuModel();
    for (const Precision precision : {Precision::Fp32, Precision::Bf16Mixed}) {
        RunConfig config = smallConfig();
        config.precision = precision;
        config.seqLen = 64;
        config.training.documents = Documents::Separate;
        SingleCommunicator alone;
        const auto executor = gpuExecutor(planOf(config, model), model, alone, {.graphs = StepGraphs::On});
        const Batch batch = randomBatch(executor->tokensPerStep(), model.vocab, 3);
        std::vector<std::int32_t> starts;
        for (std::int64_t token = 0; token < executor->tokensPerStep(); ++token)
            starts.push_back(token % 64 < 32 ? 0 : 32);
        Gradients gradients;
        collectGradients(*executor, gradients);
        const bool narrow = precision != Precision::Fp32;
        const OracleStep exact = oracleStep(model, executor->weights(), batch, 32, OracleType::Fp64),
                         rounded = oracleStep(
                             model, executor->weights(), batch, 32, narrow ? OracleType::Bf16 : OracleType::Fp64);
        const Result<StepOutcome> outcome =
            executor->step({.tokens = batch.tokens, .targets = batch.targets, .documentStarts = starts}, {});
        ASSERT_TRUE(outcome) << outcome.error().message();
        EXPECT_NEAR(outcome->loss / exact.loss, 1.0, narrow ? 1e-3 : 1e-5);
        EXPECT_LT(distanceOfAll(gradients, exact.gradients),
            narrow ? distanceOfAll(rounded.gradients, exact.gradients) : 1e-4);
    }
}

Gradients gradientsOf(Executor &executor, const Batch &batch, double &loss)
{
    Gradients gradients;
    collectGradients(executor, gradients);
    loss = executor.step(batch.input(), {.step = 1}).value().loss;
    executor.setObserver({});
    return gradients;
}

// In bf16, a token may choose another expert than in fp32. On the CPU, the same ops are 0.008 from fp32.
TEST_F(Gpu, TrainsExpertsAsTheProcessorDoes)
{
    const ModelSpec model = expertModel();
    RunConfig config = smallConfig();
    config.seqLen = 64;
    config.balanceLoss = true;
    SingleCommunicator alone;
    const auto processor = executorOf(planOf(config, model), model, alone, 1, BackendKind::Host);
    const Batch batch = randomBatch(processor->tokensPerStep(), model.vocab, 3);
    double expected = 0;
    const Gradients exact = gradientsOf(*processor, batch, expected);
    for (const Precision precision : {Precision::Fp32, Precision::Bf16Mixed}) {
        const bool narrow = precision != Precision::Fp32;
        for (const Recompute recompute : {Recompute::None, Recompute::Full}) {
            for (const bool own : {true, false}) {
                config.precision = precision;
                config.recompute = recompute;
                const auto executor =
                    gpuExecutor(planOf(config, model), model, alone, {.ownKernels = own, .graphs = StepGraphs::On});
                double loss = 0;
                const Gradients gradients = gradientsOf(*executor, batch, loss);
                EXPECT_NEAR(loss / expected, 1.0, narrow ? 1e-3 : 1e-5);
                EXPECT_LT(distanceOfAll(gradients, exact), narrow ? 0.05 : 1e-4) << executor->description();
                for (int step = 2; step <= 6; ++step)
                    EXPECT_FALSE(executor->step(batch.input(), {.learningRate = 1e-3, .step = step}).value().replayed);
            }
        }
    }
}

// The first step of each family, with weights that differ from ones and zeros, so that norms and biases count.
class GpuFamilies : public OnGpu<::testing::TestWithParam<std::string>> {
protected:
    static Gradients firstStep(const StepPlan &plan, const ModelSpec &model, BackendKind backend, double &loss)
    {
        SingleCommunicator alone;
        const auto executor = executorOf(plan, model, alone, 1, backend);
        for (const WeightView &weight : executor->weights()) {
            for (std::int64_t i = 0; i < weight.count; ++i)
                weight.master[i] += 0.1f * static_cast<float>((weight.first + i) % 7 - 3) / 3;
        }
        executor->uploadWeights();
        return gradientsOf(*executor, randomBatch(executor->tokensPerStep(), model.vocab, 3), loss);
    }
};

// Both kinds of attention, in both precisions; the limits are those of family_steps_test.cpp, where LibTorch's
// operations on the processor stand in for the GPU's.
TEST_P(GpuFamilies, TakeTheStepThatTheProcessorTakes)
{
    const ModelSpec model = smallModelOf(*familyOfType(GetParam()));
    RunConfig config = smallConfig();
    config.seqLen = 24;
    config.gradAccum = 2;
    for (const Attention attention : {Attention::Flash, Attention::Vanilla}) {
        config.attention = attention;
        config.precision = Precision::Fp32;
        double expected = 0, loss = 0;
        const Gradients exact = firstStep(planOf(config, model), model, BackendKind::Host, expected);
        const Gradients wide = firstStep(planOf(config, model), model, BackendKind::Cuda, loss);
        EXPECT_NEAR(loss / expected, 1.0, 1e-5) << enumName(attention);
        EXPECT_LT(distanceOfAll(wide, exact), 1e-4) << enumName(attention);
        config.precision = Precision::Bf16Mixed;
        const Gradients narrow = firstStep(planOf(config, model), model, BackendKind::Cuda, loss);
        EXPECT_NEAR(loss / expected, 1.0, 5e-3) << enumName(attention);
        EXPECT_LT(distanceOfAll(narrow, exact), 0.05) << enumName(attention);
    }
}

std::vector<std::string> familyTypes()
{
    std::vector<std::string> types;
    for (const ModelFamily &family : modelFamilies())
        types.emplace_back(family.type);
    return types;
}

INSTANTIATE_TEST_SUITE_P(
    , GpuFamilies, ::testing::ValuesIn(familyTypes()), [](const auto &test) { return test.param; });

} // namespace
} // namespace slipway::testing
