// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Named weights with their shapes (model_weights.h) in the flat buffers of a plan. Weights in a packed tensor (qkv,
// gate_up) are ranges of its rows. Padding of odd widths is not part of a weight.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "model/model_weights.h"
#include "model/weight_slice.h"
#include "plan/mesh.h"
#include "plan/step_plan.h"

namespace slipway {

// This rank's shard of one weight and its optimizer states, writable. The shard is a run of elements of the slice: the
// whole slice if optimizer states are not sharded. On a GPU the pointers are copies on the host without padding, which
// Executor::downloadWeights() and uploadWeights() transfer.
struct WeightView {
    std::string name;                // "model.layers.0.self_attn.q_proj.weight"
    std::vector<std::int64_t> shape; // of the whole weight: [out, in]; vectors [out]
    WeightInit init = WeightInit::Normal;
    WeightSlice slice;       // this rank's slice under tensor parallelism; else the whole weight
    bool written = true;     // this rank writes it to checkpoints, if several have replicas
    std::int64_t first = 0;  // the shard's first element, in the row-major order of the slice
    std::int64_t count = 0;  // elements of the shard
    float *master = nullptr; // the fp32 weight that the optimizer updates
    float *momentum = nullptr;
    float *variance = nullptr; // null: Muon updates the weight
    float *average = nullptr;  // moving average of the weight; null: none
    // The shard in the flat buffers of its unit, and in their gradients: `place` is its first element, relative to this
    // rank's shard of the unit. Rows are `pitch` elements apart, which includes padding.
    BufferId flat{}; // buffer of the master weights
    int layer = 0;
    std::int64_t place = 0, pitch = 0;

    [[nodiscard]] std::int64_t elements() const; // number of elements of the whole weight
    [[nodiscard]] std::int64_t extent() const;   // size of the shard in the flat buffers, padding included
    // Calls run(first, place, count) for contiguous runs of the shard's elements: number of the first element in the
    // shard, and its offset from `place`.
    template<typename Run>
    void forEachRun(const Run &run) const
    {
        const std::int64_t columns = slice.columns;
        if (pitch <= columns)
            return run(std::int64_t{0}, std::int64_t{0}, count);
        const auto placeOf = [&](std::int64_t element) { return element / columns * pitch + element % columns; };
        for (std::int64_t done = 0; done < count;) {
            const std::int64_t element = first + done, length = std::min(columns - element % columns, count - done);
            run(done, placeOf(element) - placeOf(first), length);
            done += length;
        }
    }
};

// The weight itself or one of its optimizer states: a member of the view, and the buffer that holds it.
struct WeightState {
    float *WeightView::*values = nullptr;
    Use place;
};
// In the order of the members of WeightView, the master weight first.
std::vector<WeightState> weightStates(const StepPlan &plan, const WeightView &weight);

// The shards of the rank at this mesh coordinate. The caller sets their pointers.
std::vector<WeightView> weightViews(const StepPlan &plan, const ModelSpec &model, MeshCoordinate coordinate);

} // namespace slipway
