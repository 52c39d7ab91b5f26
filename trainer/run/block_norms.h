// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "model/model_spec.h"

namespace slipway {

// Sets the norms of a decoder layer before or after a branch, or both, by the names of layerTensors(). `norm` creates a
// norm by its name. The norms of a layer are optional.
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
