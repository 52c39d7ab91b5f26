// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// How gradients and activations lie on the axes of the mesh. Nothing of this is stored: it follows from the placement
// of the weights in the plan and from the ops. A walk over the plan proves for each collective that its input lies as
// it must, and that the optimizer reads no partial sum.
//
// Activations are followed on the tensor axis. Gradients are followed on all axes that sum them, and weights on those
// of data parallelism. Not followed: the keys of context parallelism, the rows that experts exchange, the counts of
// experts, the loss, the gradient norm and Muon's updates.
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
