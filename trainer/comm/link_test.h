// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Tests a communicator: whether its sums are right, then latency and bandwidth of collectives and of pairs of ranks.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "comm/communicator.h"

namespace slipway {

// Bandwidth is the bus bandwidth of nccl-tests, which does not depend on the number of ranks (NVIDIA/nccl-tests,
// doc/PERFORMANCE.md: all-reduce 2 (n-1)/n, all-gather and reduce-scatter (n-1)/n of the bytes).
struct CollectiveReading {
    std::string op;
    Bytes bytes = 0;     // size of the whole buffer of all ranks
    Seconds seconds = 0; // median
    double busBytesPerSecond = 0;
};

struct PairReading {
    int first = 0, second = 0;
    Seconds latency = 0; // one way, for 4 bytes
    double bytesPerSecond = 0;
};

struct LinkReadings {
    std::vector<std::string> hosts; // host name per rank
    std::vector<CollectiveReading> collectives;
    std::vector<PairReading> pairs; // all pairs up to kAllPairs ranks, else pairs of consecutive ranks
};

inline constexpr int kAllPairs = 8; // number of ranks

struct LinkTestOptions {
    Bytes largest = 64 * kMiB;
    int repeats = 5;
};

// All ranks call it. Their readings differ only by their clocks. Fault::Outside if a collective gives wrong values.
Result<LinkReadings> testLinks(Communicator &communicator, const LinkTestOptions &options = {});

// Memory of a rank's device. Calls throw std::runtime_error if the device fails.
class DeviceMemory {
public:
    virtual ~DeviceMemory() = default;
    virtual std::shared_ptr<float> make(std::size_t elements) = 0;
    virtual void write(float *to, std::span<const float> from) = 0;
    virtual void read(const float *from, std::span<float> to) = 0;
    [[nodiscard]] virtual void *stream() const = 0; // stream of all copies
    virtual void finish() = 0;                      // waits for the stream
};

// The same for collectives on device memory. The communicator must have an onDevice() group.
Result<std::vector<CollectiveReading>> testDeviceLinks(
    Communicator &communicator, DeviceMemory &memory, const LinkTestOptions &options = {});

} // namespace slipway
