// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>
#include <cmath>

#include "plan/inference/inference_step.h"
#include "plan/inference/sizes.h"

namespace slipway {

namespace {

Bytes bytesOf(std::int64_t elements, double bits) { return static_cast<Bytes>(std::ceil(double(elements) * bits / 8)); }

std::int64_t matricesOfWidth(const ModelSpec &model, std::int64_t width)
{
    return std::int64_t{model.mlp.gated ? 3 : 2} * model.hidden * width;
}

// Elements of the matrices that are split over ranks: projections of attention, MLP, experts.
std::int64_t linearElements(const ModelSpec &model, const inference::Sizes &s)
{
    const std::int64_t mlps = std::max(1, model.experts.count);
    return model.hidden * (s.qkvWidth + s.qWidth) + mlps * matricesOfWidth(model, s.ffn) +
           matricesOfWidth(model, s.sharedWidth);
}

} // namespace

namespace inference {

Sizes sizesOf(const ModelSpec &model, int tp)
{
    const AttentionModule &attention = model.attention;
    Sizes s;
    s.heads = ceilDiv(attention.heads, tp);
    s.kvHeads = ceilDiv(attention.kvHeads, tp);
    s.qWidth = s.heads * attention.headDim;
    s.kvWidth = s.kvHeads * attention.headDim;
    s.qkvWidth = s.qWidth + 2 * s.kvWidth;
    s.ffn = ceilDiv(model.mlp.width, tp);
    s.sharedWidth = ceilDiv(model.experts.sharedWidth, tp);
    s.vocab = ceilDiv(model.vocab, tp);
    return s;
}

} // namespace inference

Bytes cacheBytesPerToken(const ModelSpec &model, const InferenceLayout &layout)
{
    return bytesOf(2 * inference::sizesOf(model, layout.tp).kvWidth, layout.cacheBits);
}

InferenceWeights inferenceWeights(const ModelSpec &model, const InferenceLayout &layout)
{
    const double plain = 8.0 * double(sizeOf(layout.type)); // norms, biases, routers: not quantized, whole on each rank
    const inference::Sizes whole = inference::sizesOf(model, 1), own = inference::sizesOf(model, layout.tp);
    const std::int64_t table = std::int64_t{model.vocab} * model.hidden, ownTable = own.vocab * model.hidden;
    const std::int64_t ends = parameterCount(model) - model.layers * blockParameterCount(model);
    const std::int64_t positions =
        model.position == Position::Learned ? std::int64_t{model.embedding.positions} * model.hidden : 0;
    const std::int64_t tables = model.head.tied ? 1 : 2, headRest = ends - tables * table - positions;
    InferenceWeights weights;
    weights.embedding = bytesOf(ownTable, layout.tableBits) + bytesOf(positions, plain);
    weights.layer = bytesOf(linearElements(model, own), layout.weightBits) +
                    bytesOf(blockParameterCount(model) - linearElements(model, whole), plain);
    weights.head = bytesOf((tables - 1) * ownTable, layout.tableBits) + bytesOf(headRest, plain);
    return weights;
}

std::int64_t expertsTouched(const ExpertsModule &experts, std::int64_t tokens)
{
    if (experts.count <= 0 || tokens <= 0)
        return 0;
    const double all = experts.count, missed = std::pow(1 - double(experts.perToken) / all, double(tokens));
    return std::clamp<std::int64_t>(std::llround(all * (1 - missed)), experts.perToken, experts.count);
}

} // namespace slipway
