// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// EmbeddingBackward by our own kernel. LibTorch's widens dx to fp32 first, and adds the rows of a token that is met
// often one after the other.
#pragma once

#include "exec/torch_op_table.h"

namespace slipway {

// Operands stand in the order that OpKind documents. Takes memory of LibTorch's allocator: 24 bytes a row to sort the
// tokens, and a sixteenth of dx in fp32 for sums that parts share.
void embeddingGradient(const OpCall &call, const StepContext &context, const TorchContext &torch);

} // namespace slipway
