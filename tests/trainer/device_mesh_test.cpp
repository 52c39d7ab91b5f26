// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The code that runs on GPUs, on the processor: a step split over a mesh is the step of one rank.
#include "mesh_steps.h"
#include "rank_groups.h"

namespace slipway::testing {
namespace {

class DeviceMesh : public ::testing::TestWithParam<MeshCase> {};

TEST_P(DeviceMesh, TrainsAsOneRankDoes) { expectOneRanksStep(GetParam(), runOverThreads); }

std::vector<MeshCase> everyDeviceMesh()
{
    using enum ParallelKind;
    using enum PipelineSchedule;
    std::vector<MeshCase> cases;
    for (const Variant variant :
        {Variant::Llama, Variant::Tied, Variant::LearnedPositions, Variant::NormsBehind, Variant::Parallel,
            Variant::Caps, Variant::Alibi, Variant::Grouped, Variant::Windows, Variant::NormsOverHeads}) {
        cases.push_back({.tp = 2, .gradAccum = 2, .variant = variant});
        cases.push_back({.tp = 4, .pp = 2, .gradAccum = 3, .recompute = Recompute::Full, .variant = variant});
        cases.push_back({.tp = 4, .recompute = Recompute::Selective, .variant = variant, .seqLen = 23});
    }
    for (const Variant variant : {Variant::Llama, Variant::LearnedPositions, Variant::NormsBehind, Variant::Caps,
             Variant::Alibi, Variant::Grouped, Variant::Windows, Variant::NormsOverHeads}) {
        cases.push_back({.cp = 2, .gradAccum = 2, .variant = variant});
        cases.push_back({.cp = 2, .gradAccum = 2, .variant = variant, .exchange = ContextExchange::Ring});
        cases.push_back({.tp = 2, .cp = 3, .recompute = Recompute::Full, .variant = variant});
        cases.push_back({.tp = 2,
            .cp = 3,
            .recompute = Recompute::Selective,
            .variant = variant,
            .exchange = ContextExchange::Ring});
    }
    for (const ContextExchange exchange : {ContextExchange::Gather, ContextExchange::Ring}) {
        cases.push_back({.cp = 4, .variant = Variant::Windows, .exchange = exchange});
        cases.push_back({.cp = 2, .dp = 2, .kind = FsdpFull, .gradAccum = 2, .exchange = exchange});
        cases.push_back({.tp = 2, .cp = 2, .pp = 2, .dp = 2, .kind = Zero1, .gradAccum = 2, .exchange = exchange});
    }
    cases.push_back({.cp = 2, .gradAccum = 2, .variant = Variant::Caps, .attention = Attention::Vanilla});
    cases.push_back({.tp = 2, .cp = 2, .variant = Variant::Grouped, .attention = Attention::Vanilla});
    cases.push_back({.tp = 2, .gradAccum = 2, .attention = Attention::Vanilla});
    cases.push_back({.tp = 2, .gradAccum = 2, .separateDocuments = true});
    cases.push_back({.pp = 4, .gradAccum = 6, .separateDocuments = true});
    cases.push_back(
        {.pp = 3, .gradAccum = 4, .recompute = Recompute::Full, .separateDocuments = true, .schedule = GPipe});
    cases.push_back({.tp = 2, .pp = 2, .gradAccum = 4, .separateDocuments = true, .schedule = ZeroBubble});
    cases.push_back({.pp = 2,
        .dp = 2,
        .kind = FsdpFull,
        .gradAccum = 2,
        .separateDocuments = true,
        .schedule = Interleaved,
        .virtualStages = 2});
    for (const ParallelKind kind : {Ddp, Zero1, FsdpFull, FsdpGradOp}) {
        cases.push_back({.tp = 2, .dp = 2, .kind = kind, .gradAccum = 2});
        cases.push_back({.tp = 2, .pp = 2, .dp = 2, .kind = kind, .gradAccum = 2, .variant = Variant::Tied});
        cases.push_back({.pp = 2, .dp = 2, .kind = kind, .gradAccum = 4, .schedule = ZeroBubble});
    }
    for (const PipelineSchedule schedule : {GPipe, ZeroBubble})
        cases.push_back({.pp = 4, .gradAccum = 6, .schedule = schedule});
    cases.push_back({.pp = 2, .gradAccum = 4, .variant = Variant::Tied, .schedule = Interleaved, .virtualStages = 2});
    for (const Variant variant : {Variant::Experts, Variant::SharedExpert}) {
        for (const ParallelKind kind : {Ddp, Zero1, FsdpFull, FsdpGradOp}) {
            cases.push_back({.dp = 2, .ep = 2, .kind = kind, .gradAccum = 2, .variant = variant});
            cases.push_back({.dp = 4, .ep = 2, .kind = kind, .recompute = Recompute::Full, .variant = variant});
        }
        cases.push_back({.pp = 2, .dp = 2, .ep = 2, .kind = Ddp, .gradAccum = 4, .variant = variant});
        cases.push_back({.tp = 2, .dp = 2, .ep = 2, .kind = Ddp, .gradAccum = 2, .variant = variant});
        cases.push_back({.dp = 2, .kind = Ddp, .gradAccum = 2, .variant = variant}); // all experts on each rank
        cases.push_back({.tp = 2, .cp = 2, .variant = variant, .balanceLoss = true});
        cases.push_back(
            {.pp = 2, .dp = 2, .ep = 2, .kind = Ddp, .gradAccum = 4, .variant = variant, .balanceLoss = true});
    }
    for (const ParallelKind kind : {Zero1, FsdpFull}) {
        MeshCase mesh{.tp = 2, .dp = 2, .kind = kind, .gradAccum = 2, .optimizer = OptimizerKind::Muon};
        cases.push_back(mesh);
        mesh.emulatedStreams = 3;
        cases.push_back(mesh);
    }
    cases.push_back({.tp = 4, .gradAccum = 2, .variant = Variant::Grouped, .optimizer = OptimizerKind::Muon});
    for (MeshCase &mesh : cases)
        mesh.backend = BackendKind::TorchCpu;
    // In any order that the waits between computation and communication leave open.
    const std::vector<MeshCase> inOrder = cases;
    for (std::size_t i = 0; i < inOrder.size(); i += 3) {
        cases.push_back(inOrder[i]);
        cases.back().emulatedStreams = i % 7;
        cases.back().emulatedStreams = *cases.back().emulatedStreams == 2 ? 3 : *cases.back().emulatedStreams;
    }
    return cases;
}

INSTANTIATE_TEST_SUITE_P(Every, DeviceMesh, ::testing::ValuesIn(everyDeviceMesh()), nameOf);

// Both round to the lower precision, in other orders.
class NarrowMesh : public ::testing::TestWithParam<MeshCase> {};

TEST_P(NarrowMesh, TrainsAsOneRankDoesUpToTheRounding)
{
    expectOneRanksStep(GetParam(), runOverThreads, {.loss = 1e-2, .gradient = 3e-2});
}

std::vector<MeshCase> bf16Meshes()
{
    using enum ParallelKind;
    constexpr auto kRing = ContextExchange::Ring;
    std::vector<MeshCase> cases{{.tp = 2, .gradAccum = 2}, {.tp = 4, .variant = Variant::Grouped, .seqLen = 23},
        {.pp = 2, .gradAccum = 4, .variant = Variant::Tied}, {.cp = 2, .gradAccum = 2},
        {.cp = 3, .gradAccum = 2, .recompute = Recompute::Full, .variant = Variant::Windows},
        {.cp = 2, .gradAccum = 2, .exchange = kRing}, {.cp = 2, .variant = Variant::Grouped, .exchange = kRing},
        {.tp = 2, .cp = 4, .gradAccum = 2, .variant = Variant::Caps, .exchange = kRing},
        {.tp = 2, .cp = 2, .attention = Attention::Vanilla}, {.tp = 2, .pp = 2, .dp = 2, .kind = FsdpFull},
        {.tp = 2, .dp = 2, .kind = Ddp, .variant = Variant::Caps},
        {.dp = 2, .ep = 2, .kind = Ddp, .gradAccum = 2, .variant = Variant::Experts},
        {.cp = 2, .ep = 2, .variant = Variant::Experts}, {.tp = 2, .gradAccum = 2, .variant = Variant::SharedExpert},
        {.tp = 2, .dp = 2, .ep = 2, .kind = Zero1, .variant = Variant::Experts},
        {.pp = 2, .dp = 2, .ep = 2, .kind = FsdpFull, .gradAccum = 2, .variant = Variant::SharedExpert},
        {.tp = 2, .dp = 2, .kind = FsdpFull, .gradAccum = 2, .optimizer = OptimizerKind::Muon},
        {.tp = 2, .gradAccum = 2, .variant = Variant::NormsOverHeads},
        {.tp = 4, .gradAccum = 2, .recompute = Recompute::Full, .variant = Variant::NormsOverHeads},
        {.tp = 2, .pp = 2, .dp = 2, .kind = FsdpFull, .gradAccum = 2, .variant = Variant::NormsOverHeads}};
    for (MeshCase &mesh : cases) {
        mesh.backend = BackendKind::TorchCpu;
        mesh.precision = Precision::Bf16Mixed;
    }
    return cases;
}

INSTANTIATE_TEST_SUITE_P(Bf16, NarrowMesh, ::testing::ValuesIn(bf16Meshes()), nameOf);

// Each rank scales what it has by its own largest value. Widths and tokens are multiples of 16 on every rank.
std::vector<MeshCase> fp8Meshes()
{
    using enum ParallelKind;
    std::vector<MeshCase> cases{{.tp = 2, .gradAccum = 2}, {.tp = 2, .recompute = Recompute::Full},
        {.tp = 2, .variant = Variant::Caps}, {.cp = 2, .gradAccum = 2}, {.cp = 2, .exchange = ContextExchange::Ring},
        {.pp = 2, .gradAccum = 4}, {.pp = 2, .gradAccum = 4, .schedule = PipelineSchedule::ZeroBubble},
        {.tp = 2, .pp = 2, .gradAccum = 4, .schedule = PipelineSchedule::ZeroBubble},
        {.tp = 2, .pp = 2, .dp = 2, .kind = FsdpFull, .variant = Variant::Tied}};
    for (MeshCase &mesh : cases) {
        mesh.seqLen = 32;
        mesh.backend = BackendKind::TorchCpu;
        mesh.precision = Precision::Fp8Mixed;
    }
    return cases;
}

class Fp8Mesh : public ::testing::TestWithParam<MeshCase> {};

TEST_P(Fp8Mesh, TrainsAsOneRankDoesUpToTheRounding)
{
    expectOneRanksStep(GetParam(), runOverThreads, {.loss = 2e-2, .gradient = 0.2}); // as far as fp8 is from bf16
}

INSTANTIATE_TEST_SUITE_P(Every, Fp8Mesh, ::testing::ValuesIn(fp8Meshes()), nameOf);

} // namespace
} // namespace slipway::testing
