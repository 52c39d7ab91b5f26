// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cpu_ops/embedding.h"

#include <cstring>

#include "cpu_ops/parallel.h"
#include "cpu_ops/simd.h"

namespace slipway::cpu_ops {
namespace {

constexpr std::int64_t kRowGrain = 64, kColumnGrain = 64, kByteGrain = 1 << 18;

SLIPWAY_SIMD void addTo(std::int64_t width, const float *from, float *to)
{
#pragma omp simd
    for (std::int64_t j = 0; j < width; ++j)
        to[j] += from[j];
}

} // namespace

void embedding(Rows shape, const std::int32_t *tokens, const float *table, float *x)
{
    const auto rowBytes = static_cast<std::size_t>(shape.width) * sizeof(float);
    parallelRanges(shape.rows, kRowGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
            std::memcpy(x + i * shape.width, table + tokens[i] * shape.width, rowBytes);
    });
}

// A thread owns columns, not rows: a token that repeats is summed in the order of the text.
void embeddingBackward(
    Rows shape, const std::int32_t *tokens, const float *dx, std::int64_t vocabulary, float *dtable, bool accumulate)
{
    if (!accumulate)
        fillZero(vocabulary * shape.width * std::int64_t{sizeof(float)}, reinterpret_cast<std::byte *>(dtable));
    parallelRanges(shape.width, kColumnGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = 0; i < shape.rows; ++i)
            addTo(end - begin, dx + i * shape.width + begin, dtable + tokens[i] * shape.width + begin);
    });
}

void fillZero(std::int64_t bytes, std::byte *data)
{
    parallelRanges(bytes, kByteGrain, [&](std::int64_t begin, std::int64_t end) {
        std::memset(data + begin, 0, static_cast<std::size_t>(end - begin));
    });
}

} // namespace slipway::cpu_ops
