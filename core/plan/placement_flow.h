// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// How gradients and activations lie on the axes of the mesh. Nothing of this is stored: it follows from the placement
// of the weights in the plan and from the ops. A walk over the plan proves for each collective that its input lies as
// it must, and that the optimizer reads no partial sum.
//
// Activations are followed on the axes of tensor, context and expert parallelism; gradients on all axes that sum them;
// weights and Muon's updates on those that shard them. The loss and the gradient norm must be summed over all ranks
// that have other values, and the norm must count each value once.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plan/step_plan.h"

namespace slipway {

// Zeros lie in every way. Whole: all ranks of the axis have the same values. Rows: each has a range of the tokens, or a
// shard of a unit. Columns: each has a range of the features, heads or vocabulary. Partial: the sum over the ranks is
// the value.
enum class Placement : std::uint8_t { Zeros, Whole, Rows, Columns, Partial };
template<>
struct EnumNames<Placement> {
    static constexpr std::array<std::string_view, 5> names{"zeros", "whole", "rows", "columns", "partial"};
};

struct PlacementProof {
    int collectives = 0;             // whose input is known, and lies as it must
    std::vector<std::string> faults; // "block: op: what is wrong"
};

// Of a step of our own trainer.
PlacementProof provePlacements(const StepPlan &plan);

} // namespace slipway
