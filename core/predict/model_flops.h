// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The FLOPs of a token that MFU counts: what forward and backward need, without anything that is computed twice.
#pragma once

#include "config/run_config.h"
#include "model/model_spec.h"

namespace slipway {

// Weights of a layer's adapters: rank x (rows + columns) of each matrix that has one.
std::int64_t adapterParametersPerLayer(const RunConfig &config, const ModelSpec &model);

// modelFlopsPerToken() where all weights are trained. Frozen ones have no gradients, whose GEMMs are a third of the
// six FLOPs of each weight; adapters beside them have all six.
Flops neededFlopsPerToken(const RunConfig &config, const ModelSpec &model);
// With half of the attention, as a causal kernel computes it.
Flops neededFlopsPerTokenCausal(const RunConfig &config, const ModelSpec &model);

} // namespace slipway
