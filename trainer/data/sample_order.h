// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The order of samples: a pure function of the seed and the sample's number in the run. So a resume needs only one
// integer, and any number of ranks processes the same samples in the same step.
#pragma once

#include <cstdint>
#include <vector>

namespace slipway {

// A pseudorandom permutation of 0 .. size - 1 without memory: a Feistel network over the next power of four with cycle
// walking (Black and Rogaway 2002, "Ciphers with arbitrary finite domains").
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
    std::uint64_t epoch = 0;  // number of the epoch of the source
    std::uint64_t window = 0; // number of the window in the source
    bool operator==(const SampleId &) const = default;
};

// Windows start every seqLen tokens. Each source yields each window once per epoch, in a different order in each epoch.
// With several sources, each block of kMixBlock samples has a number of samples per source in proportion to the
// weights, rounded and at least one.
class SampleOrder {
public:
    static constexpr std::uint64_t kMixBlock = 4096;

    struct Source {
        std::uint64_t windows = 0; // at least 1
        double weight = 1.0;       // above 0
    };

    SampleOrder(std::vector<Source> sources, std::uint64_t seed);
    // `number`: number of the sample, counted over all ranks since the first step of the run.
    [[nodiscard]] SampleId operator()(std::uint64_t number) const;

private:
    std::vector<Source> m_sources;
    std::vector<std::uint64_t> m_shares; // samples per source and block; the sum is kMixBlock
    std::uint64_t m_seed;
};

} // namespace slipway
