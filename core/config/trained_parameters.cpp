// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "config/trained_parameters.h"

namespace slipway {

std::int64_t adapterParametersPerLayer(const RunConfig &config, const ModelSpec &model)
{
    const std::int64_t h = model.hidden, q = model.queryWidth(), kv = model.kvWidth(), f = model.mlp.width;
    std::int64_t sides = (h + q) + (h + kv); // queries and values: widths of input and output
    if (config.loraTargets != LoraTargets::QueryValue)
        sides += (h + kv) + (q + h); // keys, and the output projection
    if (config.loraTargets == LoraTargets::Linear)
        sides += (model.mlp.gated ? 3 : 2) * (h + f);
    return config.loraRank * sides;
}

std::int64_t trainedParameterCount(const RunConfig &config, const ModelSpec &model)
{
    return config.trainsAdapters() ? model.layers * adapterParametersPerLayer(config, model) : parameterCount(model);
}

} // namespace slipway
