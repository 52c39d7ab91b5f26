// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "config/resolve_model.h"
#include "config/settings.h"
#include "memory/memory_walk.h"
#include "plan/build_plan.h"
#include "predict/predict.h"
#include "one_billion.h"
#include "support/shipped_catalogue.h"

namespace slipway {
namespace {

using testing::predicted;

RunConfig mixtral(int gpus, int ep)
{
    RunConfig config;
    config.model.name = "mixtral-8x7b";
    config.gpu = "h100-sxm-80gb";
    config.framework = Framework::Megatron;
    config.parallel = {.kind = ParallelKind::Zero1, .gpus = gpus, .pp = 4, .ep = ep};
    config.microBatch = 1;
    config.seqLen = 4096;
    config.gradAccum = 16;
    return config;
}

TEST(ExpertPrediction, saysWhatItTakesForGranted)
{
    const Prediction p = predicted(mixtral(64, 8));
    const auto says = [&](const char *words) { return testing::hasNote(p, words); };
    EXPECT_TRUE(says("routing is even"));
    EXPECT_TRUE(says("not modeled"));
    EXPECT_TRUE(says("all-to-all communication does not overlap"));
    EXPECT_EQ(toJson(p)["model"]["params"], 46'702'792'704);
    EXPECT_EQ(toJson(p)["model"]["params_active"], 12'879'925'248);
    EXPECT_EQ(toJson(p)["config"]["ep"], 8);
    EXPECT_EQ(toJson(p)["config"]["experts"], 8);
    EXPECT_NE(toText(p).find("12.9B active: 2 of 8 experts"), std::string::npos) << toText(p);
    EXPECT_NE(toText(p).find("pp 4, ep 8"), std::string::npos) << toText(p);
}

TEST(ExpertPrediction, suggestsOtherNumbersOfExpertParallelRanksThatHold)
{
    const Prediction p = predicted(mixtral(64, 1));
    bool experts = false;
    for (const Suggestion &s : p.suggestions) {
        RunConfig other = p.config;
        for (const auto &[key, value] : s.change) {
            const auto changed = applySetting(other, key, value);
            ASSERT_TRUE(changed) << key;
            other = *changed;
            experts = experts || key == "ep";
        }
        const Result<Prediction> then = predict(other, catalogue(), {.suggestions = false, .maxMicroBatch = false});
        ASSERT_TRUE(then) << then.error().message();
        EXPECT_EQ(then->memory.peak, s.peak);
    }
    EXPECT_TRUE(experts);
    // Half the GPUs do not divide by 8 expert-parallel ranks: no suggestion of it, and no fault.
    for (const Suggestion &s : predicted(mixtral(32, 8)).suggestions)
        EXPECT_TRUE(std::none_of(s.change.begin(), s.change.end(),
            [](const auto &change) { return change == std::pair<std::string, std::string>("gpus", "16"); }));
}

TEST(ExpertPrediction, isSlowerWhereAllToAllsLeaveTheNode)
{
    RunConfig near = mixtral(64, 8), far = near;
    far.parallel.gpusPerNode = 4;
    far.networkGbps = near.networkGbps = 1600;
    const auto communication = [](const RunConfig &c) {
        return predicted(c).speed.seconds[static_cast<std::size_t>(CostClass::Communication)];
    };
    EXPECT_GT(communication(far), 1.5 * communication(near));
}

TEST(ExpertPrediction, ofUnevenRoutingTakesLonger)
{
    const RunConfig even = mixtral(64, 8);
    RunConfig uneven = even;
    uneven.expertCapacity = 1.5;
    EXPECT_GT(predicted(uneven).speed.step, predicted(even).speed.step);
    EXPECT_GT(predicted(uneven).memory.peak, predicted(even).memory.peak);
}

RunConfig olmoe(int gpus, int ep)
{
    RunConfig config;
    config.model.name = "olmoe-1b-7b";
    config.gpu = "h200-sxm-141gb";
    config.framework = Framework::Slipway;
    config.precision = Precision::Bf16Mixed;
    config.parallel = {.kind = gpus > 1 ? ParallelKind::FsdpFull : ParallelKind::None, .gpus = gpus, .ep = ep};
    config.microBatch = 2;
    config.seqLen = 2048;
    return config;
}

// The rank whose experts get 1.5 times the even share computes and exchanges 1.5 times the rows. The trainer drops no
// token: a rank has room for all rows that may arrive.
TEST(ExpertPrediction, OfOurOwnTrainerContainsTheCostOfAnUnevenLoad)
{
    const RunConfig even = olmoe(8, 8);
    RunConfig uneven = even;
    uneven.expertCapacity = 1.5;
    const Prediction p = predicted(even), then = predicted(uneven);
    EXPECT_GT(then.speed.step, p.speed.step);
    EXPECT_EQ(then.memory.peak, p.memory.peak);
    EXPECT_TRUE(testing::hasNote(p, "routing is even; each of the 8 experts of a rank processes 4096 tokens."));
    EXPECT_TRUE(testing::hasNote(p, "--expert-capacity above 1"));
    EXPECT_TRUE(testing::hasNote(then, "the busiest rank gets 1.5 times its even share"));
    EXPECT_FALSE(testing::hasNote(then, "further tokens")) << "as with a capacity";
    const ModelSpec model = resolveModel(even.model, catalogue()).value();
    const auto rows = [&](const RunConfig &c, OpKind kind) {
        double sum = 0;
        const RunPlan plan = buildPlan(c, model).value();
        for (const Kernel &kernel : plan.stages.front().kernels)
            sum += kernel.kind == kind ? (kind == OpKind::AllToAll ? double(kernel.messageBytes) : kernel.flops) : 0;
        return sum;
    };
    for (const OpKind kind : {OpKind::AllToAll, OpKind::GroupedGemm})
        EXPECT_DOUBLE_EQ(rows(uneven, kind), 1.5 * rows(even, kind));
    // At most all 8 ranks' tokens choose 8 experts of one rank, which is 8 times the even share.
    RunConfig most = even;
    most.expertCapacity = 64;
    EXPECT_DOUBLE_EQ(rows(most, OpKind::GroupedGemm), 8 * rows(even, OpKind::GroupedGemm));
    RunConfig together = olmoe(8, 1);
    together.expertCapacity = 1.5;
    EXPECT_EQ(predicted(together).speed.step, predicted(olmoe(8, 1)).speed.step) << "every rank has its own tokens";
}

TEST(ExpertPrediction, OfOurOwnTrainerDropsNoToken)
{
    RunConfig dropping = olmoe(8, 8);
    dropping.expertCapacity = 0.5;
    const auto refused = predict(dropping, catalogue());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().where, "--expert-capacity");
}

// The same plan that the trainer runs.
TEST(ExpertPrediction, ofOurOwnTrainerOnGpusIsThatOfItsPlan)
{
    for (const auto &[gpus, ep] : {std::pair(8, 1), std::pair(8, 8)}) {
        const RunConfig config = olmoe(gpus, ep);
        const Prediction p = predicted(config);
        const ModelSpec model = resolveModel(config.model, catalogue()).value();
        const MemoryPeak planned = peakMemory(buildPlan(config, model).value().stages.front());
        EXPECT_EQ(p.memory.peakAllocated, planned.allocated) << "ep " << ep;
        EXPECT_GT(p.speed.tokensPerSecond, 0) << "ep " << ep;
        EXPECT_FALSE(p.speed.cudaGraph) << "ep " << ep;
    }
}

} // namespace
} // namespace slipway
