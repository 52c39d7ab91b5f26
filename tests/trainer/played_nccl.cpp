// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "played_nccl.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <set>

#include <gmock/gmock.h>

#include "exec/bf16_collectives.h"

// NCCL leaves this type open.
struct ncclComm {
    slipway::Communicator *peers = nullptr;
    int rank = 0, polls = 0;
    std::deque<std::vector<std::byte>> toItself = {};
};

namespace slipway::testing {

Played *played = nullptr;
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

namespace {

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
size_t bytesOf(ncclDataType_t type) { return type == ncclBfloat16 ? 2 : sizeof(float); }

ncclResult_t allReduce(
    const void *, void *data, size_t count, ncclDataType_t type, ncclRedOp_t operation, ncclComm_t comm, cudaStream_t)
{
    noteCall(OpKind::AllReduce, count * bytesOf(type), comm);
    if (played->collectiveResult != ncclSuccess)
        return played->collectiveResult;
    if (type == ncclBfloat16) {
        allReduceBf16(*comm->peers, {static_cast<std::uint16_t *>(data), count});
        return ncclSuccess;
    }
    const std::span<float> values(static_cast<float *>(data), count);
    if (!played->hangs)
        operation == ncclMax ? comm->peers->allReduceMax(values) : comm->peers->allReduceSum(values);
    if (!played->startsLate)
        return ncclSuccess;
    comm->polls = 0;
    return ncclInProgress;
}
ncclResult_t reduceScatter(
    const void *all, void *own, size_t count, ncclDataType_t type, ncclRedOp_t, ncclComm_t comm, cudaStream_t)
{
    const auto ranks = static_cast<size_t>(comm->peers->size());
    noteCall(OpKind::ReduceScatter, count * bytesOf(type) * ranks, comm);
    if (type == ncclBfloat16) {
        reduceScatterBf16(*comm->peers, {static_cast<const std::uint16_t *>(all), count * ranks},
            {static_cast<std::uint16_t *>(own), count});
        return ncclSuccess;
    }
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

} // namespace

std::shared_ptr<const NcclApi> playedApi()
{
    auto api = std::make_shared<NcclApi>(NcclApi{getUniqueId, initRank, asyncError, finalize, destroy, abortComm,
        allReduce, reduceScatter, allGather, send, receive, groupStart, groupEnd, errorString, lastError, {}});
    api->sleep = [](std::chrono::microseconds) { ++played->sleeps; };
    api->mark = [begins = 0](
                    void *) mutable { return [first = begins++ % 2 == 0] { return first || !played->hangs; }; };
    return api;
}

} // namespace slipway::testing
