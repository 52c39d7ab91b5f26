// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/gloo_communicator.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <utility>

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

#include "comm/gloo_text.h"

namespace slipway {

namespace {

// LibTorch's flight recorder adds each group of the process to a map before it takes its lock
// (FlightRecorder::recordWithResetEnabled), where ranks that are threads have crashed. Slipway keeps its own record of
// what ranks do.
void disableFlightRecorder()
{
    static const bool disabled = ::setenv("TORCH_FR_BUFFER_SIZE", "0", 0) == 0;
    static_cast<void>(disabled);
}

at::Tensor tensorOf(std::span<float> data) { return at::from_blob(data.data(), {std::ssize(data)}, at::kFloat); }
at::Tensor tensorOf(std::span<std::byte> data) { return at::from_blob(data.data(), {std::ssize(data)}, at::kByte); }
// For data that is only read, because LibTorch has no tensors of constant memory.
at::Tensor tensorOf(std::span<const std::byte> data)
{
    return tensorOf(std::span(const_cast<std::byte *>(data.data()), data.size()));
}
at::Tensor copyOf(std::span<const std::byte> data)
{
    at::Tensor copy = at::empty({std::ssize(data)}, at::kByte);
    std::memcpy(copy.data_ptr(), data.data(), data.size());
    return copy;
}
template<typename Value>
std::span<std::byte> bytesOfValue(Value &value)
{
    return std::as_writable_bytes(std::span(&value, 1));
}

// Marks the time in which this rank waits for others. Their heartbeats show meanwhile whether they run.
class Waiting {
public:
    explicit Waiting(HeartbeatMonitor *monitor) : m_monitor(monitor) { set(true); }
    ~Waiting() { set(false); }
    Waiting(const Waiting &) = delete;
    Waiting &operator=(const Waiting &) = delete;

private:
    void set(bool waits)
    {
        if (m_monitor)
            m_monitor->reportWait(waits);
    }
    HeartbeatMonitor *m_monitor;
};

} // namespace

GlooCommunicator::GlooCommunicator(c10::intrusive_ptr<c10d::Store> store, c10::intrusive_ptr<c10d::Store> controlStore,
    std::shared_ptr<StoreHeartbeats> heartbeats, int rank, int size, const Rendezvous &rendezvous)
    : m_store(std::move(store)),
      m_controlStore(std::move(controlStore)),
      m_failures(m_controlStore, rendezvous.rank),
      m_heartbeats(std::move(heartbeats)),
      m_rank(rank),
      m_size(size),
      m_members(static_cast<std::size_t>(size)),
      m_rendezvous(rendezvous)
{
    std::iota(m_members.begin(), m_members.end(), 0);
    disableFlightRecorder();
    auto options = c10d::ProcessGroupGloo::Options::create(milliseconds(rendezvous.joinTimeout));
    options->devices.push_back(deviceOf(rendezvous));
    m_group = c10::make_intrusive<c10d::ProcessGroupGloo>(
        c10::make_intrusive<c10d::PrefixStore>("group", m_store), rank, size, std::move(options));
    m_group->setTimeout(timeout());
    if (m_heartbeats)
        m_peers = m_heartbeats->peers(rank);
}

std::shared_ptr<gloo::transport::Device> GlooCommunicator::deviceOf(const Rendezvous &rendezvous)
{
    const Result<std::string> own = addressOfRank(rendezvous);
    if (!own)
        throw std::runtime_error(own.error().message());
    return c10d::ProcessGroupGloo::createDeviceForHostname(*own);
}

template<typename Work>
void GlooCommunicator::guarded(const Work &work, int peer)
{
    const Waiting waiting(m_sharedMonitor);
    try {
        work();
    } catch (const std::exception &exception) {
        throw PeerFailed(causeOf(exception, peer));
    }
}

template<typename Start>
void GlooCommunicator::finish(const Start &start)
{
    guarded([&] { start()->wait(); });
}

template<typename For, typename From, typename Arrived>
void GlooCommunicator::exchange(const For &sentTo, const From &receivedFrom, const Arrived &arrived)
{
    guarded([&] {
        std::vector<c10::intrusive_ptr<c10d::Work>> sends, receives(static_cast<std::size_t>(m_size));
        for (int step = 1; step < m_size; ++step) {
            const int to = (m_rank + step) % m_size, from = (m_rank + m_size - step) % m_size;
            std::vector<at::Tensor> sent{sentTo(to)}, received{receivedFrom(from)};
            if (received.front().numel() > 0)
                receives[static_cast<std::size_t>(from)] =
                    m_group->recv(received, from, static_cast<int>(GlooTag::Exchange));
            if (sent.front().numel() > 0)
                sends.push_back(m_group->send(sent, to, static_cast<int>(GlooTag::Exchange)));
        }
        for (int rank = 0; rank < m_size; ++rank) {
            if (const auto &receive = receives[static_cast<std::size_t>(rank)])
                receive->wait(timeout());
            arrived(rank);
        }
        for (const c10::intrusive_ptr<c10d::Work> &send : sends)
            send->wait(timeout());
    });
}

// Each shard is sent only to its rank, which sums the shards in rank order, as ThreadGroup does. Gloo's own
// reduce-scatter would send all shards to all ranks.
void GlooCommunicator::reduceScatterSum(std::span<float> all, std::span<float> own)
{
    const std::size_t part = own.size();
    if (part == 0)
        return;
    m_received.resize(std::max(m_received.size(), all.size()));
    const auto partOf = [part](float *parts, int rank) {
        return std::span(parts + part * static_cast<std::size_t>(rank), part);
    };
    const std::span<float> sum = partOf(m_received.data(), 0);
    exchange([&](int to) { return tensorOf(partOf(all.data(), to)); },
        [&](int from) { return tensorOf(partOf(m_received.data(), from)); },
        [&](int rank) {
            const std::span<const float> values = partOf(rank == m_rank ? all.data() : m_received.data(), rank);
            if (rank > 0)
                std::transform(sum.begin(), sum.end(), values.begin(), sum.begin(), std::plus<>());
            else if (m_rank == 0)
                std::copy(values.begin(), values.end(), sum.begin());
        });
    std::copy(sum.begin(), sum.end(), own.begin());
}

void GlooCommunicator::allGather(std::span<const std::byte> own, std::span<std::byte> all)
{
    if (own.empty())
        return;
    const auto partOf = [&](int rank) { return all.subspan(own.size() * static_cast<std::size_t>(rank), own.size()); };
    if (own.data() != partOf(m_rank).data())
        std::memmove(partOf(m_rank).data(), own.data(), own.size());
    exchange(
        [&](int) { return tensorOf(partOf(m_rank)); }, [&](int from) { return tensorOf(partOf(from)); }, [](int) {});
}

void GlooCommunicator::broadcast(std::span<std::byte> data, int root)
{
    std::vector<at::Tensor> tensors{tensorOf(data)};
    c10d::BroadcastOptions options;
    options.rootRank = root;
    finish([&] { return m_group->broadcast(tensors, options); });
}

void GlooCommunicator::barrier()
{
    float nothing = 0;
    allReduceSum({&nothing, 1});
}

void GlooCommunicator::allToAll(std::span<const std::byte> sent, std::span<const std::size_t> sentSizes,
    std::span<std::byte> received, std::span<const std::size_t> receivedSizes)
{
    const std::vector<std::size_t> from = partOffsets(sentSizes, m_size, "sent", sent.size()),
                                   to = partOffsets(receivedSizes, m_size, "received", received.size());
    const auto at = [](auto &values, int rank) -> auto & { return values[static_cast<std::size_t>(rank)]; };
    const auto sentTo = [&](int rank) { return sent.subspan(at(from, rank), at(sentSizes, rank)); };
    const auto receivedFrom = [&](int rank) { return received.subspan(at(to, rank), at(receivedSizes, rank)); };
    std::vector<std::size_t> sizes(sentSizes.begin(), sentSizes.end()), heard(sizes);
    exchange([&](int rank) { return tensorOf(bytesOfValue(at(sizes, rank))); },
        [&](int rank) { return tensorOf(bytesOfValue(at(heard, rank))); }, [](int) {});
    for (int rank = 0; rank < m_size; ++rank)
        requireSameSize(at(m_members, rank), at(heard, rank), at(m_members, m_rank), at(receivedSizes, rank));
    std::copy_n(sentTo(m_rank).begin(), sentTo(m_rank).size(), receivedFrom(m_rank).begin());
    exchange([&](int rank) { return tensorOf(sentTo(rank)); }, [&](int rank) { return tensorOf(receivedFrom(rank)); },
        [](int) {});
}

void GlooCommunicator::send(std::span<const std::byte> data, int to)
{
    requirePeer("send to", m_rank, to, m_size);
    const std::uint64_t size = data.size();
    guarded([&] {
        post(std::as_bytes(std::span(&size, 1)), to, GlooTag::MessageSize);
        if (size > 0)
            post(data, to, GlooTag::Message);
    });
}

void GlooCommunicator::receive(std::span<std::byte> data, int from)
{
    requirePeer("receive from", m_rank, from, m_size);
    const int sender = m_members[static_cast<std::size_t>(from)];
    const auto take = [&](std::span<std::byte> part, GlooTag tag) {
        std::vector<at::Tensor> tensors{tensorOf(part)};
        guarded([&] { m_group->recv(tensors, from, static_cast<int>(tag))->wait(timeout()); }, sender);
    };
    std::uint64_t size = 0;
    take(bytesOfValue(size), GlooTag::MessageSize);
    requireSameSize(sender, size, m_members[static_cast<std::size_t>(m_rank)], data.size());
    if (!data.empty())
        take(data, GlooTag::Message);
}

std::unique_ptr<Communicator> GlooCommunicator::split(int color)
{
    std::vector<int> colors(static_cast<std::size_t>(m_size));
    allGather(std::as_bytes(std::span(&color, 1)), std::as_writable_bytes(std::span(colors)));
    int place = 0;
    std::vector<int> members;
    for (int other = 0; other < m_size; ++other) {
        if (colors[static_cast<std::size_t>(other)] != color)
            continue;
        members.push_back(m_members[static_cast<std::size_t>(other)]);
        place += other < m_rank;
    }
    const std::string prefix = "split" + std::to_string(m_splits++) + "/" + std::to_string(color);
    std::unique_ptr<GlooCommunicator> group;
    guarded([&] {
        group = std::make_unique<GlooCommunicator>(c10::make_intrusive<c10d::PrefixStore>(prefix, m_store),
            m_controlStore, nullptr, place, static_cast<int>(members.size()), m_rendezvous);
    });
    group->m_members = std::move(members);
    group->m_names = m_names;
    group->m_sharedMonitor = m_sharedMonitor;
    group->m_peers = m_peers;
    group->finishStartup();
    return group;
}

void GlooCommunicator::startHeartbeats(std::function<void(const std::string &)> end)
{
    m_monitor = std::make_unique<HeartbeatMonitor>(
        m_rank, HeartbeatMonitor::Callbacks{.exchange = [this] { return m_heartbeats->exchange(); },
                    .report =
                        [this](const std::string &cause) {
                            m_failures.report(cause);
                            endStoppedPeers();
                        },
                    .end = std::move(end),
                    .nameOf = [names = m_names](int rank) { return names->of(rank); }});
    m_sharedMonitor = m_monitor.get();
    m_group->setTimeout(timeout());
    m_monitor->start(m_rendezvous.startTimeout);
}

void GlooCommunicator::reportProgress(const char *doing)
{
    if (m_sharedMonitor)
        m_sharedMonitor->reportProgress(doing);
}

void GlooCommunicator::reportLoading(const char *doing)
{
    if (m_sharedMonitor)
        m_sharedMonitor->reportProgress(doing, m_rendezvous.loadTimeout);
}

void GlooCommunicator::finishStartup()
{
    if (m_monitor)
        m_monitor->ready();
    m_prompt = true;
    m_group->setTimeout(timeout());
}

void GlooCommunicator::reportFailure(const std::string &why, Seconds reading)
{
    if (m_monitor)
        m_monitor->stop(); // this rank ends without the monitor
    try {
        m_failures.report(why);
        endStoppedPeers();
        m_sent.giveUp(); // its pending messages keep the connections open
        m_group.reset(); // closes the connections, so that ranks that wait for this one look for the cause
        // The reports are lost when the rank that keeps the store ends. Our own launcher gets them from each rank
        // directly.
        if (m_rank == 0 && !m_rendezvous.hosted && !m_rendezvous.listenFd)
            m_failures.waitUntilOthersRead(m_size, reading);
    } catch (const std::exception &) { // the first rank, which keeps the store, has ended: no rank can read the report
    }
}

// Our own launcher ends stopped ranks itself, and reports which ranks they were.
void GlooCommunicator::endStoppedPeers() const
{
    if (!m_rendezvous.launched)
        m_peers.endStopped();
}

void GlooCommunicator::allReduce(std::span<float> data, c10d::ReduceOp operation)
{
    if (data.empty())
        return;
    std::vector<at::Tensor> tensors{tensorOf(data)};
    c10d::AllreduceOptions options;
    options.reduceOp = std::move(operation);
    finish([&] { return m_group->allreduce(tensors, options); });
}

void GlooCommunicator::post(std::span<const std::byte> data, int to, GlooTag tag)
{
    std::vector<at::Tensor> tensors{copyOf(data)};
    m_sent.keep(m_group->send(tensors, to, static_cast<int>(tag)));
}

// Before the first step there is no time limit if heartbeats show whether the other ranks run.
std::chrono::milliseconds GlooCommunicator::timeout() const
{
    return milliseconds(m_prompt          ? m_rendezvous.peerTimeout
                        : m_sharedMonitor ? kStartupTimeout
                                          : m_rendezvous.joinTimeout);
}

// The cause that a failing rank has reported, else what Gloo's message indicates.
std::string GlooCommunicator::causeOf(const std::exception &exception, int peer)
{
    if (std::string failure = reportedFailure(); !failure.empty())
        return failure;
    const std::string line = firstLine(exception);
    if (line.find("imed out") != std::string::npos || line.find("imeout") != std::string::npos)
        return missingRank(peer) + " did not respond within " +
               std::to_string(std::chrono::duration_cast<std::chrono::seconds>(timeout()).count()) + " s: it " +
               (m_peers.stopped().empty() ? "hangs, or its machine was lost" : "was stopped");
    return line.find("onnection") != std::string::npos || line.find("pair.cc") != std::string::npos
               ? "the connection to " + nameOfPeer(peer) + " broke: it ended"
               : line;
}

std::string GlooCommunicator::missingRank(int peer) const
{
    const std::vector<int> stopped = m_peers.stopped();
    return stopped.empty() ? nameOfPeer(peer) : stopped.size() == 1 ? m_names->of(stopped.front()) : ranksText(stopped);
}

std::string GlooCommunicator::nameOfPeer(int peer) const { return peer < 0 ? "a rank" : m_names->of(peer); }

} // namespace slipway
