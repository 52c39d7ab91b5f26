// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <ATen/core/Tensor.h>

namespace slipway::aten_ops {

// Takes the statistics of attention that a kernel of LibTorch's gives. Throws where they are laid out otherwise than
// `to`: a copy might spread them out in silence.
void takeStatistics(const at::Tensor &given, at::Tensor to);

} // namespace slipway::aten_ops
