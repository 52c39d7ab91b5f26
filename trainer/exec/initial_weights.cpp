// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/initial_weights.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>

#include "cpu_ops/parallel.h"

namespace slipway {
namespace {

constexpr float kDeviation = 0.02f;
constexpr std::int64_t kGrain = 4096; // number of elements, a multiple of the four per counter

// FNV-1a, so that a name gives the same stream on every machine.
std::uint64_t streamOf(std::string_view name)
{
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char c : name)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    return hash;
}

// Box-Muller transform: two normally distributed numbers from two words.
void normals(std::uint32_t a, std::uint32_t b, float &first, float &second)
{
    const double radius = std::sqrt(-2.0 * std::log((a + 0.5) * 0x1p-32));
    const double angle = 2.0 * std::numbers::pi * (b * 0x1p-32);
    first = static_cast<float>(radius * std::cos(angle));
    second = static_cast<float>(radius * std::sin(angle));
}

// Fills the elements [first, first + count) of the whole weight.
void fillRun(
    std::int64_t first, std::int64_t count, float deviation, std::uint64_t stream, std::uint64_t seed, float *values)
{
    const std::int64_t lead = first % 4; // elements of the first counter that precede the run
    cpu_ops::parallelRanges(lead + count, kGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; i += 4) {
            const Philox random = philox(static_cast<std::uint64_t>((first - lead + i) / 4), stream, seed);
            float four[4];
            normals(random.words[0], random.words[1], four[0], four[1]);
            normals(random.words[2], random.words[3], four[2], four[3]);
            for (std::int64_t j = std::max(i, lead); j < std::min(i + 4, end); ++j)
                values[j - lead] = deviation * four[j - i];
        }
    });
}

void fillNormal(const WeightView &weight, float deviation, std::uint64_t seed)
{
    const std::uint64_t stream = streamOf(weight.name);
    forEachWholeRun(weight.slice, wholeSlice(weight.shape).columns, weight.first, weight.count,
        [&](std::int64_t wholeFirst, std::int64_t offset, std::int64_t length) {
            fillRun(wholeFirst, length, deviation, stream, seed, weight.master + offset);
        });
}

} // namespace

Philox philox(std::uint64_t counter, std::uint64_t stream, std::uint64_t key)
{
    Philox c{{static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32),
        static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)}};
    auto key0 = static_cast<std::uint32_t>(key), key1 = static_cast<std::uint32_t>(key >> 32);
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t product0 = std::uint64_t{0xD2511F53} * c.words[0],
                            product1 = std::uint64_t{0xCD9E8D57} * c.words[2];
        c = {{static_cast<std::uint32_t>(product1 >> 32) ^ c.words[1] ^ key0, static_cast<std::uint32_t>(product1),
            static_cast<std::uint32_t>(product0 >> 32) ^ c.words[3] ^ key1, static_cast<std::uint32_t>(product0)}};
        key0 += 0x9E3779B9;
        key1 += 0xBB67AE85;
    }
    return c;
}

void initializeWeights(std::span<const WeightView> weights, int layers, std::uint64_t seed)
{
    const float ontoResidual = kDeviation / std::sqrt(2.0f * static_cast<float>(layers));
    for (const WeightView &weight : weights) {
        switch (weight.init) {
        case WeightInit::Normal:
            fillNormal(weight, kDeviation, seed);
            break;
        case WeightInit::NormalOntoResidual:
            fillNormal(weight, ontoResidual, seed);
            break;
        case WeightInit::Ones:
            std::fill_n(weight.master, weight.count, 1.0f);
            break;
        case WeightInit::Zeros:
            std::fill_n(weight.master, weight.count, 0.0f);
            break;
        }
    }
}

} // namespace slipway
