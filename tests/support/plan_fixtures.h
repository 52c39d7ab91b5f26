// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "config/run_config.h"
#include "model/model_spec.h"
#include "plan/build_plan.h"

namespace slipway::testing {

inline ModelSpec smallModel()
{
    return {.name = "small",
        .layers = 3,
        .hidden = 32,
        .attention = {.heads = 4, .kvHeads = 2, .headDim = 8},
        .mlp = {.width = 48},
        .vocab = 100};
}

inline RunConfig smallConfig()
{
    RunConfig config;
    config.microBatch = 2;
    config.seqLen = 16;
    config.precision = Precision::Fp32;
    return config;
}

inline RunConfig compiledConfig()
{
    RunConfig config = smallConfig();
    config.framework = Framework::PytorchCompile;
    return config;
}

inline StepPlan planOf(const RunConfig &config, const ModelSpec &model = smallModel())
{
    return std::move(buildPlan(config, model).value().stages.front());
}

} // namespace slipway::testing
