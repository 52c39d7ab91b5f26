// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <gtest/gtest.h>

#include "memory/replay.h"
#include "memory/textbook.h"
#include "plan/build_plan.h"
#include "support/plan_fixtures.h"

namespace slipway {
namespace {

StepPlan planOf(Framework framework, ParallelKind kind = ParallelKind::None)
{
    RunConfig c = testing::smallConfig();
    c.framework = framework;
    c.parallel = {.kind = kind, .gpus = kind == ParallelKind::None ? 1 : 4};
    return buildPlan(c, testing::smallModel()).value().stages.front();
}

TEST(Replay, findsAdamsStatesFromTheFirstUpdateOn)
{
    const StepPlan plan = planOf(Framework::PytorchEager);
    Bytes states = 0;
    for (const Buffer &buffer : plan.buffers)
        states += buffer.role == Role::OptimizerState ? buffer.bytes * (buffer.perLayer ? plan.layers : 1) : 0;
    const Replay r = replay(allocationTrace(plan, ReplayDetail::Points), {}, 2);
    const auto second =
        std::find_if(r.points.begin(), r.points.end(), [](const ReplayPoint &p) { return p.step == 2; });
    ASSERT_NE(second, r.points.end());
    EXPECT_NEAR(double(second->allocated - r.points.front().allocated), double(states),
        double(states) * 0.02); // rounding of small blocks
}

TEST(Replay, reachesInSteadyStepsWhatTheWalkCallsThePeak)
{
    for (const Framework framework : {Framework::PytorchEager, Framework::PytorchCompile, Framework::Megatron}) {
        for (const ParallelKind kind :
            {ParallelKind::None, ParallelKind::Ddp, ParallelKind::FsdpFull, ParallelKind::Zero1}) {
            const StepPlan plan = planOf(framework, kind);
            // The walk rounds a unit, the replay each of its tensors.
            const double walked = double(peakMemory(plan).allocated);
            EXPECT_NEAR(double(replay(allocationTrace(plan), {}, 4).peakAllocated), walked, 0.01 * walked)
                << enumName(framework) << " " << enumName(kind);
        }
    }
}

TEST(Replay, takesNoMoreAfterItsThirdStep)
{
    const StepPlan plan = planOf(Framework::PytorchEager, ParallelKind::FsdpFull);
    const AllocationTrace trace = allocationTrace(plan);
    EXPECT_EQ(replay(trace, {}, 3).peakReserved, replay(trace, {}, 8).peakReserved);
}

// A replay without points stops when a step leaves what it found.
TEST(Replay, saysTheSameWhetherItGoesThroughAllStepsOrNot)
{
    for (const Framework framework : {Framework::PytorchEager, Framework::PytorchCompile, Framework::Megatron}) {
        for (const ParallelKind kind : {ParallelKind::None, ParallelKind::Ddp, ParallelKind::FsdpFull}) {
            RunConfig c = testing::smallConfig();
            c.framework = framework;
            c.parallel = {.kind = kind, .gpus = kind == ParallelKind::None ? 1 : 4};
            c.seqLen = 700;
            const ModelSpec model{.name = "larger",
                .layers = 6,
                .hidden = 512,
                .attention = {.heads = 8, .kvHeads = 8, .headDim = 64},
                .mlp = {.width = 1500},
                .vocab = 9000};
            const StepPlan plan = testing::planOf(c, model);
            const AllocationTrace stops = allocationTrace(plan),
                                  continues = allocationTrace(plan, ReplayDetail::Points);
            const Bytes all = replay(continues, {}, 6).peakReserved;
            for (const bool expandable : {false, true}) {
                for (const double part : {2.0, 1.0, 0.98, 0.95, 0.9}) {
                    const CachingOptions options{
                        .limit = static_cast<Bytes>(double(all) * part), .expandable = expandable};
                    const Replay a = replay(stops, options, 6), b = replay(continues, options, 6);
                    EXPECT_EQ(a.peakAllocated, b.peakAllocated);
                    EXPECT_EQ(a.peakReserved, b.peakReserved);
                    EXPECT_EQ(a.outOfMemory, b.outOfMemory);
                    EXPECT_EQ(a.retries, b.retries) << enumName(framework) << " " << enumName(kind) << " " << part;
                    EXPECT_EQ(a.retriesInLastStep, b.retriesInLastStep);
                }
            }
        }
    }
}

// A free block serves only its own stream, so that the cache is flushed for each of the two tensors in every step but
// the first, which begins with an empty cache.
TEST(Replay, countsTheFlushesOfStepsThatItSkips)
{
    AllocationTrace trace;
    trace.requests = {
        {.bytes = Bytes{30} << 20, .stream = Stream::Compute}, {.bytes = Bytes{30} << 20, .stream = Stream::Gather}};
    trace.step = {{.tensor = 0, .request = 0}, {.tensor = 0}, {.tensor = 1, .request = 1}, {.tensor = 1}};
    trace.tensors = 2;
    const Replay r = replay(trace, {.limit = Bytes{50} << 20}, 10);
    EXPECT_EQ(r.retriesInLastStep, 2);
    EXPECT_EQ(r.retries, 1 + 9 * 2);
}

TEST(Replay, runsOutWhereNotEvenWhatIsAliveFits)
{
    const StepPlan plan = planOf(Framework::PytorchEager);
    const AllocationTrace trace = allocationTrace(plan);
    const Bytes peak = replay(trace, {}).peakAllocated;
    EXPECT_TRUE(replay(trace, {.limit = peak / 2}).outOfMemory);
    EXPECT_FALSE(replay(trace, {.limit = 4 * peak + (Bytes{100} << 20)}).outOfMemory);
}

TEST(Textbook, givesTheLecturesFormulas)
{
    // GPT-3 175B (Korthikanti et al. 2022): h 12288, L 96, a 96, V 51200, s 2048, b 1.
    ModelSpec m;
    m.hidden = 12288;
    m.layers = 96;
    m.attention.heads = 96;
    m.vocab = 51200;
    RunConfig c;
    c.microBatch = 1;
    c.seqLen = 2048;
    EXPECT_NEAR(textbookMemory(c, m).parameters, 174.6e9, 0.1e9);
    EXPECT_EQ(textbookMemory(c, m).states, static_cast<Bytes>(16 * textbookMemory(c, m).parameters));
    const double sbh = 2048.0 * 12288;
    EXPECT_EQ(textbookMemory(c, m).activations, static_cast<Bytes>(96 * (34 * sbh + 5.0 * 96 * 2048 * 2048)));
    c.recompute = Recompute::Selective;
    EXPECT_EQ(textbookMemory(c, m).activations, static_cast<Bytes>(96 * 34 * sbh));
    c.recompute = Recompute::Full;
    EXPECT_EQ(textbookMemory(c, m).activations, static_cast<Bytes>(96 * 2 * sbh));
    c.parallel = {.kind = ParallelKind::FsdpFull, .gpus = 64};
    EXPECT_EQ(textbookMemory(c, m).states, static_cast<Bytes>(textbookMemory(c, m).parameters * 16 / 64));
    // Of the 8 GPUs of a node, 2 tensor-parallel ranks x 2 stages leave 2 that shard a replica.
    c.parallel = {.kind = ParallelKind::Hsdp, .gpus = 64, .gpusPerNode = 8, .tp = 2, .pp = 2};
    EXPECT_EQ(textbookMemory(c, m).states, static_cast<Bytes>(textbookMemory(c, m).parameters / 4 * 16 / 2));
}

} // namespace
} // namespace slipway
