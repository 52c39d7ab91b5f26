// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a LLaMA-style step consists of in our own trainer, op by op, forward and backward by hand.
#pragma once

#include "plan/llama_layout.h"

namespace slipway {

// Backward blocks differ by whether this micro-batch's gradients start a sum or join it.
struct GradientMode {
    bool accumulate = false;
    bool operator==(const GradientMode &) const = default;
};

Block embeddingForward(PlanBuilder &builder, const LlamaLayout &layout); // loads the micro-batch, too
Block layerForward(PlanBuilder &builder, const LlamaLayout &layout);
Block finalNormForward(PlanBuilder &builder, const LlamaLayout &layout);
// Loss and its gradients for `rows` tokens from slot index x chunkRows on. Writes d(final_normed) over final_normed.
// `firstOfStep`: starts the loss instead of adding to it; `accumulate`: dHead is added to.
Block lossChunk(PlanBuilder &builder, const LlamaLayout &layout, std::int64_t rows, bool firstOfStep, bool accumulate);
Block finalNormBackward(PlanBuilder &builder, const LlamaLayout &layout, GradientMode mode);
Block layerBackward(PlanBuilder &builder, const LlamaLayout &layout, GradientMode mode);
// `tied`: the table's gradient has the head's part already.
Block embeddingBackward(PlanBuilder &builder, const LlamaLayout &layout, GradientMode mode, bool tied);

Block sumSquares(PlanBuilder &builder, const LlamaLayout &layout, const ParameterUnit &unit, bool first);
Block adamW(PlanBuilder &builder, const LlamaLayout &layout, const ParameterUnit &unit);

} // namespace slipway
