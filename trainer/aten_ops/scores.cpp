// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <ATen/ops/arange.h>
#include <ATen/ops/ones.h>

#include "aten_ops/head_views.h"

namespace slipway::aten_ops {

at::Tensor maskedKeys(const ScoreShape &places, const AttentionOptions &options, const at::Tensor &like)
{
    const auto ones = [&] { return at::ones({places.queries, places.keys}, like.options().dtype(at::kBool)); };
    at::Tensor hidden = ones().triu_(places.firstQuery + 1);
    if (options.window > 0)
        hidden.logical_or_(ones().tril_(places.firstQuery - options.window));
    return hidden;
}

at::Tensor changeScores(at::Tensor scores, const ScoreShape &places, const AttentionOptions &options, bool slopeWanted)
{
    at::Tensor slope;
    if (options.softCap != 0) {
        scores.div_(options.softCap).tanh_();
        if (slopeWanted)
            slope = scores.square().neg_().add_(1);
        scores.mul_(options.softCap);
    }
    if (options.slopes.defined()) {
        const at::TensorOptions fp32 = scores.options().dtype(at::kFloat);
        const at::Tensor queries = at::arange(places.firstQuery, places.firstQuery + places.queries, fp32),
                         keys = at::arange(places.keys, fp32);
        const at::Tensor distance = queries.unsqueeze(1).sub(keys);
        scores.sub_(distance.mul(options.slopes.view({scores.size(1), scores.size(2), 1, 1})));
    }
    return slope;
}

} // namespace slipway::aten_ops
