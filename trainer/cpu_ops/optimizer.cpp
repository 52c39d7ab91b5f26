// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cpu_ops/optimizer.h"

#include <cmath>

#include "cpu_ops/parallel.h"
#include "cpu_ops/simd.h"

namespace slipway::cpu_ops {
namespace {

// Computed in fp64, because squares of gradients may exceed the range of fp32, and sums of millions of them its
// precision.
SLIPWAY_SIMD double squares(std::int64_t elements, const float *values)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < elements; ++i) {
        const auto value = static_cast<double>(values[i]);
        sum += value * value;
    }
    return sum;
}

SLIPWAY_SIMD void update(std::int64_t elements, const AdamWFactors &factors, const AdamWTensors &tensors)
{
    const float keep = 1.0f - factors.learningRate * factors.weightDecay;
    const float rate = factors.learningRate / factors.correction1;
    const float rootCorrection = 1.0f / std::sqrt(factors.correction2);
    const float beta1 = factors.beta1, beta2 = factors.beta2, eps = factors.eps, scale = factors.gradientScale;
    float *const weight = tensors.weight;
    const float *const gradient = tensors.gradient;
    float *const momentum = tensors.momentum;
    float *const variance = tensors.variance;
#pragma omp simd
    for (std::int64_t i = 0; i < elements; ++i) {
        const float g = gradient[i] * scale;
        const float m = beta1 * momentum[i] + (1.0f - beta1) * g;
        const float v = beta2 * variance[i] + (1.0f - beta2) * g * g;
        momentum[i] = m;
        variance[i] = v;
        weight[i] = weight[i] * keep - rate * m / (__builtin_sqrtf(v) * rootCorrection + eps);
    }
}

} // namespace

double sumSquares(std::int64_t elements, const float *values)
{
    return parallelSum(
        elements, [&](std::int64_t begin, std::int64_t end) { return squares(end - begin, values + begin); });
}

void adamW(std::int64_t elements, const AdamWFactors &factors, const AdamWTensors &tensors)
{
    parallelRanges(elements, kElementGrain, [&](std::int64_t begin, std::int64_t end) {
        update(end - begin, factors,
            {tensors.weight + begin, tensors.gradient + begin, tensors.momentum + begin, tensors.variance + begin});
    });
}

} // namespace slipway::cpu_ops
