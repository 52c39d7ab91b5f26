// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What the ranks of a mesh really send in a step equals the formulas of the papers. Two more layers send what two
// layers send, so embedding, LM head and the sums of a few numbers do not count.
#include <gtest/gtest.h>

#include <mutex>

#include "counted_ranks.h"
#include "plan/mesh.h"
#include "rank_groups.h"
#include "trainer_fixtures.h"

namespace slipway::testing {
namespace {

constexpr std::int64_t kMicroBatches = 3, kHidden = 32, kKeyWidth = 16;

// The weights of a layer are a multiple of 128 numbers, so that the shards of two ranks are not padded.
ModelSpec modelWith(int layers, int experts)
{
    ModelSpec m{.name = "bytes",
        .layers = layers,
        .hidden = kHidden,
        .attention = {.heads = 4, .kvHeads = 2, .headDim = 8},
        .mlp = {.width = 46},
        .vocab = 61};
    if (experts > 0)
        m.experts = {.count = experts, .perToken = 2};
    return m;
}

RunConfig bytesConfig(const Parallelism &mesh, ContextExchange exchange)
{
    RunConfig config;
    config.precision = Precision::Fp32;
    config.microBatch = 2;
    config.seqLen = 24;
    config.gradAccum = kMicroBatches;
    config.parallel = mesh;
    config.contextExchange = exchange;
    return config;
}

// By rank.
std::vector<SentBytes> sentInAStep(
    const Parallelism &mesh, const ModelSpec &model, ContextExchange exchange = ContextExchange::Auto)
{
    const RunConfig config = bytesConfig(mesh, exchange);
    std::vector<SentBytes> sent(static_cast<std::size_t>(mesh.gpus));
    runOverThreads(mesh.gpus, [&](Communicator &ranks) {
        CountedRank counted(ranks);
        const StepPlan plan = buildStage(config, model, stageOf(mesh, ranks.rank()));
        Result<std::unique_ptr<Executor>> executor = Executor::create(plan, model, counted, {.seed = 1, .threads = 1});
        ASSERT_TRUE(executor) << executor.error().message();
        const Batch batch = randomBatch((*executor)->tokensPerStep(), static_cast<int>(model.vocab), 7);
        const SentBytes before = counted.sent();
        ASSERT_TRUE((*executor)->step(batch.input(), {.step = 1}));
        const SentBytes &after = counted.sent();
        sent[static_cast<std::size_t>(ranks.rank())] = {after.allReduce - before.allReduce,
            after.reduceScatter - before.reduceScatter, after.allGather - before.allGather,
            after.allToAll - before.allToAll, after.send - before.send};
    });
    return sent;
}

// Of each rank, by a layer.
std::vector<SentBytes> sentByALayer(
    const Parallelism &mesh, int experts = 0, ContextExchange exchange = ContextExchange::Auto)
{
    std::vector<SentBytes> few = sentInAStep(mesh, modelWith(2, experts), exchange),
                           more = sentInAStep(mesh, modelWith(4, experts), exchange);
    for (std::size_t i = 0; i < few.size(); ++i)
        more[i] = {(more[i].allReduce - few[i].allReduce) / 2, (more[i].reduceScatter - few[i].reduceScatter) / 2,
            (more[i].allGather - few[i].allGather) / 2, (more[i].allToAll - few[i].allToAll) / 2,
            (more[i].send - few[i].send) / 2};
    return more;
}

constexpr std::size_t kTokens = 2 * 24, kStream = kTokens * kHidden * 4; // of a micro-batch; bytes of its stream
constexpr std::size_t kKeysAndValues = kTokens * 2 * kKeyWidth * 4;

std::size_t weightBytes() { return static_cast<std::size_t>(blockParameterCount(modelWith(2, 0))) * 4; }

// Korthikanti et al. 2022, section 4.2.2, and Slipway's further gathers for weight gradients.
TEST(MeshBytes, OfTensorParallelRanksAreMegatrons)
{
    for (const SentBytes &layer : sentByALayer({.gpus = 2, .tp = 2})) {
        EXPECT_EQ(layer.allGather, kMicroBatches * (2 + 4) * kStream);
        EXPECT_EQ(layer.reduceScatter, kMicroBatches * (2 + 2) * kStream);
        EXPECT_EQ(layer.send, 0U);
    }
}

// Grattafiori et al. 2024, section 3.3.2: keys and values forward and backward, and their gradients.
TEST(MeshBytes, OfGatheredKeysAreThreeTimesAllKeysAndValues)
{
    for (const SentBytes &layer : sentByALayer({.kind = ParallelKind::None, .gpus = 2, .cp = 2})) {
        EXPECT_EQ(layer.allGather, kMicroBatches * 2 * kKeysAndValues);
        EXPECT_EQ(layer.reduceScatter, kMicroBatches * kKeysAndValues);
    }
}

// Liu et al. 2023: cp - 1 messages forward and twice as many backward, each of a rank's keys and values.
TEST(MeshBytes, OfARingAreThoseOfItsTurns)
{
    for (const int cp : {2, 4}) {
        for (const SentBytes &layer : sentByALayer({.gpus = cp, .cp = cp}, 0, ContextExchange::Ring)) {
            const auto ranks = static_cast<std::size_t>(cp);
            EXPECT_EQ(layer.send, kMicroBatches * 3 * (ranks - 1) * kKeysAndValues / ranks) << cp;
            EXPECT_EQ(layer.allGather, 0U) << cp;
        }
    }
}

// Every border passes the stream of each micro-batch there and its gradient back.
TEST(MeshBytes, OfAPipelineAreTheStreamAtEveryBorder)
{
    for (const PipelineSchedule schedule :
        {PipelineSchedule::GPipe, PipelineSchedule::OneForwardOneBackward, PipelineSchedule::ZeroBubble}) {
        const std::vector<SentBytes> stages = sentInAStep({.gpus = 4, .pp = 4, .schedule = schedule}, modelWith(4, 0));
        for (std::size_t stage = 0; stage < 4; ++stage)
            EXPECT_EQ(stages[stage].send, kMicroBatches * kStream * (stage == 0 || stage == 3 ? 1 : 2)) << stage;
    }
}

// Lepikhin et al. 2020: every row goes to its expert and comes back, and so does its gradient.
TEST(MeshBytes, OfExpertsAreEveryRowFourTimes)
{
    std::size_t sent = 0;
    for (const SentBytes &layer : sentByALayer({.kind = ParallelKind::Ddp, .gpus = 2, .ep = 2}, 4))
        sent += layer.allToAll;
    EXPECT_EQ(sent, 2 * kMicroBatches * 4 * 2 * kStream) << "two ranks; two experts a token";
}

// Rajbhandari et al. 2020 (arXiv 1910.02054), section 7: the gradients once; of stage 3 the weights twice as well.
TEST(MeshBytes, OfDataParallelRanksAreTheWeights)
{
    const std::size_t weights = weightBytes();
    for (const SentBytes &layer : sentByALayer({.kind = ParallelKind::Ddp, .gpus = 2}))
        EXPECT_EQ(layer.allReduce, weights);
    for (const SentBytes &layer : sentByALayer({.kind = ParallelKind::Zero1, .gpus = 2})) {
        EXPECT_EQ(layer.reduceScatter, weights);
        EXPECT_EQ(layer.allGather, weights);
    }
    for (const SentBytes &layer : sentByALayer({.kind = ParallelKind::FsdpFull, .gpus = 2})) {
        EXPECT_EQ(layer.reduceScatter, kMicroBatches * weights);
        EXPECT_EQ(layer.allGather, kMicroBatches * 2 * weights);
    }
}

} // namespace
} // namespace slipway::testing
