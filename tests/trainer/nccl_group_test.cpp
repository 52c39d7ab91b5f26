// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What is said to NCCL and what is made of its answers.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/link_test.h"
#include "comm/nccl_group.h"
#include "comm/out_of_memory.h"
#include "comm/thread_group.h"
#include "exec/executor.h"
#include "plan/walk.h"
#include "played_nccl.h"
#include "trainer_fixtures.h"

namespace slipway::testing {
namespace {

class NcclGroup : public PlayedNccl {};

RunConfig configOf(ParallelKind kind)
{
    RunConfig config = smallConfig();
    config.seqLen = 24;
    config.microBatch = 1;
    config.parallel = {.kind = kind, .gpus = 4, .gpusPerNode = kind == ParallelKind::Hsdp ? 2 : 8};
    return config;
}

TEST_F(NcclGroup, JoinsAllRanksUnderTheFirstOnesIdWithoutBlocking)
{
    ThreadGroup(3).run([](Communicator &communicator) {
        const auto joined = std::move(join(communicator)).value();
        EXPECT_EQ(joined->rank(), communicator.rank());
        EXPECT_EQ(joined->size(), 3);
        communicator.barrier();
    });
    EXPECT_EQ(m_played.ids.size(), 1U);
    EXPECT_EQ(m_played.made, 3);
    EXPECT_EQ(m_played.destroyed, 3);
    EXPECT_EQ(m_played.aborted, 0);
    EXPECT_FALSE(m_played.blocking);
}

TEST_F(NcclGroup, SaysWhatNcclSaidWhereItDoesNotJoin)
{
    m_played.initResult = ncclSystemError;
    SingleCommunicator alone;
    const auto joined = join(alone);
    ASSERT_FALSE(joined);
    EXPECT_EQ(joined.error().fault, Fault::Peer);
    EXPECT_THAT(joined.error().message(), ::testing::HasSubstr("ncclCommInitRankConfig: some error"));
    EXPECT_EQ(m_played.aborted, 1);
}

// It may take longer than a rank that others wait for may later.
TEST_F(NcclGroup, SetsItselfUpWithinALimitOfItsOwnAndShowsThatItRuns)
{
    m_played.neverJoins = true;
    SingleCommunicator alone;
    peersOfThisRank = &alone;
    auto lent = std::make_unique<Lent>(alone);
    std::map<std::string, int> loading;
    lent->loading = &loading;
    const auto joined = joinNccl(playedApi(), std::move(lent), {.loadTimeout = 0.05, .peerTimeout = 0.001});
    ASSERT_FALSE(joined);
    EXPECT_THAT(joined.error().message(), ::testing::HasSubstr("ncclCommInitRankConfig did not finish"));
    EXPECT_EQ(loading["joining by NCCL"], 1);
    EXPECT_GT(loading["waiting for NCCL"], 1);
    EXPECT_GT(m_played.sleeps, 0) << "it spins for ever";
}

// NCCL of the test answers the third question.
TEST_F(NcclGroup, SleepsNotWhileACollectiveIsStartedThatSoonIs)
{
    SingleCommunicator alone;
    const auto joined = std::move(join(alone)).value();
    m_played.startsLate = true;
    float value = 1;
    for (int i = 0; i < 10; ++i)
        joined->onDevice()->allReduceSum(&value, 1, nullptr);
    EXPECT_EQ(m_played.sleeps, 0);
}

TEST_F(NcclGroup, AbortsWhatHangsAndTellsTheCaller)
{
    SingleCommunicator alone;
    const auto joined = std::move(join(alone, 0.05)).value();
    m_played.hangs = true;
    float value = 1;
    joined->onDevice()->allReduceSum(&value, 1, nullptr);
    const auto waited = [&] {
        for (;;) {
            joined->onDevice()->check();
            std::this_thread::yield();
        }
    };
    EXPECT_THROW(waited(), PeerFailed);
    EXPECT_EQ(m_played.aborted, 1);
    EXPECT_THROW(joined->onDevice()->allReduceSum(&value, 1, nullptr), PeerFailed) << "goes on with what was given up";
}

TEST_F(NcclGroup, TellsAnErrorOfNcclsOwn)
{
    SingleCommunicator alone;
    const auto joined = std::move(join(alone)).value();
    m_played.hangs = true;
    m_played.asyncError = ncclRemoteError;
    float value = 1;
    joined->onDevice()->allReduceSum(&value, 1, nullptr);
    try {
        for (;;)
            joined->onDevice()->check();
    } catch (const PeerFailed &failure) {
        EXPECT_THAT(failure.what(), ::testing::HasSubstr("remote process exited"));
    }
}

TEST_F(NcclGroup, RefusesRanksThatShareAGpuAndNamesThem)
{
    const auto tell = [](const std::vector<std::string> &devices) {
        std::vector<std::string> answers(devices.size());
        ThreadGroup(static_cast<int>(devices.size())).run([&](Communicator &communicator) {
            const auto rank = static_cast<std::size_t>(communicator.rank());
            const Result<void> apart = requireDistinctDevices(communicator, devices[rank]);
            answers[rank] = apart ? "" : apart.error().what;
        });
        EXPECT_THAT(answers, ::testing::Each(answers.front())) << "ranks would go different ways";
        return answers.front();
    };
    EXPECT_EQ(tell({"GPU-1", "GPU-2", "GPU-11"}), "");
    EXPECT_THAT(tell({"GPU-1", "GPU-2", "GPU-1"}), ::testing::HasSubstr("ranks 0 and 2 share one GPU"));
    EXPECT_EQ(tell({"GPU-1", ""}), "rank 1 has no GPU");
}

// The executor's way with collectives on a device, whole steps of it.
TEST_F(NcclGroup, TrainsAsRanksWhoseDataGoesThroughTheHost)
{
    const ModelSpec model = smallModel();
    for (const ParallelKind kind :
        {ParallelKind::Ddp, ParallelKind::Zero1, ParallelKind::FsdpFull, ParallelKind::Hsdp}) {
        RunConfig config = configOf(kind);
        config.gradAccum = 2;
        const StepPlan plan = planOf(config, model);
        std::vector<double> losses[2];
        for (const bool nccl : {false, true}) {
            ThreadGroup(4).run([&](Communicator &communicator) {
                const auto joined = nccl ? std::move(join(communicator)).value() : nullptr;
                const auto executor = executorOf(plan, model, nccl ? *joined : communicator, 1, BackendKind::TorchCpu);
                for (int step = 1; step <= 3; ++step) {
                    const Batch batch = randomBatch(executor->tokensPerStep(), model.vocab,
                        std::uint64_t{10} * static_cast<std::uint64_t>(step) +
                            static_cast<std::uint64_t>(communicator.rank()));
                    const StepOutcome outcome =
                        executor->step(batch.input(), {.learningRate = 1e-2, .step = step}).value();
                    if (communicator.rank() == 0)
                        losses[nccl].insert(losses[nccl].end(), {outcome.loss, outcome.gradNorm});
                }
                communicator.barrier();
            });
        }
        EXPECT_EQ(losses[0], losses[1]) << enumName(kind);
    }
}

std::vector<std::string> collectivesOf(const StepPlan &plan)
{
    std::vector<std::string> texts;
    for (const Kernel &kernel : plan.kernels) {
        if (kernel.messageBytes > 0)
            texts.push_back(callText(kernel.kind, static_cast<std::size_t>(kernel.messageBytes),
                plan.groups[static_cast<std::size_t>(kernel.group)].size));
    }
    std::sort(texts.begin(), texts.end());
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
    return texts;
}

TEST_F(NcclGroup, RunsEachCollectiveOfThePlanOnEachGroupBeforeTheArenaIsMade)
{
    const ModelSpec model = smallModel();
    for (const ParallelKind kind : {ParallelKind::Ddp, ParallelKind::FsdpFull, ParallelKind::Hsdp}) {
        const StepPlan plan = planOf(configOf(kind), model);
        m_played.heard.clear();
        ThreadGroup(4).run([&](Communicator &communicator) {
            const auto joined = std::move(join(communicator)).value();
            const auto executor = executorOf(plan, model, *joined, 1, BackendKind::TorchCpu);
            communicator.barrier();
        });
        const auto begin = std::find(m_played.heard.begin(), m_played.heard.end(), "connecting the devices"),
                   end = std::find(m_played.heard.begin(), m_played.heard.end(), "allocating the memory of the step");
        ASSERT_LT(begin, end);
        std::vector<std::string> ran(begin + 1, end);
        std::sort(ran.begin(), ran.end());
        ran.erase(std::unique(ran.begin(), ran.end()), ran.end());
        EXPECT_EQ(ran, collectivesOf(plan)) << enumName(kind);
    }
}

TEST_F(NcclGroup, ReportsALackOfMemoryWithinNcclAsOutOfMemory)
{
    const ModelSpec model = smallModel();
    const StepPlan plan = planOf(configOf(ParallelKind::Ddp), model);
    m_played.collectiveResult = ncclUnhandledCudaError;
    m_played.lastError = "Failed to CUDA calloc 4194304 bytes";
    ThreadGroup(4).run([&](Communicator &communicator) {
        const auto joined = std::move(join(communicator)).value();
        const auto executor = Executor::create(plan, model, *joined, {.backend = BackendKind::TorchCpu});
        ASSERT_FALSE(executor);
        EXPECT_TRUE(isOutOfMemory(executor.error())) << executor.error().message();
        EXPECT_THAT(executor.error().what, ::testing::HasSubstr("4194304"));
        communicator.barrier();
    });
}

TEST_F(NcclGroup, ReportsALackOfMemoryWhileRanksJoinAsOutOfMemory)
{
    m_played.initResult = ncclSystemError;
    m_played.lastError = "Cuda failure 2 'out of memory'";
    SingleCommunicator alone;
    const auto joined = join(alone);
    ASSERT_FALSE(joined);
    EXPECT_TRUE(isOutOfMemory(joined.error()));
}

// A device whose memory is the host's.
class PlayedMemory final : public DeviceMemory {
public:
    std::shared_ptr<float> make(std::size_t elements) override
    {
        return {new float[elements], [](float *old) { delete[] old; }};
    }
    void write(float *to, std::span<const float> from) override { std::copy(from.begin(), from.end(), to); }
    void read(const float *from, std::span<float> to) override { std::copy_n(from, to.size(), to.begin()); }
    [[nodiscard]] void *stream() const override { return nullptr; }
    void finish() override { ++finished; }
    int finished = 0;
};

TEST_F(NcclGroup, IsTestedOnTheMemoryOfItsDevices)
{
    ThreadGroup(2).run([](Communicator &communicator) {
        const auto joined = join(communicator);
        ASSERT_TRUE(joined);
        PlayedMemory memory;
        const Result<std::vector<CollectiveReading>> readings =
            testDeviceLinks(**joined, memory, {.largest = 64 * kKiB, .repeats = 2});
        ASSERT_TRUE(readings) << readings.error().message();
        ASSERT_EQ(readings->size(), 9);
        EXPECT_EQ(readings->back().op, "all_gather");
        EXPECT_EQ(readings->back().bytes, 64 * kKiB);
        EXPECT_GT(memory.finished, 9);
    });
}

class PreparedOps : public PlayedNccl {};

// Before the first step, each with a sign of life, so that nobody waits in vain for a rank that loads kernels.
TEST_F(PreparedOps, AreAllOfAStepOnceForEachShape)
{
    const ModelSpec model = smallModel();
    RunConfig config = smallConfig();
    config.gradAccum = 2;
    const StepPlan plan = planOf(config, model);
    const std::string prepares = "preparing its kernels";
    SingleCommunicator alone;
    for (const BackendKind backend : {BackendKind::Host, BackendKind::TorchCpu}) {
        std::map<std::string, int> loading;
        Lent lent(alone);
        lent.loading = &loading;
        const auto executor = std::move(Executor::create(plan, model, lent, {.backend = backend})).value();
        if (backend == BackendKind::Host) {
            EXPECT_EQ(loading[prepares], 0) << "our own ops load nothing";
            continue;
        }
        int ops = 0;
        forEachOp(plan, Repetitions::All, [&ops](const Visit &) { ++ops; });
        EXPECT_GE(loading[prepares], std::ssize(plan.kernels));
        EXPECT_LT(loading[prepares], ops) << "not those of each layer";
        const auto before = loading;
        ASSERT_TRUE(executor->step(randomBatch(executor->tokensPerStep(), model.vocab, 3).input(), {}));
        EXPECT_EQ(loading, before) << "the step loads nothing";
    }
}

TEST(DeterministicNccl, AddsNothingInTheSwitchWhereTheUserDidNotChoose)
{
    const char *const given = std::getenv("NCCL_ALGO");
    const std::string kept = given ? given : "";
    ::unsetenv("NCCL_ALGO");
    fixOrderOfNcclSums();
    EXPECT_STREQ(std::getenv("NCCL_ALGO"), "^NVLS,NVLSTree");
    ::setenv("NCCL_ALGO", "Ring", 1);
    fixOrderOfNcclSums();
    EXPECT_STREQ(std::getenv("NCCL_ALGO"), "Ring");
    given ? ::setenv("NCCL_ALGO", kept.c_str(), 1) : ::unsetenv("NCCL_ALGO");
}

} // namespace
} // namespace slipway::testing
