// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Data-parallel ranks as threads must do what one rank does with all their sequences.
#include <cstring>
#include <mutex>

#include <gtest/gtest.h>

#include "comm/thread_group.h"
#include "trainer_fixtures.h"

namespace slipway::testing {
namespace {

constexpr int kSteps = 6;

struct Trace {
    std::vector<double> losses, norms;
    Gradients firstGradients;
    std::vector<float> embedding; // after the last step
    double evaluated = 0;
};

// The rank's share of the global batch of [gradAccum][ranks x microBatch][seqLen].
Batch shareOf(const Batch &global, int rank, int ranks, std::int64_t gradAccum)
{
    Batch share;
    const std::size_t perMicro = global.tokens.size() / static_cast<std::size_t>(ranks * gradAccum);
    for (std::int64_t micro = 0; micro < gradAccum; ++micro) {
        const auto at = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(micro * ranks + rank) * perMicro);
        const auto end = at + static_cast<std::ptrdiff_t>(perMicro);
        share.tokens.insert(share.tokens.end(), global.tokens.begin() + at, global.tokens.begin() + end);
        share.targets.insert(share.targets.end(), global.targets.begin() + at, global.targets.begin() + end);
    }
    return share;
}

Trace train(const StepPlan &plan, const ModelSpec &model, Communicator &communicator, std::int64_t globalTokens)
{
    Trace trace;
    const std::unique_ptr<Executor> executor = executorOf(plan, model, communicator);
    for (int step = 1; step <= kSteps; ++step) {
        const Batch share = shareOf(randomBatch(globalTokens, model.vocab, static_cast<std::uint64_t>(step)), communicator.rank(), communicator.size(), plan.gradAccum);
        if (step == 1)
            collectGradients(*executor, trace.firstGradients);
        const Result<StepOutcome> outcome = executor->step(share.input(), {.learningRate = 1e-3, .step = step});
        executor->setObserver(nullptr);
        trace.losses.push_back(outcome.value().loss);
        trace.norms.push_back(outcome->gradNorm);
    }
    const Batch last = shareOf(randomBatch(globalTokens, model.vocab, 99), communicator.rank(), communicator.size(), plan.gradAccum);
    trace.evaluated = executor->evaluate(last.input()).value();
    const WeightView &embedding = executor->weights().front();
    trace.embedding.assign(embedding.master, embedding.master + embedding.elements());
    return trace;
}

struct Case {
    int ranks;
    std::int64_t gradAccum;
    bool tied;
};

class RanksTest : public ::testing::TestWithParam<Case> {};

TEST_P(RanksTest, DoWhatOneRankDoesWithTheWholeBatch)
{
    const auto [ranks, gradAccum, tied] = GetParam();
    ModelSpec model = smallModel();
    model.tied = tied;
    RunConfig config = smallConfig();
    config.seqLen = 24;
    config.gradAccum = gradAccum;
    config.microBatch = ranks;
    const std::int64_t globalTokens = config.tokensPerStep();
    SingleCommunicator alone;
    const Trace one = train(planOf(config, model), model, alone, globalTokens);

    config.microBatch = 1;
    config.parallel = {.kind = ParallelKind::Ddp, .gpus = ranks};
    const StepPlan plan = planOf(config, model);
    std::vector<Trace> traces(static_cast<std::size_t>(ranks));
    ThreadGroup group(ranks);
    group.run([&](Communicator &communicator) { traces[static_cast<std::size_t>(communicator.rank())] = train(plan, model, communicator, globalTokens); });

    for (const Trace &many : traces) {
        for (std::size_t step = 0; step < kSteps; ++step) {
            EXPECT_NEAR(many.losses[step] / one.losses[step], 1.0, 1e-6) << "step " << step;
            EXPECT_NEAR(many.norms[step] / one.norms[step], 1.0, 1e-5) << "step " << step;
        }
        EXPECT_NEAR(many.evaluated / one.evaluated, 1.0, 1e-6);
        for (const auto &[name, gradient] : one.firstGradients)
            EXPECT_LT(relativeDistance(many.firstGradients.at(name), gradient), 1e-5) << name;
        EXPECT_EQ(many.embedding, traces.front().embedding) << "ranks drifted apart";
    }
}

INSTANTIATE_TEST_SUITE_P(Ddp, RanksTest, ::testing::Values(Case{2, 1, false}, Case{2, 3, true}, Case{4, 1, true}, Case{4, 2, false}),
                         [](const auto &parameter) {
                             return std::to_string(parameter.param.ranks) + "_ranks_accumulation_" + std::to_string(parameter.param.gradAccum) + (parameter.param.tied ? "_tied" : "_untied");
                         });

TEST(Ranks, OneThatFailsInAStepReleasesTheOthers)
{
    const ModelSpec model = smallModel();
    RunConfig config = smallConfig();
    config.seqLen = 16;
    config.parallel = {.kind = ParallelKind::Ddp, .gpus = 2};
    const StepPlan plan = planOf(config, model);
    ThreadGroup group(2);
    const auto work = [&](Communicator &communicator) {
        const std::unique_ptr<Executor> executor = executorOf(plan, model, communicator);
        const Batch batch = randomBatch(executor->tokensPerStep(), model.vocab, 1);
        if (communicator.rank() == 1)
            throw std::runtime_error("its data is gone");
        EXPECT_THROW(static_cast<void>(executor->step(batch.input(), {})), PeerFailed);
    };
    EXPECT_THROW(group.run(work), std::runtime_error);
}

} // namespace
} // namespace slipway::testing
