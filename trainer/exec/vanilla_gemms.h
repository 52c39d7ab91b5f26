// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Vanilla attention by batched GEMMs over all heads and our softmax kernel, without memory in addition to the plan's
// buffers: scores are written where the probabilities will be, and heads are read in the packed projections.
#pragma once

#include "exec/torch_op_table.h"

namespace slipway {

// False if the GEMM library does not support these GEMMs. The outputs are then undefined.
bool vanillaAttentionByGemms(const OpCall &call, const TorchContext &context);
bool vanillaAttentionBackwardByGemms(const OpCall &call, const TorchContext &context);

} // namespace slipway
