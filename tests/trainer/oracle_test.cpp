// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle.h"

namespace slipway::testing {
namespace {

struct OracleCase {
    Attention attention;
    Recompute recompute;
    bool tied;
    int kvHeads;
    std::int64_t gradAccum;
};

std::string nameOfOracleCase(const ::testing::TestParamInfo<OracleCase> &parameter)
{
    const OracleCase &c = parameter.param;
    const std::string heads = c.kvHeads == 4 ? "all_heads" : "grouped_heads";
    return std::string(enumName(c.attention)) + "_recompute_" + std::string(enumName(c.recompute)) +
           (c.tied ? "_tied_" : "_untied_") + heads + "_accumulation_" + std::to_string(c.gradAccum);
}

std::vector<OracleCase> oracleCases()
{
    std::vector<OracleCase> cases;
    for (const Attention attention : {Attention::Flash, Attention::Vanilla}) {
        for (const Recompute recompute : {Recompute::None, Recompute::Selective, Recompute::Full}) {
            for (const bool tied : {false, true}) {
                for (const int kvHeads : {4, 2}) {
                    for (const std::int64_t gradAccum : {1, 3})
                        cases.push_back({attention, recompute, tied, kvHeads, gradAccum});
                }
            }
        }
    }
    return cases;
}

class OracleTest : public ::testing::TestWithParam<OracleCase> {};

TEST_P(OracleTest, LossAndEveryGradientAgree)
{
    const OracleCase &c = GetParam();
    ModelSpec model = smallModel();
    model.head.tied = c.tied;
    model.attention.kvHeads = c.kvHeads;
    RunConfig config = smallConfig();
    config.attention = c.attention;
    config.recompute = c.recompute;
    config.gradAccum = c.gradAccum;
    const StepPlan plan = planOf(config, model);
    SingleCommunicator communicator;
    const std::unique_ptr<Executor> executor = executorOf(plan, model, communicator);
    const Batch batch = randomBatch(executor->tokensPerStep(), model.vocab, 3);
    Gradients gradients;
    collectGradients(*executor, gradients);

    const OracleStep expected = oracleStep(model, executor->weights(), batch, config.seqLen);
    const Result<StepOutcome> outcome = executor->step(batch.input(), {});

    ASSERT_TRUE(outcome);
    EXPECT_NEAR(outcome->loss / expected.loss, 1.0, 1e-6);
    ASSERT_EQ(gradients.size(), expected.gradients.size());
    for (const auto &[name, gradient] : expected.gradients)
        EXPECT_LT(relativeDistance(gradients.at(name), gradient), 1e-5) << name;
}

INSTANTIATE_TEST_SUITE_P(Modes, OracleTest, ::testing::ValuesIn(oracleCases()), nameOfOracleCase);

} // namespace
} // namespace slipway::testing
