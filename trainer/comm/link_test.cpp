// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/link_test.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <span>
#include <unistd.h>

namespace slipway {

namespace {

constexpr int kSmallRepeats = 50;
constexpr Bytes kSmall = sizeof(float);

template<typename Work>
Seconds medianTime(Communicator &communicator, int repeats, const Work &work)
{
    std::vector<Seconds> times;
    for (int i = 0; i <= repeats; ++i) {
        communicator.barrier();
        const auto start = std::chrono::steady_clock::now();
        work();
        if (i > 0) // the first run opens connections and touches memory, and is not timed
            times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    std::nth_element(times.begin(), times.begin() + std::ssize(times) / 2, times.end());
    return times[times.size() / 2];
}

std::vector<std::string> hostsOf(Communicator &communicator)
{
    constexpr std::size_t kLength = 64;
    std::array<char, kLength> own{};
    ::gethostname(own.data(), own.size() - 1);
    std::vector<char> all(kLength * static_cast<std::size_t>(communicator.size()));
    communicator.allGather(std::as_bytes(std::span(own)), std::as_writable_bytes(std::span(all)));
    std::vector<std::string> hosts;
    for (int rank = 0; rank < communicator.size(); ++rank)
        hosts.emplace_back(all.data() + kLength * static_cast<std::size_t>(rank));
    return hosts;
}

// Where the data of a test is, and which collectives are used: on the host or on a device.
class HostGround {
public:
    using Data = std::vector<float>;
    explicit HostGround(Communicator &communicator) : m_communicator(communicator) {}
    static Data make(std::size_t elements) { return Data(elements); }
    static void fill(Data &data, float value) { std::fill(data.begin(), data.end(), value); }
    static std::span<const float> valuesOf(const Data &data) { return data; }
    void allReduce(Data &data) { m_communicator.allReduceSum(data); }
    void reduceScatter(Data &all, Data &own) { m_communicator.reduceScatterSum(all, own); }
    void allGather(const Data &own, Data &all)
    {
        m_communicator.allGather(std::as_bytes(std::span(own)), std::as_writable_bytes(std::span(all)));
    }

private:
    Communicator &m_communicator;
};

class DeviceGround {
public:
    struct Data {
        std::shared_ptr<float> at;
        std::size_t size = 0;
    };
    DeviceGround(DeviceGroup &group, DeviceMemory &memory) : m_group(group), m_memory(memory) {}
    Data make(std::size_t elements) { return {m_memory.make(elements), elements}; }
    void fill(Data &data, float value) { m_memory.write(data.at.get(), std::vector<float>(data.size, value)); }
    std::vector<float> valuesOf(const Data &data)
    {
        std::vector<float> values(data.size);
        m_memory.read(data.at.get(), values);
        return values;
    }
    void allReduce(Data &data)
    {
        finished([&] { m_group.allReduceSum(data.at.get(), data.size, m_memory.stream()); });
    }
    void reduceScatter(Data &all, Data &own)
    {
        finished([&] { m_group.reduceScatterSum(all.at.get(), own.at.get(), own.size, m_memory.stream()); });
    }
    void allGather(const Data &own, Data &all)
    {
        const std::size_t bytes = own.size * sizeof(float);
        finished([&] {
            m_group.allGather(reinterpret_cast<const std::byte *>(own.at.get()),
                reinterpret_cast<std::byte *>(all.at.get()), bytes, m_memory.stream());
        });
    }

private:
    template<typename Work>
    void finished(const Work &work)
    {
        work();
        m_memory.finish();
        m_group.check();
    }
    DeviceGroup &m_group;
    DeviceMemory &m_memory;
};

// Each rank r contributes r + 1 in all elements, so that the sum and each shard are known.
template<typename Ground>
Result<void> checkValues(Communicator &communicator, Ground ground)
{
    const auto ranks = static_cast<std::size_t>(communicator.size());
    constexpr std::size_t kPart = 1000;
    const auto own = static_cast<float>(communicator.rank() + 1), sum = static_cast<float>(ranks * (ranks + 1)) / 2;
    const auto wrong = [](const char *op) {
        return Error{
            .what = std::string(op) + " gave wrong values", .where = "the communicator", .fault = Fault::Outside};
    };
    const auto all = [](std::span<const float> values, float value) {
        return std::all_of(values.begin(), values.end(), [value](float v) { return v == value; });
    };
    auto values = ground.make(ranks * kPart), part = ground.make(kPart);
    ground.fill(values, own);
    ground.allReduce(values);
    if (!all(ground.valuesOf(values), sum))
        return wrong("all-reduce");
    ground.fill(values, own);
    ground.reduceScatter(values, part);
    if (!all(ground.valuesOf(part), sum))
        return wrong("reduce-scatter");
    ground.fill(part, own);
    ground.allGather(part, values);
    const auto gathered = ground.valuesOf(values);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        if (!all(std::span(gathered).subspan(rank * kPart, kPart), static_cast<float>(rank + 1)))
            return wrong("all-gather");
    }
    return {};
}

template<typename Ground>
std::vector<CollectiveReading> timeCollectives(
    Communicator &communicator, Ground ground, const LinkTestOptions &options)
{
    std::vector<CollectiveReading> readings;
    const auto ranks = static_cast<std::size_t>(communicator.size());
    const double others = static_cast<double>(ranks - 1) / static_cast<double>(ranks);
    for (const Bytes wanted : {kSmall, kMiB, options.largest}) {
        const std::size_t part = std::max<std::size_t>(1, static_cast<std::size_t>(wanted) / sizeof(float) / ranks);
        auto all = ground.make(part * ranks), own = ground.make(part);
        ground.fill(all, 1.0f);
        ground.fill(own, 1.0f);
        const Bytes bytes = static_cast<Bytes>(part * ranks * sizeof(float));
        const auto read = [&](const char *op, double factor, const auto &work) {
            const Seconds seconds = medianTime(communicator, wanted == kSmall ? kSmallRepeats : options.repeats, work);
            readings.push_back({.op = op,
                .bytes = bytes,
                .seconds = seconds,
                .busBytesPerSecond = factor * static_cast<double>(bytes) / seconds});
        };
        read("all_reduce", 2 * others, [&] { ground.allReduce(all); });
        ground.fill(all, 1.0f); // repeated sums would exceed the range of fp32
        read("reduce_scatter", others, [&] { ground.reduceScatter(all, own); });
        read("all_gather", others, [&] { ground.allGather(own, all); });
    }
    return readings;
}

// A round trip: two broadcasts between the two ranks, one in each direction.
Seconds thereAndBack(Communicator &pair, int repeats, std::span<std::byte> data)
{
    return medianTime(pair, repeats, [&] {
        pair.broadcast(data, 0);
        pair.broadcast(data, 1);
    });
}

PairReading readPair(Communicator &communicator, int first, int second, const LinkTestOptions &options)
{
    const int rank = communicator.rank();
    const bool member = rank == first || rank == second;
    const std::unique_ptr<Communicator> pair = communicator.split(member ? 0 : 1 + rank);
    std::array<double, 2> reading{};
    if (member) {
        std::vector<std::byte> data(static_cast<std::size_t>(options.largest));
        reading[0] = thereAndBack(*pair, kSmallRepeats, std::span(data).first(kSmall)) / 2;
        reading[1] = 2 * static_cast<double>(options.largest) / thereAndBack(*pair, options.repeats, data);
    }
    communicator.broadcast(std::as_writable_bytes(std::span(reading)), first);
    return {.first = first, .second = second, .latency = reading[0], .bytesPerSecond = reading[1]};
}

} // namespace

Result<LinkReadings> testLinks(Communicator &communicator, const LinkTestOptions &options)
{
    LinkReadings readings{.hosts = hostsOf(communicator)};
    if (const Result<void> right = checkValues(communicator, HostGround(communicator)); !right)
        return right.error();
    readings.collectives = timeCollectives(communicator, HostGround(communicator), options);
    for (int first = 0; first < communicator.size(); ++first) {
        for (int second = first + 1; second < communicator.size(); ++second) {
            if (communicator.size() <= kAllPairs || second == first + 1)
                readings.pairs.push_back(readPair(communicator, first, second, options));
        }
    }
    return readings;
}

Result<std::vector<CollectiveReading>> testDeviceLinks(
    Communicator &communicator, DeviceMemory &memory, const LinkTestOptions &options)
{
    const DeviceGround ground(*communicator.onDevice(), memory);
    if (const Result<void> right = checkValues(communicator, ground); !right)
        return right.error();
    return timeCollectives(communicator, ground, options);
}

} // namespace slipway
