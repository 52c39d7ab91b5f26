// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A mixture of experts in the MLP's place, on a tape: router, dispatch of the tokens to the ranks of their experts, the
// experts' GEMMs, and the way back. As Megatron-LM's MoELayer with its all-to-all dispatcher has it, torchtitan's,
// or Transformers'.
#pragma once

#include "plan/simulated_layer_writer.h"

namespace slipway {

// Records it from the norm's output and returns what is added to the stream.
Value recordExperts(const LayerWriter &writer, const LayerParts &parts, Value normed);

} // namespace slipway
