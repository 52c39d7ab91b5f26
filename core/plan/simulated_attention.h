// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Attention of a simulated framework, recorded on a tape: one fused kernel, or GEMMs and a softmax over attention
// scores in memory.
#pragma once

#include "plan/simulated_layer_writer.h"

namespace slipway {

// Records attention and returns its output [tokens, qWidth()]. If queries, keys and values are the same value, they are
// views of the result of one GEMM.
Value recordAttention(const LayerWriter &writer, Attention kind, Value queries, Value keys, Value values);

} // namespace slipway
