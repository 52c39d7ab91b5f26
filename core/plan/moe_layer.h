// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A mixture of experts in place of the MLP, recorded on a tape: the router, the dispatch of tokens to the ranks of
// their experts, the experts' GEMMs, and the combination of the results. It follows Megatron-LM's MoELayer with the
// all-to-all dispatcher, torchtitan or Transformers.
#pragma once

#include "plan/simulated_layer_writer.h"

namespace slipway {

// Records it from the norm's output and returns what is added to the stream.
Value recordExperts(const LayerWriter &writer, const LayerParts &parts, Value normed);

} // namespace slipway
