// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "model/families.h"

namespace slipway::testing {

// A small model of the family, with what its description alone leaves open.
inline ModelSpec smallModelOf(const ModelFamily &family)
{
    ModelSpec model = familyDefaults(family);
    model.name = family.type;
    model.layers = 4;
    model.hidden = 64;
    model.attention.heads = model.attention.kvHeads = 4;
    model.attention.headDim = 16;
    model.mlp.width = 96;
    model.vocab = 100;
    model.embedding.positions = model.position == Position::Learned ? 66 : 0;
    if (family.type == "gemma2")
        model.pattern = {{.window = 8}, {}};
    if (family.type == "gemma3_text")
        model.pattern = {{.window = 8, .rope = 1}, {}};
    if (family.type == "smollm3")
        model.pattern = {{}, {}, {}, {.rope = kNoRope}};
    if (family.type == "granite")
        model.embedding.scale = 12;
    if (family.type == "mixtral" || family.type.ends_with("moe")) {
        model.experts.count = 4;
        model.experts.perToken = 2;
    }
    if (family.type == "qwen2_moe")
        model.experts.sharedWidth = 32;
    return model;
}

} // namespace slipway::testing
