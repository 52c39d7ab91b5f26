// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Weights under their names and with their shapes (model_weights.h), in the flat buffers of a plan. Packed ones (qkv,
// gate_up) are ranges of rows; what fills up odd widths is no part of them.
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

// This rank's part of one weight, with the states of its optimizer: a run of elements of the flat buffers, writable;
// all of its slice where states are not spread over ranks. On a GPU they are the host's copies, without gaps:
// Executor::downloadWeights and uploadWeights bring them over.
struct WeightView {
    std::string name;                // "model.layers.0.self_attn.q_proj.weight"
    std::vector<std::int64_t> shape; // of the whole weight: [out, in]; vectors [out]
    WeightInit init = WeightInit::Normal;
    WeightSlice slice;       // what tensor-parallel ranks leave to this one; the whole weight for one rank
    bool written = true;     // by this rank, where several have it
    std::int64_t first = 0;  // the part's first element, in the slice's row-major order
    std::int64_t count = 0;  // the part's elements
    float *master = nullptr; // the fp32 weight that the optimizer updates
    float *momentum = nullptr;
    float *variance = nullptr; // null: Muon updates it
    float *average = nullptr;  // moving average of the weight; null: there is none

    // Where the part lies in the flat buffers of its unit, and in their gradients: elements from the start of what this
    // rank has of them. Rows lie `pitch` apart there, more than they are long where an odd width is filled up.
    BufferId flat{}; // of the masters
    int layer = 0;
    std::int64_t place = 0, pitch = 0;

    [[nodiscard]] std::int64_t elements() const; // of the whole weight
    [[nodiscard]] std::int64_t extent() const;   // of the part in the flat buffers, gaps included
    // Calls run(first, place, count) for runs of the part's elements: their first one, and where it lies after `place`.
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

// What is kept of a weight between steps: a member of its view, and where it lies, from the start of the weight's part.
struct WeightState {
    float *WeightView::*values = nullptr;
    Use place;
};
// In the order of the view's members: its master first.
std::vector<WeightState> weightStates(const StepPlan &plan, const WeightView &weight);

// Of the parts that fall to the rank at `place`; their pointers are the caller's to set.
std::vector<WeightView> weightViews(const StepPlan &plan, const ModelSpec &model, MeshPlace place);

} // namespace slipway
