// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The moving average of the weights.
#include <gtest/gtest.h>

#include "comm/thread_group.h"
#include "trainer_fixtures.h"

namespace slipway::testing {
namespace {

constexpr double kDecay = 0.75;

RunConfig averaging(ParallelKind kind = ParallelKind::None, int ranks = 1)
{
    RunConfig config = smallConfig();
    config.seqLen = 16;
    config.ema = kDecay;
    config.parallel = {.kind = kind, .gpus = ranks};
    return config;
}

void trainSteps(Executor &executor, int steps, const std::function<void()> &after = [] {})
{
    for (int step = 1; step <= steps; ++step) {
        const Batch batch = randomBatch(executor.tokensPerStep(), smallModel().vocab, static_cast<std::uint64_t>(step));
        ASSERT_TRUE(executor.step(batch.input(), {.learningRate = 1e-2, .step = step}));
        after();
    }
}

void checkAverages(Executor &executor)
{
    std::map<std::string, std::vector<double>> expected;
    executor.downloadWeights();
    for (const WeightView &weight : executor.weights())
        expected[weight.name].assign(weight.master, weight.master + weight.count);
    trainSteps(executor, 4, [&] {
        executor.downloadWeights();
        for (const WeightView &weight : executor.weights()) {
            for (std::int64_t i = 0; i < weight.count; ++i) {
                double &average = expected[weight.name][static_cast<std::size_t>(i)];
                average = kDecay * average + (1 - kDecay) * static_cast<double>(weight.master[i]);
                ASSERT_NEAR(static_cast<double>(weight.average[i]), average, 1e-6) << weight.name;
            }
        }
    });
}

TEST(Average, BeginsWithTheWeightsAndFollowsThem)
{
    for (const BackendKind backend : {BackendKind::Host, BackendKind::TorchCpu}) {
        SingleCommunicator communicator;
        const auto executor = executorOf(planOf(averaging(), smallModel()), smallModel(), communicator, 1, backend);
        checkAverages(*executor);
    }
}

TEST(Average, OfAPartIsKeptByTheRankThatUpdatesIt)
{
    for (const ParallelKind kind : {ParallelKind::Ddp, ParallelKind::Zero1, ParallelKind::FsdpFull}) {
        const StepPlan plan = planOf(averaging(kind, 2), smallModel());
        ThreadGroup group(2);
        group.run([&](Communicator &communicator) {
            const auto executor = executorOf(plan, smallModel(), communicator);
            checkAverages(*executor);
        });
    }
}

// Another executor whose weights are the averages of the first one.
double lossOfAverages(Executor &executor, Communicator &communicator, const StepInput &input)
{
    RunConfig config = averaging();
    config.ema = 0;
    const auto other = executorOf(planOf(config, smallModel()), smallModel(), communicator);
    for (std::size_t i = 0; i < executor.weights().size(); ++i) {
        const WeightView &from = executor.weights()[i], &to = other->weights()[i];
        EXPECT_EQ(to.average, nullptr);
        std::copy_n(from.average, from.count, to.master);
    }
    other->uploadWeights();
    return other->evaluate(input).value();
}

TEST(Average, IsEvaluatedBetweenTwoExchanges)
{
    SingleCommunicator communicator;
    const auto executor = executorOf(planOf(averaging(), smallModel()), smallModel(), communicator);
    trainSteps(*executor, 5);
    const Batch batch = randomBatch(executor->tokensPerStep(), smallModel().vocab, 99);
    const double ofWeights = executor->evaluate(batch.input()).value(),
                 ofAverages = lossOfAverages(*executor, communicator, batch.input());
    EXPECT_NE(ofWeights, ofAverages);
    executor->exchangeAverages();
    EXPECT_EQ(executor->evaluate(batch.input()).value(), ofAverages);
    executor->exchangeAverages();
    EXPECT_EQ(executor->evaluate(batch.input()).value(), ofWeights);
}

TEST(Average, IsExchangedOnAllRanks)
{
    for (const ParallelKind kind : {ParallelKind::Ddp, ParallelKind::Zero1, ParallelKind::FsdpFull}) {
        double alone = 0;
        {
            RunConfig config = averaging();
            config.microBatch = 4;
            SingleCommunicator communicator;
            const auto executor = executorOf(planOf(config, smallModel()), smallModel(), communicator);
            executor->exchangeAverages(); // the averages are the weights before the first step
            alone = executor->evaluate(randomBatch(executor->tokensPerStep(), smallModel().vocab, 9).input()).value();
        }
        const StepPlan plan = planOf(averaging(kind, 2), smallModel());
        ThreadGroup group(2);
        group.run([&](Communicator &communicator) {
            const auto executor = executorOf(plan, smallModel(), communicator);
            executor->exchangeAverages();
            const Batch all = randomBatch(2 * executor->tokensPerStep(), smallModel().vocab, 9);
            const auto from = static_cast<std::size_t>(communicator.rank() * executor->tokensPerStep()),
                       count = static_cast<std::size_t>(executor->tokensPerStep());
            const StepInput own{.tokens = std::span(all.tokens).subspan(from, count),
                .targets = std::span(all.targets).subspan(from, count)};
            EXPECT_NEAR(executor->evaluate(own).value() / alone, 1.0, 1e-6) << enumName(kind);
        });
    }
}

} // namespace
} // namespace slipway::testing
