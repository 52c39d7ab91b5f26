// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Those keys of config.json that mean something together: rotations, windows, heads, dropout.
#pragma once

#include "model/hf_keys.h"

namespace slipway::hf {

extern const HfPart heads; // num_key_value_heads and head_dim, which may be missing: then hidden / heads
extern const HfPart headsOf128, headsOf256; // the same where the family's class has a head_dim of its own then
extern const HfPart ownHeads;      // each head has its keys, and hidden / heads dimensions: there are no keys for it
extern const HfPart narrowHeads;   // num_key_value_heads alone
extern const HfPart rope;          // rope_theta, rope_scaling, rope_parameters, partial_rotary_factor
extern const HfPart ropeOfNeoX;    // under GPT-NeoX's names
extern const HfPart localRopes;    // Gemma 3: one for layers that see all, one for windows
extern const HfPart window;        // one for all layers
extern const HfPart mistralWindow; // the same, 4096 where nothing is said
extern const HfPart qwenWindows;   // use_sliding_window, from max_window_layers on
extern const HfPart gemma2Windows; // every other layer
extern const HfPart gemma3Windows; // all but each sixth
extern const HfPart smolLayers;    // layers without rotations, which may have windows
extern const HfPart dropout;       // whichever of its names the family uses

} // namespace slipway::hf
