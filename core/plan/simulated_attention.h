// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Attention between queries, keys and values as the simulated frameworks write it, on a tape: one fused kernel, or
// GEMMs and soft-max over scores in memory.
#pragma once

#include "plan/simulated_layer_writer.h"

namespace slipway {

// Records it and returns its output, tokens x qWidth(). Queries, keys and values that are one value are views of
// one GEMM.
Value recordAttention(const LayerWriter &writer, Attention kind, Value queries, Value keys, Value values);

} // namespace slipway
