// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "data/sample_order.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/split_mix.h"

namespace slipway {

namespace {

constexpr int kRounds = 6;

// One step of SplitMix64.
constexpr std::uint64_t mix(std::uint64_t x) { return splitMix64(x + 0x9e3779b97f4a7c15U); }

constexpr std::uint64_t keyOf(std::uint64_t seed, std::uint64_t source, std::uint64_t epoch)
{
    return mix(mix(mix(seed) ^ source) ^ epoch);
}

// Used in place of a source number as the key of the mix of sources.
constexpr std::uint64_t kMixing = ~std::uint64_t{0};

// Rounds by the largest-remainder method, but gives each source at least one sample, so that every source is used.
std::vector<std::uint64_t> sharesOf(const std::vector<SampleOrder::Source> &sources, std::uint64_t total)
{
    double sum = 0;
    for (const SampleOrder::Source &source : sources)
        sum += source.weight;
    std::vector<std::uint64_t> shares;
    std::uint64_t given = 0;
    for (const SampleOrder::Source &source : sources) {
        const double exact = static_cast<double>(total) * source.weight / sum;
        shares.push_back(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(exact)));
        given += shares.back();
    }
    while (given < total) {
        std::size_t neediest = 0;
        double most = -1e300;
        for (std::size_t i = 0; i < sources.size(); ++i) {
            const double missing =
                static_cast<double>(total) * sources[i].weight / sum - static_cast<double>(shares[i]);
            if (missing > most) {
                most = missing;
                neediest = i;
            }
        }
        ++shares[neediest];
        ++given;
    }
    while (given > total) {
        --*std::max_element(shares.begin(), shares.end());
        --given;
    }
    return shares;
}

} // namespace

Permutation::Permutation(std::uint64_t size, std::uint64_t key)
    : m_size(size),
      m_key(key),
      m_halfBits((std::bit_width(size - 1) + 1) / 2)
{
}

std::uint64_t Permutation::operator()(std::uint64_t index) const
{
    const std::uint64_t mask = (std::uint64_t{1} << m_halfBits) - 1;
    std::uint64_t value = index;
    do {
        std::uint64_t left = value >> m_halfBits;
        std::uint64_t right = value & mask;
        for (std::uint64_t round = 0; round < kRounds; ++round) {
            const std::uint64_t next = left ^ (mix(m_key ^ (right << 8U) ^ round) & mask);
            left = right;
            right = next;
        }
        value = (left << m_halfBits) | right;
    } while (value >= m_size);
    return value;
}

SampleOrder::SampleOrder(std::vector<Source> sources, std::uint64_t seed) : m_sources(std::move(sources)), m_seed(seed)
{
    if (m_sources.empty() || m_sources.size() > kMixBlock)
        throw std::logic_error("a sample order needs between 1 and " + std::to_string(kMixBlock) + " sources");
    m_shares = sharesOf(m_sources, kMixBlock);
}

SampleId SampleOrder::operator()(std::uint64_t number) const
{
    std::size_t source = 0;
    std::uint64_t drawn = number; // number of earlier samples of this source
    if (m_sources.size() > 1) {
        const std::uint64_t block = number / kMixBlock;
        std::uint64_t place = Permutation(kMixBlock, keyOf(m_seed, kMixing, block))(number % kMixBlock);
        while (place >= m_shares[source])
            place -= m_shares[source++];
        drawn = block * m_shares[source] + place;
    }
    const std::uint64_t windows = m_sources[source].windows;
    const std::uint64_t epoch = drawn / windows;
    return {.source = source,
        .epoch = epoch,
        .window = Permutation(windows, keyOf(m_seed, source, epoch))(drawn % windows)};
}

} // namespace slipway
