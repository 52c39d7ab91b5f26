// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// GEMMs of small row-major matrices on one thread, the building blocks of gemm() and attention. On CPUs with AVX-512
// they call oneDNN's kernels in LibTorch, otherwise plain loops.
#pragma once

#include <cstdint>

namespace slipway::cpu_ops {

struct Tile {
    const float *data = nullptr;
    std::int64_t stride = 0; // elements from row to row
};

struct TileOut {
    float *data = nullptr;
    std::int64_t stride = 0;
};

// C[m,n] = (accumulate ? C : 0) + A[m,k] B[k,n].
void tileMultiply(std::int64_t m, std::int64_t n, std::int64_t k, Tile a, Tile b, TileOut c, bool accumulate);

// The same by plain loops on any CPU.
void tileMultiplyPlain(std::int64_t m, std::int64_t n, std::int64_t k, Tile a, Tile b, TileOut c, bool accumulate);

// Whether tileMultiply() reaches the CPU's peak rate.
bool hasFastTiles();

// out[columns, rows] = in[rows, columns]^T.
void tileTranspose(std::int64_t rows, std::int64_t columns, Tile in, TileOut out);
void tileCopy(std::int64_t rows, std::int64_t columns, Tile in, TileOut out);

} // namespace slipway::cpu_ops
