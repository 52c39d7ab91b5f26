// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Tables that ops read and that depend only on the model.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu_ops/rope.h"
#include "model/model_spec.h"

namespace slipway {

// The RoPE tables of the model, for sequences of `seq` tokens; empty if it has other positions. The model must be one
// that buildPlan() accepts.
std::vector<cpu_ops::RopeTable> ropeTables(const ModelSpec &model, std::int64_t seq);

// ALiBi's slope per head (Press et al. 2021, arXiv 2108.12409): 2^(-8 i / heads) for i from 1 if the number of heads is
// a power of two. Otherwise those of the next lower power of two, then every second one of the next higher. Empty if
// the model has other positions. With tensor parallelism over `ranks`, those of the heads of one rank.
std::vector<float> alibiSlopes(const ModelSpec &model, int ranks = 1, int rank = 0);

} // namespace slipway
