// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <ATen/core/Tensor.h>

namespace slipway::aten_ops {

// A copy in fp32, even if the input is already fp32.
inline at::Tensor fp32Copy(const at::Tensor &x) { return x.to(at::kFloat, /*non_blocking=*/false, /*copy=*/true); }

} // namespace slipway::aten_ops
