// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <ATen/core/Tensor.h>

namespace slipway::aten_ops {

// loss (+)= scale times the sum over the rows of -log softmax(logits)[target]; the logits become that term's gradient.
// Allocates the logits in fp32 where they are not.
void crossEntropy(at::Tensor logits, const at::Tensor &targets, double scale, at::Tensor loss, bool accumulate);

} // namespace slipway::aten_ops
