// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Which sample comes when: a pure function of the seed and the sample's number in the run, so that a resume needs one
// integer and any number of ranks sees the same samples in the same step.
#pragma once

#include <cstdint>
#include <vector>

namespace slipway {

// A shuffle of 0 .. size-1 that needs no memory: a Feistel network over the next power of four, walked until it lands
// inside (Black and Rogaway 2002, "Ciphers with arbitrary finite domains").
class Permutation {
public:
    Permutation(std::uint64_t size, std::uint64_t key);
    [[nodiscard]] std::uint64_t operator()(std::uint64_t index) const;

private:
    std::uint64_t m_size, m_key;
    int m_halfBits;
};

// A sample of one source.
struct SampleId {
    std::size_t source = 0;
    std::uint64_t epoch = 0;  // of that source
    std::uint64_t window = 0; // in that source
    bool operator==(const SampleId &) const = default;
};

// Windows are seqLen tokens apart. Each source gives every window once an epoch, in an order of its own each epoch.
// With several sources each block of kMixBlock samples holds each source's share, to the nearest sample and at least
// one.
class SampleOrder {
public:
    static constexpr std::uint64_t kMixBlock = 4096;

    struct Source {
        std::uint64_t windows = 0; // at least 1
        double weight = 1.0;       // above 0
    };

    SampleOrder(std::vector<Source> sources, std::uint64_t seed);
    // `number` counts the samples of all ranks since the run's first step.
    [[nodiscard]] SampleId operator()(std::uint64_t number) const;

private:
    std::vector<Source> m_sources;
    std::vector<std::uint64_t> m_shares; // of a block, sums to kMixBlock
    std::uint64_t m_seed;
};

} // namespace slipway
