// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What stands before the layers and behind them: embedding, head and loss.
#pragma once

#include "plan/native/layout.h"

namespace slipway::native {

// Loads the tokens and targets of a micro-batch, and the tables of its documents.
Op loadBatch(PlanBuilder &builder, const Layout &layout);

Block embeddingForward(OpWriter writer, const Layout &layout);  // loads the micro-batch, too
Block embeddingBackward(OpWriter writer, const Layout &layout); // frees nothing yet

// Slot index: the number of layers, so that x is the last layer's output.
Block finalNormForward(OpWriter writer, const Layout &layout);
Block finalNormBackward(OpWriter writer, const Layout &layout);

// Loss and its gradients for `rows` tokens from slot index x chunkRows on. Writes d(final_normed) over final_normed.
// `firstOfStep`: starts the loss instead of adding to it. `gradients` writes the backward ops.
Block lossChunk(OpWriter forward, OpWriter gradients, const Layout &layout, std::int64_t rows, bool firstOfStep);

} // namespace slipway::native
