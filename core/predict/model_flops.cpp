// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "predict/model_flops.h"

#include "config/trained_parameters.h"

namespace slipway {

namespace {

Flops change(const RunConfig &config, const ModelSpec &model)
{
    if (!config.trainsAdapters())
        return 0;
    const auto adapters = double(trainedParameterCount(config, model));
    return 6.0 * adapters - 2.0 * double(matmulParameterCount(model));
}

} // namespace

Flops neededFlopsPerToken(const RunConfig &config, const ModelSpec &model)
{
    return modelFlopsPerToken(model, config.seqLen) + change(config, model);
}

Flops neededFlopsPerTokenCausal(const RunConfig &config, const ModelSpec &model)
{
    return modelFlopsPerTokenCausal(model, config.seqLen) + change(config, model);
}

} // namespace slipway
