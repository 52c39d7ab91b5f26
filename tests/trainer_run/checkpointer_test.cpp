// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Checkpoints of a device, as the processor rehearses one: copied beside the steps, in the model's own shapes.
#include "run/checkpointer.h"

#include <cerrno>
#include <dlfcn.h>
#include <future>
#include <map>

#include <gmock/gmock.h>

#include "comm/thread_group.h"
#include "plan/build_plan.h"
#include "scratch_folder.h"

namespace {

std::shared_future<void> g_diskAnswers; // where it is valid, a disk answers then, and with an error

} // namespace

// Stands in for libc's in this program.
extern "C" int fsync(int descriptor)
{
    if (!g_diskAnswers.valid())
        return reinterpret_cast<int (*)(int)>(::dlsym(RTLD_NEXT, "fsync"))(descriptor);
    g_diskAnswers.wait();
    errno = EIO;
    return -1;
}

namespace slipway {
namespace {

using testing::ScratchFolder;

// Widths that bf16 fills up.
const ModelSpec kModel{.name = "odd",
    .layers = 2,
    .hidden = 48,
    .attention = {.heads = 4, .kvHeads = 2, .headDim = 12},
    .mlp = {.width = 83},
    .vocab = 97};

StepPlan planFor(Precision precision, int ranks)
{
    RunConfig config;
    config.precision = precision;
    config.seqLen = 16;
    config.microBatch = 2 / ranks;
    if (ranks > 1)
        config.parallel = {.kind = ParallelKind::FsdpFull, .gpus = ranks};
    return buildPlan(config, kModel).value().stages.front();
}

using Values = std::map<std::string, std::vector<float>>;

// Parts that follow each other under one name.
void gather(const Executor &executor, Values &values)
{
    for (const WeightView &weight : executor.weights()) {
        for (const auto &[prefix, from] :
            {std::pair("w ", weight.master), std::pair("m ", weight.momentum), std::pair("v ", weight.variance)})
            values[prefix + weight.name].insert(values[prefix + weight.name].end(), from, from + weight.count);
    }
}

TEST(Checkpointer, OfADeviceWritesWhatWeightsWereAndAnyLayoutReadsIt)
{
    for (const int ranks : {1, 2}) {
        const ScratchFolder folder;
        const StepPlan plan = planFor(Precision::Bf16Mixed, ranks);
        Values before;
        ThreadGroup(ranks).run([&](Communicator &communicator) {
            const auto executor = std::move(Executor::create(plan, kModel, communicator,
                                                {.backend = BackendKind::TorchCpu, .seed = 1, .threads = 1}))
                                      .value();
            std::vector<std::int32_t> ids(static_cast<std::size_t>(executor->tokensPerStep()), 5 + communicator.rank());
            const auto step = [&](std::int64_t number) {
                EXPECT_TRUE(executor->step({.tokens = ids, .targets = ids}, {.learningRate = 1e-2, .step = number}));
            };
            step(1);
            executor->downloadWeights();
            for (int rank = 0; rank < ranks; ++rank) {
                if (rank == communicator.rank())
                    gather(*executor, before);
                communicator.barrier();
            }
            Checkpointer checkpointer(CheckpointStore(folder / "checkpoints"), communicator, plan, 2);
            ASSERT_TRUE(checkpointer.start({.step = 1, .model = kModel}, *executor));
            step(2); // while it is written
            const Result<std::optional<SavedCheckpoint>> saved = checkpointer.poll(true);
            ASSERT_TRUE(saved);
            EXPECT_EQ(saved->has_value(), communicator.rank() == 0);
        });
        SingleCommunicator alone;
        const auto whole =
            std::move(Executor::create(planFor(Precision::Fp32, 1), kModel, alone, {.seed = 2, .threads = 1})).value();
        const Result<ChosenCheckpoint> restored =
            CheckpointStore(folder / "checkpoints").restore(kModel, checkpointTensors(*whole));
        ASSERT_TRUE(restored) << restored.error().message();
        ASSERT_TRUE(restored->saved);
        Values after;
        gather(*whole, after);
        EXPECT_EQ(after, before) << ranks << " ranks";
    }
}

// A rank whose disk answers only when another one has asked for the checkpoint a second time.
class SlowDisk final : public Communicator {
public:
    SlowDisk() { g_diskAnswers = m_answers.get_future().share(); }
    ~SlowDisk() override { g_diskAnswers = {}; }
    [[nodiscard]] int rank() const override { return 0; }
    [[nodiscard]] int size() const override { return 1; }
    void allReduceSum(std::span<float> data) override
    {
        if (data.front() > 0 && ++asked == 2)
            m_answers.set_value();
    }
    void reduceScatterSum(std::span<float>, std::span<float>) override {}
    void allGather(std::span<const std::byte>, std::span<std::byte>) override {}
    void broadcast(std::span<std::byte>, int) override {}
    void barrier() override {}
    void allReduceMax(std::span<float>) override {}
    void allToAll(std::span<const std::byte>, std::span<const std::size_t>, std::span<std::byte>,
        std::span<const std::size_t>) override
    {
    }
    void send(std::span<const std::byte>, int) override {}
    void receive(std::span<std::byte>, int) override {}
    std::unique_ptr<Communicator> split(int) override { return nullptr; }
    int asked = 0;

private:
    std::promise<void> m_answers;
};

TEST(Checkpointer, KeepsOtherRanksInTouchWhileOneStillWrites)
{
    const ScratchFolder folder;
    SlowDisk communicator;
    const StepPlan plan = planFor(Precision::Fp32, 1);
    const auto executor = std::move(Executor::create(plan, kModel, communicator, {.threads = 1})).value();
    Checkpointer checkpointer(CheckpointStore(folder / "c"), communicator, plan, 1);
    ASSERT_TRUE(checkpointer.start({.step = 1, .model = kModel}, *executor));
    EXPECT_FALSE(checkpointer.poll(true)) << "this disk takes nothing in the end";
    EXPECT_GE(communicator.asked, 2);
}

} // namespace
} // namespace slipway
