// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "predict/model_flops.h"

namespace slipway {

namespace {

Flops change(const RunConfig &config, const ModelSpec &model)
{
    if (!config.trainsAdapters())
        return 0;
    const auto adapters = double(model.layers * adapterParametersPerLayer(config, model));
    return 6.0 * adapters - 2.0 * double(matmulParameterCount(model));
}

} // namespace

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

Flops neededFlopsPerToken(const RunConfig &config, const ModelSpec &model)
{
    return modelFlopsPerToken(model, config.seqLen) + change(config, model);
}

Flops neededFlopsPerTokenCausal(const RunConfig &config, const ModelSpec &model)
{
    return modelFlopsPerTokenCausal(model, config.seqLen) + change(config, model);
}

} // namespace slipway
