// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trainer_fixtures.h"

namespace slipway::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ExecutorTest : public ::testing::Test {
protected:
    std::unique_ptr<Executor> make(int threads = 2)
    {
        return std::move(Executor::create(m_plan, m_model, m_communicator, {.seed = 1, .threads = threads}).value());
    }
    static std::vector<float> allState(const Executor &executor)
    {
        std::vector<float> all;
        for (const WeightView &weight : executor.weights()) {
            for (const float *values : {weight.master, weight.momentum, weight.variance})
                all.insert(all.end(), values, values + weight.elements());
        }
        return all;
    }
    // Losses of some steps, then all weights and states.
    static std::vector<double> trace(Executor &executor, int steps)
    {
        std::vector<double> values;
        for (int step = 1; step <= steps; ++step) {
            const Batch batch = randomBatch(executor.tokensPerStep(), 97, static_cast<std::uint64_t>(step));
            const Result<StepOutcome> outcome = executor.step(batch.input(), {.step = step});
            values.push_back(outcome.value().loss);
            values.push_back(outcome->gradNorm);
        }
        const std::vector<float> state = allState(executor);
        values.insert(values.end(), state.begin(), state.end());
        return values;
    }

    ModelSpec m_model = smallModel();
    RunConfig m_config = smallConfig();
    StepPlan m_plan = planOf(m_config, m_model);
    SingleCommunicator m_communicator;
};

TEST_F(ExecutorTest, TwoRunsAgreeBitForBit) { EXPECT_EQ(trace(*make(), 4), trace(*make(), 4)); }

TEST_F(ExecutorTest, TheNumberOfThreadsDoesNotChangeABit) { EXPECT_EQ(trace(*make(1), 3), trace(*make(3), 3)); }

TEST_F(ExecutorTest, AStateThatIsCopiedGoesOnBitForBit)
{
    const std::unique_ptr<Executor> first = make(), second = make();
    trace(*first, 3);
    for (std::size_t i = 0; i < first->weights().size(); ++i) {
        const WeightView &from = first->weights()[i], &to = second->weights()[i];
        const auto bytes = static_cast<std::size_t>(from.elements()) * sizeof(float);
        std::memcpy(to.master, from.master, bytes);
        std::memcpy(to.momentum, from.momentum, bytes);
        std::memcpy(to.variance, from.variance, bytes);
    }
    EXPECT_EQ(trace(*first, 2), trace(*second, 2));
}

TEST_F(ExecutorTest, EvaluationGivesTheStepsLossAndChangesNothing)
{
    for (const std::int64_t gradAccum : {1, 3}) {
        m_config.gradAccum = gradAccum;
        m_config.recompute = gradAccum == 3 ? Recompute::Full : Recompute::None;
        m_plan = planOf(m_config, m_model);
        const std::unique_ptr<Executor> executor = make();
        const Batch batch = randomBatch(executor->tokensPerStep(), m_model.vocab, 2);
        const std::vector<float> state = allState(*executor);

        const double evaluated = executor->evaluate(batch.input()).value();
        EXPECT_EQ(allState(*executor), state);
        const Result<StepOutcome> outcome = executor->step(batch.input(), {});
        EXPECT_EQ(outcome.value().loss, evaluated);
        EXPECT_LT(executor->evaluate(batch.input()).value(), evaluated);
    }
}

TEST_F(ExecutorTest, LearnsABatchByHeart)
{
    const std::unique_ptr<Executor> executor = make();
    const Batch batch = randomBatch(executor->tokensPerStep(), m_model.vocab, 2);
    double first = 0, last = 0;
    for (int step = 1; step <= 40; ++step) {
        last = executor->step(batch.input(), {.learningRate = 1e-2, .step = step}).value().loss;
        if (step == 1)
            first = last;
    }
    EXPECT_NEAR(first, std::log(97.0), 0.1);
    EXPECT_LT(last, 0.7 * first);
}

TEST_F(ExecutorTest, WeightsHaveHuggingFacesNamesAndShapes)
{
    const std::unique_ptr<Executor> executor = make();
    std::map<std::string, std::vector<std::int64_t>> shapes;
    std::int64_t parameters = 0;
    for (const WeightView &weight : executor->weights()) {
        shapes[weight.name] = weight.shape;
        parameters += weight.elements();
    }
    EXPECT_EQ(shapes.size(), 3u + 3u * 9u);
    EXPECT_THAT(shapes.at("model.embed_tokens.weight"), ElementsAre(97, 48));
    EXPECT_THAT(shapes.at("model.layers.2.self_attn.q_proj.weight"), ElementsAre(48, 48));
    EXPECT_THAT(shapes.at("model.layers.2.self_attn.v_proj.weight"), ElementsAre(24, 48));
    EXPECT_THAT(shapes.at("model.layers.0.mlp.up_proj.weight"), ElementsAre(80, 48));
    EXPECT_THAT(shapes.at("model.layers.0.mlp.down_proj.weight"), ElementsAre(48, 80));
    EXPECT_THAT(shapes.at("model.layers.1.input_layernorm.weight"), ElementsAre(48));
    EXPECT_THAT(shapes.at("model.norm.weight"), ElementsAre(48));
    EXPECT_THAT(shapes.at("lm_head.weight"), ElementsAre(97, 48));
    EXPECT_EQ(parameters, 2 * 97 * 48 + 3 * (48 * 48 * 2 + 24 * 48 * 2 + 3 * 48 * 80 + 2 * 48) + 48);
}

TEST_F(ExecutorTest, ATiedHeadIsNotListedTwice)
{
    m_model.head.tied = true;
    m_plan = planOf(m_config, m_model);
    const auto executor = make();
    for (const WeightView &weight : executor->weights())
        EXPECT_NE(weight.name, "lm_head.weight");
}

TEST_F(ExecutorTest, PhasesAddUpToTheStep)
{
    const std::unique_ptr<Executor> executor = make();
    const Result<StepOutcome> outcome = executor->step(randomBatch(executor->tokensPerStep(), 97, 1).input(), {});
    const PhaseSeconds &seconds = outcome.value().seconds;
    EXPECT_GT(seconds.forward, 0);
    EXPECT_GT(seconds.backward, 0);
    EXPECT_GT(seconds.optimizer, 0);
    EXPECT_EQ(seconds.communication, 0);
}

TEST_F(ExecutorTest, AnIdOutsideTheVocabularyIsRefusedBeforeAnythingChanges)
{
    const std::unique_ptr<Executor> executor = make();
    const std::vector<float> state = allState(*executor);
    for (const std::int32_t id : {97, -1}) {
        Batch batch = randomBatch(executor->tokensPerStep(), m_model.vocab, 1);
        batch.targets[17] = id;
        const Result<StepOutcome> outcome = executor->step(batch.input(), {});
        ASSERT_FALSE(outcome);
        EXPECT_EQ(outcome.error().message(),
            "target 17 of the step: id " + std::to_string(id) + " is outside the vocabulary (accepted: 0 to 96)");
        EXPECT_FALSE(executor->evaluate(batch.input()));
    }
    EXPECT_EQ(allState(*executor), state);
}

TEST_F(ExecutorTest, AStepOfTheWrongSizeIsRefused)
{
    const std::unique_ptr<Executor> executor = make();
    Batch batch = randomBatch(executor->tokensPerStep(), m_model.vocab, 1);
    batch.targets.pop_back();
    const Result<StepOutcome> outcome = executor->step(batch.input(), {});
    ASSERT_FALSE(outcome);
    EXPECT_THAT(outcome.error().message(), HasSubstr("a step takes 160 targets, not 159"));
}

TEST_F(ExecutorTest, Bf16IsRefusedOnTheCpu)
{
    m_config.precision = Precision::Bf16Mixed;
    const auto executor = Executor::create(planOf(m_config, m_model), m_model, m_communicator);
    ASSERT_FALSE(executor);
    EXPECT_EQ(executor.error().message(), "--precision: bf16 does not run on the CPU (accepted: fp32)");
}

TEST_F(ExecutorTest, APlanForOtherRanksIsRefused)
{
    m_config.parallel = {.kind = ParallelKind::Ddp, .gpus = 2};
    const auto executor = Executor::create(planOf(m_config, m_model), m_model, m_communicator);
    ASSERT_FALSE(executor);
    EXPECT_THAT(executor.error().message(), HasSubstr("the plan is for 2 ranks, but 1 run"));
}

TEST_F(ExecutorTest, AnOpThatThisBuildLacksIsNamed)
{
    m_plan.kernels.push_back({.kind = OpKind::SendReceive});
    const auto executor = Executor::create(m_plan, m_model, m_communicator);
    ASSERT_FALSE(executor);
    EXPECT_THAT(executor.error().message(), HasSubstr("send_receive"));
}

TEST_F(ExecutorTest, MoreMemoryThanTheMachineHasIsRefused)
{
    m_config.microBatch = 1 << 14;
    m_config.seqLen = 1 << 15;
    const auto executor = Executor::create(planOf(m_config, m_model), m_model, m_communicator);
    ASSERT_FALSE(executor);
    EXPECT_EQ(executor.error().fault, Fault::Outside);
    EXPECT_THAT(executor.error().message(), HasSubstr("and this machine has"));
    EXPECT_THAT(executor.error().message(), HasSubstr("--micro-batch"));
}

TEST_F(ExecutorTest, WeightsThatAreNotFiniteShowInTheLoss)
{
    const std::unique_ptr<Executor> executor = make();
    executor->weights().front().master[5] = std::numeric_limits<float>::quiet_NaN();
    Batch batch = randomBatch(executor->tokensPerStep(), m_model.vocab, 1);
    batch.tokens[0] = 0;
    EXPECT_TRUE(std::isnan(executor->step(batch.input(), {}).value().loss));
}

} // namespace
} // namespace slipway::testing
