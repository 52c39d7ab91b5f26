// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// MKL reaches only half of the fp32 peak rate on AMD processors, so blocks of C are computed by oneDNN's kernels. A
// task copies its range of B, and of A if that is transposed, to the cache of its core and multiplies there.
#include "cpu_ops/gemm.h"

#include <algorithm>
#include <vector>

#include <ATen/ATen.h>

#include "cpu_ops/few_rows.h"
#include "cpu_ops/parallel.h"
#include "cpu_ops/scratch.h"
#include "cpu_ops/tile.h"

namespace slipway::cpu_ops {
namespace {

// The size of a block of C and the depth of a pass over it; the copies of A and B fit into an L2 cache of 1 MiB.
constexpr std::int64_t kRows = 256, kColumns = 256, kDepth = 256;
// The number of columns of B that fit into the L1 cache.
constexpr std::int64_t kPanel = 64;

Tile blockOfA(const GemmShape &shape, const float *a, std::int64_t row, std::int64_t rows, std::int64_t depth,
    std::int64_t depths, float *copy)
{
    if (shape.form != GemmForm::WeightGradient)
        return {a + row * shape.k + depth, shape.k};
    tileTranspose(depths, rows, {a + depth * shape.m + row, shape.m}, {copy, kDepth});
    return {copy, kDepth};
}

// Transposes rows of bf16 weights, [rows, depths], into the panel and converts them to fp32.
void transposeBf16(std::int64_t rows, std::int64_t depths, const std::uint16_t *from, std::int64_t stride, TileOut to)
{
    thread_local ThreadScratch scratch;
    float *const wide = scratch.get(kPanel * kDepth);
    for (std::int64_t row = 0; row < rows; ++row)
        convertToFp32(depths, from + row * stride, wide + row * kDepth);
    tileTranspose(rows, depths, {wide, kDepth}, to);
}

// Copies B as consecutive panels of [depths, kPanel].
void copyOfB(const GemmShape &shape, const std::uint16_t *b, std::int64_t column, std::int64_t columns,
    std::int64_t depth, std::int64_t depths, float *copy)
{
    for (std::int64_t j = 0; j < columns; j += kPanel)
        transposeBf16(std::min(kPanel, columns - j), depths, b + (column + j) * shape.k + depth, shape.k,
            {copy + j * kDepth, kPanel});
}
void copyOfB(const GemmShape &shape, const float *b, std::int64_t column, std::int64_t columns, std::int64_t depth,
    std::int64_t depths, float *copy)
{
    for (std::int64_t j = 0; j < columns; j += kPanel) {
        const std::int64_t width = std::min(kPanel, columns - j);
        const TileOut panel{copy + j * kDepth, kPanel};
        if (shape.form == GemmForm::Forward)
            tileTranspose(width, depths, {b + (column + j) * shape.k + depth, shape.k}, panel);
        else
            tileCopy(depths, width, {b + depth * shape.n + column + j, shape.n}, panel);
    }
}

template<typename B>
void computeBlock(const GemmShape &shape, const float *a, const B *b, float *c, const float *added, std::int64_t row,
    std::int64_t column)
{
    thread_local ThreadScratch scratch;
    float *const copyA = scratch.get(kDepth * (kRows + kColumns));
    float *const copyB = copyA + kDepth * kRows;
    const std::int64_t rows = std::min(kRows, shape.m - row), columns = std::min(kColumns, shape.n - column),
                       at = row * shape.n + column;
    if (added && added != c)
        tileCopy(rows, columns, {added + at, shape.n}, {c + at, shape.n});
    for (std::int64_t depth = 0; depth < shape.k; depth += kDepth) {
        const std::int64_t depths = std::min(kDepth, shape.k - depth);
        const Tile left = blockOfA(shape, a, row, rows, depth, depths, copyA);
        copyOfB(shape, b, column, columns, depth, depths, copyB);
        for (std::int64_t j = 0; j < columns; j += kPanel) {
            tileMultiply(rows, std::min(kPanel, columns - j), depths, left, {copyB + j * kDepth, kPanel},
                {c + at + j, shape.n}, added || depth > 0);
        }
    }
}

template<typename B>
void computeBlocks(const GemmShape &shape, const float *a, const B *b, float *c, const float *added)
{
    const std::int64_t rowBlocks = ceilDiv(shape.m, kRows), columnBlocks = ceilDiv(shape.n, kColumns);
    parallelForUneven(rowBlocks * columnBlocks,
        [&](std::int64_t i) { computeBlock(shape, a, b, c, added, i % rowBlocks * kRows, i / rowBlocks * kColumns); });
}

at::Tensor matrix(const float *data, std::int64_t rows, std::int64_t columns)
{
    return at::from_blob(const_cast<float *>(data), {rows, columns}, at::kFloat);
}

} // namespace

void gemmByLibTorch(const GemmShape &shape, const float *a, const float *b, float *c, const float *added)
{
    const bool transposedA = shape.form == GemmForm::WeightGradient, transposedB = shape.form == GemmForm::Forward;
    const at::Tensor left = transposedA ? matrix(a, shape.k, shape.m).t() : matrix(a, shape.m, shape.k);
    const at::Tensor right = transposedB ? matrix(b, shape.n, shape.k).t() : matrix(b, shape.k, shape.n);
    at::Tensor result = matrix(c, shape.m, shape.n);
    if (added)
        at::addmm_out(result, matrix(added, shape.m, shape.n), left, right);
    else
        at::mm_out(result, left, right);
}

void gemm(const GemmShape &shape, const float *a, const float *b, float *c, const float *added)
{
    if (shape.m <= kFewRows && shape.form == GemmForm::Forward) {
        multiplyFewRows(shape.m, shape.n, shape.k, a, b, c, added);
        return;
    }
    if (!hasFastTiles()) {
        gemmByLibTorch(shape, a, b, c, added);
        return;
    }
    computeBlocks(shape, a, b, c, added);
}

void gemmOfBf16Weights(
    std::int64_t rows, std::int64_t n, std::int64_t k, const float *a, const std::uint16_t *b, float *c)
{
    if (rows <= kFewRows)
        multiplyFewRows(rows, n, k, a, b, c);
    else
        computeBlocks({GemmForm::Forward, rows, n, k}, a, b, c, nullptr);
}

namespace {

// The GEMM of one expert.
struct GemmProblem {
    GemmShape shape;
    const float *a, *b;
    float *c;
};

GemmProblem problemOf(const GroupedGemmShape &shape, std::int64_t expert, const float *a, const float *b, float *c)
{
    const std::int64_t first = shape.offsets[expert], rows = shape.offsets[expert + 1] - first;
    if (shape.form == GemmForm::WeightGradient)
        return {{shape.form, shape.m, shape.n, rows}, a + first * shape.m, b + first * shape.n,
            c + expert * shape.m * shape.n};
    return {
        {shape.form, rows, shape.n, shape.k}, a + first * shape.k, b + expert * shape.n * shape.k, c + first * shape.n};
}

// A block of an expert's GEMM. Experts have different numbers of rows, so the blocks of all experts are distributed
// over the threads together.
struct ProblemTile {
    std::int64_t expert, row, column;
};

} // namespace

void groupedGemm(const GroupedGemmShape &shape, const float *a, const float *b, float *c)
{
    std::vector<ProblemTile> blocks;
    for (std::int64_t expert = 0; expert < shape.experts; ++expert) {
        const GemmProblem problem = problemOf(shape, expert, a, b, c);
        if (problem.shape.k == 0 && !shape.accumulate)
            std::fill_n(problem.c, problem.shape.m * problem.shape.n, 0.0f);
        if (problem.shape.k == 0 || problem.shape.m == 0)
            continue;
        if (!hasFastTiles())
            gemmByLibTorch(problem.shape, problem.a, problem.b, problem.c, shape.accumulate ? problem.c : nullptr);
        for (std::int64_t column = 0; hasFastTiles() && column < problem.shape.n; column += kColumns) {
            for (std::int64_t row = 0; row < problem.shape.m; row += kRows)
                blocks.push_back({expert, row, column});
        }
    }
    parallelForUneven(std::ssize(blocks), [&](std::int64_t i) {
        const ProblemTile &block = blocks[static_cast<std::size_t>(i)];
        const GemmProblem problem = problemOf(shape, block.expert, a, b, c);
        computeBlock(problem.shape, problem.a, problem.b, problem.c, shape.accumulate ? problem.c : nullptr, block.row,
            block.column);
    });
}

} // namespace slipway::cpu_ops
