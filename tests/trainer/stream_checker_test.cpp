// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// On which stream the ops of whole steps would run, checkpoints between them included.
#include "stream_checker.h"

#include <set>
#include <thread>

#include <gmock/gmock.h>

#include "comm/thread_group.h"
#include "trainer_fixtures.h"

namespace slipway::testing {
namespace {

class StreamsOfSteps : public OnStandIn {
protected:
    static RunConfig configOf(ParallelKind kind, int gpus)
    {
        RunConfig config = smallConfig();
        config.seqLen = 24;
        config.microBatch = 1;
        config.gradAccum = 2;
        config.parallel = {.kind = kind, .gpus = gpus, .gpusPerNode = 8};
        return config;
    }
    static std::unique_ptr<Executor> make(const StepPlan &plan, Communicator &communicator)
    {
        return std::move(Executor::create(plan, smallModel(), communicator,
                             {.backend = BackendKind::TorchCpu,
                                 .seed = 1,
                                 .threads = 1,
                                 .graphs = StepGraphs::Off,
                                 .gemmLibrary = std::make_shared<SeenGemms>()}))
            .value();
    }
    static double stepOf(Executor &executor, std::uint64_t number)
    {
        const Batch batch = randomBatch(executor.tokensPerStep(), smallModel().vocab, number);
        return executor.step(batch.input(), {.step = static_cast<std::int64_t>(number)}).value().loss;
    }
};

struct StreamIds {
    c10::StreamId compute = -1, communication = -1; // -1: nothing was called directly there
};

// The streams as whoever is called directly is told them: GEMMs of the one, collectives of the other.
StreamIds streamIdsOf(const std::vector<SeenOp> &direct)
{
    StreamIds streams;
    for (const SeenOp &op : direct)
        (op.name == "gemm" ? streams.compute : streams.communication) = op.told;
    return streams;
}

// What ran where it must not; of a step.
std::vector<std::string> astray(StreamChecker &checker, const StreamIds &streams)
{
    std::vector<std::string> found;
    for (const SeenOp &op : checker.takeDirect()) {
        const c10::StreamId stream = op.name == "gemm" ? streams.compute : streams.communication;
        if (op.told != stream || op.current != stream)
            found.push_back(op.name);
    }
    for (const SeenOp &op : checker.takeLibTorchs()) {
        if (op.current != streams.compute && op.current != streams.communication)
            found.push_back(op.name);
    }
    return found;
}

TEST_F(StreamsOfSteps, AreThoseOfTheirLanesOnOneRankAndOnSeveral)
{
    for (const auto &[kind, ranks] : {std::pair(ParallelKind::None, 1), std::pair(ParallelKind::Ddp, 2),
             std::pair(ParallelKind::FsdpFull, 2), std::pair(ParallelKind::Zero1, 2)}) {
        const StepPlan plan = planOf(configOf(kind, ranks), smallModel());
        ThreadGroup(ranks).run([&, kind = kind, ranks = ranks](Communicator &host) {
            SeenRank rank(host);
            SingleCommunicator alone;
            const auto executor = make(plan, ranks == 1 ? static_cast<Communicator &>(alone) : rank);
            StreamChecker checker;
            stepOf(*executor, 1);
            const std::vector<SeenOp> first = checker.takeDirect();
            const StreamIds streams = streamIdsOf(first);
            EXPECT_NE(streams.compute, streams.communication);
            EXPECT_EQ(streams.communication >= 0, ranks > 1);
            EXPECT_GT(checker.takeLibTorchs().size(), 20U) << "LibTorch's ops are seen";
            for (std::uint64_t step = 2; step <= 4; ++step) {
                stepOf(*executor, step);
                EXPECT_THAT(astray(checker, streams), ::testing::IsEmpty()) << enumName(kind);
                executor->downloadWeights(); // on this thread, as before an evaluation of averages
                std::set<c10::StreamId> staging;
                for (const SeenOp &op : checker.takeLibTorchs())
                    staging.insert(op.current);
                EXPECT_GE(staging.size(), 1U);
                EXPECT_EQ(staging.count(streams.communication), 0U);
                executor->uploadWeights();
                static_cast<void>(checker.takeLibTorchs());
                static_cast<void>(checker.takeDirect());
            }
            host.barrier();
        });
    }
}

// As the fault was: what had brought weights over did not give the stream back, and no step set its own.
TEST_F(StreamsOfSteps, AreFoundAstrayWhereADownloadLeavesItsStreamBehind)
{
    const StepPlan plan = planOf(configOf(ParallelKind::None, 1), smallModel());
    SingleCommunicator alone;
    const auto executor = make(plan, alone);
    StreamChecker checker;
    stepOf(*executor, 1);
    const StreamIds streams = streamIdsOf(checker.takeDirect());
    static_cast<void>(checker.takeLibTorchs());
    executor->downloadWeights();
    const c10::StreamId staging = StandInGuard::given; // the newest that was given out
    ASSERT_NE(staging, streams.compute);
    static_cast<void>(checker.takeLibTorchs());
    stepOf(*executor, 2);
    EXPECT_THAT(astray(checker, streams), ::testing::IsEmpty());
    StandInGuard::staysOn = staging;
    executor->downloadWeights();
    static_cast<void>(checker.takeLibTorchs());
    stepOf(*executor, 3);
    EXPECT_THAT(astray(checker, streams), ::testing::Contains("gemm")) << "LibTorch is on another stream than ours";
    StandInGuard::staysOn = -1;
}

// The thread that writes checkpoints has streams of its own.
TEST_F(StreamsOfSteps, StayThoseOfTheirLanesWhileAnotherThreadBringsWeightsOver)
{
    const StepPlan plan = planOf(configOf(ParallelKind::None, 1), smallModel());
    SingleCommunicator alone;
    const auto executor = make(plan, alone);
    StreamChecker checker;
    stepOf(*executor, 1);
    const StreamIds streams = streamIdsOf(checker.takeDirect());
    for (std::uint64_t step = 2; step <= 3; ++step) {
        executor->beginDownload();
        static_cast<void>(checker.takeLibTorchs());
        std::thread writer([&] { executor->finishDownload(); });
        stepOf(*executor, step);
        writer.join();
        EXPECT_THAT(astray(checker, streams), ::testing::IsEmpty());
    }
}

} // namespace
} // namespace slipway::testing
