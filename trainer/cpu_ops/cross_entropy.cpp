// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cpu_ops/cross_entropy.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cpu_ops/parallel.h"
#include "cpu_ops/simd.h"

namespace slipway::cpu_ops {
namespace {

SLIPWAY_SIMD float largest(std::int64_t width, const float *row)
{
    float value = row[0];
#pragma omp simd reduction(max : value)
    for (std::int64_t j = 0; j < width; ++j)
        value = value < row[j] ? row[j] : value;
    return value;
}

SLIPWAY_SIMD float exponentials(std::int64_t width, float shift, float *row)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t j = 0; j < width; ++j) {
        const float e = fastExp(row[j] - shift);
        row[j] = e;
        sum += e;
    }
    return sum;
}

SLIPWAY_SIMD void multiply(std::int64_t width, float factor, float *row)
{
#pragma omp simd
    for (std::int64_t j = 0; j < width; ++j)
        row[j] *= factor;
}

SLIPWAY_SIMD void underCap(std::int64_t width, float softCap, float *row)
{
#pragma omp simd
    for (std::int64_t j = 0; j < width; ++j)
        row[j] = softCap * fastTanh(row[j] / softCap);
}

// The same sum as `exponentials`, but the row is not overwritten, because the derivative of the cap is computed from
// it.
SLIPWAY_SIMD float sumOfExponentials(std::int64_t width, float shift, const float *row)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t j = 0; j < width; ++j)
        sum += fastExp(row[j] - shift);
    return sum;
}

float capSlope(float capped, float softCap) { return 1.0f - capped / softCap * (capped / softCap); }

SLIPWAY_SIMD void cappedGradient(std::int64_t width, float shift, float factor, float softCap, float *row)
{
    const float inverse = 1.0f / softCap;
#pragma omp simd
    for (std::int64_t j = 0; j < width; ++j)
        row[j] = factor * fastExp(row[j] - shift) * (1.0f - row[j] * inverse * (row[j] * inverse));
}

LossSums rowLoss(std::int64_t width, std::int32_t target, float scale, const LossOptions &options, float *row)
{
    if (target == kNotCounted) {
        std::fill_n(row, width, 0.0f);
        return {};
    }
    const float share = scale * options.logitScale;
    const bool capped = options.softCap != 0.0f;
    if (options.logitScale != 1.0f)
        multiply(width, options.logitScale, row);
    if (capped)
        underCap(width, options.softCap, row);
    const float shift = largest(width, row), chosen = row[target];
    const float sum = capped ? sumOfExponentials(width, shift, row) : exponentials(width, shift, row);
    const double logSum = std::log(static_cast<double>(sum)) + static_cast<double>(shift);
    const float factor = share * (1.0f + 2.0f * options.zLoss * static_cast<float>(logSum));
    if (capped)
        cappedGradient(width, shift, factor / sum, options.softCap, row);
    else
        multiply(width, factor / sum, row);
    row[target] -= capped ? share * capSlope(chosen, options.softCap) : share;
    return {logSum - static_cast<double>(chosen), static_cast<double>(options.zLoss) * logSum * logSum};
}

// Combines the statistics of all ranks for one row.
LogitStatistics combineRanks(const LogitStatistics *statistics, std::int64_t rows, int ranks)
{
    LogitStatistics all{.largest = statistics->largest, .sum = 0, .chosen = 0};
    for (int rank = 0; rank < ranks; ++rank)
        all.largest = std::max(all.largest, statistics[rank * rows].largest);
    for (int rank = 0; rank < ranks; ++rank) {
        const LogitStatistics &shard = statistics[rank * rows];
        all.sum += shard.sum * std::exp(shard.largest - all.largest);
        all.chosen += shard.chosen;
    }
    return all;
}

LossSums rowLossOfShard(std::int64_t width, VocabularyShard shard, std::int32_t target, float scale,
    const LossOptions &options, const LogitStatistics &all, float *row)
{
    std::fill(row + shard.count, row + width, 0.0f);
    if (target == kNotCounted) {
        std::fill_n(row, shard.count, 0.0f);
        return {};
    }
    const float share = scale * options.logitScale;
    const bool capped = options.softCap != 0.0f;
    const double logSum = std::log(static_cast<double>(all.sum)) + static_cast<double>(all.largest);
    const float factor = share * (1.0f + 2.0f * options.zLoss * static_cast<float>(logSum)) / all.sum;
    if (capped) {
        cappedGradient(shard.count, all.largest, factor, options.softCap, row);
    } else {
        exponentials(shard.count, all.largest, row);
        multiply(shard.count, factor, row);
    }
    if (target >= shard.first && target < shard.first + shard.count)
        row[target - shard.first] -= capped ? share * capSlope(all.chosen, options.softCap) : share;
    return {logSum - static_cast<double>(all.chosen), static_cast<double>(options.zLoss) * logSum * logSum};
}

} // namespace

void logitStatistics(Rows shape, VocabularyShard shard, const std::int32_t *targets, const LossOptions &options,
    float *logits, LogitStatistics *statistics)
{
    constexpr std::int64_t kLogitRowGrain = 8;
    parallelRanges(shape.rows, kLogitRowGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            float *const row = logits + i * shape.width;
            if (shard.count <= 0) {
                statistics[i] = {-std::numeric_limits<float>::infinity(), 0, 0};
                continue;
            }
            if (options.logitScale != 1.0f)
                multiply(shard.count, options.logitScale, row);
            if (options.softCap != 0.0f)
                underCap(shard.count, options.softCap, row);
            const float shift = largest(shard.count, row);
            const std::int64_t chosen = targets[i] - shard.first;
            statistics[i] = {shift, sumOfExponentials(shard.count, shift, row),
                chosen >= 0 && chosen < shard.count ? row[chosen] : 0.0f};
        }
    });
}

LossSums vocabParallelCrossEntropy(Rows shape, VocabularyShard shard, const std::int32_t *targets, float scale,
    const LossOptions &options, const LogitStatistics *statistics, int ranks, float *logits)
{
    return parallelSum<LossSums>(shape.rows, [&](std::int64_t begin, std::int64_t end) {
        LossSums sums;
        for (std::int64_t i = begin; i < end; ++i) {
            const LogitStatistics all = combineRanks(statistics + i, shape.rows, ranks);
            sums += rowLossOfShard(shape.width, shard, targets[i], scale, options, all, logits + i * shape.width);
        }
        return sums;
    });
}

LossSums crossEntropy(Rows shape, const std::int32_t *targets, float scale, const LossOptions &options, float *logits)
{
    return parallelSum<LossSums>(shape.rows, [&](std::int64_t begin, std::int64_t end) {
        LossSums sums;
        for (std::int64_t i = begin; i < end; ++i)
            sums += rowLoss(shape.width, targets[i], scale, options, logits + i * shape.width);
        return sums;
    });
}

double crossEntropy(Rows shape, const std::int32_t *targets, float scale, float *logits)
{
    return crossEntropy(shape, targets, scale, LossOptions{}, logits).crossEntropy;
}

} // namespace slipway::cpu_ops
