// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cpu_ops/rope.h"

#include <cmath>

#include "cpu_ops/parallel.h"
#include "cpu_ops/simd.h"

namespace slipway::cpu_ops {
namespace {

constexpr std::int64_t kRowGrain = 16;

SLIPWAY_SIMD void turnRow(
    std::int64_t heads, std::int64_t half, const float *cosines, const float *sines, float sign, float *row)
{
    for (std::int64_t head = 0; head < heads; ++head) {
        float *low = row + head * 2 * half, *high = low + half;
#pragma omp simd
        for (std::int64_t i = 0; i < half; ++i) {
            const float a = low[i], b = high[i], sine = sign * sines[i];
            low[i] = a * cosines[i] - b * sine;
            high[i] = b * cosines[i] + a * sine;
        }
    }
}

} // namespace

// Angles as Hugging Face computes them: the frequency rounded to fp32, then the product with the position.
RopeTable::RopeTable(std::int64_t seq, std::int64_t headDim, double theta)
{
    const std::int64_t half = headDim / 2;
    for (std::int64_t position = 0; position < seq; ++position) {
        for (std::int64_t i = 0; i < half; ++i) {
            const auto frequency =
                static_cast<float>(std::pow(theta, -2.0 * static_cast<double>(i) / static_cast<double>(headDim)));
            const float angle = static_cast<float>(position) * frequency;
            cosines.push_back(std::cos(angle));
            sines.push_back(std::sin(angle));
        }
    }
}

void rope(const QkvShape &shape, const RopeTable &table, float *qkv, Turn turn)
{
    const std::int64_t half = shape.headDim / 2;
    parallelRanges(shape.batch * shape.seq, kRowGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
            const std::int64_t position = row % shape.seq;
            const std::int64_t at = (position - shape.documentStart(row / shape.seq, position)) * half;
            turnRow(shape.heads + shape.kvHeads, half, table.cosines.data() + at, table.sines.data() + at,
                turn == Turn::Forward ? 1.0f : -1.0f, qkv + row * shape.stride());
        }
    });
}

} // namespace slipway::cpu_ops
