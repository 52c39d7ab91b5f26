// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "model/size_curve.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/text.h"

namespace slipway {

namespace {

constexpr int kHeadDim = 64;
constexpr int kVocab = 32000;

// Power law through the four depths of Table 2 (9, 15, 19, 24 layers at 130.6M, 526.6M, 970.5M, 1969M parameters),
// which it meets after rounding.
int layersOfSize(double parameters)
{
    return std::max(1, static_cast<int>(std::lround(9.0 * std::pow(parameters / 130'569'920.0, 0.3616))));
}

ModelSpec shapeOf(int layers, int heads)
{
    ModelSpec model;
    model.layers = layers;
    model.attention = {.heads = heads, .kvHeads = heads, .headDim = kHeadDim};
    model.hidden = heads * kHeadDim;
    model.mlp.width = model.hidden * 27 / 10;
    model.vocab = kVocab;
    return model;
}

} // namespace

Result<ModelSpec> modelOfSize(double parameters, std::string_view name)
{
    if (!(parameters >= kSmallestCurveSize && parameters <= kLargestCurveSize)) {
        return Error{.what = "there is no model shape for " + formatCount(parameters) + " parameters",
            .where = "--model",
            .accepted = "sizes from " + formatCount(kSmallestCurveSize) + " to " + formatCount(kLargestCurveSize)};
    }
    const int layers = layersOfSize(parameters);
    const auto distance = [parameters, layers](int heads) {
        return std::abs(static_cast<double>(parameterCount(shapeOf(layers, heads))) - parameters);
    };
    int heads = 1; // the parameter count grows with the width: increase while it comes closer
    while (distance(heads + 1) < distance(heads))
        ++heads;
    ModelSpec model = shapeOf(layers, heads);
    model.name = name;
    return model;
}

} // namespace slipway
