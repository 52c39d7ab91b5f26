// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "model/model_spec.h"

namespace slipway {

namespace {

std::int64_t normParameters(const ModelSpec &model)
{
    return std::int64_t{model.hidden} * ((model.normWeight ? 1 : 0) + (model.normBias ? 1 : 0));
}

std::int64_t attentionMatrices(const ModelSpec &model)
{
    return std::int64_t{model.hidden} * (2 * model.queryWidth() + 2 * model.kvWidth());
}

std::int64_t attentionParameters(const ModelSpec &model)
{
    std::int64_t count = attentionMatrices(model);
    if (model.qkvBias)
        count += model.queryWidth() + 2 * model.kvWidth();
    if (model.attentionOutBias)
        count += model.hidden;
    if (model.qkNorm == QkNorm::Head)
        count += 2 * std::int64_t{model.headDim};
    if (model.qkNorm == QkNorm::Full)
        count += model.queryWidth() + model.kvWidth();
    return count;
}

// One MLP, or one expert.
std::int64_t mlpMatrices(const ModelSpec &model)
{
    return (model.mlp == Mlp::SwiGlu ? 3 : 2) * std::int64_t{model.hidden} * model.ffn;
}

std::int64_t mlpParameters(const ModelSpec &model)
{
    const std::int64_t biases = (model.mlp == Mlp::SwiGlu ? 2 : 1) * std::int64_t{model.ffn} + model.hidden;
    return mlpMatrices(model) + (model.mlpBias ? biases : 0);
}

std::int64_t expertsHeld(const ModelSpec &model) { return model.experts > 0 ? model.experts : 1; }
std::int64_t expertsUsed(const ModelSpec &model) { return model.experts > 0 ? model.expertsPerToken : 1; }

} // namespace

std::int64_t routerParameterCount(const ModelSpec &model) { return std::int64_t{model.hidden} * model.experts; }

std::int64_t expertParameterCount(const ModelSpec &model) { return model.experts * mlpParameters(model); }

std::int64_t blockParameterCount(const ModelSpec &model)
{
    return attentionParameters(model) + expertsHeld(model) * mlpParameters(model) + routerParameterCount(model) +
           model.blockNorms * normParameters(model);
}

std::int64_t parameterCount(const ModelSpec &model)
{
    const std::int64_t table = std::int64_t{model.vocab} * model.hidden;
    std::int64_t count = table + model.layers * blockParameterCount(model) + normParameters(model);
    if (!model.tied)
        count += table;
    if (model.headBias)
        count += model.vocab;
    if (model.position == Position::Learned)
        count += std::int64_t{model.maxPositions} * model.hidden;
    return count;
}

std::int64_t activeParameterCount(const ModelSpec &model)
{
    const std::int64_t idle = expertsHeld(model) - expertsUsed(model);
    return parameterCount(model) - model.layers * idle * mlpParameters(model);
}

std::int64_t matmulParameterCount(const ModelSpec &model)
{
    const std::int64_t block =
        attentionMatrices(model) + expertsUsed(model) * mlpMatrices(model) + routerParameterCount(model);
    return model.layers * block + std::int64_t{model.vocab} * model.hidden;
}

Flops modelFlopsPerToken(const ModelSpec &model, std::int64_t seqLen)
{
    const Flops attention = 12.0 * model.layers * static_cast<double>(model.queryWidth()) * static_cast<double>(seqLen);
    return 6.0 * static_cast<double>(matmulParameterCount(model)) + attention;
}

Flops modelFlopsPerTokenCausal(const ModelSpec &model, std::int64_t seqLen)
{
    const Flops attention = 6.0 * model.layers * static_cast<double>(model.queryWidth()) * static_cast<double>(seqLen);
    return 6.0 * static_cast<double>(matmulParameterCount(model)) + attention;
}

} // namespace slipway
