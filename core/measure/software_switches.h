// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Choices that several trainers make, and that notes name.
#pragma once

#include "config/run_config.h"
#include "model/model_spec.h"

namespace slipway {

inline bool selective(const RunConfig &c) { return c.recompute == Recompute::Selective; }

// torchtitan's list of ops whose outputs are kept: attention and every first of two GEMMs.
inline void checkpointOps(RunConfig &c, ModelSpec &)
{
    if (selective(c))
        c.recomputeOps = {"norm", "activation", "rope", "linear-alternate"};
}

inline void removeBiases(RunConfig &, ModelSpec &m) { m.attention.qkvBias = m.attention.outBias = m.mlp.bias = false; }

// Whoever squares a ReLU came after biases: Nemotron, modded-nanogpt.
inline void useSquaredRelu(RunConfig &c, ModelSpec &m)
{
    if (m.mlp.gated)
        return;
    m.mlp.activation = Activation::Relu2;
    removeBiases(c, m);
}

inline void useRmsNorm(RunConfig &, ModelSpec &m)
{
    m.norm.kind = NormKind::RmsNorm;
    m.norm.bias = false;
}

} // namespace slipway
