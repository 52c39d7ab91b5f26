// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Streams, events and graphs of a device, on the processor: what waits for what, and that nothing else is needed.
#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/thread_group.h"
#include "exec/live_buffers.h"
#include "exec/stream_emulator.h"
#include "exec/step_order.h"
#include "speed/simulate_step.h"
#include "trainer_fixtures.h"

namespace slipway::testing {
namespace {

struct StepOrderCase {
    std::string name;
    ParallelKind kind = ParallelKind::Ddp;
    std::int64_t gradAccum = 1;
    GradReduce reduce = GradReduce::Auto;
    Recompute recompute = Recompute::None;
    bool tied = false;
    int gpusPerNode = 8;
};

const std::vector<StepOrderCase> kCases{{"ddp"}, {.name = "ddp_accumulating", .gradAccum = 3},
    {.name = "ddp_every_micro_batch", .gradAccum = 3, .reduce = GradReduce::MicroBatch},
    {.name = "zero1", .kind = ParallelKind::Zero1, .gradAccum = 2},
    {.name = "fsdp_grad_op", .kind = ParallelKind::FsdpGradOp, .gradAccum = 2},
    {.name = "fsdp_full", .kind = ParallelKind::FsdpFull},
    {.name = "fsdp_full_tied_recompute",
        .kind = ParallelKind::FsdpFull,
        .gradAccum = 2,
        .recompute = Recompute::Full,
        .tied = true},
    {.name = "hsdp", .kind = ParallelKind::Hsdp, .gradAccum = 2, .gpusPerNode = 2}};

RunConfig configOf(const StepOrderCase &c, int ranks)
{
    RunConfig config = smallConfig();
    config.seqLen = 24;
    config.microBatch = 1;
    config.gradAccum = c.gradAccum;
    config.gradReduce = c.reduce;
    config.recompute = c.recompute;
    config.parallel = {.kind = c.kind, .gpus = ranks, .gpusPerNode = c.gpusPerNode};
    return config;
}

ModelSpec modelOf(const StepOrderCase &c)
{
    ModelSpec model = smallModel();
    model.layers = 5;
    model.head.tied = c.tied;
    return model;
}

class StepOrder : public ::testing::TestWithParam<StepOrderCase> {
protected:
    ModelSpec model = modelOf(GetParam());
    StepPlan plan = planOf(configOf(GetParam(), 4), model);
};

struct Access {
    int op;
    Bytes begin, end;
    bool writes;
};

// Every range of the arena that an op of the step touches.
std::vector<Access> accesses(const StepPlan &plan)
{
    std::vector<Access> all;
    LiveBuffers live(plan);
    int number = 0;
    forEachOp(plan, Repetitions::All, [&](const Visit &visit) {
        for (const Use &use : visit.op.allocations)
            live.allocate(use, visit.slot.index, visit.microBatch);
        const auto add = [&](const Use &use, bool writes) {
            const Bytes begin = live.offset(use, visit.slot.index, visit.microBatch);
            all.push_back({number, begin, begin + live.bytesFrom(use, visit.slot.index), writes});
        };
        for (const Use &use : visit.op.reads)
            add(use, false);
        for (const Use &use : visit.op.writes)
            add(use, true);
        for (const Use &use : visit.op.frees)
            live.free(use, visit.slot.index, visit.microBatch);
        ++number;
    });
    return all;
}

// For each op, the newest op of each stream that has certainly run before it: only what streams and waits give.
std::vector<std::array<int, 2>> certain(const std::vector<OrderedOp> &order)
{
    std::vector<std::array<int, 2>> before(order.size());
    std::array<std::array<int, 2>, 2> clock{{{-1, -1}, {-1, -1}}};
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto stream = static_cast<std::size_t>(order[i].stream);
        if (const int waits = order[i].waitsFor; waits >= 0) {
            const std::array<int, 2> &theirs = before[static_cast<std::size_t>(waits)];
            clock[stream][stream] = std::max(clock[stream][stream], theirs[stream]);
            clock[stream][1 - stream] = std::max({clock[stream][1 - stream], theirs[1 - stream], waits});
        }
        before[i] = clock[stream];
        clock[stream][stream] = static_cast<int>(i);
    }
    return before;
}

TEST_P(StepOrder, PutsEveryWriterBeforeWhoReadsAndEveryReaderBeforeWhoOverwrites)
{
    const std::vector<OrderedOp> order = orderOf(plan);
    const std::vector<std::array<int, 2>> before = certain(order);
    const std::vector<Access> all = accesses(plan);
    int conflicts = 0;
    for (std::size_t later = 0; later < all.size(); ++later) {
        for (std::size_t earlier = 0; earlier < later; ++earlier) {
            const Access &a = all[earlier], &b = all[later];
            const DeviceStream stream = order[static_cast<std::size_t>(a.op)].stream;
            if (stream == order[static_cast<std::size_t>(b.op)].stream || a.end <= b.begin || b.end <= a.begin ||
                !(a.writes || b.writes))
                continue;
            ++conflicts;
            ASSERT_GE(before[static_cast<std::size_t>(b.op)][static_cast<std::size_t>(stream)], a.op)
                << "op " << b.op << " may run before op " << a.op;
        }
    }
    EXPECT_GT(conflicts, 0);
}

TEST_P(StepOrder, WaitsOnlyForEarlierOpsThatSignal)
{
    const std::vector<OrderedOp> order = orderOf(plan);
    std::set<int> waitedFor;
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (order[i].waitsFor < 0)
            continue;
        const auto other = static_cast<std::size_t>(order[i].waitsFor);
        EXPECT_LT(other, i);
        EXPECT_NE(order[other].stream, order[i].stream);
        EXPECT_TRUE(order[other].signals);
        waitedFor.insert(order[i].waitsFor);
    }
    EXPECT_EQ(static_cast<std::size_t>(
                  std::count_if(order.begin(), order.end(), [](const OrderedOp &op) { return op.signals; })),
        waitedFor.size());
}

// What ran: in an order that waits leave open, with both streams, late; then plainly.
std::vector<double> lossesOf(
    const StepPlan &plan, const ModelSpec &model, int ranks, std::optional<std::uint64_t> emulatedStreams)
{
    std::vector<double> losses;
    ThreadGroup(ranks).run([&](Communicator &communicator) {
        const auto executor = std::move(Executor::create(plan, model, communicator,
                                            {.backend = BackendKind::TorchCpu,
                                                .seed = 1,
                                                .threads = 1,
                                                .graphs = StepGraphs::Off,
                                                .emulatedStreams = emulatedStreams}))
                                  .value();
        for (int step = 1; step <= 3; ++step) {
            const Batch batch = randomBatch(executor->tokensPerStep(), model.vocab,
                std::uint64_t{10} * static_cast<std::uint64_t>(step) + static_cast<std::uint64_t>(communicator.rank()));
            const StepOutcome outcome = executor->step(batch.input(), {.learningRate = 1e-2, .step = step}).value();
            if (communicator.rank() == 0)
                losses.insert(losses.end(), {outcome.loss, outcome.gradNorm});
        }
        const Batch batch = randomBatch(executor->tokensPerStep(), model.vocab, 99);
        const double evaluated = executor->evaluate(batch.input()).value();
        if (communicator.rank() == 0)
            losses.push_back(evaluated);
    });
    return losses;
}

// The last one is the ordinary case on a device whose collectives are fast; the first one where they are slow.
TEST_P(StepOrder, LeavesOnlyOrdersThatGiveTheSameBits)
{
    const std::vector<double> plain = lossesOf(plan, model, 4, std::nullopt);
    for (const std::uint64_t seed : {0U, 1U, 77U})
        EXPECT_EQ(lossesOf(plan, model, 4, seed), plain) << "seed " << seed;
}

INSTANTIATE_TEST_SUITE_P(, StepOrder, ::testing::ValuesIn(kCases), [](const auto &test) { return test.param.name; });

// How many gathers may have started when the computation is about to run an op.
std::vector<int> gathersAhead(const StepPlan &plan)
{
    const std::vector<OrderedOp> order = orderOf(plan);
    const std::vector<std::array<int, 2>> before = certain(order);
    std::vector<int> gathers;
    int number = 0;
    forEachOp(plan, Repetitions::All, [&](const Visit &visit) {
        if (plan.at(visit.op.kernel).kind == OpKind::AllGather)
            gathers.push_back(number);
        ++number;
    });
    std::vector<int> ahead;
    for (std::size_t op = 0; op < order.size(); ++op) {
        if (order[op].stream != DeviceStream::Compute || before[op][1] < gathers.front())
            continue; // no unit is in use yet
        // Started before this op has run: those that do not wait for it or a later one.
        const auto started = std::count_if(gathers.begin(), gathers.end(),
            [&](int gather) { return before[static_cast<std::size_t>(gather)][0] < static_cast<int>(op); });
        const auto needed =
            std::count_if(gathers.begin(), gathers.end(), [&](int gather) { return gather <= before[op][1]; });
        ahead.push_back(static_cast<int>(started - needed));
    }
    return ahead;
}

TEST(Prefetch, GathersNoMoreThanTwoUnitsAheadOfTheOneInUse)
{
    const StepOrderCase full{.name = "fsdp_full", .kind = ParallelKind::FsdpFull};
    const std::vector<int> ahead = gathersAhead(planOf(configOf(full, 4), modelOf(full)));
    EXPECT_LE(*std::max_element(ahead.begin(), ahead.end()), 2);
    EXPECT_GE(*std::max_element(ahead.begin(), ahead.end()), 1) << "nothing overlaps";
}

// The number of gathers that the trainer may start before the kernels of the block `ahead` blocks before have run.
int gathersThatMayRunBefore(const StepPlan &plan, int ahead)
{
    const std::vector<std::array<int, 2>> before = certain(orderOf(plan));
    std::vector<int> lastOfBlock; // the compute stream's last op up to the end of each block
    const Slot *block = nullptr;
    int number = 0, early = 0;
    forEachOp(plan, Repetitions::All, [&](const Visit &visit) {
        if (&visit.slot != block)
            lastOfBlock.push_back(lastOfBlock.empty() ? -1 : lastOfBlock.back());
        block = &visit.slot;
        const int earlier = static_cast<int>(lastOfBlock.size()) - 1 - ahead;
        if (visit.op.stream == Stream::Gather && earlier >= 0)
            early += before[static_cast<std::size_t>(number)][0] < lastOfBlock[static_cast<std::size_t>(earlier)];
        if (!isCommunication(visit.op.stream))
            lastOfBlock.back() = number;
        ++number;
    });
    return early;
}

// Time at which each block of the step has run its kernels, and each gather starts, by the planner.
struct PlayedGathers {
    std::vector<std::pair<int, Seconds>> starts; // number of the block, time
    std::vector<Seconds> blockEnds;
};
PlayedGathers playedGathers(const StepPlan &plan)
{
    // On links without latency, nothing else delays a gather.
    const DeviceRates rates{.gemmFlops = 1e12,
        .attentionFlops = 5e11,
        .attentionBackwardFlops = 5e11,
        .memoryBandwidth = 1e11,
        .peakFlops = 2e12,
        .nodeLink = {.bandwidth = 1e18}};
    PlayedGathers gathers;
    const Slot *block = nullptr;
    simulateStep(plan, rates, [&](const SimulatedOp &played) {
        if (&played.slot != block)
            gathers.blockEnds.push_back(gathers.blockEnds.empty() ? 0 : gathers.blockEnds.back());
        block = &played.slot;
        if (plan.at(played.op.kernel).kind == OpKind::AllGather)
            gathers.starts.emplace_back(static_cast<int>(gathers.blockEnds.size()) - 1, played.start);
        else if (played.op.stream == Stream::Compute)
            gathers.blockEnds.back() = std::max(gathers.blockEnds.back(), played.end);
    });
    return gathers;
}

TEST(Prefetch, FollowsThePlansLimitInTheTrainerAndInThePlanner)
{
    const StepOrderCase full{.name = "fsdp_full", .kind = ParallelKind::FsdpFull};
    StepPlan plan = planOf(configOf(full, 4), modelOf(full));
    EXPECT_EQ(plan.gathersAhead, 2);
    double sumBefore = std::numeric_limits<double>::infinity();
    for (const int limit : {1, 2, 3}) {
        plan.gathersAhead = limit;
        EXPECT_EQ(gathersThatMayRunBefore(plan, limit), 0) << "limit " << limit;
        if (limit > 1) {
            EXPECT_GT(gathersThatMayRunBefore(plan, limit - 1), 0) << "limit " << limit;
        }
        const PlayedGathers played = playedGathers(plan);
        double sum = 0;
        for (const auto &[block, start] : played.starts) {
            const Seconds earliest = block < limit ? 0 : played.blockEnds[static_cast<std::size_t>(block - limit)];
            EXPECT_GE(start, earliest - 1e-12) << "block " << block << ", limit " << limit;
            sum += start;
        }
        EXPECT_LT(sum, sumBefore) << "limit " << limit;
        sumBefore = sum;
    }
}

// Whatever the axes. Kernels that belong to a collective are in its lane as well.
TEST(Lanes, AreThoseOfThePlan)
{
    const StepOrderCase kind{.name = "meshes", .kind = ParallelKind::FsdpFull};
    std::vector<RunConfig> configs(4, configOf(kind, 4));
    configs[1].parallel.tp = 2;
    configs[2].parallel.cp = 2;
    configs[3].parallel.pp = 2;
    for (const RunConfig &config : configs) {
        StepPlan plan = planOf(config, modelOf(kind));
        EXPECT_TRUE(plan.oneCommunicationLane);
        const auto check = [&plan] {
            const std::vector<OrderedOp> order = orderOf(plan);
            std::size_t number = 0;
            forEachOp(plan, Repetitions::All, [&](const Visit &visit) {
                EXPECT_EQ(order[number++].stream == DeviceStream::Communication, isCommunication(visit.op.stream))
                    << visit.op.name;
                EXPECT_NE(visit.op.stream, Stream::Copy) << visit.op.name << ": the trainer has no such lane";
            });
        };
        check();
        for (const Block &block : plan.blocks) {
            for (const Op &op : block.ops) {
                if (plan.at(op.kernel).cost == CostClass::Communication) {
                    EXPECT_TRUE(isCommunication(op.stream)) << op.name;
                }
            }
        }
        for (Block &block : plan.blocks) {
            for (Op &op : block.ops)
                op.stream = op.stream == Stream::Reduce ? Stream::Compute : op.stream;
        }
        check();
    }
}

// The streams run side by side for most of backward: an op of the computation waits for a gather that it reads, or for
// memory.
TEST(Overlap, BackwardOfDdpNeverWaitsForAReduction)
{
    const StepOrderCase ddp{.name = "ddp"};
    const StepPlan plan = planOf(configOf(ddp, 4), modelOf(ddp));
    const std::vector<OrderedOp> order = orderOf(plan);
    std::size_t number = 0;
    forEachOp(plan, Repetitions::All, [&](const Visit &visit) {
        if (order[number].stream == DeviceStream::Compute && visit.op.phase != Phase::Optimizer) {
            EXPECT_LT(order[number].waitsFor, 0) << visit.op.name;
        }
        ++number;
    });
}

TEST(StreamEmulator, FindsAWaitThatNobodyEnds)
{
    StreamEmulator emulator(1);
    StepStreams &streams = emulator;
    streams.begin(2);
    streams.enter(DeviceStream::Communication);
    streams.wait(0);
    streams.signal(1);
    streams.enter(DeviceStream::Compute);
    streams.wait(1);
    streams.signal(0);
    EXPECT_THROW(emulator.finish(), std::logic_error);
}

// Whatever differs between steps must be read from memory: ids, rates.
TEST(StepGraph, ReplaysWhatAWalkWouldDo)
{
    const ModelSpec model = smallModel();
    RunConfig config = smallConfig();
    config.gradAccum = 2;
    const StepPlan plan = planOf(config, model);
    std::vector<double> losses[2];
    for (const bool graph : {false, true}) {
        SingleCommunicator alone;
        const auto executor = std::move(Executor::create(plan, model, alone,
                                            {.backend = BackendKind::TorchCpu,
                                                .seed = 1,
                                                .threads = 1,
                                                .graphs = graph ? StepGraphs::On : StepGraphs::Off,
                                                .emulatedStreams = 1}))
                                  .value();
        for (int step = 1; step <= 6; ++step) {
            const Batch batch = randomBatch(executor->tokensPerStep(), model.vocab, static_cast<std::uint64_t>(step));
            const StepOutcome outcome =
                executor->step(batch.input(), {.learningRate = 1e-2 / step, .step = step}).value();
            EXPECT_EQ(outcome.replayed, graph && step > 3);
            losses[graph].insert(
                losses[graph].end(), {outcome.loss, outcome.gradNorm, static_cast<double>(outcome.allocatedPeak)});
            losses[graph].push_back(executor->evaluate(batch.input()).value());
        }
        EXPECT_THAT(executor->description(), ::testing::HasSubstr(graph ? "graph on" : "graph off"));
    }
    EXPECT_EQ(losses[0], losses[1]);
}

TEST(StepGraph, IsDoneWithoutWhereItFails)
{
    const ModelSpec model = smallModel();
    const StepPlan plan = planOf(smallConfig(), model);
    std::vector<double> losses[2];
    for (const bool graph : {false, true}) {
        SingleCommunicator alone;
        const auto executor = std::move(Executor::create(plan, model, alone,
                                            {.backend = BackendKind::TorchCpu,
                                                .seed = 1,
                                                .threads = 1,
                                                .graphs = graph ? StepGraphs::On : StepGraphs::Off,
                                                .emulatedStreams = StreamEmulator::kWithoutGraphs}))
                                  .value();
        for (int step = 1; step <= 5; ++step) {
            const Batch batch = randomBatch(executor->tokensPerStep(), model.vocab, static_cast<std::uint64_t>(step));
            const StepOutcome outcome = executor->step(batch.input(), {.learningRate = 1e-2, .step = step}).value();
            EXPECT_FALSE(outcome.replayed);
            losses[graph].insert(losses[graph].end(), {outcome.loss, outcome.gradNorm});
        }
        EXPECT_THAT(executor->description(),
            ::testing::EndsWith(graph ? "graph off: this device supports no graphs" : "graph off"));
    }
    EXPECT_EQ(losses[0], losses[1]);
}

// 16 bytes: what our kernels load at once, and what cuBLAS's fastest kernels ask for. The paper's shapes, two of them
// with an odd width.
TEST(PlansOfTheDevice, HaveOperandsWhereWideLoadsMayBegin)
{
    for (const auto &[hidden, ffn] :
        {std::pair(832, 2332), std::pair(1536, 4147), std::pair(1920, 5184), std::pair(2496, 6739)}) {
        const ModelSpec model{.name = "paper",
            .layers = 2,
            .hidden = hidden,
            .attention = {.heads = hidden / 64, .kvHeads = hidden / 64, .headDim = 64},
            .mlp = {.width = ffn},
            .vocab = 32000};
        for (const ParallelKind kind :
            {ParallelKind::Ddp, ParallelKind::Zero1, ParallelKind::FsdpFull, ParallelKind::Hsdp}) {
            RunConfig config = configOf({.name = "paper", .kind = kind, .gradAccum = 2, .gpusPerNode = 2}, 4);
            config.precision = Precision::Bf16Mixed;
            config.seqLen = 1024;
            const StepPlan plan = planOf(config, model);
            LiveBuffers live(plan, 1);
            forEachOp(plan, Repetitions::All, [&](const Visit &visit) {
                for (const Use &use : visit.op.allocations)
                    live.allocate(use, visit.slot.index, visit.microBatch);
                for (const std::vector<Use> *uses : {&visit.op.reads, &visit.op.writes}) {
                    for (const Use &use : *uses)
                        EXPECT_EQ(live.offset(use, visit.slot.index, visit.microBatch) % 16, 0)
                            << hidden << " " << enumName(kind) << " " << visit.op.name << " "
                            << plan.at(use.buffer).name;
                }
                for (const Use &use : visit.op.frees)
                    live.free(use, visit.slot.index, visit.microBatch);
            });
        }
    }
}

TEST(StepGraph, IsRecordedWhereThePlanSaysSo)
{
    const ModelSpec model = smallModel();
    StepPlan plan = planOf(smallConfig(), model);
    for (const bool graph : {false, true}) {
        plan.cudaGraph = graph;
        SingleCommunicator alone;
        const auto executor =
            std::move(Executor::create(plan, model, alone,
                          {.backend = BackendKind::TorchCpu, .seed = 1, .threads = 1, .emulatedStreams = 1}))
                .value();
        bool replayed = false;
        for (int step = 1; step <= 5; ++step) {
            const Batch batch = randomBatch(executor->tokensPerStep(), model.vocab, static_cast<std::uint64_t>(step));
            replayed = executor->step(batch.input(), {.learningRate = 1e-2, .step = step}).value().replayed;
        }
        EXPECT_EQ(replayed, graph);
    }
}

} // namespace
} // namespace slipway::testing
