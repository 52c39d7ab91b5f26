// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Corrects the modeled time of GEMMs by measured ones: tiles and waves give the modeled time, and the nearest
// measured GEMMs its error.
#pragma once

#include <array>
#include <vector>

#include "hardware/gemm_table.h"
#include "plan/step_plan.h"

namespace slipway {

class MeasuredGemms {
public:
    // `modeled`: the modeled time of each GEMM, in the same order.
    MeasuredGemms(const std::vector<MeasuredGemm> &gemms, const std::vector<Seconds> &modeled);

    // Measured over modeled time of a GEMM: its own where it was measured, else the geometric mean of those of its
    // type, each by the inverse square of its distance in the logarithms of m, n and k (Shepard 1968). 1 where none has
    // its type.
    [[nodiscard]] double factor(const Kernel &gemm) const;
    // The same without the i-th GEMM, to test how well the others predict it.
    [[nodiscard]] double factorWithout(std::size_t i) const;

private:
    struct Point {
        GemmType type;
        std::array<double, 3> at; // logarithms of m times batch, n, k
        double residual;          // logarithm of measured over modeled
    };
    [[nodiscard]] double mean(GemmType type, const std::array<double, 3> &at, std::size_t without) const;

    std::vector<Point> m_points;
};

// The kernel of a measured GEMM.
Kernel kernelOf(const MeasuredGemm &gemm);
// A measured GEMM of a step. `seconds`: time of one launch.
MeasuredGemm measuredOf(const Kernel &gemm, Seconds seconds);

} // namespace slipway
