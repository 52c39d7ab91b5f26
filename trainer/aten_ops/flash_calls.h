// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Calls of LibTorch's flash attention for separate q, k and v, on a GPU and on the CPU.
#pragma once

#include "aten_ops/attention.h"
#include "aten_ops/head_views.h"

namespace slipway::aten_ops {

// The keys that a query attends to.
enum class Keys {
    UpToQuery, // query i of n attends to key i - n, counted from the last, and to all before it in the window
    All,
};

// Whether documents are separate.
inline bool apart(const AttentionOptions &options) { return options.documents.device.defined(); }

// The layout that FlashAttention-2 reads: [batch, seq, heads, headDim], or with documents [all tokens, heads, headDim].
at::Tensor rowsOf(const at::Tensor &heads, const AttentionOptions &options);
// The layout of the log-sum-exp: [batch, heads, seq], or [heads, all tokens] with documents.
at::Tensor statisticsOf(const at::Tensor &lse, const AttentionOptions &options);

// out as rowsOf(), lse as statisticsOf().
struct FlashResult {
    at::Tensor out, lse;
};
// The inputs of the backward pass: [batch, seq, heads, headDim], and lse as statisticsOf().
struct BackwardInput {
    at::Tensor dout, q, k, v, out, lse;
};

// FlashAttention-2. With more keys than queries, its causal mask ends at the last key (Dao 2023, version 2.1).
FlashResult gpuFlash(const HeadOperands &in, Keys keys, const AttentionOptions &options);
HeadGradients gpuFlashBackward(const BackwardInput &in, Keys keys, const AttentionOptions &options);

// The options must be the default ones, except the scale. Keys::UpToQuery needs as many keys as queries.
FlashResult cpuFlash(const HeadOperands &in, Keys keys, const AttentionOptions &options);
HeadGradients cpuFlashBackward(const BackwardInput &in, Keys keys, const AttentionOptions &options);

} // namespace slipway::aten_ops
