// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "model/model_spec.h"

namespace slipway {

// Gives a decoder's layer the norms of a block, by the names that layerTensors() gives them: before a branch, behind
// it, or both. `norm` makes one of its name; a layer's norms are optional.
template<typename Layer, typename MakeNorm>
void addBlockNorms(Layer &layer, const ModelSpec &model, const MakeNorm &norm)
{
    const NormPlacement norms = model.block.norms;
    if (norms != NormPlacement::After) {
        layer.attentionNorm = norm("input_layernorm");
        if (!model.block.sharedNorm)
            layer.mlpNorm =
                norm(norms == NormPlacement::Both ? "pre_feedforward_layernorm" : "post_attention_layernorm");
    }
    if (norms != NormPlacement::Before) {
        layer.attentionPostNorm = norm("post_attention_layernorm");
        layer.mlpPostNorm = norm("post_feedforward_layernorm");
    }
}

} // namespace slipway
