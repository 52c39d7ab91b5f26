// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// How the results of a kernel lie on the axes of the mesh, from how its operands lie.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "plan/placement_flow.h"
#include "plan/step_plan.h"

namespace slipway {

// Shards and Replicas: of data parallelism. Keys: ranks with the same key-value heads. Tied: first and last stage,
// which both have the embedding table. On Experts, Rows are those of a rank's own tokens, and Columns those of its own
// experts.
enum class PlacementAxis : std::uint8_t { Tensor, Shards, Replicas, Keys, Tied, Context, Experts, Stages };
inline constexpr std::size_t kPlacementAxes = 8;

struct PlacementState {
    std::array<Placement, kPlacementAxes> on{};
    int ringTerms = 0; // gradients of keys in a ring: the number of ranks whose terms the partial sum has
    Placement &operator[](PlacementAxis axis) { return on[static_cast<std::size_t>(axis)]; }
    Placement operator[](PlacementAxis axis) const { return on[static_cast<std::size_t>(axis)]; }
};

// A kernel and how its operands lie.
struct PlacedKernel {
    const Op &op;
    const Kernel &kernel;
    std::vector<PlacementState> reads;
    std::vector<bool> weights;                                    // whether the operand is a weight
    const std::function<void(bool, const std::string &)> &expect; // records what does not hold
};

// One state for each write; axes of size 1 are left out. Gradients of weights are not among them.
std::vector<PlacementState> resultsOf(const PlacedKernel &placed, const Mesh &mesh);

// Whether a kernel multiplies matrices.
constexpr bool multiplies(OpKind kind) { return kind == OpKind::Gemm || kind == OpKind::GroupedGemm; }

} // namespace slipway
