// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Attention by GEMMs over blocks of query rows, for any device, type, head dimension and option but separate documents.
#pragma once

#include <cstdint>

#include "aten_ops/flash_calls.h"

namespace slipway::aten_ops {

// `firstQuery` is the position of the first query, relative to the first key. Each query must attend to at least one
// key. out is like q; lse is [batch, heads, queries].
void blocksForward(const HeadOperands &in, std::int64_t firstQuery, const at::Tensor &out, const at::Tensor &lse,
    const AttentionOptions &options);

// Writes the gradients to `to`, whose tensors are like q, k and v. The results in `in` may be those for more keys.
void blocksBackward(
    const BackwardInput &in, std::int64_t firstQuery, const HeadGradients &to, const AttentionOptions &options);

} // namespace slipway::aten_ops
