// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A least-squares fit of few parameters, and how far the data support each of them.
#pragma once

#include <functional>
#include <vector>

namespace slipway {

struct Fit {
    std::vector<double> at;     // the parameters
    double sum = 0;             // of squared residuals there
    std::vector<double> errors; // standard errors for residuals of standard deviation 1
    // 1 - R^2 of each parameter's sensitivities against those of the others: 0 where these cannot be distinguished.
    std::vector<double> tolerance;
};

using Residuals = std::function<std::vector<double>(const std::vector<double> &)>;

// Levenberg-Marquardt with forward differences (Marquardt 1963). Parameters stay within -bound to bound.
Fit leastSquares(const Residuals &residuals, std::vector<double> start, double bound);

} // namespace slipway
