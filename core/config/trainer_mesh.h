// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The meshes that our own trainer runs.
#pragma once

#include "base/result.h"
#include "config/run_config.h"
#include "model/model_spec.h"

namespace slipway {

// What our trainer needs in addition to validateMesh(), which calls it.
Result<void> validateTrainerMesh(const RunConfig &config, const ModelSpec &model);

// The configuration for another number of ranks. Gradient accumulation changes so that the global batch is the same.
// Fault::Input if this is impossible.
Result<RunConfig> withRanks(RunConfig config, int ranks);

} // namespace slipway
