// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <ATen/core/Tensor.h>

namespace slipway::aten_ops {

// Copies the log-sum-exp that an attention kernel of LibTorch returned. Throws if its shape or layout differs from
// `to`, because a copy would silently broadcast it.
void copyLogSumExp(const at::Tensor &given, at::Tensor to);

} // namespace slipway::aten_ops
