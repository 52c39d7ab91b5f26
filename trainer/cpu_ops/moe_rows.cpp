// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cpu_ops/moe_rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "cpu_ops/norm_rows.h"
#include "cpu_ops/parallel.h"
#include "cpu_ops/simd.h"

namespace slipway::cpu_ops {
namespace {

SLIPWAY_SIMD void addScaled(std::int64_t width, float factor, const float *x, float *sum)
{
#pragma omp simd
    for (std::int64_t j = 0; j < width; ++j)
        sum[j] += factor * x[j];
}

SLIPWAY_SIMD void scaleTo(std::int64_t width, float factor, const float *x, float *y)
{
#pragma omp simd
    for (std::int64_t j = 0; j < width; ++j)
        y[j] = factor * x[j];
}

void copyRow(std::int64_t width, const float *from, float *to)
{
    std::memmove(to, from, static_cast<std::size_t>(width) * sizeof(float));
}

float sigmoid(float x) { return 1.0f / (1.0f + std::exp(-x)); }

// Calls body(token, row, slot) for each slot of a token that has a row, tokens in parallel.
template<typename Start, typename Body>
void forEachSlot(Rows shape, std::int64_t topK, const std::int32_t *places, const Start &start, const Body &body)
{
    parallelRanges(shape.rows, kRowGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t token = begin; token < end; ++token) {
            start(token);
            for (std::int64_t slot = token * topK; slot < (token + 1) * topK; ++slot) {
                if (places[slot] >= 0)
                    body(token, std::int64_t{places[slot]}, slot);
            }
        }
    });
}

} // namespace

void groupByExpert(std::int64_t experts, std::int64_t slots, const std::int32_t *chosen, std::int64_t capacity,
    const ExpertRows &result)
{
    std::vector<std::int32_t> counts(static_cast<std::size_t>(experts), 0);
    for (std::int64_t slot = 0; slot < slots; ++slot)
        ++counts[static_cast<std::size_t>(chosen[slot])];
    result.offsets[0] = 0;
    for (std::int64_t expert = 0; expert < experts; ++expert) {
        std::int32_t &count = counts[static_cast<std::size_t>(expert)];
        const std::int32_t kept =
            capacity > 0 ? static_cast<std::int32_t>(std::min<std::int64_t>(count, capacity)) : count;
        result.offsets[expert + 1] = result.offsets[expert] + kept;
        count = result.offsets[expert]; // from here on, the next free row of the expert
    }
    for (std::int64_t slot = 0; slot < slots; ++slot) {
        const std::int32_t expert = chosen[slot];
        std::int32_t &next = counts[static_cast<std::size_t>(expert)];
        const bool kept = next < result.offsets[expert + 1];
        result.places[slot] = kept ? next : -1;
        if (kept)
            result.slots[next++] = static_cast<std::int32_t>(slot);
    }
}

void permute(
    Rows shape, std::int64_t topK, std::int64_t permutedRows, const std::int32_t *slots, const float *x, float *to)
{
    parallelRanges(permutedRows, kRowGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row)
            copyRow(shape.width, x + slots[row] / topK * shape.width, to + row * shape.width);
    });
}

void permuteBackward(
    Rows shape, std::int64_t topK, const std::int32_t *places, const float *dto, float *dx, bool accumulate)
{
    forEachSlot(
        shape, topK, places,
        [&](std::int64_t token) {
            if (!accumulate)
                std::fill_n(dx + token * shape.width, shape.width, 0.0f);
        },
        [&](std::int64_t token, std::int64_t row, std::int64_t) {
            addScaled(shape.width, 1.0f, dto + row * shape.width, dx + token * shape.width);
        });
}

void combine(Rows shape, std::int64_t topK, const std::int32_t *places, const float *weights, const float *rows,
    const float *added, float *y)
{
    forEachSlot(
        shape, topK, places,
        [&](std::int64_t token) {
            if (!added)
                std::fill_n(y + token * shape.width, shape.width, 0.0f);
            else if (added != y)
                copyRow(shape.width, added + token * shape.width, y + token * shape.width);
        },
        [&](std::int64_t token, std::int64_t row, std::int64_t slot) {
            addScaled(shape.width, weights[slot], rows + row * shape.width, y + token * shape.width);
        });
}

void combineBackward(Rows shape, std::int64_t topK, const CombineGradient &g)
{
    forEachSlot(
        shape, topK, g.places, [&](std::int64_t token) { std::fill_n(g.dweights + token * topK, topK, 0.0f); },
        [&](std::int64_t token, std::int64_t row, std::int64_t slot) {
            const float *const dy = g.dy + token * shape.width;
            g.dweights[slot] = dotRow(shape.width, dy, g.rows + row * shape.width);
            scaleTo(shape.width, g.weights[slot], dy, g.drows + row * shape.width);
        });
}

void addGatedRows(Rows shape, const float *gates, const float *x, float *y)
{
    parallelRanges(shape.rows, kRowGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
            addScaled(shape.width, sigmoid(gates[i]), x + i * shape.width, y + i * shape.width);
    });
}

void gateRowsBackward(Rows shape, const float *dy, const float *x, float *dx, float *gates)
{
    parallelRanges(shape.rows, kRowGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t at = i * shape.width;
            const float gate = sigmoid(gates[i]);
            gates[i] = dotRow(shape.width, dy + at, x + at) * gate * (1.0f - gate);
            scaleTo(shape.width, gate, dy + at, dx + at);
        }
    });
}

} // namespace slipway::cpu_ops
