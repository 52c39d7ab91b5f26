// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// How tensor-parallel ranks share the weights of our own trainer: the column and row splits of Megatron-LM (Shoeybi et
// al. 2019, arXiv 1909.08053, section 3). PyTorch stores weights as [out, in], so that a GEMM that is parallel in its
// columns has its rows split.
#pragma once

#include <string_view>

#include "model/weight_slice.h"
#include "plan/step_plan.h"

namespace slipway {

// Of a tensor by its name in model_weights.h.
WeightPlacement placementOf(std::string_view tensor);

// What the rank at `place` of `ranks` has of a weight: equal shares, rounded up; the last ranks may have less, or
// nothing (no rows or no columns).
WeightSlice sliceOf(WeightPlacement placement, const WeightSlice &whole, int ranks, int place);

} // namespace slipway
