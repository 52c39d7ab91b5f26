// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Attention between queries, keys and values as the simulated frameworks write it, on a tape: one fused kernel, or
// GEMMs and soft-max over scores in memory.
#pragma once

#include "plan/tape.h"
#include "plan/simulated_layer.h"
#include "plan/framework_recipe.h"

namespace slipway {

// Records it and returns its output, tokens x sizes.qWidth(). Queries, keys and values that are one value are views of
// one GEMM.
Value recordAttention(Tape &tape, PlanBuilder &builder, const FrameworkRecipe &recipe, const SimulatedSizes &sizes,
    Attention kind, Value queries, Value keys, Value values);

} // namespace slipway
