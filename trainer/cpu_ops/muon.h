// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The elementwise steps of Muon between its GEMMs (core/plan/native/muon.h).
#pragma once

#include <cstdint>

namespace slipway::cpu_ops {

// Consecutive row-major matrices of one shape.
struct Matrices {
    std::int64_t count = 1, rows = 0, columns = 0;
};

// Jordan et al. 2024, https://kellerjordan.github.io/posts/muon; the same as in torch.optim.Muon.
inline constexpr float kNewtonSchulzA = 3.4445f, kNewtonSchulzB = -4.7750f, kNewtonSchulzC = 2.0315f;
inline constexpr float kLeastMuonNorm = 1e-7f;

struct MuonMomentum {
    const float *gradient = nullptr;
    float gradientScale = 1; // factor of gradient clipping
    float momentum = 0.95f;
    float *buffer = nullptr; // momentum buffer: += (gradient - buffer) (1 - momentum)
    // gradient + momentum (buffer - gradient), divided by its Frobenius norm. Transposed if it has more rows than
    // columns.
    float *x = nullptr;
};
void muonMomentum(const Matrices &matrices, const MuonMomentum &op);

// square = a I + b gram + c square, with the coefficients above. All matrices are square.
void newtonSchulz(const Matrices &matrices, const float *gram, float *square);

// weight = keep x weight - rate x update, where the update `x` is stored transposed if the weight has more rows than
// columns.
void muonUpdate(const Matrices &matrices, const float *x, float rate, float keep, float *weight);

// average = decay average + (1 - decay) weight.
void moveAverage(std::int64_t elements, float decay, const float *weight, float *average);

} // namespace slipway::cpu_ops
