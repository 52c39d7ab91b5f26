// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Muon (Jordan et al. 2024, https://kellerjordan.github.io/posts/muon): a matrix moves along its momentum with all
// singular values brought near 1. Newton-Schulz's iteration does that with GEMMs alone: X' = (aI + bG + cG^2) X with
// G = X X^T, five times. Each weight is taken by itself, as torch.optim.Muon takes the parameters of Transformers'
// models.
#pragma once

#include <vector>

#include "plan/native/layout.h"

namespace slipway::native {

// The update of a unit. Its buffers die with its ops; the gradient stays.
std::vector<Op> muonOps(PlanBuilder &builder, const Layout &layout, const ModelSpec &model, const ParameterUnit &unit);

} // namespace slipway::native
