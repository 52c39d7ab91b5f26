// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// NCCL's communicators are non-blocking (NCCL's user guide, "Fault tolerance"): every call may return "in progress",
// and a call that waits for a failed rank can be aborted from another thread.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "comm/out_of_memory.h"
#include "comm/watchdog.h"
#include "cuda/nccl_api.h"

namespace slipway {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kAsksBeforeSleep = 1000; // takes about half a millisecond

// How long other ranks may wait for one now; shared by all groups of a run.
using Timeout = std::atomic<Seconds>;

class NcclFailure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// Throws a failure of NCCL as the callers of a collective expect it.
[[noreturn]] void throwFailure(const std::string &cause)
{
    if (isOutOfMemoryMessage(cause))
        throw OutOfMemory(std::string(kOutOfMemory) + "no GPU memory is left for NCCL: " + cause);
    throw PeerFailed(cause);
}

// A communicator of NCCL.
class Group final : public DeviceGroup {
public:
    Group(std::shared_ptr<const NcclApi> api, Communicator &control, Seconds loadTimeout,
        std::shared_ptr<const Timeout> timeout)
        : m_api(std::move(api)),
          m_control(control),
          m_loadTimeout(loadTimeout),
          m_timeout(std::move(timeout))
    {
        m_control.reportLoading("joining by NCCL"); // because NCCL loads its network plugins
        // The other ranks join with the id of the first rank.
        ncclUniqueId id{};
        ncclResult_t made = m_control.rank() == 0 ? m_api->getUniqueId(&id) : ncclSuccess;
        m_control.broadcast(std::as_writable_bytes(std::span(&made, 1)), 0);
        require(made, "ncclGetUniqueId");
        m_control.broadcast(std::as_writable_bytes(std::span(&id, 1)), 0);
        ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
        config.blocking = 0;
        const ncclResult_t begun = m_api->commInitRankConfig(&m_comm, m_control.size(), id, m_control.rank(), &config);
        try {
            settle(begun, "ncclCommInitRankConfig");
        } catch (const NcclFailure &) {
            if (m_comm)
                m_api->commAbort(m_comm);
            throw;
        }
        m_watchdog.emplace(Watchdog::Callbacks{.timeout = [this] { return m_timeout->load(); },
            .problem = [this] { return problem(); },
            .giveUp = [this](const std::string &cause) { giveUp(cause); }});
        m_watchdog->start();
    }

    // Either all operations have finished, or a failure is being propagated. In the latter case, the destructor must
    // not wait for other ranks.
    ~Group() override
    {
        m_watchdog.reset();
        if (!m_comm)
            return;
        m_loadTimeout = std::min(m_loadTimeout, deadline::kPeer); // the other ranks may never get here
        try {
            settle(m_api->commFinalize(m_comm), "ncclCommFinalize");
            m_api->commDestroy(m_comm);
        } catch (const NcclFailure &) {
            m_api->commAbort(m_comm);
        }
    }

    void allReduceSum(float *data, std::size_t count, void *stream) override
    {
        allReduce(data, count, ncclFloat32, ncclSum, stream);
    }
    void allReduceMax(float *data, std::size_t count, void *stream) override
    {
        allReduce(data, count, ncclFloat32, ncclMax, stream);
    }

    void reduceScatterSum(const float *all, float *own, std::size_t count, void *stream) override
    {
        reduceScatter(all, own, count, ncclFloat32, stream);
    }

    void allReduceSumBf16(std::byte *data, std::size_t count, void *stream) override
    {
        allReduce(data, count, ncclBfloat16, ncclSum, stream);
    }
    void reduceScatterSumBf16(const std::byte *all, std::byte *own, std::size_t count, void *stream) override
    {
        reduceScatter(all, own, count, ncclBfloat16, stream);
    }

    void allGather(const std::byte *own, std::byte *all, std::size_t ownBytes, void *stream) override
    {
        start("ncclAllGather", stream,
            [&](ncclComm_t comm, cudaStream_t on) { return m_api->allGather(own, all, ownBytes, ncclInt8, comm, on); });
    }

    void allToAll(const std::byte *sent, std::span<const std::size_t> sentSizes, std::byte *received,
        std::span<const std::size_t> receivedSizes, void *stream) override
    {
        const int ranks = m_control.size();
        const std::vector<std::size_t> from = partOffsets(sentSizes, ranks, "sent"),
                                       to = partOffsets(receivedSizes, ranks, "received");
        groupCalls(
            [&] {
                for (int rank = 0; rank < ranks; ++rank) {
                    const auto at = static_cast<std::size_t>(rank);
                    if (sentSizes[at] > 0)
                        putSend(sent + from[at], sentSizes[at], rank, stream);
                    if (receivedSizes[at] > 0)
                        putReceive(received + to[at], receivedSizes[at], rank, stream);
                }
            },
            stream);
    }

    void send(const std::byte *data, std::size_t bytes, int to, void *stream) override
    {
        requirePeer("send to", m_control.rank(), to, m_control.size());
        putSend(data, bytes, to, stream);
    }

    void receive(std::byte *data, std::size_t bytes, int from, void *stream) override
    {
        requirePeer("receive from", m_control.rank(), from, m_control.size());
        putReceive(data, bytes, from, stream);
    }

    void groupCalls(const std::function<void()> &calls, void *stream) override
    {
        start("ncclGroupEnd", stream, [&](ncclComm_t, cudaStream_t) {
            require(m_api->groupStart(), "ncclGroupStart");
            m_together = true;
            try {
                calls();
            } catch (...) {
                m_together = false;
                m_api->groupEnd(); // otherwise NCCL would add the next call to this group
                throw;
            }
            m_together = false;
            return m_api->groupEnd();
        });
    }

    void check() override
    {
        const std::lock_guard lock(m_mutex);
        throwIfGivenUp();
    }

private:
    void allReduce(void *data, std::size_t count, ncclDataType_t type, ncclRedOp_t operation, void *stream)
    {
        start("ncclAllReduce", stream, [&](ncclComm_t comm, cudaStream_t on) {
            return m_api->allReduce(data, data, count, type, operation, comm, on);
        });
    }

    void reduceScatter(const void *all, void *own, std::size_t count, ncclDataType_t type, void *stream)
    {
        start("ncclReduceScatter", stream, [&](ncclComm_t comm, cudaStream_t on) {
            return m_api->reduceScatter(all, own, count, type, ncclSum, comm, on);
        });
    }

    void putSend(const std::byte *data, std::size_t bytes, int to, void *stream)
    {
        put("ncclSend", stream,
            [&](ncclComm_t comm, cudaStream_t on) { return m_api->send(data, bytes, ncclInt8, to, comm, on); });
    }

    void putReceive(std::byte *data, std::size_t bytes, int from, void *stream)
    {
        put("ncclRecv", stream,
            [&](ncclComm_t comm, cudaStream_t on) { return m_api->receive(data, bytes, ncclInt8, from, comm, on); });
    }

    // Enqueues a call separately, or as part of the group that groupCalls() starts.
    template<typename Call>
    void put(const char *name, void *stream, const Call &call)
    {
        if (!m_together)
            return start(name, stream, call);
        if (const ncclResult_t result = call(m_comm, static_cast<cudaStream_t>(stream)); result != ncclInProgress)
            require(result, name);
    }

    template<typename Call>
    void start(const char *name, void *stream, const Call &call)
    {
        if (m_together)
            throw std::logic_error(std::string(name) + " was called within a group of sends and receives");
        Watchdog::Watched watched{.begun = m_api->mark(stream)};
        {
            const std::lock_guard lock(m_mutex);
            throwIfGivenUp();
            try {
                settle(call(m_comm, static_cast<cudaStream_t>(stream)), name);
            } catch (const NcclFailure &failure) {
                throwFailure(failure.what());
            }
        }
        watched.ended = m_api->mark(stream);
        m_watchdog->watch(std::move(watched));
    }

    void throwIfGivenUp() const
    {
        if (!m_cause.empty())
            throwFailure(m_cause);
    }

    void require(ncclResult_t result, const char *call) const
    {
        if (result != ncclSuccess)
            throw NcclFailure(std::string(call) + ": " + wordsOf(result));
    }

    // Includes NCCL's last error message, because the error code alone does not indicate an out-of-memory error.
    [[nodiscard]] std::string wordsOf(ncclResult_t result) const
    {
        const char *const said = m_api->getLastError(m_comm);
        return m_api->getErrorString(result) + (said && *said ? " (" + std::string(said) + ")" : std::string());
    }

    // Waits until a call that is in progress has ended. NCCL's own thread launches a collective within some ten
    // microseconds, and a sleep takes longer than requested, so the first checks do not sleep.
    void settle(ncclResult_t result, const char *call) const
    {
        for (int asked = 0; result == ncclInProgress && asked < kAsksBeforeSleep; ++asked) {
            std::this_thread::yield();
            require(m_api->commGetAsyncError(m_comm, &result), "ncclCommGetAsyncError");
        }
        if (result == ncclInProgress)
            result = settleSlowly(call);
        require(result, call);
    }

    // Ranks initialize a communicator together. A rank waits here for late ones, and reports meanwhile that it is
    // running.
    [[nodiscard]] ncclResult_t settleSlowly(const char *call) const
    {
        const Seconds timeout = std::min(m_timeout->load(), m_loadTimeout);
        const Clock::time_point until =
            Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeout));
        ncclResult_t result = ncclInProgress;
        while (result == ncclInProgress) {
            m_control.reportLoading("waiting for NCCL"); // this wait has its own limit
            if (Clock::now() > until)
                throw NcclFailure(
                    std::string(call) + " did not finish within " + std::to_string(static_cast<int>(timeout)) + " s");
            m_api->sleep(std::chrono::microseconds(50));
            require(m_api->commGetAsyncError(m_comm, &result), "ncclCommGetAsyncError");
        }
        return result;
    }

    // Called by the watchdog's thread, as is giveUp.
    std::string problem()
    {
        const std::unique_lock lock(m_mutex, std::try_to_lock);
        ncclResult_t result = ncclSuccess;
        if (lock && m_comm && m_api->commGetAsyncError(m_comm, &result) == ncclSuccess && result != ncclSuccess &&
            result != ncclInProgress)
            return "NCCL: " + wordsOf(result);
        return m_control.reportedFailure();
    }

    // Aborting ends the kernels on the device, and with them the wait of the thread that waits for the device.
    void giveUp(const std::string &cause)
    {
        const std::string reported = m_control.reportedFailure();
        const std::lock_guard lock(m_mutex);
        m_cause = reported.empty() ? cause : reported;
        if (ncclComm_t comm = std::exchange(m_comm, nullptr))
            m_api->commAbort(comm);
    }

    std::shared_ptr<const NcclApi> m_api;
    Communicator &m_control;
    Seconds m_loadTimeout;
    std::shared_ptr<const Timeout> m_timeout;
    std::mutex m_mutex;
    ncclComm_t m_comm = nullptr;
    bool m_together = false; // of the calling thread: its calls are part of a group
    std::string m_cause;
    std::optional<Watchdog> m_watchdog;
};

class NcclCommunicator final : public Communicator {
public:
    NcclCommunicator(std::shared_ptr<const NcclApi> api, std::unique_ptr<Communicator> control,
        const Rendezvous &rendezvous, std::shared_ptr<Timeout> timeout)
        : m_api(std::move(api)),
          m_control(std::move(control)),
          m_rendezvous(rendezvous),
          m_timeout(std::move(timeout)),
          m_group(m_api, *m_control, rendezvous.loadTimeout, m_timeout)
    {
    }

    [[nodiscard]] int rank() const override { return m_control->rank(); }
    [[nodiscard]] int size() const override { return m_control->size(); }
    [[nodiscard]] int localSize() const override { return m_control->localSize(); }
    [[nodiscard]] int localRank() const override { return m_control->localRank(); }
    void allReduceSum(std::span<float> data) override { m_control->allReduceSum(data); }
    void allReduceMax(std::span<float> data) override { m_control->allReduceMax(data); }
    void reduceScatterSum(std::span<float> all, std::span<float> own) override
    {
        m_control->reduceScatterSum(all, own);
    }
    void allGather(std::span<const std::byte> own, std::span<std::byte> all) override
    {
        m_control->allGather(own, all);
    }
    void broadcast(std::span<std::byte> data, int root) override { m_control->broadcast(data, root); }
    void barrier() override { m_control->barrier(); }
    void allToAll(std::span<const std::byte> sent, std::span<const std::size_t> sentSizes,
        std::span<std::byte> received, std::span<const std::size_t> receivedSizes) override
    {
        m_control->allToAll(sent, sentSizes, received, receivedSizes);
    }
    void send(std::span<const std::byte> data, int to) override { m_control->send(data, to); }
    void receive(std::span<std::byte> data, int from) override { m_control->receive(data, from); }
    void nameRanks(std::function<std::string(int)> placeOf) override { m_control->nameRanks(std::move(placeOf)); }
    [[nodiscard]] std::string nameOf(int rank) const override { return m_control->nameOf(rank); }
    void startHeartbeats(std::function<void(const std::string &)> end) override
    {
        m_control->startHeartbeats(std::move(end));
    }
    void reportProgress(const char *doing) override { m_control->reportProgress(doing); }
    void reportLoading(const char *doing) override { m_control->reportLoading(doing); }
    void finishStartup() override
    {
        *m_timeout = m_rendezvous.peerTimeout;
        m_control->finishStartup();
    }
    void reportFailure(const std::string &why, Seconds reading) override { m_control->reportFailure(why, reading); }
    [[nodiscard]] std::string reportedFailure() override { return m_control->reportedFailure(); }
    [[nodiscard]] DeviceGroup *onDevice() override { return &m_group; }

    std::unique_ptr<Communicator> split(int color) override
    {
        try {
            return std::make_unique<NcclCommunicator>(m_api, m_control->split(color), m_rendezvous, m_timeout);
        } catch (const NcclFailure &failure) {
            throwFailure(failure.what());
        }
    }

private:
    std::shared_ptr<const NcclApi> m_api;
    std::unique_ptr<Communicator> m_control;
    Rendezvous m_rendezvous;
    std::shared_ptr<Timeout> m_timeout;
    Group m_group;
};

} // namespace

Result<void> requireDistinctDevices(Communicator &control, const std::string &device)
{
    constexpr std::size_t kLength = 40; // "GPU-" and 36 characters
    std::array<char, kLength> own{};
    device.copy(own.data(), own.size());
    std::vector<char> all(kLength * static_cast<std::size_t>(control.size()));
    control.allGather(std::as_bytes(std::span(own)), std::as_writable_bytes(std::span(all)));
    std::map<std::string_view, int> owners;
    const auto refused = [](const std::string &what) {
        return Error{.what = what, .where = "communicator: nccl", .accepted = "gloo, threads, auto"};
    };
    for (int rank = 0; rank < control.size(); ++rank) {
        const std::string_view name(all.data() + kLength * static_cast<std::size_t>(rank), kLength);
        if (name.front() == '\0')
            return refused("rank " + std::to_string(rank) + " has no GPU");
        if (const auto [owner, first] = owners.emplace(name, rank); !first)
            return refused("ranks " + std::to_string(owner->second) + " and " + std::to_string(rank) +
                           " share one GPU; NCCL needs one for each");
    }
    return {};
}

Result<std::unique_ptr<Communicator>> joinNccl(
    std::shared_ptr<const NcclApi> api, std::unique_ptr<Communicator> control, const Rendezvous &rendezvous)
{
    const int ranks = control->size();
    try {
        return std::unique_ptr<Communicator>(std::make_unique<NcclCommunicator>(
            std::move(api), std::move(control), rendezvous, std::make_shared<Timeout>(kStartupTimeout)));
    } catch (const NcclFailure &failure) {
        if (isOutOfMemoryMessage(failure.what()))
            return Error{.what = std::string(kOutOfMemory) + "no GPU memory is left for NCCL: " + failure.what(),
                .where = "communicator: nccl",
                .accepted = "a GPU for each rank, or gloo",
                .fault = Fault::Outside};
        return Error{.what = "NCCL did not bring " + std::to_string(ranks) + " ranks together: " + failure.what(),
            .where = "communicator: nccl",
            .accepted = "gloo, or NCCL_DEBUG=INFO to see why",
            .fault = Fault::Peer};
    }
}

} // namespace slipway
