// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "model/model_spec.h"

#include <cmath>

namespace slipway {

namespace {

std::int64_t normParameters(const ModelSpec &model)
{
    return std::int64_t{model.hidden} * ((model.norm.weight ? 1 : 0) + (model.norm.bias ? 1 : 0));
}

std::int64_t attentionMatrices(const ModelSpec &model)
{
    return std::int64_t{model.hidden} * (2 * model.queryWidth() + 2 * model.kvWidth());
}

std::int64_t attentionParameters(const ModelSpec &model)
{
    const AttentionModule &attention = model.attention;
    std::int64_t count = attentionMatrices(model);
    if (attention.qkvBias)
        count += model.queryWidth() + 2 * model.kvWidth();
    if (attention.outBias)
        count += model.hidden;
    if (attention.qkNorm == QkNorm::Head)
        count += 2 * std::int64_t{attention.headDim};
    if (attention.qkNorm == QkNorm::Full)
        count += model.queryWidth() + model.kvWidth();
    if (attention.sinks)
        count += attention.heads;
    return count;
}

std::int64_t matricesOfWidth(const ModelSpec &model, std::int64_t width)
{
    return std::int64_t{model.mlp.gated ? 3 : 2} * model.hidden * width;
}

// One MLP, or one expert.
std::int64_t mlpParameters(const ModelSpec &model)
{
    const std::int64_t biases = (model.mlp.gated ? 2 : 1) * std::int64_t{model.mlp.width} + model.hidden;
    return matricesOfWidth(model, model.mlp.width) + (model.mlp.bias ? biases : 0);
}

// Of the expert that every token passes through, with the weights of its gate.
std::int64_t sharedExpertParameters(const ModelSpec &model)
{
    return matricesOfWidth(model, model.experts.sharedWidth) + (model.experts.sharedGate ? model.hidden : 0);
}

std::int64_t routerMatrix(const ModelSpec &model) { return std::int64_t{model.hidden} * model.experts.count; }

std::int64_t expertsHeld(const ModelSpec &model) { return model.experts.count > 0 ? model.experts.count : 1; }
std::int64_t expertsUsed(const ModelSpec &model) { return model.experts.count > 0 ? model.experts.perToken : 1; }

} // namespace

double ModelSpec::attentionScale() const
{
    return attention.scale > 0 ? attention.scale : 1.0 / std::sqrt(static_cast<double>(attention.headDim));
}

std::int64_t ModelSpec::longestSequence() const
{
    return position == Position::Learned ? std::int64_t{embedding.positions} - embedding.firstPosition : contextLength;
}

double ModelSpec::embeddingScale() const
{
    return embedding.scale > 0 ? embedding.scale : std::sqrt(static_cast<double>(hidden));
}

std::int64_t routerParameterCount(const ModelSpec &model)
{
    return routerMatrix(model) + (model.experts.routerBias ? model.experts.count : 0);
}

std::int64_t expertParameterCount(const ModelSpec &model) { return model.experts.count * mlpParameters(model); }

std::int64_t blockParameterCount(const ModelSpec &model)
{
    return attentionParameters(model) + expertsHeld(model) * mlpParameters(model) + sharedExpertParameters(model) +
           routerParameterCount(model) + model.normsPerBlock() * normParameters(model);
}

std::int64_t parameterCount(const ModelSpec &model)
{
    const std::int64_t table = std::int64_t{model.vocab} * model.hidden;
    std::int64_t count = table + model.layers * blockParameterCount(model) + normParameters(model);
    if (!model.head.tied)
        count += table;
    if (model.head.bias)
        count += model.vocab;
    if (model.position == Position::Learned)
        count += std::int64_t{model.embedding.positions} * model.hidden;
    return count;
}

std::int64_t activeParameterCount(const ModelSpec &model)
{
    const std::int64_t idle = expertsHeld(model) - expertsUsed(model);
    return parameterCount(model) - model.layers * idle * mlpParameters(model);
}

std::int64_t matmulParameterCount(const ModelSpec &model)
{
    const std::int64_t block = attentionMatrices(model) + expertsUsed(model) * matricesOfWidth(model, model.mlp.width) +
                               sharedExpertParameters(model) + routerMatrix(model);
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
