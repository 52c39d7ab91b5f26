// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Documents that share a sequence and are kept apart train as if each had a sequence of its own.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/thread_group.h"
#include "oracle.h"

namespace slipway::testing {
namespace {

constexpr std::int64_t kSeq = 80, kHalf = kSeq / 2;

// Two documents in each sequence.
std::vector<std::int32_t> halves(std::int64_t tokens)
{
    std::vector<std::int32_t> starts;
    for (std::int64_t i = 0; i < tokens; ++i)
        starts.push_back(i % kSeq < kHalf ? 0 : kHalf);
    return starts;
}

StepInput apart(const Batch &batch, const std::vector<std::int32_t> &starts)
{
    return {.tokens = batch.tokens, .targets = batch.targets, .documentStarts = starts};
}

class DocumentsTest : public ::testing::TestWithParam<std::tuple<Attention, Recompute, std::int64_t>> {
protected:
    RunConfig config = [] {
        RunConfig c = smallConfig();
        std::tie(c.attention, c.recompute, c.gradAccum) = GetParam();
        return c;
    }();
    ModelSpec model = smallModel();
    SingleCommunicator communicator;
    std::unique_ptr<Executor> executor = executorOf(planOf(config, model), model, communicator);
    Batch batch = randomBatch(executor->tokensPerStep(), model.vocab, 3);
    std::vector<std::int32_t> starts = halves(executor->tokensPerStep());
};

TEST_P(DocumentsTest, LossAndEveryGradientAreThoseOfSequencesOfTheirOwn)
{
    Gradients gradients;
    collectGradients(*executor, gradients);
    const OracleStep exact = oracleStep(model, executor->weights(), batch, kHalf, OracleType::Fp64);
    EXPECT_NEAR(executor->evaluate(apart(batch, starts)).value() / exact.loss, 1.0, 1e-6);
    EXPECT_NEAR(executor->step(apart(batch, starts), {}).value().loss / exact.loss, 1.0, 1e-6);
    for (const auto &[name, gradient] : exact.gradients)
        EXPECT_LT(relativeDistance(gradients.at(name), gradient), 1e-5) << name;
}

INSTANTIATE_TEST_SUITE_P(Modes, DocumentsTest,
    ::testing::Combine(::testing::Values(Attention::Flash, Attention::Vanilla),
        ::testing::Values(Recompute::None, Recompute::Full), ::testing::Values(1, 2)),
    [](const auto &test) {
        return std::string(enumName(std::get<0>(test.param))) + "_recompute_" +
               std::string(enumName(std::get<1>(test.param))) + "_accumulation_" +
               std::to_string(std::get<2>(test.param));
    });

// As on a GPU, in one call for all documents. The second sequence is one document.
class DocumentsOnDevices : public ::testing::TestWithParam<std::pair<int, std::int64_t>> {};

TEST_P(DocumentsOnDevices, AreKeptApartByTheirOps)
{
    ModelSpec model = smallModel();
    const auto [kvHeads, window] = GetParam();
    model.attention.kvHeads = kvHeads;
    model.pattern.front().window = static_cast<int>(window);
    for (const bool own : {true, false}) {
        for (const Recompute recompute : {Recompute::None, Recompute::Full}) {
            RunConfig config = smallConfig();
            config.training.documents = Documents::Separate;
            config.recompute = recompute;
            config.gradAccum = 2;
            SingleCommunicator alone;
            const StepPlan plan = planOf(config, model);
            const std::unique_ptr<Executor> host = executorOf(plan, model, alone);
            const auto device =
                std::move(Executor::create(plan, model, alone,
                              {.backend = BackendKind::TorchCpu, .seed = 1, .threads = 2, .ownKernels = own}))
                    .value();
            Batch batch = randomBatch(host->tokensPerStep(), model.vocab, 3);
            std::vector<std::int32_t> starts = halves(host->tokensPerStep());
            std::fill(starts.begin() + kSeq, starts.begin() + 2 * kSeq, 0);
            for (const std::size_t notCounted : {std::size_t{39}, std::size_t{199}})
                batch.targets[notCounted] = -1;
            Gradients exact, gradients;
            collectGradients(*host, exact);
            collectGradients(*device, gradients);
            EXPECT_NEAR(device->evaluate(apart(batch, starts)).value() / host->evaluate(apart(batch, starts)).value(),
                1.0, 1e-5);
            EXPECT_NEAR(
                device->step(apart(batch, starts), {}).value().loss / host->step(apart(batch, starts), {}).value().loss,
                1.0, 1e-5);
            for (const auto &[name, gradient] : exact)
                EXPECT_LT(relativeDistance(gradients.at(name), gradient), 1e-4) << name << (own ? ", own kernels" : "");
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Models, DocumentsOnDevices,
    ::testing::Values(std::pair(4, 0), std::pair(2, 0), std::pair(1, 0), std::pair(2, 11)), [](const auto &test) {
        return "kv_heads_" + std::to_string(test.param.first) + "_window_" + std::to_string(test.param.second);
    });

// A plan of packed documents has no tables for a device to read.
TEST(Documents, AreRefusedByADeviceWhosePlanPacksThem)
{
    const ModelSpec model = smallModel();
    SingleCommunicator alone;
    const auto device = std::move(
        Executor::create(planOf(smallConfig(), model), model, alone, {.backend = BackendKind::TorchCpu, .seed = 1}))
                            .value();
    const Batch batch = randomBatch(device->tokensPerStep(), model.vocab, 3);
    const std::vector<std::int32_t> starts = halves(device->tokensPerStep());
    const auto refused = device->step(apart(batch, starts), {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().where, "documents");
}

// Ranks and micro-batches whose targets count in unequal numbers weigh by what counts.
TEST(Documents, LossIsTheMeanOverWhatCountsOnAllRanks)
{
    const ModelSpec model = smallModel();
    RunConfig config = smallConfig();
    SingleCommunicator single;
    const std::unique_ptr<Executor> one = executorOf(planOf(config, model), model, single);
    Batch batch = randomBatch(one->tokensPerStep(), model.vocab, 3);
    for (std::size_t i = 0; i < batch.targets.size(); ++i) {
        if (i % 3 == 0 && i < batch.targets.size() / 2)
            batch.targets[i] = -1;
    }
    const std::vector<std::int32_t> starts = halves(one->tokensPerStep());
    Gradients whole;
    collectGradients(*one, whole);
    const double loss = one->step(apart(batch, starts), {}).value().loss;

    config.microBatch = 1;
    config.parallel = {.kind = ParallelKind::Ddp, .gpus = 2};
    const StepPlan plan = planOf(config, model);
    ThreadGroup(2).run([&](Communicator &communicator) {
        const std::unique_ptr<Executor> executor = executorOf(plan, model, communicator);
        Gradients gradients;
        collectGradients(*executor, gradients);
        const auto first = static_cast<std::size_t>(communicator.rank() * kSeq);
        const auto mine = [first](const std::vector<std::int32_t> &ids) { return std::span(ids).subspan(first, kSeq); };
        EXPECT_NEAR(
            executor->step(
                        {.tokens = mine(batch.tokens), .targets = mine(batch.targets), .documentStarts = mine(starts)},
                        {})
                    .value()
                    .loss /
                loss,
            1.0, 1e-6);
        for (const auto &[name, gradient] : whole)
            EXPECT_LT(relativeDistance(gradients.at(name), gradient), 1e-5) << name;
    });
}

TEST(Documents, ThatCannotBeAreRefused)
{
    const ModelSpec model = smallModel();
    SingleCommunicator communicator;
    const std::unique_ptr<Executor> executor = executorOf(planOf(smallConfig(), model), model, communicator);
    const Batch batch = randomBatch(executor->tokensPerStep(), model.vocab, 3);
    std::vector<std::int32_t> starts = halves(executor->tokensPerStep());
    starts[50] = 45;
    const auto refused = executor->step(apart(batch, starts), {});
    ASSERT_FALSE(refused);
    EXPECT_THAT(
        refused.error().message(), ::testing::HasSubstr("the document of token 50 of the step cannot begin at 45"));
    starts.pop_back();
    EXPECT_FALSE(executor->step(apart(batch, starts), {}));
    RunConfig vanilla = smallConfig();
    vanilla.attention = Attention::Vanilla;
    const std::unique_ptr<Executor> elsewhere =
        executorOf(planOf(vanilla, model), model, communicator, 1, BackendKind::TorchCpu);
    const auto unknown = elsewhere->step(apart(batch, halves(executor->tokensPerStep())), {});
    ASSERT_FALSE(unknown);
    EXPECT_THAT(unknown.error().message(), ::testing::HasSubstr("(accepted: packed, or attention: flash)"));
}

} // namespace
} // namespace slipway::testing
