// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cpu_ops/rope.h"

#include <cmath>
#include <iterator>
#include <stdexcept>

#include "cpu_ops/parallel.h"
#include "cpu_ops/simd.h"

namespace slipway::cpu_ops {
namespace {

struct Heads {
    std::int64_t count, dims, half; // half: half of the rotated dimensions
};

SLIPWAY_SIMD void rotateRow(const Heads &heads, const float *cosines, const float *sines, float sign, float *row)
{
    for (std::int64_t head = 0; head < heads.count; ++head) {
        float *low = row + head * heads.dims, *high = low + heads.half;
#pragma omp simd
        for (std::int64_t i = 0; i < heads.half; ++i) {
            const float a = low[i], b = high[i], sine = sign * sines[i];
            low[i] = a * cosines[i] - b * sine;
            high[i] = b * cosines[i] + a * sine;
        }
    }
}

} // namespace

RopeSpec plainRope(std::int64_t headDim, double theta)
{
    RopeSpec spec{.rotatedDims = headDim};
    for (std::int64_t i = 0; i < headDim / 2; ++i)
        spec.inverseFrequencies.push_back(
            std::pow(theta, -2.0 * static_cast<double>(i) / static_cast<double>(headDim)));
    return spec;
}

// Computes the angles like Hugging Face: the frequency is rounded to fp32 and then multiplied by the position.
RopeTable::RopeTable(std::int64_t seq, const RopeSpec &spec) : rotatedDims(spec.rotatedDims)
{
    if (rotatedDims != 2 * std::ssize(spec.inverseFrequencies))
        throw std::logic_error("a rotation needs one frequency for every two of its dimensions");
    const auto factor = static_cast<float>(spec.attentionFactor);
    for (std::int64_t position = 0; position < seq; ++position) {
        for (const double frequency : spec.inverseFrequencies) {
            const float angle = static_cast<float>(position) * static_cast<float>(frequency);
            cosines.push_back(std::cos(angle) * factor);
            sines.push_back(std::sin(angle) * factor);
        }
    }
}

void rope(const QkvShape &shape, const RopeTable &table, float *qkv, RopeDirection direction)
{
    const Heads heads{shape.heads + shape.kvHeads, shape.headDim, table.rotatedDims / 2};
    parallelRanges(shape.batch * shape.seq, kRowGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
            const std::int64_t position = shape.shard.position(row % shape.seq, shape.seq);
            const std::int64_t at = (position - shape.documentStart(row / shape.seq, position)) * heads.half;
            rotateRow(heads, table.cosines.data() + at, table.sines.data() + at,
                direction == RopeDirection::Forward ? 1.0f : -1.0f, qkv + row * shape.stride());
        }
    });
}

} // namespace slipway::cpu_ops
