// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The elementwise steps of Muon between its GEMMs (core/plan/native/muon.h).
#pragma once

#include <cstdint>

namespace slipway::cpu_ops {

// Consecutive row-major matrices of one shape. Several ranks may have equal shards of them: the same rows, or the same
// columns, of each matrix.
struct Matrices {
    std::int64_t count = 1, rows = 0, columns = 0; // of whole matrices
    int shards = 1;
    bool byColumns = false;

    [[nodiscard]] std::int64_t elements() const { return rows * columns; }
    [[nodiscard]] std::int64_t shardRows() const { return byColumns ? rows : rows / shards; }
    [[nodiscard]] std::int64_t shardColumns() const { return byColumns ? columns / shards : columns; }
    [[nodiscard]] bool isTall() const { return rows > columns; }
};

// Jordan et al. 2024, https://kellerjordan.github.io/posts/muon; the same as in torch.optim.Muon.
inline constexpr float kNewtonSchulzA = 3.4445f, kNewtonSchulzB = -4.7750f, kNewtonSchulzC = 2.0315f;
inline constexpr float kLeastMuonNorm = 1e-7f;

struct MuonMomentum {
    const float *gradient = nullptr;
    float gradientScale = 1; // factor of gradient clipping
    float momentum = 0.95f;
    float *buffer = nullptr; // momentum buffer: += (gradient - buffer) (1 - momentum)
    float *update = nullptr; // gradient + momentum (buffer - gradient)
};
void muonMomentum(std::int64_t elements, const MuonMomentum &op);

// x = each whole matrix, divided by its Frobenius norm, and transposed if it has more rows than columns. A shard begins
// `shardStride` elements after the one before it.
void muonNormalize(const Matrices &matrices, const float *update, std::int64_t shardStride, float *x);

// square = a I + b gram + c square, with the coefficients above. All matrices are square.
void newtonSchulz(const Matrices &matrices, const float *gram, float *square);

// weight = keep x weight - rate x update, where the update `x` is stored transposed if the weight has more rows than
// columns. Only elements `first` to `last` of one shard [count, shardRows, shardColumns] are updated.
struct MuonUpdate {
    const float *x = nullptr; // of whole matrices
    int shard = 0;
    std::int64_t first = 0, last = 0;
    float rate = 0, keep = 1;
    float *weight = nullptr; // element `first`
};
void muonUpdate(const Matrices &matrices, const MuonUpdate &op);

// average = decay average + (1 - decay) weight.
void updateEma(std::int64_t elements, float decay, const float *weight, float *average);

} // namespace slipway::cpu_ops
