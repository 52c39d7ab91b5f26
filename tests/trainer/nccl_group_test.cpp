// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What is said to NCCL and what is made of its answers, with functions of our own in its place: ranks are threads, and
// the memory of a device is the host's.
#include "cuda/nccl_api.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/link_test.h"
#include "comm/out_of_memory.h"
#include "comm/thread_group.h"
#include "exec/executor.h"
#include "trainer_fixtures.h"

// NCCL leaves this type open.
struct ncclComm {
    slipway::Communicator *peers = nullptr;
    int rank = 0, polls = 0;
    std::deque<std::vector<std::byte>> toItself = {};
};

namespace slipway::testing {
namespace {

struct Played {
    std::mutex mutex;
    std::vector<std::string> ids;
    int made = 0, destroyed = 0, aborted = 0;
    bool blocking = false, neverJoins = false, startsLate = false;
    std::atomic<int> sleeps = 0;
    ncclResult_t initResult = ncclSuccess, asyncError = ncclSuccess;
    std::atomic<bool> hangs = false; // nothing that was started ends
    std::string lastError;
    ncclResult_t collectiveResult = ncclSuccess;
    std::vector<std::string> heard; // of the first rank: what it says and starts, in this order
};

Played *played = nullptr; // NCCL's functions know no object
thread_local Communicator *peersOfThisRank = nullptr;
thread_local int thisRank = 0;

void note(const std::string &what)
{
    const std::lock_guard lock(played->mutex);
    if (thisRank == 0)
        played->heard.push_back(what);
}

std::string callText(OpKind kind, std::size_t bytes, int ranks)
{
    return std::string(enumName(kind)) + " of " + std::to_string(bytes) + " among " + std::to_string(ranks);
}

void noteCall(OpKind kind, std::size_t bytes, ncclComm_t comm) { note(callText(kind, bytes, comm->peers->size())); }

ncclResult_t getUniqueId(ncclUniqueId *id)
{
    const std::lock_guard lock(played->mutex);
    const std::string text = "id " + std::to_string(played->ids.size());
    played->ids.push_back(text);
    std::memcpy(id->internal, text.c_str(), text.size() + 1);
    return ncclSuccess;
}

ncclResult_t initRank(ncclComm_t *comm, int, ncclUniqueId id, int rank, ncclConfig_t *config)
{
    const std::lock_guard lock(played->mutex);
    EXPECT_THAT(played->ids, ::testing::Contains(std::string(id.internal)));
    played->blocking |= config->blocking != 0;
    *comm = new ncclComm{.peers = peersOfThisRank, .rank = rank};
    ++played->made;
    return ncclInProgress;
}

// What was begun is under way for a while.
ncclResult_t asyncError(ncclComm_t comm, ncclResult_t *result)
{
    *result = played->neverJoins || ++comm->polls < 3 ? ncclInProgress
              : comm->polls == 3                      ? played->initResult
                                                      : played->asyncError;
    return ncclSuccess;
}

ncclResult_t finalize(ncclComm_t) { return ncclSuccess; }
ncclResult_t destroy(ncclComm_t comm)
{
    const std::lock_guard lock(played->mutex);
    ++played->destroyed;
    delete comm;
    return ncclSuccess;
}
ncclResult_t abortComm(ncclComm_t comm)
{
    const std::lock_guard lock(played->mutex);
    ++played->aborted;
    delete comm;
    return ncclSuccess;
}
ncclResult_t allReduce(
    const void *, void *data, size_t count, ncclDataType_t, ncclRedOp_t operation, ncclComm_t comm, cudaStream_t)
{
    noteCall(OpKind::AllReduce, count * sizeof(float), comm);
    if (played->collectiveResult != ncclSuccess)
        return played->collectiveResult;
    const std::span<float> values(static_cast<float *>(data), count);
    if (!played->hangs)
        operation == ncclMax ? comm->peers->allReduceMax(values) : comm->peers->allReduceSum(values);
    if (!played->startsLate)
        return ncclSuccess;
    comm->polls = 0;
    return ncclInProgress;
}
ncclResult_t reduceScatter(
    const void *all, void *own, size_t count, ncclDataType_t, ncclRedOp_t, ncclComm_t comm, cudaStream_t)
{
    noteCall(OpKind::ReduceScatter, count * sizeof(float) * static_cast<size_t>(comm->peers->size()), comm);
    comm->peers->reduceScatterSum(
        {const_cast<float *>(static_cast<const float *>(all)), count * static_cast<size_t>(comm->peers->size())},
        {static_cast<float *>(own), count});
    return ncclSuccess;
}
ncclResult_t allGather(const void *own, void *all, size_t bytes, ncclDataType_t, ncclComm_t comm, cudaStream_t)
{
    noteCall(OpKind::AllGather, bytes * static_cast<size_t>(comm->peers->size()), comm);
    comm->peers->allGather({static_cast<const std::byte *>(own), bytes},
        {static_cast<std::byte *>(all), bytes * static_cast<size_t>(comm->peers->size())});
    return ncclSuccess;
}

// A group's calls are done at its end: what is sent first, so that none waits for another.
struct GroupedCalls {
    bool open = false;
    std::vector<std::function<void()>> sends, receives;
    std::set<ncclComm_t> comms;
};
thread_local GroupedCalls grouped;

ncclResult_t groupStart()
{
    EXPECT_FALSE(grouped.open);
    grouped.open = true;
    return ncclSuccess;
}
ncclResult_t groupEnd()
{
    EXPECT_TRUE(grouped.open);
    const GroupedCalls calls = std::exchange(grouped, {});
    note("together: " + std::to_string(calls.sends.size()) + " sent, " + std::to_string(calls.receives.size()) +
         " received");
    for (const auto *part : {&calls.sends, &calls.receives}) {
        for (const std::function<void()> &call : *part)
            call();
    }
    for (const ncclComm_t comm : calls.comms)
        comm->polls = 0;
    return calls.comms.empty() ? ncclSuccess : ncclInProgress;
}
// What a rank says to itself is taken by NCCL in a group alone.
ncclResult_t callAlone(ncclComm_t comm, int peer, std::vector<std::function<void()>> &group, std::function<void()> call)
{
    if (!grouped.open) {
        EXPECT_NE(peer, comm->rank);
        call();
        return ncclSuccess;
    }
    grouped.comms.insert(comm);
    group.push_back(std::move(call));
    return ncclInProgress;
}
ncclResult_t send(const void *data, size_t bytes, ncclDataType_t, int to, ncclComm_t comm, cudaStream_t)
{
    if (played->collectiveResult != ncclSuccess)
        return played->collectiveResult;
    const std::span part(static_cast<const std::byte *>(data), bytes);
    return callAlone(comm, to, grouped.sends, [=] {
        if (to == comm->rank)
            comm->toItself.emplace_back(part.begin(), part.end());
        else if (!played->hangs)
            comm->peers->send(part, to);
    });
}
ncclResult_t receive(void *data, size_t bytes, ncclDataType_t, int from, ncclComm_t comm, cudaStream_t)
{
    const std::span part(static_cast<std::byte *>(data), bytes);
    return callAlone(comm, from, grouped.receives, [=] {
        if (from == comm->rank) {
            std::copy(comm->toItself.front().begin(), comm->toItself.front().end(), part.begin());
            comm->toItself.pop_front();
        } else if (!played->hangs)
            comm->peers->receive(part, from);
    });
}
const char *errorString(ncclResult_t result)
{
    return result == ncclRemoteError ? "remote process exited" : "some error";
}
const char *lastError(ncclComm_t) { return played->lastError.c_str(); }

std::shared_ptr<const NcclApi> playedApi()
{
    auto api = std::make_shared<NcclApi>(NcclApi{getUniqueId, initRank, asyncError, finalize, destroy, abortComm,
        allReduce, reduceScatter, allGather, send, receive, groupStart, groupEnd, errorString, lastError, {}});
    api->sleep = [](std::chrono::microseconds) { ++played->sleeps; };
    api->mark = [begins = 0](
                    void *) mutable { return [first = begins++ % 2 == 0] { return first || !played->hangs; }; };
    return api;
}

// A rank's thread communicator, lent.
class Lent final : public Communicator {
public:
    explicit Lent(Communicator &lent) : m_lent(lent) {}
    [[nodiscard]] int rank() const override { return m_lent.rank(); }
    [[nodiscard]] int size() const override { return m_lent.size(); }
    void allReduceSum(std::span<float> data) override { m_lent.allReduceSum(data); }
    void reduceScatterSum(std::span<float> all, std::span<float> own) override { m_lent.reduceScatterSum(all, own); }
    void allGather(std::span<const std::byte> own, std::span<std::byte> all) override { m_lent.allGather(own, all); }
    void broadcast(std::span<std::byte> data, int root) override { m_lent.broadcast(data, root); }
    void allReduceMax(std::span<float> data) override { m_lent.allReduceMax(data); }
    void barrier() override { m_lent.barrier(); }
    void allToAll(std::span<const std::byte> sent, std::span<const std::size_t> sentSizes,
        std::span<std::byte> received, std::span<const std::size_t> receivedSizes) override
    {
        m_lent.allToAll(sent, sentSizes, received, receivedSizes);
    }
    void send(std::span<const std::byte> data, int to) override { m_lent.send(data, to); }
    void receive(std::span<std::byte> data, int from) override { m_lent.receive(data, from); }
    void nameRanks(std::function<std::string(int)> placeOf) override { m_lent.nameRanks(std::move(placeOf)); }
    [[nodiscard]] std::string nameOf(int rank) const override { return m_lent.nameOf(rank); }
    std::unique_ptr<Communicator> split(int color) override
    {
        auto group = m_lent.split(color);
        peersOfThisRank = group.get();
        return group;
    }
    void reportLoading(const char *doing) override
    {
        note(doing);
        if (loading)
            ++(*loading)[doing];
    }
    [[nodiscard]] std::string toldFailure() override { return told; }
    std::map<std::string, int> *loading = nullptr;
    std::string told;

private:
    Communicator &m_lent;
};

RunConfig configOf(ParallelKind kind)
{
    RunConfig config = smallConfig();
    config.seqLen = 24;
    config.microBatch = 1;
    config.parallel = {.kind = kind, .gpus = 4, .gpusPerNode = kind == ParallelKind::Hsdp ? 2 : 8};
    return config;
}

class NcclGroup : public ::testing::Test {
protected:
    NcclGroup() { played = &m_played; }
    ~NcclGroup() override { played = nullptr; }
    static Result<std::unique_ptr<Communicator>> join(
        Communicator &communicator, Seconds peerTimeout = 20, Seconds loadTimeout = 120)
    {
        peersOfThisRank = &communicator;
        thisRank = communicator.rank();
        auto joined = joinNccl(playedApi(), std::make_unique<Lent>(communicator),
            {.loadTimeout = loadTimeout, .peerTimeout = peerTimeout});
        if (joined)
            (*joined)->expectPromptness();
        return joined;
    }
    Played m_played;
};

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
    EXPECT_THAT(joined.error().message(), ::testing::HasSubstr("ncclCommInitRankConfig did not come to an end"));
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

TEST_F(NcclGroup, SendsToOneRankAndReceivesFromIt)
{
    ThreadGroup(3).run([](Communicator &communicator) {
        const auto joined = std::move(join(communicator)).value();
        DeviceGroup &device = *joined->onDevice();
        const auto pair = joined->split(communicator.rank() > 0);
        std::vector<int> numbers(4, communicator.rank());
        const auto bytes = std::as_writable_bytes(std::span(numbers));
        if (communicator.rank() == 1)
            pair->onDevice()->send(bytes.data(), bytes.size(), 1, nullptr);
        if (communicator.rank() == 2) {
            pair->onDevice()->receive(bytes.data(), bytes.size(), 0, nullptr);
            device.send(bytes.data(), bytes.size(), 0, nullptr);
        }
        if (communicator.rank() == 0)
            device.receive(bytes.data(), bytes.size(), 2, nullptr);
        EXPECT_THAT(numbers, ::testing::Each(1));
        communicator.barrier();
    });
}

TEST_F(NcclGroup, DoesAllOfAnAllToAllAtOnceWithoutItsEmptyParts)
{
    ThreadGroup(3).run([](Communicator &communicator) {
        const auto joined = std::move(join(communicator)).value();
        const int rank = communicator.rank();
        std::vector<int> sent, expected;
        std::vector<std::size_t> sentSizes, receivedSizes;
        for (int other = 0; other < 3;
            ++other) { // rank r has r numbers for each rank but the last, which gets one more
            const auto count = [](int from, int to) { return static_cast<std::size_t>(from + (to == 2)); };
            sent.insert(sent.end(), count(rank, other), 10 * rank + other);
            expected.insert(expected.end(), count(other, rank), 10 * other + rank);
            sentSizes.push_back(count(rank, other) * sizeof(int));
            receivedSizes.push_back(count(other, rank) * sizeof(int));
        }
        std::vector<int> received(expected.size());
        joined->onDevice()->allToAll(std::as_bytes(std::span(sent)).data(), sentSizes,
            std::as_writable_bytes(std::span(received)).data(), receivedSizes, nullptr);
        EXPECT_EQ(received, expected);
        EXPECT_THROW(
            joined->onDevice()->allToAll(nullptr, std::span(sentSizes).first(2), nullptr, receivedSizes, nullptr),
            std::logic_error);
        communicator.barrier();
    });
    EXPECT_THAT(m_played.heard, ::testing::Contains("together: 1 sent, 2 received"));
}

TEST_F(NcclGroup, SendsRoundARingAtOnce)
{
    ThreadGroup(4).run([](Communicator &communicator) {
        const auto joined = std::move(join(communicator)).value();
        DeviceGroup &device = *joined->onDevice();
        const int rank = communicator.rank(), next = (rank + 1) % 4, previous = (rank + 3) % 4;
        int mine = rank, theirs = -1;
        device.together(
            [&] {
                device.send(std::as_bytes(std::span(&mine, 1)).data(), sizeof mine, next, nullptr);
                device.receive(std::as_writable_bytes(std::span(&theirs, 1)).data(), sizeof theirs, previous, nullptr);
            },
            nullptr);
        EXPECT_EQ(theirs, previous);
        communicator.barrier();
    });
    EXPECT_THAT(m_played.heard, ::testing::Contains("together: 1 sent, 1 received"));
}

TEST_F(NcclGroup, FindsTheLargestOfEachElement)
{
    ThreadGroup(3).run([](Communicator &communicator) {
        const auto joined = std::move(join(communicator)).value();
        const auto rank = static_cast<float>(communicator.rank());
        std::vector<float> data{rank, -rank, rank * (2 - rank)};
        joined->onDevice()->allReduceMax(data.data(), data.size(), nullptr);
        EXPECT_THAT(data, ::testing::ElementsAre(2, 0, 1));
        communicator.barrier();
    });
}

TEST_F(NcclGroup, EndsAGroupOfMessagesOfWhichOneFails)
{
    SingleCommunicator alone;
    const auto joined = std::move(join(alone)).value();
    DeviceGroup &device = *joined->onDevice();
    std::byte mine{7}, theirs{};
    const std::vector<std::size_t> one{1};
    m_played.collectiveResult = ncclInternalError;
    EXPECT_THROW(device.allToAll(&mine, one, &theirs, one, nullptr), PeerFailed);
    m_played.collectiveResult = ncclSuccess;
    EXPECT_THROW(
        device.together([] { throw std::runtime_error("the caller fell over"); }, nullptr), std::runtime_error);
    device.allToAll(&mine, one, &theirs, one, nullptr);
    EXPECT_EQ(theirs, mine);
}

TEST_F(NcclGroup, TakesNoCollectiveForAMessage)
{
    SingleCommunicator alone;
    const auto joined = std::move(join(alone)).value();
    DeviceGroup &device = *joined->onDevice();
    float value = 1;
    EXPECT_THROW(device.together([&] { device.allReduceSum(&value, 1, nullptr); }, nullptr), std::logic_error);
    EXPECT_THROW(device.send(nullptr, 0, 0, nullptr), std::logic_error) << "to itself";
    EXPECT_THROW(device.receive(nullptr, 0, 1, nullptr), std::logic_error) << "from nobody";
    device.allReduceSum(&value, 1, nullptr);
}

TEST_F(NcclGroup, AbortsAReceiveWhoseSenderDoesNotCome)
{
    ThreadGroup(2).run([this](Communicator &communicator) {
        const auto joined = std::move(join(communicator, 0.05)).value();
        communicator.barrier();
        if (communicator.rank() == 0)
            m_played.hangs = true;
        communicator.barrier();
        if (communicator.rank() == 1) {
            std::byte data{};
            joined->onDevice()->receive(&data, 1, 0, nullptr);
            const auto waited = [&] {
                for (;;) {
                    joined->onDevice()->check();
                    std::this_thread::yield();
                }
            };
            EXPECT_THROW(waited(), PeerFailed);
            EXPECT_THROW(joined->onDevice()->receive(&data, 1, 0, nullptr), PeerFailed);
        }
        communicator.barrier();
    });
    EXPECT_EQ(m_played.aborted, 1);
}

TEST_F(NcclGroup, SaysOnTheHostWhatTheRanksSayThere)
{
    ThreadGroup(2).run([](Communicator &communicator) {
        const auto joined = std::move(join(communicator)).value();
        const int mine = communicator.rank(), other = 1 - mine;
        int theirs = -1;
        joined->send(std::as_bytes(std::span(&mine, 1)), other);
        joined->receive(std::as_writable_bytes(std::span(&theirs, 1)), other);
        EXPECT_EQ(theirs, other);
        float largest = static_cast<float>(mine);
        joined->allReduceMax({&largest, 1});
        EXPECT_EQ(largest, 1);
        joined->nameRanks([](int rank) { return "pp " + std::to_string(rank); });
        EXPECT_EQ(joined->nameOf(1), "rank 1 (pp 1)");
        communicator.barrier();
    });
}

TEST_F(NcclGroup, RefusesRanksThatShareAGpuAndNamesThem)
{
    const auto tell = [](const std::vector<std::string> &devices) {
        std::vector<std::string> answers(devices.size());
        ThreadGroup(static_cast<int>(devices.size())).run([&](Communicator &communicator) {
            const auto rank = static_cast<std::size_t>(communicator.rank());
            const Result<void> apart = eachHasItsOwn(communicator, devices[rank]);
            answers[rank] = apart ? "" : apart.error().what;
        });
        EXPECT_THAT(answers, ::testing::Each(answers.front())) << "ranks would go different ways";
        return answers.front();
    };
    EXPECT_EQ(tell({"GPU-1", "GPU-2", "GPU-11"}), "");
    EXPECT_THAT(tell({"GPU-1", "GPU-2", "GPU-1"}), ::testing::HasSubstr("ranks 0 and 2 have one GPU"));
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
                        static_cast<std::uint64_t>(10 * step + communicator.rank()));
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
                   end = std::find(m_played.heard.begin(), m_played.heard.end(), "making room on the device");
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

} // namespace
} // namespace slipway::testing
