// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// How tensor-parallel ranks shard the weights of our own trainer: the column and row splits of Megatron-LM (Shoeybi et
// al. 2019, arXiv 1909.08053, section 3). PyTorch stores weights as [out, in], so that a GEMM that is parallel in its
// columns has its rows split.
#pragma once

#include <string_view>

#include "model/weight_slice.h"
#include "plan/step_plan.h"

namespace slipway {

// The placement of a tensor. `tensor`: its name in model_weights.h.
WeightPlacement placementOf(std::string_view tensor);

// The slice of a weight on the rank at `place` of `ranks`. Slices are equal and rounded up; the last ranks may have
// smaller or empty ones (no rows or no columns).
WeightSlice sliceOf(WeightPlacement placement, const WeightSlice &whole, int ranks, int place);

} // namespace slipway
