// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// LibTorch's Gloo behind the communicator's interface. With run_store.h, sent_messages.h and store_heartbeats.h, which
// it alone includes, the one file that sees its headers.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <future>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <c10/util/Logging.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "comm/store_heartbeats.h"
#include "comm/store_meeting.h"
#include "comm/heartbeat_monitor.h"
#include "comm/rank_names.h"
#include "comm/rendezvous.h"
#include "comm/run_store.h"
#include "comm/sent_messages.h"

namespace slipway {

namespace {

constexpr const char *kHeardKey = "slipway/heard/";

std::chrono::milliseconds milliseconds(Seconds seconds)
{
    return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1e3));
}

// Of LibTorch's messages the first line is for users.
std::string firstLine(const std::exception &exception)
{
    const auto *const error = dynamic_cast<const c10::Error *>(&exception);
    const std::string text = error ? error->what_without_backtrace() : exception.what();
    return text.substr(0, text.find('\n'));
}

at::Tensor tensorOf(std::span<float> data) { return at::from_blob(data.data(), {std::ssize(data)}, at::kFloat); }
at::Tensor tensorOf(std::span<std::byte> data) { return at::from_blob(data.data(), {std::ssize(data)}, at::kByte); }
// Of what is only read.
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

// Gloo has a queue for each tag between two ranks. What a collective exchanges must not meet messages that nobody has
// received yet. A message's size goes ahead of it: Gloo ends the process where a message is larger than expected.
enum Tag : int { kExchange, kMessageSize, kMessage };

class GlooCommunicator final : public Communicator {
public:
    // `words` is another connection to the store, for what must be said while this one waits; `heartbeats` are the
    // whole world's.
    GlooCommunicator(c10::intrusive_ptr<c10d::Store> store, c10::intrusive_ptr<c10d::Store> words,
        std::shared_ptr<StoreHeartbeats> heartbeats, int rank, int size, const Rendezvous &rendezvous)
        : m_store(std::move(store)),
          m_words(std::move(words)),
          m_heartbeats(std::move(heartbeats)),
          m_rank(rank),
          m_size(size),
          m_members(static_cast<std::size_t>(size)),
          m_rendezvous(rendezvous)
    {
        std::iota(m_members.begin(), m_members.end(), 0);
        auto options = c10d::ProcessGroupGloo::Options::create(milliseconds(rendezvous.joinTimeout));
        options->devices.push_back(deviceOf(rendezvous));
        m_group = c10::make_intrusive<c10d::ProcessGroupGloo>(
            c10::make_intrusive<c10d::PrefixStore>("group", m_store), rank, size, std::move(options));
        m_group->setTimeout(patience());
        if (m_heartbeats)
            m_peers = m_heartbeats->peers(rank);
    }

    [[nodiscard]] int rank() const override { return m_rank; }
    [[nodiscard]] int size() const override { return m_size; }
    [[nodiscard]] int ranksInMachine() const override { return m_rendezvous.localWorld; }
    [[nodiscard]] int placeInMachine() const override { return m_rendezvous.localRank; }

    void allReduceSum(std::span<float> data) override { allReduce(data, c10d::ReduceOp::SUM); }
    void allReduceMax(std::span<float> data) override { allReduce(data, c10d::ReduceOp::MAX); }

    // Each part goes straight to its rank, which adds them up in the order of the ranks, as threads do. Gloo's own
    // would send all parts to all ranks.
    void reduceScatterSum(std::span<float> all, std::span<float> own) override
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

    void allGather(std::span<const std::byte> own, std::span<std::byte> all) override
    {
        if (own.empty())
            return;
        const auto partOf = [&](int rank) {
            return all.subspan(own.size() * static_cast<std::size_t>(rank), own.size());
        };
        if (own.data() != partOf(m_rank).data())
            std::memmove(partOf(m_rank).data(), own.data(), own.size());
        exchange([&](int) { return tensorOf(partOf(m_rank)); }, [&](int from) { return tensorOf(partOf(from)); },
            [](int) {});
    }

    void broadcast(std::span<std::byte> data, int root) override
    {
        std::vector<at::Tensor> tensors{tensorOf(data)};
        c10d::BroadcastOptions options;
        options.rootRank = root;
        finish([&] { return m_group->broadcast(tensors, options); });
    }

    void barrier() override
    {
        float nothing = 0;
        allReduceSum({&nothing, 1});
    }

    void allToAll(std::span<const std::byte> sent, std::span<const std::size_t> sentSizes,
        std::span<std::byte> received, std::span<const std::size_t> receivedSizes) override
    {
        const std::vector<std::size_t> from = partOffsets(sentSizes, m_size, "sent", sent.size()),
                                       to = partOffsets(receivedSizes, m_size, "received", received.size());
        const auto at = [](auto &values, int rank) -> auto & { return values[static_cast<std::size_t>(rank)]; };
        const auto sentTo = [&](int rank) { return sent.subspan(at(from, rank), at(sentSizes, rank)); };
        const auto receivedFrom = [&](int rank) { return received.subspan(at(to, rank), at(receivedSizes, rank)); };
        std::vector<std::size_t> told(sentSizes.begin(), sentSizes.end()), heard(told);
        exchange([&](int rank) { return tensorOf(bytesOfValue(at(told, rank))); },
            [&](int rank) { return tensorOf(bytesOfValue(at(heard, rank))); }, [](int) {});
        for (int rank = 0; rank < m_size; ++rank)
            requireSameSize(at(m_members, rank), at(heard, rank), at(m_members, m_rank), at(receivedSizes, rank));
        std::copy_n(sentTo(m_rank).begin(), sentTo(m_rank).size(), receivedFrom(m_rank).begin());
        exchange([&](int rank) { return tensorOf(sentTo(rank)); },
            [&](int rank) { return tensorOf(receivedFrom(rank)); }, [](int) {});
    }

    void send(std::span<const std::byte> data, int to) override
    {
        requirePeer("send to", m_rank, to, m_size);
        const std::uint64_t size = data.size();
        guarded([&] {
            post(std::as_bytes(std::span(&size, 1)), to, kMessageSize);
            if (size > 0)
                post(data, to, kMessage);
        });
    }

    void receive(std::span<std::byte> data, int from) override
    {
        requirePeer("receive from", m_rank, from, m_size);
        const int sender = m_members[static_cast<std::size_t>(from)];
        const auto take = [&](std::span<std::byte> part, Tag tag) {
            std::vector<at::Tensor> tensors{tensorOf(part)};
            guarded([&] { m_group->recv(tensors, from, tag)->wait(patience()); }, sender);
        };
        std::uint64_t size = 0;
        take(bytesOfValue(size), kMessageSize);
        requireSameSize(sender, size, m_members[static_cast<std::size_t>(m_rank)], data.size());
        if (!data.empty())
            take(data, kMessage);
    }

    void nameRanks(std::function<std::string(int)> placeOf) override { m_names->set(std::move(placeOf)); }
    [[nodiscard]] std::string nameOf(int rank) const override { return m_names->of(rank); }

    std::unique_ptr<Communicator> split(int color) override
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
            group = std::make_unique<GlooCommunicator>(c10::make_intrusive<c10d::PrefixStore>(prefix, m_store), m_words,
                nullptr, place, static_cast<int>(members.size()), m_rendezvous);
        });
        group->m_members = std::move(members);
        group->m_names = m_names;
        group->m_sharedMonitor = m_sharedMonitor;
        group->m_peers = m_peers;
        group->expectPromptness();
        return group;
    }

    void watchOver(std::function<void(const std::string &)> end) override
    {
        m_monitor = std::make_unique<HeartbeatMonitor>(
            m_rank, HeartbeatMonitor::Ways{.exchange = [this] { return m_heartbeats->exchange(); },
                        .tell =
                            [this](const std::string &cause) {
                                leaveWord(cause);
                                endStoppedPeers();
                            },
                        .end = std::move(end),
                        .nameOf = [names = m_names](int rank) { return names->of(rank); }});
        m_sharedMonitor = m_monitor.get();
        m_group->setTimeout(patience());
        m_monitor->start(m_rendezvous.startTimeout);
    }

    void reportProgress(const char *doing) override
    {
        if (m_sharedMonitor)
            m_sharedMonitor->reportProgress(doing);
    }

    void reportLoading(const char *doing) override
    {
        if (m_sharedMonitor)
            m_sharedMonitor->reportProgress(doing, m_rendezvous.loadTimeout);
    }

    void expectPromptness() override
    {
        if (m_monitor)
            m_monitor->ready();
        m_prompt = true;
        m_group->setTimeout(patience());
    }

    void tellFailure(const std::string &why, Seconds reading) override
    {
        if (m_monitor)
            m_monitor->stop(); // this rank ends by itself
        try {
            leaveWord(why);
            endStoppedPeers();
            m_sent.giveUp(); // it keeps the connections open
            m_group.reset(); // who waits for this rank finds the connection closed, and looks for the reason
            letOthersRead(reading);
        } catch (const std::exception &) { // the first rank, which keeps the messages, is gone: nobody to tell
        }
    }

    [[nodiscard]] std::string toldFailure() override
    {
        const auto told = std::make_shared<std::string>();
        try {
            const bool answered = ask([told, heard = heardKey()](c10d::Store &store) {
                if (!store.check({kFailureKey}))
                    return;
                const std::vector<std::uint8_t> text = store.get(kFailureKey);
                store.set(heard, std::vector<std::uint8_t>{1});
                told->assign(text.begin(), text.end());
            });
            return answered ? *told : std::string();
        } catch (const std::exception &) { // it lived with the first rank
            return {};
        }
    }

private:
    static std::shared_ptr<gloo::transport::Device> deviceOf(const Rendezvous &rendezvous)
    {
        const Result<std::string> own = addressOfRank(rendezvous);
        if (!own)
            throw std::runtime_error(own.error().message());
        return c10d::ProcessGroupGloo::createDeviceForHostname(*own);
    }

    [[nodiscard]] std::string heardKey() const { return kHeardKey + std::to_string(m_rendezvous.rank); }

    // The first word stands: what others say later they have only heard of.
    void leaveWord(const std::string &why)
    {
        ask([why, heard = heardKey()](c10d::Store &store) {
            store.compareSet(kFailureKey, {}, bytesOf(why));
            store.set(heard, std::vector<std::uint8_t>{1}); // who speaks need not be told
        });
    }

    // Our own launcher does so itself, and says who it was.
    void endStoppedPeers() const
    {
        if (!m_rendezvous.launched)
            m_peers.endStopped();
    }

    // False where the first rank, which keeps the messages, does not answer: LibTorch would wait for it without end, so
    // that the thread that asks is left behind.
    bool ask(std::function<void(c10d::Store &)> question)
    {
        if (m_silent)
            return false;
        std::promise<void> promise;
        std::future<void> answered = promise.get_future();
        std::thread([store = m_words, question = std::move(question), promise = std::move(promise)]() mutable {
            try {
                question(*store);
                promise.set_value();
            } catch (...) {
                promise.set_exception(std::current_exception());
            }
        }).detach();
        if (answered.wait_for(milliseconds(deadline::kAnswer)) != std::future_status::ready) {
            m_silent = true;
            return false;
        }
        answered.get();
        return true;
    }

    void allReduce(std::span<float> data, c10d::ReduceOp operation)
    {
        if (data.empty())
            return;
        std::vector<at::Tensor> tensors{tensorOf(data)};
        c10d::AllreduceOptions options;
        options.reduceOp = std::move(operation);
        finish([&] { return m_group->allreduce(tensors, options); });
    }

    void post(std::span<const std::byte> data, int to, Tag tag)
    {
        std::vector<at::Tensor> tensors{copyOf(data)};
        m_sent.keep(m_group->send(tensors, to, tag));
    }

    // Sends each other rank what is for it and receives what is from it, where that is not empty; `arrived` is called
    // for all ranks in their order, this one included, when what is from them is there.
    template<typename For, typename From, typename Arrived>
    void exchange(const For &sentTo, const From &receivedFrom, const Arrived &arrived)
    {
        guarded([&] {
            std::vector<c10::intrusive_ptr<c10d::Work>> sends, receives(static_cast<std::size_t>(m_size));
            for (int step = 1; step < m_size; ++step) {
                const int to = (m_rank + step) % m_size, from = (m_rank + m_size - step) % m_size;
                std::vector<at::Tensor> sent{sentTo(to)}, received{receivedFrom(from)};
                if (received.front().numel() > 0)
                    receives[static_cast<std::size_t>(from)] = m_group->recv(received, from, kExchange);
                if (sent.front().numel() > 0)
                    sends.push_back(m_group->send(sent, to, kExchange));
            }
            for (int rank = 0; rank < m_size; ++rank) {
                if (const auto &receive = receives[static_cast<std::size_t>(rank)])
                    receive->wait(patience());
                arrived(rank);
            }
            for (const c10::intrusive_ptr<c10d::Work> &send : sends)
                send->wait(patience());
        });
    }

    // Before the first step there is no limit where heartbeats tell whether the other ranks run.
    [[nodiscard]] std::chrono::milliseconds patience() const
    {
        return milliseconds(m_prompt          ? m_rendezvous.peerTimeout
                            : m_sharedMonitor ? kWhileOthersStart
                                              : m_rendezvous.joinTimeout);
    }

    // Messages are gone with the rank that keeps them; our own launcher has them from each rank.
    void letOthersRead(Seconds reading)
    {
        if (m_rank != 0 || m_rendezvous.hosted || m_rendezvous.listenFd)
            return;
        std::vector<std::string> readers;
        for (int rank = 1; rank < m_size; ++rank)
            readers.push_back(kHeardKey + std::to_string(rank));
        m_words->wait(readers, milliseconds(reading));
    }

    template<typename Start>
    void finish(const Start &start)
    {
        guarded([&] { start()->wait(); });
    }

    // `peer` is the one that it waits for, as the world counts; -1: all of them.
    template<typename Work>
    void guarded(const Work &work, int peer = -1)
    {
        const Waiting waiting(m_sharedMonitor);
        try {
            work();
        } catch (const std::exception &exception) {
            throw PeerFailed(causeOf(exception, peer));
        }
    }

    // What a failing rank left for the others, else what Gloo saw.
    std::string causeOf(const std::exception &exception, int peer)
    {
        if (std::string told = toldFailure(); !told.empty())
            return told;
        const std::string line = firstLine(exception);
        if (line.find("imed out") != std::string::npos || line.find("imeout") != std::string::npos)
            return whoDidNotCome(peer) + " did not come within " +
                   std::to_string(std::chrono::duration_cast<std::chrono::seconds>(patience()).count()) + " s: it " +
                   (m_peers.stopped().empty() ? "hangs, or its machine is gone" : "was stopped");
        return line.find("onnection") != std::string::npos || line.find("pair.cc") != std::string::npos
                   ? "the connection to " + nameOfPeer(peer) + " broke: it ended"
                   : line;
    }

    [[nodiscard]] std::string whoDidNotCome(int peer) const
    {
        const std::vector<int> stopped = m_peers.stopped();
        return stopped.empty()       ? nameOfPeer(peer)
               : stopped.size() == 1 ? m_names->of(stopped.front())
                                     : ranksText(stopped);
    }

    [[nodiscard]] std::string nameOfPeer(int peer) const { return peer < 0 ? "a rank" : m_names->of(peer); }

    // While it lives, this rank waits for others, and their heartbeats tell whether they run.
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
                m_monitor->waits(waits);
        }
        HeartbeatMonitor *m_monitor;
    };

    c10::intrusive_ptr<c10d::Store> m_store;
    c10::intrusive_ptr<c10d::Store> m_words; // of the whole world, for a group too
    std::shared_ptr<StoreHeartbeats> m_heartbeats;
    LocalPeers m_peers; // of the whole world
    int m_rank, m_size;
    std::vector<int> m_members; // as the world counts them
    std::shared_ptr<RankNames> m_names = std::make_shared<RankNames>();
    Rendezvous m_rendezvous;
    c10::intrusive_ptr<c10d::Backend> m_group;
    SentMessages m_sent;
    int m_splits = 0;
    std::vector<float> m_received; // of a reduce-scatter; kept, since the system takes longer to give memory than the
                                   // network to fill it
    bool m_prompt = false;
    std::atomic<bool> m_silent = false;          // the first rank
    std::unique_ptr<HeartbeatMonitor> m_monitor; // the whole world's; ends before what it asks
    HeartbeatMonitor *m_sharedMonitor = nullptr; // the same, in a group too
};

// Two connections: one may wait for keys while something must be said on the other.
struct Stores {
    c10::intrusive_ptr<c10d::Store> store, words;
};

// Of torchrun's agent, which anybody reaches who reaches its port: LibTorch's TCPStore asks for no proof.
Stores hostedStores(const Rendezvous &r)
{
    const auto open = [&r]() -> c10::intrusive_ptr<c10d::Store> {
        c10d::TCPStoreOptions options;
        options.port = static_cast<std::uint16_t>(r.port);
        options.waitWorkers = false;
        options.timeout = milliseconds(r.joinTimeout);
        return c10::make_intrusive<c10d::PrefixStore>(
            "slipway/" + r.generation, c10::make_intrusive<c10d::TCPStore>(r.host, options));
    };
    return {open(), open()};
}

Result<Stores> ownStores(const std::shared_ptr<StoreMeeting> &meeting, std::chrono::milliseconds timeout)
{
    Stores stores;
    for (c10::intrusive_ptr<c10d::Store> *const store : {&stores.store, &stores.words}) {
        Result<std::unique_ptr<StoreClient>> client = meeting->connect();
        if (!client)
            return client.error();
        *store = c10::make_intrusive<RunStore>(meeting, std::move(*client), timeout);
    }
    return stores;
}

Error notMet(const Rendezvous &rendezvous, const std::string &why)
{
    return {.what = "not all " + std::to_string(rendezvous.world) + " ranks met within " +
                    std::to_string(static_cast<int>(rendezvous.joinTimeout)) + " s: " + why,
        .where = rendezvous.host + ":" + std::to_string(rendezvous.port),
        .accepted = "every rank started, and a network between them",
        .fault = Fault::Peer};
}

// For some of what it waits for LibTorch has no timeout: then its thread is left behind.
std::unique_ptr<Communicator> meet(const Rendezvous &rendezvous, std::function<Stores()> openStores)
{
    std::promise<std::unique_ptr<Communicator>> promise;
    std::future<std::unique_ptr<Communicator>> met = promise.get_future();
    std::thread([rendezvous, openStores = std::move(openStores), promise = std::move(promise)]() mutable {
        try {
            const auto [store, words] = openStores();
            auto heartbeats = std::make_shared<StoreHeartbeats>(
                words, rendezvous.rank, rendezvous.world); // before it meets the others, who ask for them
            try {
                promise.set_value(std::make_unique<GlooCommunicator>(
                    store, words, heartbeats, rendezvous.rank, rendezvous.world, rendezvous));
            } catch (const std::exception &exception) {
                const std::string absent = heartbeats->absent();
                throw std::runtime_error(absent.empty()
                                             ? "all came, but do not reach each other: " + firstLine(exception)
                                             : absent + " did not come");
            }
        } catch (...) {
            promise.set_exception(std::current_exception());
        }
    }).detach();
    if (met.wait_for(milliseconds(rendezvous.joinTimeout + deadline::kAnswer)) != std::future_status::ready)
        throw std::runtime_error("what answers there does not speak as a rank, or has stopped");
    return met.get();
}

Result<std::unique_ptr<Communicator>> metOrNot(
    const Rendezvous &rendezvous, Seconds timeLeft, std::function<Stores()> open)
{
    Rendezvous there = rendezvous;
    there.joinTimeout = std::max(timeLeft, 1.0);
    try {
        return meet(there, std::move(open));
    } catch (const std::exception &exception) {
        return notMet(rendezvous, firstLine(exception));
    }
}

Result<std::unique_ptr<Communicator>> joinHosted(const Rendezvous &rendezvous)
{
    const std::optional<Seconds> left = waitForHostedStore(rendezvous);
    if (!left)
        return notMet(rendezvous, "nothing listens there: the first rank has not started, or a firewall is between");
    return metOrNot(rendezvous, *left, [rendezvous] { return hostedStores(rendezvous); });
}

Result<std::unique_ptr<Communicator>> joinOwn(const Rendezvous &rendezvous)
{
    Result<std::unique_ptr<StoreMeeting>> opened = StoreMeeting::open(rendezvous);
    if (!opened)
        return opened.error();
    const std::shared_ptr<StoreMeeting> meeting = std::move(*opened);
    const Result<Stores> stores = ownStores(meeting, milliseconds(rendezvous.joinTimeout));
    if (!stores)
        return notMet(rendezvous, stores.error().what);
    Result<std::unique_ptr<Communicator>> met =
        metOrNot(rendezvous, meeting->timeLeft(), [stores = *stores] { return stores; });
    meeting->allAreThere();
    return met;
}

} // namespace

std::string glooMissing() { return {}; }

Result<std::unique_ptr<Communicator>> joinGloo(const Rendezvous &rendezvous)
{
    if (Result<void> possible = checkRendezvous(rendezvous); !possible)
        return possible.error();
    // A broken connection is told in our own words; who sets the variable wants LibTorch's too.
    ::setenv("TORCH_CPP_LOG_LEVEL", "FATAL", 0);
    c10::initLogging();
    return rendezvous.hosted ? joinHosted(rendezvous) : joinOwn(rendezvous);
}

} // namespace slipway
