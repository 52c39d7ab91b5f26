// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What measured GEMMs say about others: tiles and waves give a GEMM's time, and the nearest measured ones how far
// that is off there.
#pragma once

#include <array>
#include <vector>

#include "hardware/gemm_table.h"
#include "plan/step_plan.h"

namespace slipway {

class MeasuredGemms {
public:
    // `modelled` is what the model of speed gives each of the GEMMs.
    MeasuredGemms(const std::vector<MeasuredGemm> &gemms, const std::vector<Seconds> &modelled);

    // Measured over modelled time of a GEMM: its own where it was measured, else the geometric mean of those of its
    // type, each by the inverse square of its distance in the logarithms of m, n and k (Shepard 1968). 1 where none has
    // its type.
    [[nodiscard]] double factor(const Kernel &gemm) const;
    // The same without the i-th GEMM: how well the others foretell it.
    [[nodiscard]] double factorWithout(std::size_t i) const;

private:
    struct Point {
        GemmType type;
        std::array<double, 3> at; // logarithms of m times batch, n, k
        double residual;          // logarithm of measured over modelled
    };
    [[nodiscard]] double mean(GemmType type, const std::array<double, 3> &at, std::size_t without) const;

    std::vector<Point> m_points;
};

// As the model of speed sees it.
Kernel kernelOf(const MeasuredGemm &gemm);
// Of a step's GEMM, by what one took.
MeasuredGemm measuredOf(const Kernel &gemm, Seconds seconds);

} // namespace slipway
