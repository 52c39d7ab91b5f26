// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What only a GPU can show; packaging/gpu-check runs it. Without one every test here is skipped.
#include <cmath>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/nccl_group.h"
#include "comm/thread_group.h"
#include "download.h"
#include "exec/cuda_devices.h"
#include "fused_ops/gemm.h"
#include "memory/memory_walk.h"
#include "oracle.h"
#include "split_sequences.h"

namespace slipway::testing {
namespace {

template<typename Base>
class OnGpu : public Base {
protected:
    void SetUp() override
    {
        if (const auto devices = cudaDevices(); !devices)
            GTEST_SKIP() << devices.error().message();
    }
};

// With a head dimension that fused attention takes.
ModelSpec gpuModel()
{
    return {.name = "gpu",
        .layers = 3,
        .hidden = 128,
        .attention = {.heads = 4, .kvHeads = 2, .headDim = 32},
        .mlp = {.width = 208},
        .vocab = 320};
}

std::unique_ptr<Executor> gpuExecutor(
    const StepPlan &plan, const ModelSpec &model, Communicator &communicator, ExecutorOptions options = {})
{
    options.backend = BackendKind::Cuda;
    options.seed = 1;
    Result<std::unique_ptr<Executor>> executor = Executor::create(plan, model, communicator, options);
    if (!executor)
        throw std::runtime_error(executor.error().message());
    (*executor)->downloadWeights(); // the host's copies are given back once they are uploaded
    return std::move(*executor);
}

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

struct Ladder {
    ParallelKind kind;
    int ranks;
    Precision precision;
    std::int64_t gradAccum = 1;
    Recompute recompute = Recompute::None;
};

// Every strategy with 2 and 4 ranks: in fp32, and in bf16 with accumulation and recomputation.
std::vector<Ladder> allRungs()
{
    std::vector<Ladder> rungs;
    for (const ParallelKind kind : {ParallelKind::Ddp, ParallelKind::Zero1, ParallelKind::FsdpGradOp,
             ParallelKind::FsdpFull, ParallelKind::Hsdp}) {
        for (const int ranks : {2, 4}) {
            rungs.push_back({kind, ranks, Precision::Fp32});
            rungs.push_back({kind, ranks, Precision::Bf16Mixed, 2, ranks == 4 ? Recompute::Full : Recompute::None});
        }
    }
    return rungs;
}

class GpuRanks : public OnGpu<::testing::TestWithParam<Ladder>> {};

// Ranks as threads on one GPU: the collectives' lane beside the computation's, memory used again between them.
TEST_P(GpuRanks, DoWhatOneRankDoesWithTheWholeBatch)
{
    const Ladder &rung = GetParam();
    const ModelSpec model = gpuModel();
    const std::int64_t seqLen = 64, sequences = 4;
    const auto train = [&](const RunConfig &config, Communicator &communicator, std::vector<double> &losses) {
        const auto executor = gpuExecutor(planOf(config, model), model, communicator);
        for (int step = 1; step <= 20; ++step) {
            const Batch whole =
                randomBatch(rung.gradAccum * sequences * seqLen, model.vocab, static_cast<std::uint64_t>(step));
            const std::int64_t own = config.microBatch * seqLen;
            Batch batch;
            for (std::int64_t micro = 0; micro < rung.gradAccum; ++micro) {
                const auto at = static_cast<std::ptrdiff_t>(micro * sequences * seqLen + own * communicator.rank());
                batch.tokens.insert(batch.tokens.end(), whole.tokens.begin() + at, whole.tokens.begin() + at + own);
                batch.targets.insert(batch.targets.end(), whole.targets.begin() + at, whole.targets.begin() + at + own);
            }
            const double loss = executor->step(batch.input(), {.learningRate = 1e-3, .step = step}).value().loss;
            if (communicator.rank() == 0)
                losses.push_back(loss);
        }
    };
    RunConfig whole = smallConfig();
    whole.seqLen = seqLen;
    whole.microBatch = sequences;
    whole.precision = rung.precision;
    whole.gradAccum = rung.gradAccum;
    whole.recompute = rung.recompute;
    RunConfig shared = whole;
    shared.microBatch = sequences / rung.ranks;
    shared.parallel = {.kind = rung.kind, .gpus = rung.ranks, .gpusPerNode = rung.kind == ParallelKind::Hsdp ? 2 : 8};
    std::vector<double> one, many;
    SingleCommunicator alone;
    train(whole, alone, one);
    ThreadGroup(rung.ranks).run([&](Communicator &communicator) { train(shared, communicator, many); });
    for (std::size_t step = 0; step < one.size(); ++step)
        EXPECT_NEAR(many[step] / one[step], 1.0, rung.precision == Precision::Fp32 ? 1e-5 : 1e-3) << "step " << step;
}

INSTANTIATE_TEST_SUITE_P(, GpuRanks, ::testing::ValuesIn(allRungs()), [](const auto &test) {
    std::string name = std::string(enumName(test.param.kind)) + "_" + std::to_string(test.param.ranks) +
                       (test.param.precision == Precision::Fp32 ? "_fp32" : "_bf16");
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

class Gpu : public OnGpu<::testing::Test> {};

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

ModelSpec expertModel()
{
    ModelSpec model = gpuModel();
    model.experts = {.count = 8, .perToken = 2, .sharedWidth = 96, .sharedGate = true, .auxLoss = 0.1, .zLoss = 0.01};
    return model;
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

// Two ranks as threads on one GPU with half of the experts each.
TEST_F(Gpu, SendsRowsToTheRanksOfTheirExperts)
{
    const ModelSpec model = expertModel();
    for (const Precision precision : {Precision::Fp32, Precision::Bf16Mixed}) {
        std::vector<double> losses[2];
        const auto train = [&](const RunConfig &config, Communicator &communicator, std::vector<double> &all) {
            const auto executor = gpuExecutor(planOf(config, model), model, communicator);
            const std::int64_t own = config.microBatch * config.seqLen;
            for (int step = 1; step <= 10; ++step) {
                const Batch whole = randomBatch(2 * config.seqLen, model.vocab, static_cast<std::uint64_t>(step));
                const auto part = [&](const std::vector<std::int32_t> &ids) {
                    return std::span(ids).subspan(
                        static_cast<std::size_t>(own * communicator.rank()), static_cast<std::size_t>(own));
                };
                const double loss = executor
                                        ->step({.tokens = part(whole.tokens), .targets = part(whole.targets)},
                                            {.learningRate = 1e-3, .step = step})
                                        .value()
                                        .loss;
                if (communicator.rank() == 0)
                    all.push_back(loss);
            }
        };
        RunConfig config = smallConfig();
        config.seqLen = 64;
        config.microBatch = 2;
        config.precision = precision;
        SingleCommunicator alone;
        train(config, alone, losses[0]);
        config.microBatch = 1;
        config.parallel = {.kind = ParallelKind::Ddp, .gpus = 2, .ep = 2};
        ThreadGroup(2).run([&](Communicator &communicator) { train(config, communicator, losses[1]); });
        for (std::size_t step = 0; step < losses[0].size(); ++step)
            EXPECT_NEAR(losses[1][step] / losses[0][step], 1.0, precision == Precision::Fp32 ? 1e-5 : 1e-2) << step;
    }
}

// FlashAttention-2 with more keys than queries, and results of several ranks that are merged.
TEST_F(Gpu, SplitsSequencesWithinTheErrorOfFlashAttention)
{
    for (const std::int64_t window : {0, 200}) {
        for (const bool ring : {false, true}) {
            SplitAttention split({.seq = 1024, .headDim = 64, .options = {.window = window}, .ring = ring},
                at::TensorOptions(at::kCUDA).dtype(at::kBFloat16));
            const Distances apart = split.ofSplit(aten_ops::FlashKernel::Gpu),
                            usual = split.ofWhole(aten_ops::FlashKernel::Gpu);
            for (std::size_t i = 0; i < apart.size(); ++i)
                EXPECT_LT(apart[i], 2 * usual[i] + 1e-3) << i << " window " << window << (ring ? " ring" : "");
        }
    }
}

TEST_F(Gpu, LanesSideBySideGiveTheBitsOfOneAfterTheOther)
{
    const ModelSpec model = gpuModel();
    RunConfig config = smallConfig();
    config.precision = Precision::Bf16Mixed;
    config.attention = Attention::Vanilla; // flash's backward adds up in any order
    config.parallel = {.kind = ParallelKind::FsdpFull, .gpus = 2};
    const StepPlan plan = planOf(config, model);
    std::vector<double> losses[2];
    for (const bool observed : {false, true}) {
        ThreadGroup(2).run([&](Communicator &communicator) {
            const auto executor = gpuExecutor(plan, model, communicator);
            if (observed)
                executor->setObserver([](const OpEvent &) {}); // one lane
            for (int step = 1; step <= 5; ++step) {
                const Batch batch = randomBatch(executor->tokensPerStep(), model.vocab,
                    static_cast<std::uint64_t>(10 * step + communicator.rank()));
                const double loss = executor->step(batch.input(), {.learningRate = 1e-3, .step = step}).value().loss;
                if (communicator.rank() == 0)
                    losses[observed].push_back(loss);
            }
        });
    }
    EXPECT_EQ(losses[0], losses[1]);
}

TEST_F(Gpu, AlonePassesThroughNccl)
{
    if (!ncclMissing().empty())
        GTEST_SKIP() << ncclMissing();
    std::unique_ptr<Communicator> control = std::make_unique<SingleCommunicator>();
    const Result<std::unique_ptr<Communicator>> joined = withNccl(control, {.joinTimeout = 30, .peerTimeout = 10});
    ASSERT_TRUE(joined) << joined.error().message();
    const at::Tensor values = at::arange(1000, at::TensorOptions(at::kFloat).device(at::kCUDA)),
                     copy = at::zeros_like(values);
    DeviceGroup &group = *(*joined)->onDevice();
    group.allReduceSum(values.data_ptr<float>(), 1000, nullptr);
    group.allGather(
        static_cast<const std::byte *>(values.data_ptr()), static_cast<std::byte *>(copy.data_ptr()), 4000, nullptr);
    group.reduceScatterSum(copy.data_ptr<float>(), values.data_ptr<float>(), 1000, nullptr);
    EXPECT_EQ(values.cpu().sum().item<float>(), 499'500);
    group.check();
}

} // namespace
} // namespace slipway::testing
