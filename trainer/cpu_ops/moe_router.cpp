// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cpu_ops/moe_router.h"

#include <algorithm>
#include <cmath>

#include "cpu_ops/parallel.h"
#include "cpu_ops/row_sums.h"
#include "cpu_ops/scratch.h"
#include "cpu_ops/simd.h"

namespace slipway::cpu_ops {
namespace {

constexpr std::int64_t kTokenGrain = 32;

// Returns the log-sum-exp of the row.
SLIPWAY_SIMD float softmaxRow(std::int64_t count, float *row)
{
    float largest = row[0];
#pragma omp simd reduction(max : largest)
    for (std::int64_t j = 0; j < count; ++j)
        largest = largest < row[j] ? row[j] : largest;
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t j = 0; j < count; ++j) {
        const float e = fastExp(row[j] - largest);
        row[j] = e;
        sum += e;
    }
    const float share = 1.0f / sum;
#pragma omp simd
    for (std::int64_t j = 0; j < count; ++j)
        row[j] *= share;
    return largest + std::log(sum);
}

SLIPWAY_SIMD void sigmoidRow(std::int64_t count, float *row)
{
#pragma omp simd
    for (std::int64_t j = 0; j < count; ++j)
        row[j] = 1.0f / (1.0f + fastExp(-row[j]));
}

// Keeps the best experts sorted; of equal scores, the earlier expert comes first.
void choose(std::int64_t experts, std::int64_t topK, const float *scores, std::int32_t *chosen)
{
    std::int64_t count = 0;
    for (std::int32_t expert = 0; expert < experts; ++expert) {
        if (count == topK && !(scores[expert] > scores[chosen[count - 1]]))
            continue;
        std::int64_t at = count < topK ? count++ : count - 1;
        for (; at > 0 && scores[expert] > scores[chosen[at - 1]]; --at)
            chosen[at] = chosen[at - 1];
        chosen[at] = expert;
    }
}

float sumOfChosen(const Router &r, const float *scores, const std::int32_t *chosen)
{
    float sum = 0;
    for (std::int64_t j = 0; j < r.topK; ++j)
        sum += scores[chosen[j]];
    return sum;
}

// dscores of the chosen experts; the scores of the others do not affect the weights.
void addWeightGradients(const Router &r, const float *scores, const std::int32_t *chosen, const float *weights,
    const float *d, float *dscores)
{
    if (!r.normalised) {
        for (std::int64_t j = 0; j < r.topK; ++j)
            dscores[chosen[j]] += r.scale * d[j];
        return;
    }
    float dot = 0;
    for (std::int64_t j = 0; j < r.topK; ++j)
        dot += d[j] * weights[j];
    const float share = 1.0f / sumOfChosen(r, scores, chosen);
    for (std::int64_t j = 0; j < r.topK; ++j)
        dscores[chosen[j]] += share * (r.scale * d[j] - dot);
}

SLIPWAY_SIMD void softmaxGradientRow(std::int64_t count, float ofLogSum, const float *dscores, float *scores)
{
    float dot = 0;
#pragma omp simd reduction(+ : dot)
    for (std::int64_t j = 0; j < count; ++j)
        dot += scores[j] * dscores[j];
#pragma omp simd
    for (std::int64_t j = 0; j < count; ++j)
        scores[j] *= dscores[j] - dot + ofLogSum;
}

} // namespace

void route(const Router &r, float *logits, const RouterResult &result)
{
    parallelRanges(r.tokens, kTokenGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            float *const scores = logits + i * r.experts, *const weights = result.weights + i * r.topK;
            std::int32_t *const chosen = result.chosen + i * r.topK;
            if (r.score == RouterScore::Sigmoid)
                sigmoidRow(r.experts, scores);
            else if (const float logSum = softmaxRow(r.experts, scores); result.logSums)
                result.logSums[i] = logSum;
            choose(r.experts, r.topK, scores, chosen);
            const float factor = r.normalised ? r.scale / sumOfChosen(r, scores, chosen) : r.scale;
            for (std::int64_t j = 0; j < r.topK; ++j)
                weights[j] = factor * scores[chosen[j]];
        }
    });
}

void addExpertSums(const Router &r, const float *scores, const std::int32_t *chosen, const ExpertSums &result)
{
    RowSums sums(r.tokens, 2 * r.experts);
    sums.forEachRow([&](std::int64_t i, float *own) {
        for (std::int64_t j = 0; j < r.topK; ++j)
            own[chosen[i * r.topK + j]] += 1.0f;
        addRow(r.experts, own + r.experts, scores + i * r.experts, own + r.experts);
    });
    sums.addTo(result.counts, 0, r.experts, result.accumulate);
    sums.addTo(result.scores, r.experts, r.experts, result.accumulate);
}

double loadBalancingLoss(std::int64_t experts, std::int64_t tokens, const ExpertSums &sums)
{
    double sum = 0;
    for (std::int64_t j = 0; j < experts; ++j)
        sum += static_cast<double>(sums.counts[j]) * static_cast<double>(sums.scores[j]);
    return sum * static_cast<double>(experts) / (static_cast<double>(tokens) * static_cast<double>(tokens));
}

double routerZLoss(std::int64_t tokens, const float *logSums)
{
    return parallelSum(tokens, [&](std::int64_t begin, std::int64_t end) {
        double sum = 0;
        for (std::int64_t i = begin; i < end; ++i)
            sum += static_cast<double>(logSums[i]) * static_cast<double>(logSums[i]);
        return sum;
    });
}

void routeBackward(const Router &r, const RouterGradient &g, float *scores)
{
    parallelRanges(r.tokens, kTokenGrain, [&](std::int64_t begin, std::int64_t end) {
        thread_local ThreadScratch scratch;
        float *const dscores = scratch.get(r.experts);
        for (std::int64_t i = begin; i < end; ++i) {
            float *const row = scores + i * r.experts;
            for (std::int64_t j = 0; j < r.experts; ++j)
                dscores[j] = g.counts ? g.balance * g.counts[j] : 0.0f;
            addWeightGradients(r, row, g.chosen + i * r.topK, g.weights + i * r.topK, g.dweights + i * r.topK, dscores);
            if (r.score == RouterScore::Softmax) {
                softmaxGradientRow(r.experts, g.logSums ? 2.0f * g.zLoss * g.logSums[i] : 0.0f, dscores, row);
                continue;
            }
            for (std::int64_t j = 0; j < r.experts; ++j)
                row[j] = dscores[j] * row[j] * (1.0f - row[j]);
        }
    });
}

} // namespace slipway::cpu_ops
