// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/thread_group.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "comm/polling_thread.h"
#include "comm/rank_names.h"
#include "comm/thread_monitor.h"

namespace slipway {

namespace {

// The state of all ranks, shared by all groups.
struct Fate {
    explicit Fate(int ranks)
        : changed(static_cast<std::size_t>(ranks)),
          left(static_cast<std::size_t>(ranks)),
          watch(ranks, names)
    {
    }

    // The mutex must be locked.
    void throwIfFailed() const
    {
        if (failedRank >= 0)
            throw PeerFailed(names->of(failedRank) + " failed");
    }

    const std::shared_ptr<RankNames> names = std::make_shared<RankNames>();
    std::mutex mutex;
    // One for each rank, so that an event wakes only the ranks that wait for it.
    std::vector<std::condition_variable> changed;
    int failedRank = -1;
    std::vector<bool> left; // ranks that have returned from their work
    std::exception_ptr cause;
    ThreadMonitor watch;
};

// A barrier that a failure breaks, and the memory that each rank shows the others between two barriers.
struct GroupState {
    GroupState(std::shared_ptr<Fate> fateIn, std::vector<int> membersIn)
        : fate(std::move(fateIn)),
          members(std::move(membersIn)),
          sums(members.size()),
          bytes(members.size()),
          parts(members.size()),
          colors(members.size()),
          awaited(members.size(), -1),
          mailboxes(members.size() * members.size())
    {
    }

    [[nodiscard]] int size() const { return static_cast<int>(members.size()); }
    // The global rank of a member that has ended; -1: none.
    [[nodiscard]] int leftRank() const
    {
        const auto gone = std::find_if(
            members.begin(), members.end(), [this](int rank) { return fate->left[static_cast<std::size_t>(rank)]; });
        return gone == members.end() ? -1 : *gone;
    }

    // `place`: the number of the calling rank among the members.
    void wait(int place, bool opens = false)
    {
        std::unique_lock lock(fate->mutex);
        const std::uint64_t mine = round;
        waits(place, true);
        if (++arrived == size()) {
            arrived = 0;
            ++round;
            looking = opens ? size() : 0;
            release(lock, place);
            return;
        }
        changedFor(place).wait(lock, [&] { return round != mine || fate->failedRank >= 0 || leftRank() >= 0; });
        waits(place, false);
        // A completed round counts, even if a rank failed immediately after it.
        if (round != mine)
            return;
        --arrived; // ranks that arrive later must not count this one
        fate->throwIfFailed();
        throw std::logic_error(fate->names->of(leftRank()) + " ended while others wait for it");
    }

    void post(int place, std::span<const std::byte> data, int to)
    {
        Message message(data.begin(), data.end());
        {
            const std::lock_guard lock(fate->mutex);
            mailbox(place, to).push_back(std::move(message));
            if (awaited[static_cast<std::size_t>(to)] != place)
                return;
            waits(to, false); // as in release()
        }
        changedFor(to).notify_all();
    }

    // A message that has arrived counts, even if a rank has failed since.
    std::vector<std::byte> take(int place, int from)
    {
        std::unique_lock lock(fate->mutex);
        std::deque<Message> &box = mailbox(from, place);
        const auto left = [&] { return fate->left[static_cast<std::size_t>(worldRank(from))]; };
        if (box.empty()) {
            awaited[static_cast<std::size_t>(place)] = from;
            waits(place, true);
            changedFor(place).wait(lock, [&] { return !box.empty() || fate->failedRank >= 0 || left(); });
            waits(place, false);
            awaited[static_cast<std::size_t>(place)] = -1;
        }
        if (box.empty()) {
            fate->throwIfFailed();
            throw PeerFailed(fate->names->of(worldRank(from)) + " ended without the message that " +
                             fate->names->of(worldRank(place)) + " waits for");
        }
        Message message = std::move(box.front());
        box.pop_front();
        return message;
    }

    // No rank returns, even after a failure, while another rank may read its memory.
    void close(int place)
    {
        std::unique_lock lock(fate->mutex);
        const std::uint64_t mine = round;
        waits(place, true);
        if (--looking == 0) {
            release(lock, place);
            return;
        }
        changedFor(place).wait(lock, [&] { return looking == 0 || round != mine; });
        waits(place, false);
    }

    [[nodiscard]] int worldRank(int place) const { return members[static_cast<std::size_t>(place)]; }
    void waits(int place, bool forOthers) const { fate->watch.reportWait(worldRank(place), forOthers); }
    // From now on no member counts as waiting, however long it takes until its thread continues. A thread that wakes
    // needs the mutex, so it is unlocked first. `last`: the place of the calling rank.
    void release(std::unique_lock<std::mutex> &lock, int last) const
    {
        for (int place = 0; place < size(); ++place)
            waits(place, false);
        lock.unlock();
        for (int place = 0; place < size(); ++place) {
            if (place != last)
                changedFor(place).notify_all();
        }
    }
    [[nodiscard]] std::condition_variable &changedFor(int place) const
    {
        return fate->changed[static_cast<std::size_t>(worldRank(place))];
    }

    using Message = std::vector<std::byte>;
    [[nodiscard]] std::deque<Message> &mailbox(int from, int to)
    {
        return mailboxes[static_cast<std::size_t>(from) * members.size() + static_cast<std::size_t>(to)];
    }
    // The data that a rank has for each other rank.
    struct Parts {
        std::span<const std::byte> bytes;
        std::span<const std::size_t> offsets;

        [[nodiscard]] std::span<const std::byte> forRank(int rank) const
        {
            const std::size_t begin = offsets[static_cast<std::size_t>(rank)];
            return bytes.subspan(begin, offsets[static_cast<std::size_t>(rank) + 1] - begin);
        }
    };

    std::shared_ptr<Fate> fate;
    std::vector<int> members; // global ranks
    std::vector<std::span<float>> sums;
    std::vector<std::span<const std::byte>> bytes;
    std::vector<Parts> parts;
    std::map<int, std::pair<std::size_t, std::shared_ptr<GroupState>>>
        groups;                                 // of a split in progress: members so far and their group, by color
    std::vector<int> colors;                    // the color of each rank
    std::vector<int> awaited;                   // the rank whose message each rank waits for; -1: none
    std::vector<std::deque<Message>> mailboxes; // messages that were sent and not yet received
    int arrived = 0;
    int looking = 0; // ranks that may still read the memory of others
    std::uint64_t round = 0;
};

// From the time when all ranks show their memory until no rank reads it any more.
class ExposureEpoch {
public:
    // `check` is called when all ranks show their memory; it may throw.
    template<typename Check>
    ExposureEpoch(GroupState &state, int place, const Check &check) : m_state(state),
                                                                      m_place(place)
    {
        m_state.wait(m_place, true);
        try {
            check();
        } catch (...) {
            m_state.close(m_place);
            throw;
        }
    }
    ~ExposureEpoch() { m_state.close(m_place); }
    ExposureEpoch(const ExposureEpoch &) = delete;
    ExposureEpoch &operator=(const ExposureEpoch &) = delete;

private:
    GroupState &m_state;
    int m_place;
};

void requireEqual(std::size_t a, std::size_t b, const char *what)
{
    if (a != b)
        throw std::logic_error(std::string("ranks ") + what + " buffers of different sizes");
}

class ThreadCommunicator final : public Communicator {
public:
    ThreadCommunicator(std::shared_ptr<GroupState> state, int rank, int inMachine)
        : m_state(std::move(state)),
          m_rank(rank),
          m_inMachine(inMachine)
    {
    }

    [[nodiscard]] int rank() const override { return m_rank; }
    [[nodiscard]] int size() const override { return m_state->size(); }
    [[nodiscard]] int localSize() const override { return m_inMachine; }
    [[nodiscard]] int ranksInProcess() const override { return m_inMachine; }

    void allReduceSum(std::span<float> data) override { allReduce(data, std::plus<>()); }
    void allReduceMax(std::span<float> data) override
    {
        allReduce(data, [](float a, float b) { return std::max(a, b); });
    }

    // A rank writes only its own shard, which no other rank reads.
    void reduceScatterSum(std::span<float> all, std::span<float> own) override
    {
        requireEqual(all.size(), own.size() * m_state->sums.size(), "reduce and scatter");
        const ExposureEpoch showing = show(all, "reduce and scatter");
        const std::size_t begin = own.size() * static_cast<std::size_t>(m_rank);
        reduceSlice(begin, begin + own.size(), std::plus<>(), [begin, own](std::size_t at, std::span<const float> sum) {
            std::copy(sum.begin(), sum.end(), own.data() + (at - begin));
        });
    }

    void allGather(std::span<const std::byte> own, std::span<std::byte> all) override
    {
        requireEqual(all.size(), own.size() * m_state->bytes.size(), "gather");
        const ExposureEpoch showing = show(own, "gather");
        for (std::size_t rank = 0; rank < m_state->bytes.size(); ++rank) {
            // Its own part may lie in place already, where the others read it now.
            std::byte *const place = all.data() + rank * own.size();
            if (const std::byte *const part = m_state->bytes[rank].data(); part != place)
                std::memcpy(place, part, own.size());
        }
    }

    void broadcast(std::span<std::byte> data, int root) override
    {
        const ExposureEpoch showing = show(std::span<const std::byte>(data), "broadcast");
        if (m_rank != root)
            std::memcpy(data.data(), m_state->bytes[static_cast<std::size_t>(root)].data(), data.size());
    }

    void barrier() override { m_state->wait(m_rank); }

    void allToAll(std::span<const std::byte> sent, std::span<const std::size_t> sentSizes,
        std::span<std::byte> received, std::span<const std::size_t> receivedSizes) override
    {
        const std::vector<std::size_t> offsets = partOffsets(sentSizes, size(), "sent", sent.size()),
                                       places = partOffsets(receivedSizes, size(), "received", received.size());
        m_state->parts[static_cast<std::size_t>(m_rank)] = {.bytes = sent, .offsets = offsets};
        const auto partOf = [this](int rank) { return m_state->parts[static_cast<std::size_t>(rank)].forRank(m_rank); };
        const ExposureEpoch showing(*m_state, m_rank, [&] {
            for (int rank = 0; rank < size(); ++rank)
                requireSameSize(m_state->worldRank(rank), partOf(rank).size(), m_state->worldRank(m_rank),
                    receivedSizes[static_cast<std::size_t>(rank)]);
        });
        for (int rank = 0; rank < size(); ++rank)
            std::copy_n(partOf(rank).begin(), partOf(rank).size(),
                received.begin() + static_cast<std::ptrdiff_t>(places[static_cast<std::size_t>(rank)]));
    }

    void send(std::span<const std::byte> data, int to) override
    {
        requirePeer("send to", m_rank, to, size());
        m_state->post(m_rank, data, to);
    }

    void receive(std::span<std::byte> data, int from) override
    {
        requirePeer("receive from", m_rank, from, size());
        const std::vector<std::byte> message = m_state->take(m_rank, from);
        requireSameSize(m_state->worldRank(from), message.size(), m_state->worldRank(m_rank), data.size());
        std::copy(message.begin(), message.end(), data.begin());
    }

    void nameRanks(std::function<std::string(int)> placeOf) override { m_state->fate->names->set(std::move(placeOf)); }
    [[nodiscard]] std::string nameOf(int rank) const override { return m_state->fate->names->of(rank); }

    void reportProgress(const char *doing) override
    {
        m_state->fate->watch.reportProgress(m_state->worldRank(m_rank), doing);
    }
    void reportLoading(const char *doing) override
    {
        m_state->fate->watch.reportLoading(m_state->worldRank(m_rank), doing);
    }
    void reportDeviceWait() override { m_state->fate->watch.reportDeviceWait(m_state->worldRank(m_rank)); }

    std::unique_ptr<Communicator> split(int color) override
    {
        m_state->colors[static_cast<std::size_t>(m_rank)] = color;
        const ExposureEpoch showing(*m_state, m_rank, [] {});
        const std::vector<int> &colors = m_state->colors;
        const auto place = static_cast<int>(std::count(colors.begin(), colors.begin() + m_rank, color));
        std::vector<int> members;
        for (std::size_t rank = 0; rank < colors.size(); ++rank) {
            if (colors[rank] == color)
                members.push_back(m_state->members[rank]);
        }
        const std::size_t size = members.size();
        std::shared_ptr<GroupState> group;
        {
            const std::lock_guard lock(m_state->fate->mutex);
            auto &[joined, shared] = m_state->groups[color];
            if (!shared)
                shared = std::make_shared<GroupState>(m_state->fate, std::move(members));
            group = shared;
            if (++joined == size)
                m_state->groups.erase(color);
        }
        return std::make_unique<ThreadCommunicator>(std::move(group), place, m_inMachine);
    }

private:
    ExposureEpoch show(std::span<float> data, const char *what) { return show(m_state->sums, data, what); }
    ExposureEpoch show(std::span<const std::byte> data, const char *what) { return show(m_state->bytes, data, what); }

    template<typename Span>
    ExposureEpoch show(std::vector<Span> &shown, Span mine, const char *what)
    {
        shown[static_cast<std::size_t>(m_rank)] = mine;
        return ExposureEpoch(*m_state, m_rank, [&shown, mine, what] {
            for (const Span other : shown)
                requireEqual(other.size(), mine.size(), what);
        });
    }

    // Each rank reduces its slice over all ranks, in rank order, and writes the result to all of them.
    template<typename Combine>
    void allReduce(std::span<float> data, const Combine &combine)
    {
        const ExposureEpoch showing = show(data, "reduce");
        const std::size_t ranks = m_state->sums.size();
        const std::size_t share = (data.size() + ranks - 1) / ranks;
        const std::size_t begin = std::min(data.size(), share * static_cast<std::size_t>(m_rank));
        reduceSlice(begin, std::min(data.size(), begin + share), combine,
            [this](std::size_t at, std::span<const float> reduced) {
                for (const std::span<float> rank : m_state->sums)
                    std::copy(reduced.begin(), reduced.end(), rank.data() + at);
            });
    }

    // Processes blocks, so that the data being reduced stays in the cache.
    template<typename Combine, typename Take>
    void reduceSlice(std::size_t begin, std::size_t end, const Combine &combine, const Take &take)
    {
        std::array<float, 4096> reduced;
        for (std::size_t at = begin; at < end; at += reduced.size()) {
            const std::size_t count = std::min(reduced.size(), end - at);
            std::copy_n(m_state->sums.front().data() + at, count, reduced.begin());
            for (std::size_t rank = 1; rank < m_state->sums.size(); ++rank) {
                const float *const other = m_state->sums[rank].data() + at;
                for (std::size_t i = 0; i < count; ++i)
                    reduced[i] = combine(reduced[i], other[i]);
            }
            take(at, std::span<const float>(reduced.data(), count));
        }
    }

    std::shared_ptr<GroupState> m_state;
    int m_rank, m_inMachine;
};

} // namespace

ThreadGroup::ThreadGroup(int ranks, std::optional<Hanging> hanging) : m_size(ranks), m_hanging(std::move(hanging)) {}

void ThreadGroup::watch(PollingThread &polling, ThreadMonitor &ranks) const
{
    const auto endFor = [this](const std::string &cause) {
        if (!cause.empty())
            m_hanging->end(cause);
        return cause.empty();
    };
    if (m_size > 1)
        return polling.start(
            m_hanging->timeout / (ThreadMonitor::kPatience + 1), [&ranks, endFor] { return endFor(ranks.check()); });
    polling.start(
        m_hanging->silence / (StallDetector::kPatience + 1), [&ranks, endFor, alone = StallDetector()]() mutable {
            const ThreadMonitor::Status rank = ranks.statusOf(0);
            ProcessActivity signs = processActivity();
            signs.steps = rank.steps;
            signs.reportDeviceWait = rank.reportDeviceWait;
            return endFor(alone.check(signs) ? std::string("this rank hangs, while ") + rank.doing +
                                                   ": it has neither computed, read nor written"
                                             : std::string());
        });
}

void ThreadGroup::run(const std::function<void(Communicator &)> &work)
{
    const auto fate = std::make_shared<Fate>(m_size);
    std::vector<int> everyone(static_cast<std::size_t>(m_size));
    std::iota(everyone.begin(), everyone.end(), 0);
    const auto state = std::make_shared<GroupState>(fate, everyone);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < m_size; ++rank) {
        threads.emplace_back([&, rank] {
            fate->watch.begins(rank);
            ThreadCommunicator communicator(state, rank, m_size);
            std::exception_ptr failure;
            try {
                work(communicator);
            } catch (...) {
                failure = std::current_exception();
            }
            fate->watch.reportWait(rank, true); // waits until the others end
            const std::lock_guard lock(fate->mutex);
            if (!failure) {
                fate->left[static_cast<std::size_t>(rank)] = true;
            } else if (fate->failedRank < 0) {
                fate->failedRank = rank;
                fate->cause = failure;
            }
            for (std::condition_variable &changed : fate->changed)
                changed.notify_all();
        });
    }
    PollingThread polling;
    if (m_hanging)
        watch(polling, fate->watch);
    for (std::thread &thread : threads)
        thread.join();
    if (fate->cause)
        std::rethrow_exception(fate->cause);
}

} // namespace slipway
