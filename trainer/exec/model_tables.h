// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Numbers that ops read and that follow from the model alone.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu_ops/rope.h"
#include "model/model_spec.h"

namespace slipway {

// One for each of the model's rotations, for sequences of `seq` tokens; none where it has other positions. The model is
// one that buildPlan() accepts.
std::vector<cpu_ops::RopeTable> ropeTables(const ModelSpec &model, std::int64_t seq);

// ALiBi's slope of each head (Press et al. 2021, arXiv 2108.12409): 2^(-8 i / heads) for i from 1 where heads are a
// power of two; else those of the power below, and every second one of the power above. Empty for other positions.
std::vector<float> alibiSlopes(const ModelSpec &model);

} // namespace slipway
