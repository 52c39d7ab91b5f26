// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Live bytes at the peak of a third training step of Transformers' LlamaForCausalLM on one of several ranks under DDP,
// DDP and ZeroRedundancyOptimizer, FSDP1 and FSDP2, as tests/data/data_parallel_peaks.py measured them with PyTorch's
// profiler on a processor: torch 2.11, Transformers 5, 2026-11-22. Gradients are clipped in some of them, which takes
// nothing.
#include <gtest/gtest.h>

#include <array>

#include "support/measured_peak.h"
#include "support/recordings.h"

namespace slipway {
namespace {

struct DataParallelShape {
    int layers = 3, hidden = 512, ffn = 1376, sequence = 64, batch = 1;
};
constexpr DataParallelShape kWide{.hidden = 1024, .ffn = 2752}, kActive{.layers = 6, .sequence = 256, .batch = 4},
    kLonger{.sequence = 256, .batch = 2};

struct MeasuredDataParallel {
    const char *what;
    ParallelKind kind;
    Sharder sharder = Sharder::Auto;
    int ranks = 8, replicas = 1;
    DataParallelShape shape = {};
    int vocab = 512, accumulation = 1;
    GradReduce reduce = GradReduce::Auto;
    GradientType reduced = GradientType::Auto;
    Precision precision = Precision::Bf16Mixed;
    Recompute recompute = Recompute::None;
    OptimizerKind optimizer = OptimizerKind::AdamW;
    bool loops = false; // the optimizer, over tensors, as Composer's does
    bool views = false; // gradient_as_bucket_view
};

constexpr std::array kMeasuredDataParallel{
    MeasuredDataParallel{.what = "ddp", .kind = ParallelKind::Ddp},
    MeasuredDataParallel{.what = "ddp, pure half", .kind = ParallelKind::Ddp, .precision = Precision::Bf16},
    MeasuredDataParallel{.what = "ddp, activations", .kind = ParallelKind::Ddp, .shape = kActive},
    MeasuredDataParallel{.what = "ddp, activations recomputed",
        .kind = ParallelKind::Ddp,
        .shape = kActive,
        .recompute = Recompute::Full},
    MeasuredDataParallel{.what = "ddp, half activations recomputed",
        .kind = ParallelKind::Ddp,
        .shape = kActive,
        .precision = Precision::Bf16,
        .recompute = Recompute::Full},
    MeasuredDataParallel{.what = "ddp, logits", .kind = ParallelKind::Ddp, .shape = kLonger, .vocab = 16000},
    MeasuredDataParallel{.what = "ddp, accumulated", .kind = ParallelKind::Ddp, .accumulation = 2},
    MeasuredDataParallel{.what = "ddp, accumulated in silence",
        .kind = ParallelKind::Ddp,
        .accumulation = 2,
        .reduce = GradReduce::Step},
    MeasuredDataParallel{.what = "ddp, half accumulated",
        .kind = ParallelKind::Ddp,
        .shape = kActive,
        .accumulation = 2,
        .reduce = GradReduce::Step,
        .precision = Precision::Bf16},
    MeasuredDataParallel{.what = "ddp, clipped", .kind = ParallelKind::Ddp},
    MeasuredDataParallel{.what = "ddp, foreach", .kind = ParallelKind::Ddp, .optimizer = OptimizerKind::AdamWForeach},
    MeasuredDataParallel{.what = "ddp, foreach clipped",
        .kind = ParallelKind::Ddp,
        .precision = Precision::Bf16,
        .optimizer = OptimizerKind::AdamWForeach},
    MeasuredDataParallel{.what = "ddp, loop", .kind = ParallelKind::Ddp, .loops = true},
    MeasuredDataParallel{.what = "ddp, loop half",
        .kind = ParallelKind::Ddp,
        .vocab = 8000,
        .precision = Precision::Bf16,
        .loops = true},
    MeasuredDataParallel{.what = "zero1", .kind = ParallelKind::Zero1},
    MeasuredDataParallel{.what = "zero1, half", .kind = ParallelKind::Zero1, .precision = Precision::Bf16},
    MeasuredDataParallel{.what = "zero1, vocabulary", .kind = ParallelKind::Zero1, .vocab = 16000},
    MeasuredDataParallel{.what = "zero1, activations", .kind = ParallelKind::Zero1, .shape = kActive},
    MeasuredDataParallel{.what = "zero1, two ranks", .kind = ParallelKind::Zero1, .ranks = 2},
    MeasuredDataParallel{
        .what = "zero1, foreach", .kind = ParallelKind::Zero1, .optimizer = OptimizerKind::AdamWForeach},
    MeasuredDataParallel{.what = "ddp, views", .kind = ParallelKind::Ddp, .views = true},
    MeasuredDataParallel{
        .what = "ddp, pure half, views", .kind = ParallelKind::Ddp, .precision = Precision::Bf16, .views = true},
    MeasuredDataParallel{.what = "ddp, activations, views", .kind = ParallelKind::Ddp, .shape = kActive, .views = true},
    MeasuredDataParallel{.what = "ddp, activations recomputed, views",
        .kind = ParallelKind::Ddp,
        .shape = kActive,
        .recompute = Recompute::Full,
        .views = true},
    MeasuredDataParallel{
        .what = "ddp, logits, views", .kind = ParallelKind::Ddp, .shape = kLonger, .vocab = 16000, .views = true},
    MeasuredDataParallel{.what = "ddp, accumulated, views",
        .kind = ParallelKind::Ddp,
        .accumulation = 2,
        .reduce = GradReduce::MicroBatch,
        .views = true},
    MeasuredDataParallel{.what = "ddp, accumulated in silence, views",
        .kind = ParallelKind::Ddp,
        .accumulation = 2,
        .reduce = GradReduce::Step,
        .views = true},
    MeasuredDataParallel{.what = "ddp, half accumulated, views",
        .kind = ParallelKind::Ddp,
        .shape = kActive,
        .accumulation = 2,
        .reduce = GradReduce::Step,
        .precision = Precision::Bf16,
        .views = true},
    MeasuredDataParallel{.what = "ddp, foreach, views",
        .kind = ParallelKind::Ddp,
        .optimizer = OptimizerKind::AdamWForeach,
        .views = true},
    MeasuredDataParallel{.what = "zero1, views", .kind = ParallelKind::Zero1, .views = true},
    MeasuredDataParallel{
        .what = "zero1, activations, views", .kind = ParallelKind::Zero1, .shape = kActive, .views = true},
    MeasuredDataParallel{.what = "fsdp1, accumulated in silence",
        .kind = ParallelKind::FsdpFull,
        .shape = kWide,
        .accumulation = 2,
        .reduce = GradReduce::Step},
    MeasuredDataParallel{.what = "fsdp1, accumulated in silence, active",
        .kind = ParallelKind::FsdpFull,
        .shape = kActive,
        .accumulation = 3,
        .reduce = GradReduce::Step},
    MeasuredDataParallel{.what = "fsdp1, kept, accumulated in silence",
        .kind = ParallelKind::FsdpGradOp,
        .shape = kWide,
        .accumulation = 2,
        .reduce = GradReduce::Step},
    MeasuredDataParallel{
        .what = "fsdp1, kept, accumulated", .kind = ParallelKind::FsdpGradOp, .shape = kWide, .accumulation = 2},
    MeasuredDataParallel{
        .what = "fsdp1, hybrid", .kind = ParallelKind::Hsdp, .ranks = 4, .replicas = 2, .shape = kWide},
    MeasuredDataParallel{
        .what = "fsdp1, hybrid, kept", .kind = ParallelKind::Hsdp, .ranks = 4, .replicas = 2, .shape = kWide},
    MeasuredDataParallel{.what = "fsdp1, hybrid, accumulated",
        .kind = ParallelKind::Hsdp,
        .ranks = 4,
        .replicas = 2,
        .shape = kWide,
        .accumulation = 2},
    MeasuredDataParallel{
        .what = "fsdp1, hybrid, active", .kind = ParallelKind::Hsdp, .ranks = 4, .replicas = 2, .shape = kActive},
    MeasuredDataParallel{.what = "fsdp1, two ranks", .kind = ParallelKind::FsdpFull, .ranks = 2, .shape = kWide},
    MeasuredDataParallel{.what = "fsdp1, clipped", .kind = ParallelKind::FsdpFull, .shape = kWide},
    MeasuredDataParallel{.what = "fsdp1, foreach",
        .kind = ParallelKind::FsdpFull,
        .ranks = 2,
        .shape = kWide,
        .optimizer = OptimizerKind::AdamWForeach},
    MeasuredDataParallel{
        .what = "fsdp1, loop", .kind = ParallelKind::FsdpFull, .ranks = 2, .shape = kWide, .loops = true},
    MeasuredDataParallel{.what = "fsdp1, half",
        .kind = ParallelKind::FsdpFull,
        .ranks = 2,
        .shape = kWide,
        .precision = Precision::Bf16},
    MeasuredDataParallel{
        .what = "fsdp1, half, active", .kind = ParallelKind::FsdpFull, .shape = kActive, .precision = Precision::Bf16},
    MeasuredDataParallel{.what = "fsdp1, recomputed, accumulated",
        .kind = ParallelKind::FsdpFull,
        .shape = kActive,
        .accumulation = 2,
        .recompute = Recompute::Full},
    MeasuredDataParallel{.what = "fsdp2, accumulated in silence",
        .kind = ParallelKind::FsdpFull,
        .sharder = Sharder::Fsdp2,
        .shape = kWide,
        .accumulation = 2,
        .reduce = GradReduce::Step},
    MeasuredDataParallel{.what = "fsdp2, accumulated in silence, active",
        .kind = ParallelKind::FsdpFull,
        .sharder = Sharder::Fsdp2,
        .shape = kActive,
        .accumulation = 3,
        .reduce = GradReduce::Step},
    MeasuredDataParallel{.what = "fsdp2, kept, accumulated in silence",
        .kind = ParallelKind::FsdpGradOp,
        .sharder = Sharder::Fsdp2,
        .shape = kWide,
        .accumulation = 2,
        .reduce = GradReduce::Step},
    MeasuredDataParallel{.what = "fsdp2, kept, accumulated",
        .kind = ParallelKind::FsdpGradOp,
        .sharder = Sharder::Fsdp2,
        .shape = kWide,
        .accumulation = 2},
    MeasuredDataParallel{.what = "fsdp2, hybrid",
        .kind = ParallelKind::Hsdp,
        .sharder = Sharder::Fsdp2,
        .ranks = 4,
        .replicas = 2,
        .shape = kWide},
    MeasuredDataParallel{.what = "fsdp2, hybrid, kept",
        .kind = ParallelKind::Hsdp,
        .sharder = Sharder::Fsdp2,
        .ranks = 4,
        .replicas = 2,
        .shape = kWide},
    MeasuredDataParallel{.what = "fsdp2, hybrid, accumulated",
        .kind = ParallelKind::Hsdp,
        .sharder = Sharder::Fsdp2,
        .ranks = 4,
        .replicas = 2,
        .shape = kWide,
        .accumulation = 2},
    MeasuredDataParallel{.what = "fsdp2, hybrid, active",
        .kind = ParallelKind::Hsdp,
        .sharder = Sharder::Fsdp2,
        .ranks = 4,
        .replicas = 2,
        .shape = kActive},
    MeasuredDataParallel{.what = "fsdp2, two ranks",
        .kind = ParallelKind::FsdpFull,
        .sharder = Sharder::Fsdp2,
        .ranks = 2,
        .shape = kWide},
    MeasuredDataParallel{
        .what = "fsdp2, clipped", .kind = ParallelKind::FsdpFull, .sharder = Sharder::Fsdp2, .shape = kWide},
    MeasuredDataParallel{.what = "fsdp2, foreach",
        .kind = ParallelKind::FsdpFull,
        .sharder = Sharder::Fsdp2,
        .ranks = 2,
        .shape = kWide,
        .optimizer = OptimizerKind::AdamWForeach},
    MeasuredDataParallel{.what = "fsdp2, loop",
        .kind = ParallelKind::FsdpFull,
        .sharder = Sharder::Fsdp2,
        .ranks = 2,
        .shape = kWide,
        .loops = true},
    MeasuredDataParallel{.what = "fsdp2, half",
        .kind = ParallelKind::FsdpFull,
        .sharder = Sharder::Fsdp2,
        .ranks = 2,
        .shape = kWide,
        .precision = Precision::Bf16},
    MeasuredDataParallel{.what = "fsdp2, half, active",
        .kind = ParallelKind::FsdpFull,
        .sharder = Sharder::Fsdp2,
        .shape = kActive,
        .precision = Precision::Bf16},
    MeasuredDataParallel{.what = "fsdp2, recomputed, accumulated",
        .kind = ParallelKind::FsdpFull,
        .sharder = Sharder::Fsdp2,
        .shape = kActive,
        .accumulation = 2,
        .recompute = Recompute::Full},
    MeasuredDataParallel{.what = "fsdp2, reduced in half",
        .kind = ParallelKind::FsdpFull,
        .sharder = Sharder::Fsdp2,
        .shape = kWide,
        .reduced = GradientType::Half},
    MeasuredDataParallel{.what = "fsdp1, reduced in fp32",
        .kind = ParallelKind::FsdpFull,
        .shape = kWide,
        .reduced = GradientType::Fp32},
};

RunConfig configOf(const MeasuredDataParallel &m)
{
    RunConfig c;
    c.model = {.name = "llama-3.2-1b",
        .layers = m.shape.layers,
        .hidden = m.shape.hidden,
        .heads = 8,
        .kvHeads = 8,
        .ffn = m.shape.ffn,
        .vocab = m.vocab,
        .tied = false,
        .experts = {},
        .expertsPerToken = {}};
    c.gpu = "a100-sxm-80gb";
    c.framework = Framework::PytorchEager;
    c.parallel = {.kind = m.kind, .gpus = m.ranks, .gpusPerNode = m.ranks / m.replicas};
    c.simulated.sharder = m.sharder;
    c.seqLen = m.shape.sequence;
    c.microBatch = m.shape.batch;
    c.gradAccum = m.accumulation;
    c.gradReduce = m.reduce;
    c.simulated.gradientType = m.reduced;
    c.precision = m.precision;
    c.recompute = m.recompute;
    c.optimizer = m.optimizer;
    c.simulated.trainMetrics = m.loops;
    c.simulated.gradientAsBucketView = m.views;
    return c;
}

TEST(DataParallelEagerPlan, peaksWithinThreePercentOfPytorchsOwn)
{
    const Catalogue catalogue = loadCatalogue().value();
    for (const MeasuredDataParallel &m : kMeasuredDataParallel)
        testing::expectPeakWithin(
            0.03, configOf(m), catalogue, testing::recorded("data_parallel_peaks", m.what), m.what);
}

TEST(DataParallelEagerPlan, hasNoBucketsToViewWhereTheTrainersFirstStageOfZeroIsItsOwn)
{
    const Catalogue catalogue = loadCatalogue().value();
    RunConfig c = configOf(MeasuredDataParallel{.what = "zero1 with masters", .kind = ParallelKind::Zero1});
    c.simulated.fusedKernels = true;
    const Bytes plain = predict(c, catalogue)->memory.peakAllocated;
    c.simulated.gradientAsBucketView = true;
    EXPECT_EQ(predict(c, catalogue)->memory.peakAllocated, plain);
}

} // namespace
} // namespace slipway
