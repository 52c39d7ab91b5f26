// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What the ops' own gradients are held against: LibTorch's autograd in fp64, on the same numbers.
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/ATen.h>

namespace slipway::testing {

// Normal numbers in fp32 that an op may write to.
inline at::Tensor randomFloats(at::IntArrayRef sizes) { return at::randn(sizes, at::kFloat); }

inline at::Tensor nans(at::IntArrayRef sizes) { return at::full(sizes, std::nan(""), at::kFloat); }

inline float *dataOf(const at::Tensor &tensor) { return tensor.defined() ? tensor.data_ptr<float>() : nullptr; }

inline std::int32_t *idsOf(const at::Tensor &tensor) { return tensor.data_ptr<std::int32_t>(); }

// A distance that the rounding of fp32 explains.
inline constexpr double kNear = 1e-5;

// The same values in fp64, whose gradient autograd keeps.
inline at::Tensor exact(const at::Tensor &values) { return values.to(at::kDouble).detach().requires_grad_(true); }

// |a - b| / |b|, where b is not all but nothing
inline double distanceOf(const at::Tensor &a, const at::Tensor &b)
{
    const at::Tensor reference = b.detach().to(at::kDouble);
    // What is 0 in exact arithmetic, such as the gradient of a norm over one element, comes out as rounding errors of
    // operands of order 1.
    constexpr double kRounding = 1e-7; // of fp32
    return ((a.to(at::kDouble) - reference).norm() / (reference.norm() + kRounding)).item<double>();
}

// Where documents begin, for sequences of `seq` that have one at these places besides 0; each later sequence a place
// later.
inline std::vector<std::int32_t> documentStartsAt(
    std::int64_t batch, std::int64_t seq, const std::vector<std::int64_t> &places)
{
    std::vector<std::int32_t> starts;
    for (std::int64_t b = 0; b < batch; ++b) {
        std::int32_t start = 0;
        for (std::int64_t t = 0; t < seq; ++t) {
            for (const std::int64_t place : places)
                start = t == place + b ? static_cast<std::int32_t>(t) : start;
            starts.push_back(start);
        }
    }
    return starts;
}

} // namespace slipway::testing
