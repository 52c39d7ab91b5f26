// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/least_squares.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace slipway {

namespace {

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;

constexpr double kStep = 0.01;
constexpr int kMostIterations = 40;
constexpr double kConverged = 1e-6;

double squares(const Vector &v) { return std::inner_product(v.begin(), v.end(), v.begin(), 0.0); }

// Gauss-Jordan elimination with pivots. A singular matrix gives infinities in the diagonal of the inverse.
Matrix inverse(Matrix a)
{
    const std::size_t n = a.size();
    Matrix inv(n, Vector(n, 0));
    for (std::size_t i = 0; i < n; ++i)
        inv[i][i] = 1;
    for (std::size_t c = 0; c < n; ++c) {
        std::size_t pivot = c;
        for (std::size_t r = c + 1; r < n; ++r)
            pivot = std::abs(a[r][c]) > std::abs(a[pivot][c]) ? r : pivot;
        if (std::abs(a[pivot][c]) < 1e-14)
            return Matrix(n, Vector(n, std::numeric_limits<double>::infinity()));
        std::swap(a[c], a[pivot]);
        std::swap(inv[c], inv[pivot]);
        const double scale = a[c][c];
        for (std::size_t j = 0; j < n; ++j) {
            a[c][j] /= scale;
            inv[c][j] /= scale;
        }
        for (std::size_t r = 0; r < n; ++r) {
            const double factor = r == c ? 0 : a[r][c];
            for (std::size_t j = 0; factor != 0 && j < n; ++j) {
                a[r][j] -= factor * a[c][j];
                inv[r][j] -= factor * inv[c][j];
            }
        }
    }
    return inv;
}

// J'J and J'r, by forward differences.
struct Slope {
    Matrix normal;
    Vector gradient;
};

Slope slopeAt(const Residuals &residuals, const Vector &at, const Vector &here)
{
    const std::size_t n = at.size();
    Matrix columns;
    for (std::size_t i = 0; i < n; ++i) {
        Vector moved = at;
        moved[i] += kStep;
        Vector column = residuals(moved);
        for (std::size_t r = 0; r < column.size(); ++r)
            column[r] = (column[r] - here[r]) / kStep;
        columns.push_back(std::move(column));
    }
    Slope slope{.normal = Matrix(n, Vector(n, 0)), .gradient = Vector(n, 0)};
    for (std::size_t i = 0; i < n; ++i) {
        slope.gradient[i] = std::inner_product(columns[i].begin(), columns[i].end(), here.begin(), 0.0);
        for (std::size_t j = 0; j < n; ++j)
            slope.normal[i][j] = std::inner_product(columns[i].begin(), columns[i].end(), columns[j].begin(), 0.0);
    }
    return slope;
}

} // namespace

Fit leastSquares(const Residuals &residuals, std::vector<double> start, double bound)
{
    Fit fit{.at = std::move(start)};
    const std::size_t n = fit.at.size();
    Vector here = residuals(fit.at);
    fit.sum = squares(here);
    double damping = 1e-3;
    for (int i = 0; i < kMostIterations; ++i) {
        const Slope slope = slopeAt(residuals, fit.at, here);
        Matrix damped = slope.normal;
        for (std::size_t k = 0; k < n; ++k)
            damped[k][k] += damping * slope.normal[k][k] + 1e-12;
        const Matrix inv = inverse(damped);
        Vector next = fit.at;
        double moved = 0;
        for (std::size_t k = 0; k < n; ++k) {
            const double step = -std::inner_product(inv[k].begin(), inv[k].end(), slope.gradient.begin(), 0.0);
            next[k] = std::clamp(fit.at[k] + (std::isfinite(step) ? step : 0), -bound, bound);
            moved = std::max(moved, std::abs(next[k] - fit.at[k]));
        }
        if (moved < kConverged)
            break;
        Vector there = residuals(next);
        if (const double sum = squares(there); sum < fit.sum) {
            fit.at = std::move(next);
            fit.sum = sum;
            here = std::move(there);
            damping = std::max(1e-9, damping / 10);
        } else {
            damping *= 10;
            if (damping > 1e9)
                break;
        }
    }
    const Matrix normal = slopeAt(residuals, fit.at, here).normal, inv = inverse(normal);
    for (std::size_t k = 0; k < n; ++k) {
        fit.errors.push_back(std::sqrt(std::max(0.0, inv[k][k])));
        fit.tolerance.push_back(std::isfinite(inv[k][k]) && inv[k][k] > 0 ? 1 / (inv[k][k] * normal[k][k]) : 0);
    }
    return fit;
}

} // namespace slipway
