// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Every family takes the same step however it is executed: with attention's scores kept or not, with activations
// computed again, over several ranks, and with the ops of a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/thread_group.h"
#include "support/family_models.h"
#include "trainer_fixtures.h"

namespace slipway::testing {
namespace {

struct Step {
    double loss = 0, gradNorm = 0;
    Gradients gradients;
};

RunConfig shortConfig()
{
    RunConfig config = smallConfig();
    config.seqLen = 24;
    config.gradAccum = 2;
    return config;
}

// Norms and biases begin with other values than ones and zeros, so that each of them counts.
void disturb(Executor &executor)
{
    executor.downloadWeights();
    for (const WeightView &weight : executor.weights()) {
        for (std::int64_t i = 0; i < weight.count; ++i)
            weight.master[i] += 0.1f * static_cast<float>((weight.first + i) % 7 - 3) / 3;
    }
    executor.uploadWeights();
}

Step stepOf(const ModelSpec &model, const RunConfig &config, BackendKind backend = BackendKind::Host, double zLoss = 0)
{
    SingleCommunicator communicator;
    const std::unique_ptr<Executor> executor = std::move(Executor::create(
        planOf(config, model), model, communicator, {.backend = backend, .seed = 1, .threads = 2, .zLoss = zLoss})
            .value());
    disturb(*executor);
    Step step;
    collectGradients(*executor, step.gradients);
    const StepOutcome outcome =
        executor->step(randomBatch(executor->tokensPerStep(), model.vocab, 3).input(), {}).value();
    step.loss = outcome.loss;
    step.gradNorm = outcome.gradNorm;
    return step;
}

class FamilyStepsTest : public ::testing::TestWithParam<std::string> {
protected:
    void expectSame(const Step &step, const Step &usual, double distance)
    {
        EXPECT_NEAR(step.loss / usual.loss, 1.0, distance);
        EXPECT_LT(distanceOfAll(step.gradients, usual.gradients), distance);
    }

    ModelSpec m_model = smallModelOf(*familyOfType(GetParam()));
};

TEST_P(FamilyStepsTest, DoNotDependOnWhatIsKeptForBackward)
{
    RunConfig config = shortConfig();
    const Step usual = stepOf(m_model, config);
    config.recompute = Recompute::Selective;
    expectSame(stepOf(m_model, config), usual, 1e-6);
    config.recompute = Recompute::Full;
    expectSame(stepOf(m_model, config), usual, 1e-6);
    config.attention = Attention::Vanilla;
    expectSame(stepOf(m_model, config), usual, 1e-5);
}

TEST_P(FamilyStepsTest, AreTakenByRanksAsByOne)
{
    RunConfig config = shortConfig();
    const double usual = stepOf(m_model, config).gradNorm;
    config.microBatch = 1;
    config.parallel = {.kind = ParallelKind::FsdpFull, .gpus = 2};
    const StepPlan plan = planOf(config, m_model);
    // The same sequences, each micro-batch's first one on the first rank.
    const Batch whole = randomBatch(plan.gradAccum * 2 * config.seqLen, m_model.vocab, 3);
    std::array<double, 2> norms{};
    ThreadGroup(2).run([&](Communicator &communicator) {
        const std::unique_ptr<Executor> executor = executorOf(plan, m_model, communicator);
        disturb(*executor);
        Batch own;
        for (std::int64_t i = communicator.rank(); i < 2 * plan.gradAccum; i += 2) {
            const auto part = [&](const std::vector<std::int32_t> &all, std::vector<std::int32_t> &to) {
                to.insert(to.end(), all.begin() + i * config.seqLen, all.begin() + (i + 1) * config.seqLen);
            };
            part(whole.tokens, own.tokens);
            part(whole.targets, own.targets);
        }
        norms[static_cast<std::size_t>(communicator.rank())] = executor->step(own.input(), {}).value().gradNorm;
    });
    EXPECT_NEAR(norms[0] / usual, 1.0, 1e-5);
    EXPECT_EQ(norms[0], norms[1]);
}

TEST_P(FamilyStepsTest, AreTheSameWithTheOpsOfADevice)
{
    RunConfig config = shortConfig();
    for (const Attention attention : {Attention::Flash, Attention::Vanilla}) {
        config.attention = attention;
        config.precision = Precision::Fp32;
        const Step usual = stepOf(m_model, config);
        expectSame(stepOf(m_model, config, BackendKind::TorchCpu), usual, 1e-5);
        config.precision = Precision::Bf16Mixed;
        const Step narrow = stepOf(m_model, config, BackendKind::TorchCpu);
        EXPECT_NEAR(narrow.loss / usual.loss, 1.0, 5e-3);
        EXPECT_LT(distanceOfAll(narrow.gradients, usual.gradients), 0.05);
    }
}

TEST(ZLoss, ChangesTheGradientsAndNotTheLossThatIsReported)
{
    const ModelSpec model = smallModel();
    const Step without = stepOf(model, shortConfig()), with = stepOf(model, shortConfig(), BackendKind::Host, 0.1);
    EXPECT_EQ(with.loss, without.loss);
    EXPECT_GT(distanceOfAll(with.gradients, without.gradients), 0.01);
    const Step onADevice = stepOf(model, shortConfig(), BackendKind::TorchCpu, 0.1);
    EXPECT_NEAR(onADevice.loss / with.loss, 1.0, 1e-6);
    EXPECT_LT(distanceOfAll(onADevice.gradients, with.gradients), 1e-5);
}

std::vector<std::string> familyTypes()
{
    std::vector<std::string> types;
    for (const ModelFamily &family : modelFamilies())
        types.emplace_back(family.type);
    return types;
}

INSTANTIATE_TEST_SUITE_P(Families, FamilyStepsTest, ::testing::ValuesIn(familyTypes()),
    [](const auto &parameter) { return parameter.param; });

} // namespace
} // namespace slipway::testing
