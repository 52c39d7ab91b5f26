// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// EmbeddingBackward by our own kernel. LibTorch's op converts dx to fp32 first, and adds the rows of a frequent token
// sequentially.
#pragma once

#include "exec/torch_op_table.h"

namespace slipway {

// Operands are in the order of OpKind. Allocates from LibTorch's allocator: 24 bytes per row to sort the tokens, and
// one sixteenth of dx in fp32 for partial sums.
void embeddingGradient(const OpCall &call, const StepContext &context, const TorchContext &torch);

} // namespace slipway
