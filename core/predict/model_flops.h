// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The FLOPs per token that MFU counts: forward and backward without recomputation.
#pragma once

#include "config/run_config.h"
#include "model/model_spec.h"

namespace slipway {

// Equal to modelFlopsPerToken() if all weights are trained. Frozen weights take four of the six FLOPs per weight, as
// they have no weight-gradient GEMMs; adapters take all six.
Flops neededFlopsPerToken(const RunConfig &config, const ModelSpec &model);
// The same with half of the attention FLOPs, as causal kernels execute them.
Flops neededFlopsPerTokenCausal(const RunConfig &config, const ModelSpec &model);

} // namespace slipway
