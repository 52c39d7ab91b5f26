// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a communicator reaches between its ranks: right sums, then latency and bandwidth of collectives and of pairs.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "comm/communicator.h"

namespace slipway {

// Bandwidth as NCCL's tests count it for the bus: what each link carries, whatever the number of ranks.
// (NVIDIA/nccl-tests, doc/PERFORMANCE.md: all-reduce 2 (n-1)/n, gather and scatter (n-1)/n of the bytes.)
struct CollectiveReading {
    std::string op;
    Bytes bytes = 0;     // of the whole buffer
    Seconds seconds = 0; // median
    double busBytesPerSecond = 0;
};

struct PairReading {
    int first = 0, second = 0;
    Seconds latency = 0; // one way, of 4 bytes
    double bytesPerSecond = 0;
};

struct LinkReadings {
    std::vector<std::string> hosts; // of each rank
    std::vector<CollectiveReading> collectives;
    std::vector<PairReading> pairs; // all of them up to kAllPairs ranks, else neighbours
};

inline constexpr int kAllPairs = 8; // ranks

struct LinkTestOptions {
    Bytes largest = 64 * kMiB;
    int repeats = 5;
};

// Every rank calls it and gets the same readings but for its own clock. Fault::Outside where a collective gives wrong
// values.
Result<LinkReadings> testLinks(Communicator &communicator, const LinkTestOptions &options = {});

// Memory of a rank's device. Calls throw std::runtime_error where the device fails.
class DeviceMemory {
public:
    virtual ~DeviceMemory() = default;
    virtual std::shared_ptr<float> make(std::size_t elements) = 0;
    virtual void write(float *to, std::span<const float> from) = 0;
    virtual void read(const float *from, std::span<float> to) = 0;
    [[nodiscard]] virtual void *stream() const = 0; // of all that is done with it
    virtual void finish() = 0;                      // waits for that
};

// The same of the device's own collectives, of which the communicator has some (onDevice).
Result<std::vector<CollectiveReading>> testDeviceLinks(
    Communicator &communicator, DeviceMemory &memory, const LinkTestOptions &options = {});

} // namespace slipway
