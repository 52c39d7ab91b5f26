// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Several ranks as threads on one GPU; packaging/gpu-check runs it.
#include <cmath>

#include <ATen/ATen.h>

#include "comm/nccl_group.h"
#include "comm/thread_group.h"
#include "gpu_fixture.h"
#include "split_sequences.h"

namespace slipway::testing {
namespace {

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

// Ranks as threads on one GPU: the collectives' stream beside the computation's, memory used again between them.
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
                executor->setObserver([](const OpEvent &) {}); // one stream
            for (int step = 1; step <= 5; ++step) {
                const Batch batch = randomBatch(executor->tokensPerStep(), model.vocab,
                    std::uint64_t{10} * static_cast<unsigned>(step) + static_cast<unsigned>(communicator.rank()));
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
