// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Data-parallel ranks as threads must do what one rank does with all their sequences, whatever each of them keeps.
#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>

#include <gtest/gtest.h>

#include "comm/thread_group.h"
#include "memory/memory_walk.h"
#include "plan/data_parallel.h"
#include "trainer_fixtures.h"

namespace slipway::testing {
namespace {

constexpr int kSteps = 20;

// A rank's part of one weight.
struct Part {
    std::int64_t first = 0;
    std::vector<float> gradient, weight; // of the first step; after the last one
};

struct Trace {
    std::vector<double> losses, norms;
    std::map<std::string, Part> parts;
    double evaluated = 0;
    Bytes allocatedPeak = 0;
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
    Gradients gradients;
    const std::unique_ptr<Executor> executor = executorOf(plan, model, communicator);
    const auto shareOfStep = [&](std::uint64_t step) {
        return shareOf(
            randomBatch(globalTokens, model.vocab, step), communicator.rank(), communicator.size(), plan.gradAccum);
    };
    for (int step = 1; step <= kSteps; ++step) {
        if (step == 1)
            collectGradients(*executor, gradients);
        const Batch share = shareOfStep(static_cast<std::uint64_t>(step));
        const Result<StepOutcome> outcome = executor->step(share.input(), {.learningRate = 1e-3, .step = step});
        executor->setObserver(nullptr);
        trace.losses.push_back(outcome.value().loss);
        trace.norms.push_back(outcome->gradNorm);
        trace.allocatedPeak = std::max(trace.allocatedPeak, outcome->allocatedPeak);
    }
    trace.evaluated = executor->evaluate(shareOfStep(99).input()).value();
    for (const WeightView &view : executor->weights())
        trace.parts[view.name] = {.first = view.first,
            .gradient = gradients.at(view.name),
            .weight = {view.master, view.master + view.count}};
    return trace;
}

struct RanksCase {
    ParallelKind kind = ParallelKind::Ddp;
    int ranks = 2;
    std::int64_t gradAccum = 1;
    bool tied = false;
    GradReduce reduce = GradReduce::Auto;
    Recompute recompute = Recompute::None;
    OptimizerKind optimizer = OptimizerKind::AdamW;
};

class RanksTest : public ::testing::TestWithParam<RanksCase> {
protected:
    [[nodiscard]] static RunConfig configOf(int ranks, std::int64_t microBatch)
    {
        RunConfig config = smallConfig();
        config.seqLen = 24;
        config.gradAccum = GetParam().gradAccum;
        config.gradReduce = GetParam().reduce;
        config.recompute = GetParam().recompute;
        config.optimizer = GetParam().optimizer;
        config.microBatch = microBatch;
        if (ranks > 1)
            config.parallel = {
                .kind = GetParam().kind, .gpus = ranks, .gpusPerNode = GetParam().kind == ParallelKind::Hsdp ? 2 : 8};
        return config;
    }
};

std::vector<float> slice(const std::vector<float> &whole, std::int64_t first, std::size_t count)
{
    return {whole.begin() + first, whole.begin() + first + static_cast<std::ptrdiff_t>(count)};
}

TEST_P(RanksTest, DoWhatOneRankDoesWithTheWholeBatch)
{
    const int ranks = GetParam().ranks;
    ModelSpec model = smallModel();
    model.head.tied = GetParam().tied;
    const RunConfig alone = configOf(1, ranks);
    SingleCommunicator single;
    const Trace one = train(planOf(alone, model), model, single, alone.tokensPerStep());

    const StepPlan plan = planOf(configOf(ranks, 1), model);
    std::vector<Trace> traces(static_cast<std::size_t>(ranks));
    ThreadGroup group(ranks);
    group.run([&](Communicator &communicator) {
        traces[static_cast<std::size_t>(communicator.rank())] = train(plan, model, communicator, alone.tokensPerStep());
    });

    std::map<std::string, std::size_t> covered;
    for (const Trace &many : traces) {
        for (std::size_t step = 0; step < kSteps; ++step) {
            EXPECT_NEAR(many.losses[step] / one.losses[step], 1.0, 1e-6) << "step " << step;
            EXPECT_EQ(many.losses[step], traces.front().losses[step]) << "ranks report different losses";
            EXPECT_NEAR(many.norms[step] / one.norms[step], 1.0, 1e-5) << "step " << step;
        }
        EXPECT_NEAR(many.evaluated / one.evaluated, 1.0, 1e-6);
        EXPECT_EQ(many.allocatedPeak, peakMemory(plan).allocated);
        for (const auto &[name, part] : many.parts) {
            const Part &whole = one.parts.at(name);
            EXPECT_LT(relativeDistance(part.gradient, slice(whole.gradient, part.first, part.gradient.size())), 1e-5)
                << name;
            EXPECT_LT(relativeDistance(part.weight, slice(whole.weight, part.first, part.weight.size())), 1e-3) << name;
            covered[name] += part.weight.size();
        }
    }
    const auto copies = static_cast<std::size_t>(ranks / plan.mesh.shards.size);
    for (const auto &[name, whole] : one.parts)
        EXPECT_EQ(covered[name], copies * whole.weight.size()) << name;
}

void addTo(Gradients &sum, const Gradients &more)
{
    for (const auto &[name, values] : more) {
        std::vector<float> &to = sum[name];
        if (to.empty())
            to = values;
        else
            std::transform(to.begin(), to.end(), values.begin(), to.begin(), std::plus<>());
    }
}

// One rank's gradients of these sequences, as of a part of all tokens: a power of two, so that they are the same bits.
Gradients gradientsOf(const RunConfig &config, const ModelSpec &model, const Batch &batch, float part)
{
    SingleCommunicator alone;
    const std::unique_ptr<Executor> executor = executorOf(planOf(config, model), model, alone);
    Gradients gradients;
    collectGradients(*executor, gradients);
    EXPECT_TRUE(executor->step(batch.input(), {.learningRate = 1e-3}));
    for (auto &[name, values] : gradients)
        std::transform(values.begin(), values.end(), values.begin(), [part](float value) { return value * part; });
    return gradients;
}

// What one rank computes of each rank's sequences, added up in the order of the ranks, is what they have: to the last
// bit.
class RanksBits : public RanksTest {};

TEST_P(RanksBits, AreThoseOfOneRanksGradientsAddedUpInTheirOrder)
{
    const int ranks = GetParam().ranks;
    const RunConfig config = configOf(ranks, 1);
    const DataParallelism data = dataParallelism(config);
    const int micros = data.everyMicroBatch ? static_cast<int>(config.gradAccum) : 1;
    ModelSpec model = smallModel();
    model.head.tied = GetParam().tied;
    const Batch global = randomBatch(config.tokensPerStep(), model.vocab, 1);
    RunConfig alone = configOf(1, 1);
    alone.gradAccum = config.gradAccum / micros;
    Gradients sum;
    for (int replica = 0; replica < data.replicas; ++replica) {
        Gradients ofReplica;
        for (int micro = 0; micro < micros; ++micro) {
            Gradients ofMicro;
            for (int member = 0; member < ranks / data.replicas; ++member) {
                Batch own = shareOf(global, replica * (ranks / data.replicas) + member, ranks, config.gradAccum);
                const auto take = [&](std::vector<std::int32_t> &ids) {
                    const auto each = static_cast<std::ptrdiff_t>(ids.size()) / micros;
                    ids = {ids.begin() + micro * each, ids.begin() + (micro + 1) * each};
                };
                take(own.tokens), take(own.targets);
                addTo(ofMicro, gradientsOf(alone, model, own, 1.0f / static_cast<float>(ranks * micros)));
            }
            addTo(ofReplica, ofMicro);
        }
        addTo(sum, ofReplica);
    }

    const StepPlan plan = planOf(config, model);
    std::vector<std::map<std::string, Part>> parts(static_cast<std::size_t>(ranks));
    ThreadGroup(ranks).run([&](Communicator &communicator) {
        const std::unique_ptr<Executor> executor = executorOf(plan, model, communicator);
        Gradients gradients;
        collectGradients(*executor, gradients);
        const Batch share = shareOf(global, communicator.rank(), ranks, config.gradAccum);
        EXPECT_TRUE(executor->step(share.input(), {.learningRate = 1e-3}));
        for (const WeightView &view : executor->weights())
            parts[static_cast<std::size_t>(communicator.rank())][view.name] = {
                .first = view.first, .gradient = gradients.at(view.name)};
    });
    for (const auto &ofRank : parts) {
        for (const auto &[name, part] : ofRank)
            EXPECT_EQ(part.gradient, slice(sum.at(name), part.first, part.gradient.size())) << name;
    }
}

// Copies of one part must stay equal to the last bit, or ranks drift apart.
TEST_P(RanksTest, KeepEqualCopiesOfWhatTheyShare)
{
    const ModelSpec model = smallModel();
    const RunConfig config = configOf(GetParam().ranks, 1);
    const StepPlan plan = planOf(config, model);
    std::vector<Trace> traces(static_cast<std::size_t>(GetParam().ranks));
    ThreadGroup group(GetParam().ranks);
    group.run([&](Communicator &communicator) {
        traces[static_cast<std::size_t>(communicator.rank())] =
            train(plan, model, communicator, config.tokensPerStep());
    });
    for (std::size_t rank = 0; rank < traces.size(); ++rank) {
        const Trace &first = traces[rank % static_cast<std::size_t>(plan.mesh.shards.size)];
        for (const auto &[name, part] : traces[rank].parts)
            EXPECT_EQ(part.weight, first.parts.at(name).weight) << name << " of rank " << rank;
    }
}

std::string nameOf(const RanksCase &c)
{
    std::string name = std::string(enumName(c.kind)) + "_" + std::to_string(c.ranks) + "_ranks_" +
                       std::to_string(c.gradAccum) + "_micro_batches_" + (c.tied ? "tied_" : "untied_") + "reduced_" +
                       std::string(enumName(c.reduce)) + "_recompute_" + std::string(enumName(c.recompute)) +
                       (c.optimizer == OptimizerKind::Muon ? "_muon" : "");
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

using enum ParallelKind;
const std::vector<RanksCase> kLadder{RanksCase{}, RanksCase{.gradAccum = 3, .tied = true},
    RanksCase{.ranks = 4, .gradAccum = 2, .reduce = GradReduce::MicroBatch},
    RanksCase{.ranks = 4, .recompute = Recompute::Full}, RanksCase{.kind = Zero1},
    RanksCase{.kind = Zero1, .ranks = 4, .gradAccum = 2},
    RanksCase{.kind = Zero1, .gradAccum = 3, .tied = true, .reduce = GradReduce::MicroBatch},
    RanksCase{.kind = FsdpGradOp}, RanksCase{.kind = FsdpGradOp, .ranks = 4, .gradAccum = 3, .tied = true},
    RanksCase{.kind = FsdpGradOp, .gradAccum = 3, .reduce = GradReduce::Step, .recompute = Recompute::Selective},
    RanksCase{.kind = FsdpFull}, RanksCase{.kind = FsdpFull, .ranks = 4, .gradAccum = 2, .recompute = Recompute::Full},
    RanksCase{.kind = FsdpFull, .ranks = 4, .tied = true, .recompute = Recompute::Selective},
    RanksCase{.kind = FsdpFull, .gradAccum = 3, .reduce = GradReduce::Step},
    RanksCase{.kind = FsdpFull, .ranks = 3, .gradAccum = 2}, RanksCase{.kind = Hsdp, .ranks = 4},
    RanksCase{.kind = Hsdp, .ranks = 4, .gradAccum = 3, .tied = true},
    RanksCase{.kind = Hsdp, .ranks = 4, .gradAccum = 2, .reduce = GradReduce::Step, .recompute = Recompute::Full},
    RanksCase{.kind = Hsdp, .ranks = 2}, RanksCase{.ranks = 4, .gradAccum = 2, .optimizer = OptimizerKind::Muon},
    RanksCase{.kind = Zero1, .ranks = 3, .gradAccum = 2, .optimizer = OptimizerKind::Muon},
    RanksCase{.kind = FsdpGradOp, .ranks = 4, .tied = true, .optimizer = OptimizerKind::Muon},
    RanksCase{.kind = FsdpFull, .ranks = 4, .gradAccum = 3, .optimizer = OptimizerKind::Muon},
    RanksCase{.kind = Hsdp, .ranks = 4, .optimizer = OptimizerKind::Muon}};

// Where a step's mean is over two, four or eight parts, as that over one part is: others round otherwise.
std::vector<RanksCase> halvings()
{
    std::vector<RanksCase> cases;
    std::copy_if(kLadder.begin(), kLadder.end(), std::back_inserter(cases), [](const RanksCase &c) {
        RunConfig config;
        config.gradReduce = c.reduce;
        config.parallel = {.kind = c.kind, .gpus = c.ranks};
        return std::has_single_bit(
            static_cast<std::uint64_t>(c.ranks * (dataParallelism(config).everyMicroBatch ? c.gradAccum : 1)));
    });
    return cases;
}

INSTANTIATE_TEST_SUITE_P(
    Ladder, RanksTest, ::testing::ValuesIn(kLadder), [](const auto &parameter) { return nameOf(parameter.param); });
INSTANTIATE_TEST_SUITE_P(
    Ladder, RanksBits, ::testing::ValuesIn(halvings()), [](const auto &parameter) { return nameOf(parameter.param); });

TEST(Ranks, OneThatFailsInAStepReleasesTheOthers)
{
    const ModelSpec model = smallModel();
    RunConfig config = smallConfig();
    config.seqLen = 16;
    config.parallel = {.kind = ParallelKind::Hsdp, .gpus = 4, .gpusPerNode = 2};
    const StepPlan plan = planOf(config, model);
    ThreadGroup group(4);
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
