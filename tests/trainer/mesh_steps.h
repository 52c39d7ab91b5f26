// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Steps that are split over a mesh, held against the steps of one rank: losses, gradients, weights and bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "comm/communicator.h"
#include "config/run_config.h"
#include "exec/executor.h"

namespace slipway::testing {

enum class Variant {
    Llama,
    Tied,
    LearnedPositions,
    NormsBehind,
    Parallel,
    Caps,
    Alibi,
    Grouped,
    Windows,
    Experts,
    SharedExpert,
    NormsOverHeads
};

struct MeshCase {
    int tp = 1, cp = 1, pp = 1, dp = 1, ep = 1;
    ParallelKind kind = ParallelKind::None;
    int gradAccum = 1;
    Recompute recompute = Recompute::None;
    Variant variant = Variant::Llama;
    Attention attention = Attention::Flash;
    int gpusPerNode = 8;
    std::int64_t seqLen = 24;
    bool separateDocuments = false;
    PipelineSchedule schedule = PipelineSchedule::Auto;
    int virtualStages = 1;
    ContextExchange exchange = ContextExchange::Auto;
    BackendKind backend = BackendKind::Host;
    Precision precision = Precision::Fp32;
    bool balanceLoss = false;
    std::optional<std::uint64_t> emulatedStreams = {}; // see ExecutorOptions
    OptimizerKind optimizer = OptimizerKind::AdamW;

    [[nodiscard]] int ranks() const { return tp * cp * pp * dp; }
};

// Relative.
struct MeshTolerance {
    double loss = 1e-5, gradient = 1e-5;
};

// Runs the work on so many ranks.
using RankRunner = std::function<void(int ranks, const std::function<void(Communicator &)> &work)>;

[[nodiscard]] RunConfig configOf(const MeshCase &mesh);
inline constexpr int kMeshSteps = 12;
// So many steps of the mesh lose what those of one rank do, on the same backend and in the same precision.
void expectOneRanksStep(const MeshCase &mesh, const RankRunner &run, MeshTolerance tolerance = {});
[[nodiscard]] std::string nameOf(const ::testing::TestParamInfo<MeshCase> &info);

} // namespace slipway::testing
