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

constexpr std::int64_t kTile = 32; // tile of a transposition; both tiles fit into the cache

// Where the elements of a shard are in x.
struct PlaceInX {
    PlaceInX(const Matrices &m, int shard)
        : rowStride(m.isTall() ? 1 : m.columns),
          columnStride(m.isTall() ? m.rows : 1),
          start(m.byColumns ? shard * m.shardColumns() * columnStride : shard * m.shardRows() * rowStride)
    {
    }
    std::int64_t rowStride, columnStride, start;
};

// Calls visit(in the shard, in x) with the indices of the elements of some of the shard's rows, in tiles.
template<typename Visit>
void forEachElement(const Matrices &m, int shard, std::int64_t firstRow, std::int64_t lastRow, const Visit &visit)
{
    const PlaceInX place(m, shard);
    const std::int64_t rows = m.shardRows(), columns = m.shardColumns();
    parallelRanges((lastRow - firstRow + kTile - 1) / kTile, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t tile = begin; tile < end; ++tile) {
            const std::int64_t from = firstRow + tile * kTile, to = std::min(lastRow, from + kTile);
            for (std::int64_t column = 0; column < columns; column += kTile) {
                const std::int64_t behind = std::min(columns, column + kTile);
                for (std::int64_t row = from; row < to; ++row) {
                    const std::int64_t inX = row / rows * m.elements() + place.start + row % rows * place.rowStride;
                    for (std::int64_t j = column; j < behind; ++j)
                        visit(row * columns + j, inX + j * place.columnStride);
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

} // namespace

void muonMomentum(std::int64_t elements, const MuonMomentum &op)
{
    parallelRanges(elements, kElementGrain,
        [&](std::int64_t begin, std::int64_t end) { momentum(end - begin, op, begin, op.update + begin); });
}

void muonNormalize(const Matrices &m, const float *update, std::int64_t shardStride, float *x)
{
    for (int shard = 0; shard < m.shards; ++shard) {
        const float *const source = update + shard * shardStride;
        forEachElement(m, shard, 0, m.count * m.shardRows(),
            [&](std::int64_t inPart, std::int64_t inX) { x[inX] = source[inPart]; });
    }
    for (std::int64_t matrix = 0; matrix < m.count; ++matrix) {
        float *const values = x + matrix * m.elements();
        const auto norm = static_cast<float>(std::sqrt(sumSquares(m.elements(), values)));
        const float factor = 1.0f / std::max(norm, kLeastMuonNorm);
        parallelRanges(m.elements(), kElementGrain,
            [&](std::int64_t begin, std::int64_t end) { scaleBy(end - begin, factor, values + begin); });
    }
}

void newtonSchulz(const Matrices &m, const float *gram, float *square)
{
    const std::int64_t elements = m.rows * m.columns;
    parallelRanges(m.count * elements, kElementGrain,
        [&](std::int64_t begin, std::int64_t end) { polynomial(end - begin, gram + begin, square + begin); });
    for (std::int64_t matrix = 0; matrix < m.count; ++matrix) {
        for (std::int64_t i = 0; i < m.rows; ++i)
            square[matrix * elements + i * m.columns + i] += kNewtonSchulzA;
    }
}

void muonUpdate(const Matrices &m, const MuonUpdate &op)
{
    if (op.first >= op.last)
        return;
    const std::int64_t columns = m.shardColumns();
    forEachElement(
        m, op.shard, op.first / columns, (op.last + columns - 1) / columns, [&](std::int64_t inPart, std::int64_t inX) {
            if (inPart < op.first || inPart >= op.last) // in a row that belongs to two ranks
                return;
            float &weight = op.weight[inPart - op.first];
            weight = op.keep * weight - op.rate * op.x[inX];
        });
}

void updateEma(std::int64_t elements, float decay, const float *weight, float *average)
{
    // Computed as average + (1 - decay) (weight - average), like torch.lerp.
    parallelRanges(elements, kElementGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
            average[i] += (1.0f - decay) * (weight[i] - average[i]);
    });
}

} // namespace slipway::cpu_ops
