// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/link_test.h"

#include <algorithm>
#include <array>
#include <chrono>
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
        if (i > 0) // the first opens connections and touches memory
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

// Rank r gives r + 1 everywhere: the sum is known, and so is each part.
Result<void> checkValues(Communicator &communicator)
{
    const auto ranks = static_cast<std::size_t>(communicator.size());
    constexpr std::size_t kPart = 1000;
    const auto own = static_cast<float>(communicator.rank() + 1), sum = static_cast<float>(ranks * (ranks + 1) / 2);
    const auto wrong = [](const char *op) { return Error{.what = std::string(op) + " gave wrong values", .where = "the communicator", .fault = Fault::Outside}; };
    const auto all = [](std::span<const float> values, float value) { return std::all_of(values.begin(), values.end(), [value](float v) { return v == value; }); };
    std::vector<float> values(ranks * kPart, own), part(kPart, own);
    communicator.allReduceSum(values);
    if (!all(values, sum))
        return wrong("all-reduce");
    std::fill(values.begin(), values.end(), own);
    communicator.reduceScatterSum(values, part);
    if (!all(part, sum))
        return wrong("reduce-scatter");
    std::fill(part.begin(), part.end(), own);
    communicator.allGather(std::as_bytes(std::span(part)), std::as_writable_bytes(std::span(values)));
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        if (!all(std::span(values).subspan(rank * kPart, kPart), static_cast<float>(rank + 1)))
            return wrong("all-gather");
    }
    return {};
}

void timeCollectives(Communicator &communicator, const LinkTestOptions &options, std::vector<CollectiveReading> &readings)
{
    const auto ranks = static_cast<std::size_t>(communicator.size());
    const double others = static_cast<double>(ranks - 1) / static_cast<double>(ranks);
    for (const Bytes wanted : {kSmall, kMiB, options.largest}) {
        const std::size_t part = std::max<std::size_t>(1, static_cast<std::size_t>(wanted) / sizeof(float) / ranks);
        std::vector<float> all(part * ranks, 1.0f), own(part, 1.0f);
        const Bytes bytes = static_cast<Bytes>(all.size() * sizeof(float));
        const auto read = [&](const char *op, double factor, const auto &work) {
            const Seconds seconds = medianTime(communicator, wanted == kSmall ? kSmallRepeats : options.repeats, work);
            readings.push_back({.op = op, .bytes = bytes, .seconds = seconds, .busBytesPerSecond = factor * static_cast<double>(bytes) / seconds});
        };
        read("all_reduce", 2 * others, [&] { communicator.allReduceSum(all); });
        std::fill(all.begin(), all.end(), 1.0f); // sums of sums leave fp32's range
        read("reduce_scatter", others, [&] { communicator.reduceScatterSum(all, own); });
        read("all_gather", others, [&] { communicator.allGather(std::as_bytes(std::span(own)), std::as_writable_bytes(std::span(all))); });
    }
}

// There and back, each way a broadcast among the two.
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
    if (Result<void> right = checkValues(communicator); !right)
        return right.error();
    timeCollectives(communicator, options, readings.collectives);
    for (int first = 0; first < communicator.size(); ++first) {
        for (int second = first + 1; second < communicator.size(); ++second) {
            if (communicator.size() <= kAllPairs || second == first + 1)
                readings.pairs.push_back(readPair(communicator, first, second, options));
        }
    }
    return readings;
}

} // namespace slipway
