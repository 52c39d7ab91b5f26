// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Each call to NCCL in turn fails, finds no memory, is late, or never comes to its end: what ranks say then, and that
// they all end.
#include <array>
#include <map>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/out_of_memory.h"
#include "comm/thread_group.h"
#include "played_nccl.h"

namespace slipway::testing {
namespace {

enum class Mishap { Fails, LacksMemory, IsLate, Hangs };

// Which of the first rank's calls has the fault, and what has been called so far.
struct Plot {
    Mishap fault{};
    int at = 0, calls = 0;
    int late = 0;          // so many answers to come are that the call is under way
    std::string name = {}; // of the call that has the fault
    std::shared_ptr<const NcclApi> real = playedApi();
};
Plot *plot = nullptr;                // NCCL's functions know no object
thread_local bool isPlotted = false; // of the first rank's thread, and not of the one that watches it

constexpr int kNever = 1'000'000'000;

bool mayBeUnderWay(const std::string &name)
{
    return name != "ncclGetUniqueId" && name != "ncclGroupStart" && name != "ncclCommDestroy" &&
           name != "ncclCommAbort";
}
// Whatever they answer, what they take back is gone.
bool takesBack(const std::string &name) { return name == "ncclCommDestroy" || name == "ncclCommAbort"; }

template<typename Call>
ncclResult_t pass(const char *name, const Call &call)
{
    if (!isPlotted || ++plot->calls != plot->at)
        return call();
    plot->name = name;
    if (plot->fault == Mishap::Fails || plot->fault == Mishap::LacksMemory) {
        if (takesBack(name))
            call();
        return plot->fault == Mishap::Fails ? ncclInternalError : ncclUnhandledCudaError;
    }
    const ncclResult_t result = call();
    if (!mayBeUnderWay(name) || (result != ncclSuccess && result != ncclInProgress))
        return result;
    plot->late = plot->fault == Mishap::IsLate ? 1500 : kNever; // longer than it is asked for without a sleep
    return ncclInProgress;
}

template<auto Member>
struct Wrapped;
template<typename... Arguments, ncclResult_t (*NcclApi::*Member)(Arguments...)>
struct Wrapped<Member> {
    static inline const char *name = "";
    static ncclResult_t call(Arguments... arguments)
    {
        return pass(name, [&] { return ((*plot->real).*Member)(arguments...); });
    }
};

template<auto Member>
void wrap(NcclApi &api, const char *name)
{
    Wrapped<Member>::name = name;
    api.*Member = Wrapped<Member>::call;
}

// Where a call is late, so are the answers to the questions after it.
ncclResult_t askedAgain(ncclComm_t comm, ncclResult_t *result)
{
    const ncclResult_t asked =
        pass("ncclCommGetAsyncError", [&] { return plot->real->commGetAsyncError(comm, result); });
    if (isPlotted && plot->late > 0) {
        --plot->late;
        *result = ncclInProgress;
    }
    return asked == ncclInProgress ? ncclSuccess : asked; // that it is under way is the answer, not the status
}

std::shared_ptr<const NcclApi> plottedApi()
{
    auto api = std::make_shared<NcclApi>(*plot->real);
    wrap<&NcclApi::getUniqueId>(*api, "ncclGetUniqueId");
    wrap<&NcclApi::commInitRankConfig>(*api, "ncclCommInitRankConfig");
    wrap<&NcclApi::commFinalize>(*api, "ncclCommFinalize");
    wrap<&NcclApi::commDestroy>(*api, "ncclCommDestroy");
    wrap<&NcclApi::commAbort>(*api, "ncclCommAbort");
    wrap<&NcclApi::allReduce>(*api, "ncclAllReduce");
    wrap<&NcclApi::reduceScatter>(*api, "ncclReduceScatter");
    wrap<&NcclApi::allGather>(*api, "ncclAllGather");
    wrap<&NcclApi::send>(*api, "ncclSend");
    wrap<&NcclApi::receive>(*api, "ncclRecv");
    wrap<&NcclApi::groupStart>(*api, "ncclGroupStart");
    wrap<&NcclApi::groupEnd>(*api, "ncclGroupEnd");
    api->commGetAsyncError = askedAgain;
    return api;
}

// How the first rank ended.
struct Ending {
    std::string said; // empty: all went well
    bool outOfMemory = false, released = false;
};

// Every call there is: a group, one within it, each collective, messages, and the end of all.
void exchange(Communicator &joined)
{
    const auto rank = static_cast<std::size_t>(joined.rank());
    DeviceGroup &device = *joined.onDevice();
    std::vector<float> values{1, 2};
    std::vector<std::uint16_t> narrow{0x3f80, 0x4000}; // 1 and 2
    const auto bytes = [](auto &of) { return std::as_writable_bytes(std::span(of)).data(); };
    device.allReduceSum(values.data(), values.size(), nullptr);
    device.allReduceMax(values.data(), values.size(), nullptr);
    device.allReduceSumBf16(bytes(narrow), narrow.size(), nullptr);
    device.reduceScatterSum(values.data(), &values[rank], 1, nullptr);
    device.allGather(bytes(values) + rank * sizeof(float), bytes(values), sizeof(float), nullptr);
    const std::vector<std::size_t> sizes{sizeof(float), sizeof(float)};
    std::vector<float> received(2);
    device.allToAll(bytes(values), sizes, bytes(received), sizes, nullptr);
    if (rank == 0)
        device.send(bytes(values), sizeof(float), 1, nullptr);
    else
        device.receive(bytes(received), sizeof(float), 0, nullptr);
    const auto pair = joined.split(0);
    pair->onDevice()->allReduceSum(values.data(), values.size(), nullptr);
    pair->onDevice()->check();
    device.check();
}

class NcclFaults : public PlayedNccl, public ::testing::WithParamInterface<Mishap> {
protected:
    NcclFaults()
    {
        plot = &m_plot;
        if (GetParam() == Mishap::LacksMemory)
            m_played.lastError = "Failed to CUDA calloc 4194304 bytes";
    }
    ~NcclFaults() override { plot = nullptr; }

    // The first rank's way up to its end; it ends as slipway-train does, and the other one with it.
    void live(Communicator &communicator, Ending &ending)
    {
        const Seconds timeout = GetParam() == Mishap::Hangs ? 0.02 : 20;
        peersOfThisRank = &communicator;
        thisRank = communicator.rank();
        isPlotted = communicator.rank() == 0;
        auto joined = joinNccl(
            plottedApi(), std::make_unique<Lent>(communicator), {.loadTimeout = timeout, .peerTimeout = timeout});
        if (!joined) {
            ending = {.said = joined.error().message(), .outOfMemory = isOutOfMemory(joined.error())};
            throw std::runtime_error(ending.said);
        }
        (*joined)->finishStartup();
        try {
            exchange(**joined);
            communicator.barrier(); // nobody takes back what another one is still at
        } catch (const OutOfMemory &failure) {
            ending = {.said = failure.what(), .outOfMemory = true};
            throw;
        } catch (const PeerFailed &failure) {
            ending = {.said = failure.what()};
            throw;
        }
    }

    Ending run(int at)
    {
        m_plot = {.fault = GetParam(), .at = at};
        m_played.made = m_played.destroyed = m_played.aborted = 0;
        std::array<Ending, 2> endings;
        try {
            ThreadGroup(2).run([&](Communicator &communicator) {
                live(communicator, endings[static_cast<std::size_t>(communicator.rank())]);
            });
        } catch (const std::exception &) {
            EXPECT_NE(endings[0].said, "") << "it is told by rank 0, at call " << at << ", " << m_plot.name;
        }
        EXPECT_EQ(m_played.made, m_played.destroyed + m_played.aborted) << at << ", " << m_plot.name;
        return endings[0];
    }

    Plot m_plot;
};

TEST_P(NcclFaults, AtEachCallEndAllRanksAndNameWhatFailed)
{
    std::map<std::string, int> met, told;
    run(0);
    const int calls = m_plot.calls;
    EXPECT_GE(calls, 30);
    for (int at = 1; at <= calls; ++at) {
        const Ending ending = run(at);
        ++met[m_plot.name];
        told[m_plot.name] += !ending.said.empty();
        if (ending.said.empty())
            continue;
        EXPECT_THAT(ending.said, ::testing::HasSubstr("ncc")) << at << ": " << m_plot.name;
        EXPECT_EQ(ending.outOfMemory, GetParam() == Mishap::LacksMemory) << at << ": " << ending.said;
    }
    EXPECT_EQ(met.size(), 12U) << "every function but the one that aborts was met: " << ::testing::PrintToString(met);
    for (const auto &[name, count] : met) {
        const bool atTheEnd = name == "ncclCommDestroy" || name == "ncclCommFinalize"; // all is computed by then
        const bool always = !atTheEnd && name != "ncclCommGetAsyncError" &&
                            (GetParam() == Mishap::Fails || GetParam() == Mishap::LacksMemory ||
                                (GetParam() == Mishap::Hangs && mayBeUnderWay(name)));
        if (always) {
            EXPECT_EQ(told[name], count) << name;
        }
        if (GetParam() == Mishap::IsLate) {
            EXPECT_EQ(told[name], 0) << name << " only came late";
        }
    }
    if (GetParam() != Mishap::IsLate) {
        EXPECT_GT(told["ncclCommGetAsyncError"], 5);
    }
}

std::string nameOfMishap(const ::testing::TestParamInfo<Mishap> &test)
{
    static constexpr std::array<const char *, 4> kNames{"fails", "lacks_memory", "is_late", "hangs"};
    return kNames[static_cast<std::size_t>(test.param)];
}

INSTANTIATE_TEST_SUITE_P(
    , NcclFaults, ::testing::Values(Mishap::Fails, Mishap::LacksMemory, Mishap::IsLate, Mishap::Hangs), nameOfMishap);

} // namespace
} // namespace slipway::testing
