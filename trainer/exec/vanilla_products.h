// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Vanilla attention out of products of all heads at once and our own soft-max, with nothing beside the plan's buffers:
// scores lie where the probabilities will, and heads are read where the projection left them.
#pragma once

#include "exec/torch_op_table.h"

namespace slipway {

// False where the library has nothing for these products: what was written so far counts for nothing.
bool vanillaByProducts(const OpCall &call, const TorchContext &context);
bool vanillaBackwardByProducts(const OpCall &call, const TorchContext &context);

} // namespace slipway
