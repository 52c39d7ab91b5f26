// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The ops of a GPU, on the processor: the same code, types and copies, held against the oracle.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle.h"

namespace slipway::testing {
namespace {

struct TorchBackendCase {
    Precision precision;
    Attention attention;
    Recompute recompute;
    bool tied;
    int kvHeads;
    std::int64_t gradAccum;
};

std::string nameOfTorchBackendCase(const ::testing::TestParamInfo<TorchBackendCase> &info)
{
    const TorchBackendCase &c = info.param;
    const std::string name = c.precision == Precision::Fp32 ? "fp32_" : "bf16_mixed_";
    return name + std::string(enumName(c.attention)) + "_recompute_" + std::string(enumName(c.recompute)) +
           (c.tied ? "_tied_" : "_untied_") + std::to_string(c.kvHeads) + "_key_heads_accumulation_" +
           std::to_string(c.gradAccum);
}

std::vector<TorchBackendCase> torchBackendCases()
{
    std::vector<TorchBackendCase> cases;
    for (const Precision precision : {Precision::Fp32, Precision::Bf16Mixed}) {
        for (const Attention attention : {Attention::Flash, Attention::Vanilla}) {
            for (const auto &[recompute, gradAccum] :
                {std::pair(Recompute::None, 1), std::pair(Recompute::Selective, 2), std::pair(Recompute::Full, 3)}) {
                for (const auto &[tied, kvHeads] : {std::pair(false, 4), std::pair(false, 2), std::pair(true, 1)})
                    cases.push_back({precision, attention, recompute, tied, kvHeads, gradAccum});
            }
        }
    }
    return cases;
}

RunConfig configOf(const TorchBackendCase &c)
{
    RunConfig config = smallConfig();
    config.precision = c.precision;
    config.attention = c.attention;
    config.recompute = c.recompute;
    config.gradAccum = c.gradAccum;
    return config;
}

class TorchBackendTest : public ::testing::TestWithParam<TorchBackendCase> {};

// In bf16 the gradients are nearer to the exact ones than those of the same model written in PyTorch's bf16: by a
// quarter, all together and in the mean over the weights, since sums and statistics stay in fp32. Of a single weight
// the two distances scatter the more the fewer its elements are, rounding being as good as random: norms of this model
// have 48, its smallest matrix 576.
TEST_P(TorchBackendTest, LossAndEveryGradientAgree)
{
    const TorchBackendCase &c = GetParam();
    ModelSpec model = smallModel();
    model.head.tied = c.tied;
    model.attention.kvHeads = c.kvHeads;
    const RunConfig config = configOf(c);
    SingleCommunicator communicator;
    const std::unique_ptr<Executor> executor =
        executorOf(planOf(config, model), model, communicator, 1, BackendKind::TorchCpu);
    const Batch batch = randomBatch(executor->tokensPerStep(), model.vocab, 3);
    Gradients gradients;
    collectGradients(*executor, gradients);
    const OracleStep exact = oracleStep(model, executor->weights(), batch, config.seqLen, OracleType::Fp64);
    const bool narrow = c.precision != Precision::Fp32;
    const OracleStep rounded =
        oracleStep(model, executor->weights(), batch, config.seqLen, narrow ? OracleType::Bf16 : OracleType::Fp64);

    const Result<StepOutcome> outcome = executor->step(batch.input(), {});

    ASSERT_TRUE(outcome);
    EXPECT_NEAR(outcome->loss / exact.loss, 1.0, narrow ? 1e-3 : 1e-6);
    ASSERT_EQ(gradients.size(), exact.gradients.size());
    for (const auto &[name, gradient] : exact.gradients)
        EXPECT_LT(relativeDistance(gradients.at(name), gradient),
            narrow ? (gradient.size() < 100 ? 1.4 : 1.2) * relativeDistance(rounded.gradients.at(name), gradient)
                   : 1e-5)
            << name;
    EXPECT_LT(distanceOfAll(gradients, exact.gradients),
        narrow ? 0.85 * distanceOfAll(rounded.gradients, exact.gradients) : 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Modes, TorchBackendTest, ::testing::ValuesIn(torchBackendCases()), nameOfTorchBackendCase);

struct Trained {
    std::vector<double> losses, gradNorms;
    std::map<std::string, std::vector<float>> masters;
    double evaluated = 0;
};

Trained train(BackendKind backend, Precision precision, double learningRate, int steps)
{
    const ModelSpec model = smallModel();
    RunConfig config = smallConfig();
    config.precision = precision;
    SingleCommunicator communicator;
    const std::unique_ptr<Executor> executor = executorOf(planOf(config, model), model, communicator, 1, backend);
    const Batch batch = randomBatch(executor->tokensPerStep(), model.vocab, 3);
    Trained trained;
    for (int step = 1; step <= steps; ++step) {
        const StepOutcome outcome =
            executor->step(batch.input(), {.learningRate = learningRate, .gradClip = 0.5, .step = step}).value();
        trained.losses.push_back(outcome.loss);
        trained.gradNorms.push_back(outcome.gradNorm);
    }
    trained.evaluated = executor->evaluate(batch.input()).value();
    executor->downloadWeights();
    for (const WeightView &weight : executor->weights())
        trained.masters[weight.name].assign(weight.master, weight.master + weight.elements());
    return trained;
}

// What prepares the ops leaves nothing behind: neither in the weights nor in the optimizer's states.
TEST(TorchBackend, BeginsWithTheWeightsThatItWasGivenAndZerosBeside)
{
    const ModelSpec model = smallModel();
    RunConfig config = smallConfig();
    config.precision = Precision::Bf16Mixed;
    SingleCommunicator communicator;
    const auto narrow = executorOf(planOf(config, model), model, communicator, 1, BackendKind::TorchCpu);
    config.precision = Precision::Fp32;
    const auto wide = executorOf(planOf(config, model), model, communicator, 1, BackendKind::Host);
    narrow->downloadWeights();
    ASSERT_EQ(narrow->weights().size(), wide->weights().size());
    for (std::size_t i = 0; i < wide->weights().size(); ++i) {
        const WeightView &weight = narrow->weights()[i], &given = wide->weights()[i];
        EXPECT_TRUE(std::equal(given.master, given.master + given.elements(), weight.master)) << weight.name;
        for (const float *const state : {weight.momentum, weight.variance})
            EXPECT_TRUE(std::all_of(state, state + weight.elements(), [](float value) { return value == 0; }))
                << weight.name;
    }
}

TEST(TorchBackend, LetsTheCallerWorkOnceTheDeviceHasAllOfTheStep)
{
    const ModelSpec model = smallModel();
    const StepPlan plan = planOf(smallConfig(), model);
    SingleCommunicator communicator;
    for (const BackendKind backend : {BackendKind::Host, BackendKind::TorchCpu}) {
        const std::unique_ptr<Executor> executor = executorOf(plan, model, communicator, 1, backend);
        const Batch batch = randomBatch(executor->tokensPerStep(), model.vocab, 3);
        int ops = 0;
        std::vector<int> meanwhile;
        executor->setObserver([&](const OpEvent &event) { ops += event.before ? 0 : 1; });
        ASSERT_TRUE(executor->step(batch.input(), {}, [&] { meanwhile.push_back(ops); }));
        if (backend == BackendKind::Host)
            EXPECT_TRUE(meanwhile.empty()) << "nothing runs by itself";
        else
            EXPECT_EQ(meanwhile, std::vector<int>{ops});
    }
}

// At ten times this rate Adam, which divides small gradients by themselves, carries one rounding of the first weights
// to 3e-6 of the loss within these steps, and other orders of summing to 1e-5.
TEST(TorchBackend, StepsInFp32GoAsWithOurOwnOps)
{
    const Trained own = train(BackendKind::Host, Precision::Fp32, 1e-3, 5),
                  torch = train(BackendKind::TorchCpu, Precision::Fp32, 1e-3, 5);
    for (std::size_t i = 0; i < own.losses.size(); ++i) {
        EXPECT_NEAR(torch.losses[i] / own.losses[i], 1.0, 1e-6) << i;
        EXPECT_NEAR(torch.gradNorms[i] / own.gradNorms[i], 1.0, 1e-5) << i;
    }
    EXPECT_NEAR(torch.evaluated / own.evaluated, 1.0, 1e-6);
    for (const auto &[name, weights] : own.masters)
        EXPECT_LT(relativeDistance(torch.masters.at(name), weights), 1e-4) << name;
}

// LibTorch refuses an op that has no deterministic form.
TEST(TorchBackend, TakesTheSameStepWithDeterministicOpsAlone)
{
    const ModelSpec model = smallModel();
    const RunConfig config = smallConfig();
    SingleCommunicator communicator;
    const Trained usual = train(BackendKind::TorchCpu, config.precisionOrMixed(), 1e-3, 1);
    const Result<std::unique_ptr<Executor>> executor = Executor::create(planOf(config, model), model, communicator,
        {.backend = BackendKind::TorchCpu, .seed = 1, .threads = 2, .deterministic = true});
    ASSERT_TRUE(executor) << executor.error().message();
    const Batch batch = randomBatch((*executor)->tokensPerStep(), model.vocab, 3);
    const Result<StepOutcome> outcome =
        (*executor)->step(batch.input(), {.learningRate = 1e-3, .gradClip = 0.5, .step = 1});
    ASSERT_TRUE(outcome) << outcome.error().message();
    EXPECT_EQ(outcome->loss, usual.losses.front());
    EXPECT_EQ(outcome->gradNorm, usual.gradNorms.front());
}

TEST(TorchBackend, StepsInBf16FollowThoseInFp32)
{
    const Trained exact = train(BackendKind::Host, Precision::Fp32, 1e-3, 10),
                  narrow = train(BackendKind::TorchCpu, Precision::Bf16Mixed, 1e-3, 10);
    EXPECT_LT(narrow.losses.back(), 0.95 * narrow.losses.front());
    for (std::size_t i = 0; i < exact.losses.size(); ++i)
        EXPECT_NEAR(narrow.losses[i] / exact.losses[i], 1.0, 0.005) << i;
}

TEST(TorchBackend, WeightsThatAreDownloadedAndUploadedElsewhereGoOnBitForBit)
{
    const ModelSpec model = smallModel();
    RunConfig config = smallConfig();
    config.precision = Precision::Bf16Mixed;
    const StepPlan plan = planOf(config, model);
    SingleCommunicator communicator;
    const std::unique_ptr<Executor> first = executorOf(plan, model, communicator, 1, BackendKind::TorchCpu);
    const std::unique_ptr<Executor> second = executorOf(plan, model, communicator, 2, BackendKind::TorchCpu);
    const Batch batch = randomBatch(first->tokensPerStep(), model.vocab, 3);
    ASSERT_TRUE(first->step(batch.input(), {.step = 1}));

    first->downloadWeights();
    for (std::size_t i = 0; i < first->weights().size(); ++i) {
        const WeightView &from = first->weights()[i], &to = second->weights()[i];
        std::copy_n(from.master, from.elements(), to.master);
        std::copy_n(from.momentum, from.elements(), to.momentum);
        std::copy_n(from.variance, from.elements(), to.variance);
    }
    second->uploadWeights();

    const StepOutcome went = first->step(batch.input(), {.step = 2}).value(),
                      resumed = second->step(batch.input(), {.step = 2}).value();
    EXPECT_EQ(went.loss, resumed.loss);
    EXPECT_EQ(went.gradNorm, resumed.gradNorm);
}

TEST(TorchBackend, MoreThanOneRankIsRefused)
{
    RunConfig config = smallConfig();
    config.parallel.kind = ParallelKind::Ddp;
    config.parallel.gpus = 2;
    SingleCommunicator communicator;
    const auto executor =
        Executor::create(planOf(config, smallModel()), smallModel(), communicator, {.backend = BackendKind::TorchCpu});
    ASSERT_FALSE(executor);
    EXPECT_THAT(executor.error().message(), ::testing::HasSubstr("--gpus"));
}

} // namespace
} // namespace slipway::testing
