// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Shapes between the presets: depth and width over size as in Ashkboos et al. 2024 (arXiv 2410.19456), Table 2.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "model/model_spec.h"

namespace slipway {

inline constexpr std::int64_t kSmallestCurveSize = 10'000'000;
inline constexpr std::int64_t kLargestCurveSize = 100'000'000'000;

// The shape of the paper's family whose parameter count is nearest: head_dim 64, SwiGLU width floor(2.7 hidden),
// vocabulary 32,000, untied. An error outside the sizes above.
Result<ModelSpec> modelOfSize(double parameters, std::string_view name);

} // namespace slipway
