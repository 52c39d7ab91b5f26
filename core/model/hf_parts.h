// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Groups of keys in config.json that have a meaning only together: RoPE, windows, heads, dropout.
#pragma once

#include "model/hf_keys.h"

namespace slipway::hf {

extern const HfPart heads; // num_key_value_heads and head_dim, which may be missing: then hidden / heads
extern const HfPart headsOf128, headsOf256, headsOf64; // the same, with this default for head_dim
extern const HfPart ownHeads;      // no keys: as many key-value heads as heads, hidden / heads dimensions
extern const HfPart narrowHeads;   // num_key_value_heads alone
extern const HfPart rope;          // rope_theta, rope_scaling, rope_parameters; whole heads are rotated
extern const HfPart partialRope;   // the same with partial_rotary_factor
extern const HfPart ropeOfPhi3;    // the same, whose only scaling is LongRoPE
extern const HfPart ropeOfGptOss;  // YaRN by default
extern const HfPart ropeOfNeoX;    // under GPT-NeoX's names
extern const HfPart localRopes;    // Gemma 3: one for full attention, one for sliding windows
extern const HfPart window;        // one for all layers
extern const HfPart mistralWindow; // the same, 4096 by default
extern const HfPart qwenWindows;   // use_sliding_window, from max_window_layers on
extern const HfPart gemma2Windows; // every other layer, 4096 by default
extern const HfPart gptOssWindows; // every other layer, 128 by default
extern const HfPart gemma3Windows; // all but each sixth
extern const HfPart fullLayers;    // layer_types, which name no window
extern const HfPart smolLayers;    // layers without RoPE, which may have windows
extern const HfPart dropout;       // under any of its names

} // namespace slipway::hf
