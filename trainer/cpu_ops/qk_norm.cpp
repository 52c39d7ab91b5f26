// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cpu_ops/qk_norm.h"

#include <cmath>
#include <cstring>
#include <optional>

#include "cpu_ops/parallel.h"
#include "cpu_ops/row_sums.h"

namespace slipway::cpu_ops {
namespace {

// The queries or the keys of a row: `count` consecutive vectors of `width`, each normalized separately with the same
// weight.
struct Part {
    std::int64_t count, width;
    std::int64_t at, statistic; // offsets of the first vector and of its statistic, from the start of the row
    RowWeight weight;
    float *sums; // for the gradient of the weight
};

template<typename Body>
void forEachPart(const QkvShape &s, const QkNormWeights &w, float *qSums, float *kSums, const Body &body)
{
    const std::int64_t qWidth = s.heads * s.headDim, kWidth = s.kvHeads * s.headDim;
    const RowWeight q{w.q, w.weightOffset}, k{w.k, w.weightOffset};
    if (w.span == QkNormSpan::Head) {
        body(Part{s.heads, s.headDim, 0, 0, q, qSums});
        body(Part{s.kvHeads, s.headDim, qWidth, s.heads, k, kSums});
    } else {
        body(Part{1, qWidth, 0, 0, q, qSums});
        body(Part{1, kWidth, qWidth, 1, k, kSums});
    }
}

std::int64_t statisticsOfRow(const QkvShape &s, QkNormSpan span)
{
    return span == QkNormSpan::Head ? s.heads + s.kvHeads : 2;
}

// `width` of all ranks.
float inverseRmsOfSum(float width, float sumOfSquares, float eps)
{
    return 1.0f / std::sqrt(sumOfSquares / width + eps);
}

// Writes two numbers per row: sum(row, part) of the queries and of the keys.
template<typename Sum>
void sumParts(const QkvShape &shape, const QkNormWeights &weights, float *sums, const Sum &sum)
{
    parallelRanges(shape.batch * shape.seq, kRowGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row)
            forEachPart(shape, weights, nullptr, nullptr,
                [&](const Part &part) { sums[2 * row + part.statistic] = sum(row, part); });
    });
}

} // namespace

std::int64_t qkNormStatistics(const QkvShape &shape, QkNormSpan span)
{
    return shape.batch * shape.seq * statisticsOfRow(shape, span);
}

void qkNormSquares(const QkvShape &shape, const float *qkv, float *sums)
{
    sumParts(shape, {.span = QkNormSpan::AllHeads}, sums, [&](std::int64_t row, const Part &part) {
        return sumOfSquares(part.width, qkv + row * shape.stride() + part.at);
    });
}

void qkNormDots(const QkvShape &shape, const QkNormWeights &weights, const float *dqkv, const float *qk, float *sums)
{
    const std::int64_t width = (shape.heads + shape.kvHeads) * shape.headDim;
    sumParts(shape, weights, sums, [&](std::int64_t row, const Part &part) {
        return rmsRowDot(part.width, part.weight, dqkv + row * shape.stride() + part.at, qk + row * width + part.at);
    });
}

void qkNorm(const QkvShape &shape, const QkNormWeights &weights, float eps, float *qkv, float *qk, float *rstd)
{
    const std::int64_t width = (shape.heads + shape.kvHeads) * shape.headDim,
                       statistics = statisticsOfRow(shape, weights.span);
    parallelRanges(shape.batch * shape.seq, kRowGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
            float *const kept = qk + row * width, *const normed = qkv + row * shape.stride();
            std::memcpy(kept, normed, static_cast<std::size_t>(width) * sizeof(float));
            forEachPart(shape, weights, nullptr, nullptr, [&](const Part &part) {
                for (std::int64_t i = 0; i < part.count; ++i) {
                    const std::int64_t at = part.at + i * part.width;
                    float &own = rstd[row * statistics + part.statistic + i];
                    own = weights.ranks > 1 ? inverseRmsOfSum(static_cast<float>(part.width * weights.ranks), own, eps)
                                            : inverseRms(part.width, kept + at, eps);
                    scaleRow(part.width, kept + at, part.weight, own, normed + at);
                }
            });
        }
    });
}

void qkNormBackward(const QkvShape &shape, const QkNormWeights &weights, const QkNormGradient &gradient)
{
    const std::int64_t width = (shape.heads + shape.kvHeads) * shape.headDim,
                       statistics = statisticsOfRow(shape, weights.span);
    const bool perHead = weights.span == QkNormSpan::Head;
    const std::int64_t qWeight = perHead ? shape.headDim : shape.heads * shape.headDim,
                       kWeight = perHead ? shape.headDim : shape.kvHeads * shape.headDim;
    RowSums sums(shape.batch * shape.seq, qWeight + kWeight);
    sums.forEachRow([&](std::int64_t row, float *own) {
        const float *const kept = gradient.qk + row * width, *const rstd = gradient.rstd + row * statistics;
        float *const d = gradient.dqkv + row * shape.stride();
        forEachPart(shape, weights, gradient.dqWeight ? own : nullptr, gradient.dkWeight ? own + qWeight : nullptr,
            [&](const Part &part) {
                for (std::int64_t i = 0; i < part.count; ++i) {
                    const std::int64_t at = part.at + i * part.width;
                    std::optional<float> dot;
                    if (gradient.dots)
                        dot = gradient.dots[row * statistics + part.statistic] / static_cast<float>(weights.ranks);
                    rmsRowGradient(part.width, rstd[part.statistic + i], part.weight,
                        {.dy = d + at, .x = kept + at, .dx = d + at, .dweight = part.sums, .dot = dot});
                }
            });
    });
    sums.addTo(gradient.dqWeight, 0, qWeight, gradient.accumulate);
    sums.addTo(gradient.dkWeight, qWeight, kWeight, gradient.accumulate);
}

} // namespace slipway::cpu_ops
