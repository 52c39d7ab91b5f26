// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The parameters that a run trains: all of them, or those of adapters on frozen weights.
#pragma once

#include <cstdint>

#include "config/run_config.h"
#include "model/model_spec.h"

namespace slipway {

// Weights of a layer's adapters: rank x (rows + columns) of each matrix that has one.
std::int64_t adapterParametersPerLayer(const RunConfig &config, const ModelSpec &model);

// Those of all adapters; the model's own if all weights are trained.
std::int64_t trainedParameterCount(const RunConfig &config, const ModelSpec &model);

} // namespace slipway
