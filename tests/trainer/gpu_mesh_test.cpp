// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Meshes whose ranks are threads on one GPU: a step is that of one rank there. packaging/gpu-check runs it.
#include <vector>

#include "gpu_fixture.h"
#include "mesh_steps.h"
#include "rank_groups.h"

namespace slipway::testing {
namespace {

class GpuMeshes : public OnGpu<::testing::TestWithParam<MeshCase>> {};

TEST_P(GpuMeshes, TrainAsOneRankDoes) { expectOneRanksStep(GetParam(), runOverThreads); }

// Each axis alone, each schedule of a pipeline, and products of axes.
std::vector<MeshCase> meshes()
{
    using enum ParallelKind;
    using enum PipelineSchedule;
    std::vector<MeshCase> cases{{.tp = 2, .gradAccum = 2}, {.tp = 4, .variant = Variant::Grouped},
        {.cp = 2, .gradAccum = 2}, {.cp = 2, .recompute = Recompute::Full, .exchange = ContextExchange::Ring},
        {.pp = 2, .gradAccum = 4, .variant = Variant::Tied, .schedule = GPipe}, {.pp = 4, .gradAccum = 6},
        {.pp = 2, .gradAccum = 4, .schedule = Interleaved, .virtualStages = 2},
        {.pp = 4, .gradAccum = 6, .schedule = ZeroBubble},
        {.dp = 2, .ep = 2, .kind = Ddp, .gradAccum = 2, .variant = Variant::Experts},
        {.tp = 2, .dp = 2, .ep = 2, .kind = Zero1, .gradAccum = 2, .variant = Variant::SharedExpert},
        {.tp = 2, .cp = 2, .pp = 2, .dp = 2, .kind = FsdpFull, .gradAccum = 2}};
    for (MeshCase &mesh : cases)
        mesh.backend = BackendKind::Cuda;
    return cases;
}

INSTANTIATE_TEST_SUITE_P(Every, GpuMeshes, ::testing::ValuesIn(meshes()), nameOf);

} // namespace
} // namespace slipway::testing
