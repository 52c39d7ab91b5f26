// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What ranks say to each other. Every rank calls the same operations in the same order; each call returns when this
// rank's data is ready. Host memory, fp32.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

namespace slipway {

// Thrown out of a collective on the ranks that wait for one that failed (exit status 4).
class PeerFailed : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class Communicator {
public:
    virtual ~Communicator() = default;

    [[nodiscard]] virtual int rank() const = 0;
    [[nodiscard]] virtual int size() const = 0;
    // Ranks that share this process, and so its cores.
    [[nodiscard]] virtual int ranksInProcess() const { return 1; }

    // Sums element by element over the ranks, in place. Every rank gets the same bits.
    virtual void allReduceSum(std::span<float> data) = 0;
    // Replaces `data` by the root's.
    virtual void broadcast(std::span<std::byte> data, int root) = 0;
    virtual void barrier() = 0;
};

// One rank: nothing to do.
class SingleCommunicator final : public Communicator {
public:
    [[nodiscard]] int rank() const override { return 0; }
    [[nodiscard]] int size() const override { return 1; }
    void allReduceSum(std::span<float>) override {}
    void broadcast(std::span<std::byte>, int) override {}
    void barrier() override {}
};

} // namespace slipway
