// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cpu_ops/muon.h"

#include <algorithm>
#include <cmath>

#include "cpu_ops/optimizer.h"
#include "cpu_ops/parallel.h"
#include "cpu_ops/simd.h"

namespace slipway::cpu_ops {
namespace {

constexpr std::int64_t kGrain = 16384;
constexpr std::int64_t kTile = 32; // tile of a transposition; both tiles fit into the cache

// Calls visit(to, from) with the indices of each element in to[columns, rows] and from[rows, columns].
template<typename Visit>
void forEachTransposed(std::int64_t rows, std::int64_t columns, const Visit &visit)
{
    parallelRanges((columns + kTile - 1) / kTile, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t tile = begin; tile < end; ++tile) {
            const std::int64_t last = std::min(columns, (tile + 1) * kTile);
            for (std::int64_t row = 0; row < rows; row += kTile) {
                for (std::int64_t j = tile * kTile; j < last; ++j) {
                    for (std::int64_t i = row; i < std::min(rows, row + kTile); ++i)
                        visit(j * rows + i, i * columns + j);
                }
            }
        }
    });
}

SLIPWAY_SIMD void momentum(std::int64_t elements, const MuonMomentum &op, std::int64_t at, float *update)
{
    const float *const gradient = op.gradient + at;
    float *const buffer = op.buffer + at;
    const float keep = op.momentum, scale = op.gradientScale;
#pragma omp simd
    for (std::int64_t i = 0; i < elements; ++i) {
        const float g = gradient[i] * scale;
        buffer[i] += (g - buffer[i]) * (1.0f - keep);
        update[i] = g + keep * (buffer[i] - g);
    }
}

SLIPWAY_SIMD void scaleBy(std::int64_t elements, float factor, float *values)
{
#pragma omp simd
    for (std::int64_t i = 0; i < elements; ++i)
        values[i] *= factor;
}

SLIPWAY_SIMD void polynomial(std::int64_t elements, const float *gram, float *square)
{
#pragma omp simd
    for (std::int64_t i = 0; i < elements; ++i)
        square[i] = kNewtonSchulzB * gram[i] + kNewtonSchulzC * square[i];
}

SLIPWAY_SIMD void update(std::int64_t elements, const float *x, float rate, float keep, float *weight)
{
#pragma omp simd
    for (std::int64_t i = 0; i < elements; ++i)
        weight[i] = keep * weight[i] - rate * x[i];
}

} // namespace

// If the matrix is transposed, the update is first computed in x in the original layout, for its norm. Then it is
// computed again into the transposed position, from the gradient and the buffer, which is already updated.
void muonMomentum(const Matrices &m, const MuonMomentum &op)
{
    const std::int64_t elements = m.rows * m.columns;
    for (std::int64_t matrix = 0; matrix < m.count; ++matrix) {
        const std::int64_t at = matrix * elements;
        float *const x = op.x + at;
        parallelRanges(elements, kGrain,
            [&](std::int64_t begin, std::int64_t end) { momentum(end - begin, op, at + begin, x + begin); });
        const float factor = 1.0f / std::max(static_cast<float>(std::sqrt(sumSquares(elements, x))), kLeastMuonNorm);
        if (m.rows <= m.columns) {
            parallelRanges(elements, kGrain,
                [&](std::int64_t begin, std::int64_t end) { scaleBy(end - begin, factor, x + begin); });
            continue;
        }
        forEachTransposed(m.rows, m.columns, [&](std::int64_t to, std::int64_t from) {
            const float g = op.gradient[at + from] * op.gradientScale;
            x[to] = factor * (g + op.momentum * (op.buffer[at + from] - g));
        });
    }
}

void newtonSchulz(const Matrices &m, const float *gram, float *square)
{
    const std::int64_t elements = m.rows * m.columns;
    parallelRanges(m.count * elements, kGrain,
        [&](std::int64_t begin, std::int64_t end) { polynomial(end - begin, gram + begin, square + begin); });
    for (std::int64_t matrix = 0; matrix < m.count; ++matrix) {
        for (std::int64_t i = 0; i < m.rows; ++i)
            square[matrix * elements + i * m.columns + i] += kNewtonSchulzA;
    }
}

void muonUpdate(const Matrices &m, const float *x, float rate, float keep, float *weight)
{
    const std::int64_t elements = m.rows * m.columns;
    if (m.rows <= m.columns)
        return parallelRanges(m.count * elements, kGrain,
            [&](std::int64_t begin, std::int64_t end) { update(end - begin, x + begin, rate, keep, weight + begin); });
    for (std::int64_t matrix = 0; matrix < m.count; ++matrix) {
        const std::int64_t at = matrix * elements;
        forEachTransposed(m.rows, m.columns, [&](std::int64_t from, std::int64_t to) {
            weight[at + to] = keep * weight[at + to] - rate * x[at + from];
        });
    }
}

void moveAverage(std::int64_t elements, float decay, const float *weight, float *average)
{
    // Computed as average + (1 - decay) (weight - average), like torch.lerp.
    parallelRanges(elements, kGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
            average[i] += (1.0f - decay) * (weight[i] - average[i]);
    });
}

} // namespace slipway::cpu_ops
