// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <cstdint>

#include "cpu_ops/norm.h"

namespace slipway::cpu_ops {

// The target of a position whose next token is of another document.
inline constexpr std::int32_t kNotCounted = -1;

// Returns the sum over the rows of -log softmax(logits)[target], in nats, and replaces the logits by the gradient of
// `scale` times that sum. A row whose target is kNotCounted adds nothing and gets no gradient.
double crossEntropy(Rows shape, const std::int32_t *targets, float scale, float *logits);

} // namespace slipway::cpu_ops
