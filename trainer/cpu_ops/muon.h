// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What Muon does between its GEMMs (core/plan/native/muon.h).
#pragma once

#include <cstdint>

namespace slipway::cpu_ops {

// Row-major matrices of one shape that follow each other.
struct Matrices {
    std::int64_t count = 1, rows = 0, columns = 0;
};

// Jordan et al. 2024, https://kellerjordan.github.io/posts/muon; torch.optim.Muon has the same.
inline constexpr float kNewtonSchulzA = 3.4445f, kNewtonSchulzB = -4.7750f, kNewtonSchulzC = 2.0315f;
inline constexpr float kLeastMuonNorm = 1e-7f;

struct MuonMomentum {
    const float *gradient = nullptr;
    float gradientScale = 1; // of clipping
    float momentum = 0.95f;
    float *buffer = nullptr; // the momentum: += (gradient - buffer) (1 - momentum)
    float *x = nullptr;      // gradient + momentum (buffer - gradient), divided by its Frobenius norm; the shorter side
                             // comes first: transposed where there are more rows than columns
};
void muonMomentum(const Matrices &matrices, const MuonMomentum &op);

// With G of `matrices`, square ones, square becomes aI + bG + c square.
void newtonSchulz(const Matrices &matrices, const float *gram, float *square);

// weight = keep weight - rate x, where x is transposed if there are more rows than columns.
void muonUpdate(const Matrices &matrices, const float *x, float rate, float keep, float *weight);

// average = decay average + (1 - decay) weight.
void moveAverage(std::int64_t elements, float decay, const float *weight, float *average);

} // namespace slipway::cpu_ops
