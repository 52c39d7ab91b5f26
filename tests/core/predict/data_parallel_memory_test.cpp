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

namespace slipway {
namespace {

struct DataParallelShape {
    int layers = 3, hidden = 512, ffn = 1376, sequence = 64, batch = 1;
};
constexpr DataParallelShape kWide{.hidden = 1024, .ffn = 2752}, kActive{.layers = 6, .sequence = 256, .batch = 4},
    kLonger{.sequence = 256, .batch = 2};

struct MeasuredDataParallel {
    const char *what;
    Bytes peak;
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
    MeasuredDataParallel{.what = "ddp", .peak = 200'481'668, .kind = ParallelKind::Ddp},
    MeasuredDataParallel{
        .what = "ddp, pure half", .peak = 100'536'068, .kind = ParallelKind::Ddp, .precision = Precision::Bf16},
    MeasuredDataParallel{.what = "ddp, activations", .peak = 539'658'736, .kind = ParallelKind::Ddp, .shape = kActive},
    MeasuredDataParallel{.what = "ddp, activations recomputed",
        .peak = 422'172'080,
        .kind = ParallelKind::Ddp,
        .shape = kActive,
        .recompute = Recompute::Full},
    MeasuredDataParallel{.what = "ddp, half activations recomputed",
        .peak = 222'353'712,
        .kind = ParallelKind::Ddp,
        .shape = kActive,
        .precision = Precision::Bf16,
        .recompute = Recompute::Full},
    MeasuredDataParallel{
        .what = "ddp, logits", .peak = 610'494'852, .kind = ParallelKind::Ddp, .shape = kLonger, .vocab = 16000},
    MeasuredDataParallel{.what = "ddp, accumulated", .peak = 227'768'708, .kind = ParallelKind::Ddp, .accumulation = 2},
    MeasuredDataParallel{.what = "ddp, accumulated in silence",
        .peak = 227'768'708,
        .kind = ParallelKind::Ddp,
        .accumulation = 2,
        .reduce = GradReduce::Step},
    MeasuredDataParallel{.what = "ddp, half accumulated",
        .peak = 352'118'128,
        .kind = ParallelKind::Ddp,
        .shape = kActive,
        .accumulation = 2,
        .reduce = GradReduce::Step,
        .precision = Precision::Bf16},
    MeasuredDataParallel{.what = "ddp, clipped", .peak = 200'481'668, .kind = ParallelKind::Ddp},
    MeasuredDataParallel{.what = "ddp, foreach",
        .peak = 240'341'892,
        .kind = ParallelKind::Ddp,
        .optimizer = OptimizerKind::AdamWForeach},
    MeasuredDataParallel{.what = "ddp, foreach clipped",
        .peak = 120'171'266,
        .kind = ParallelKind::Ddp,
        .precision = Precision::Bf16,
        .optimizer = OptimizerKind::AdamWForeach},
    MeasuredDataParallel{.what = "ddp, loop", .peak = 208'739'204, .kind = ParallelKind::Ddp, .loops = true},
    MeasuredDataParallel{.what = "ddp, loop half",
        .peak = 193'204'994,
        .kind = ParallelKind::Ddp,
        .vocab = 8000,
        .precision = Precision::Bf16,
        .loops = true},
    MeasuredDataParallel{.what = "zero1", .peak = 131'640'084, .kind = ParallelKind::Zero1},
    MeasuredDataParallel{
        .what = "zero1, half", .peak = 66'115'220, .kind = ParallelKind::Zero1, .precision = Precision::Bf16},
    MeasuredDataParallel{.what = "zero1, vocabulary", .peak = 378'202'896, .kind = ParallelKind::Zero1, .vocab = 16000},
    MeasuredDataParallel{
        .what = "zero1, activations", .peak = 402'663'736, .kind = ParallelKind::Zero1, .shape = kActive},
    MeasuredDataParallel{.what = "zero1, two ranks", .peak = 161'131'320, .kind = ParallelKind::Zero1, .ranks = 2},
    MeasuredDataParallel{.what = "zero1, foreach",
        .peak = 137'079'572,
        .kind = ParallelKind::Zero1,
        .optimizer = OptimizerKind::AdamWForeach},
    MeasuredDataParallel{.what = "ddp, views", .peak = 187'711'876, .kind = ParallelKind::Ddp, .views = true},
    MeasuredDataParallel{.what = "ddp, pure half, views",
        .peak = 86'493'060,
        .kind = ParallelKind::Ddp,
        .precision = Precision::Bf16,
        .views = true},
    MeasuredDataParallel{.what = "ddp, activations, views",
        .peak = 538'608'112,
        .kind = ParallelKind::Ddp,
        .shape = kActive,
        .views = true},
    MeasuredDataParallel{.what = "ddp, activations recomputed, views",
        .peak = 375'885'964,
        .kind = ParallelKind::Ddp,
        .shape = kActive,
        .recompute = Recompute::Full,
        .views = true},
    MeasuredDataParallel{.what = "ddp, logits, views",
        .peak = 610'494'852,
        .kind = ParallelKind::Ddp,
        .shape = kLonger,
        .vocab = 16000,
        .views = true},
    MeasuredDataParallel{.what = "ddp, accumulated, views",
        .peak = 187'711'876,
        .kind = ParallelKind::Ddp,
        .accumulation = 2,
        .reduce = GradReduce::MicroBatch,
        .views = true},
    MeasuredDataParallel{.what = "ddp, accumulated in silence, views",
        .peak = 226'785'924,
        .kind = ParallelKind::Ddp,
        .accumulation = 2,
        .reduce = GradReduce::Step,
        .views = true},
    MeasuredDataParallel{.what = "ddp, half accumulated, views",
        .peak = 351'592'816,
        .kind = ParallelKind::Ddp,
        .shape = kActive,
        .accumulation = 2,
        .reduce = GradReduce::Step,
        .precision = Precision::Bf16,
        .views = true},
    MeasuredDataParallel{.what = "ddp, foreach, views",
        .peak = 200'285'060,
        .kind = ParallelKind::Ddp,
        .optimizer = OptimizerKind::AdamWForeach,
        .views = true},
    MeasuredDataParallel{.what = "zero1, views", .peak = 118'870'292, .kind = ParallelKind::Zero1, .views = true},
    MeasuredDataParallel{.what = "zero1, activations, views",
        .peak = 401'613'112,
        .kind = ParallelKind::Zero1,
        .shape = kActive,
        .views = true},
    MeasuredDataParallel{.what = "fsdp1, accumulated in silence",
        .peak = 247'056'968,
        .kind = ParallelKind::FsdpFull,
        .shape = kWide,
        .accumulation = 2,
        .reduce = GradReduce::Step},
    MeasuredDataParallel{.what = "fsdp1, accumulated in silence, active",
        .peak = 235'082'848,
        .kind = ParallelKind::FsdpFull,
        .shape = kActive,
        .accumulation = 3,
        .reduce = GradReduce::Step},
    MeasuredDataParallel{.what = "fsdp1, kept, accumulated in silence",
        .peak = 272'357'960,
        .kind = ParallelKind::FsdpGradOp,
        .shape = kWide,
        .accumulation = 2,
        .reduce = GradReduce::Step},
    MeasuredDataParallel{.what = "fsdp1, kept, accumulated",
        .peak = 213'856'328,
        .kind = ParallelKind::FsdpGradOp,
        .shape = kWide,
        .accumulation = 2},
    MeasuredDataParallel{.what = "fsdp1, hybrid",
        .peak = 366'876'256,
        .kind = ParallelKind::Hsdp,
        .ranks = 4,
        .replicas = 2,
        .shape = kWide},
    MeasuredDataParallel{.what = "fsdp1, hybrid, kept",
        .peak = 369'860'704,
        .kind = ParallelKind::Hsdp,
        .ranks = 4,
        .replicas = 2,
        .shape = kWide},
    MeasuredDataParallel{.what = "fsdp1, hybrid, accumulated",
        .peak = 422'561'888,
        .kind = ParallelKind::Hsdp,
        .ranks = 4,
        .replicas = 2,
        .shape = kWide,
        .accumulation = 2},
    MeasuredDataParallel{.what = "fsdp1, hybrid, active",
        .peak = 283'841'948,
        .kind = ParallelKind::Hsdp,
        .ranks = 4,
        .replicas = 2,
        .shape = kActive},
    MeasuredDataParallel{
        .what = "fsdp1, two ranks", .peak = 366'876'248, .kind = ParallelKind::FsdpFull, .ranks = 2, .shape = kWide},
    MeasuredDataParallel{.what = "fsdp1, clipped", .peak = 172'395'596, .kind = ParallelKind::FsdpFull, .shape = kWide},
    MeasuredDataParallel{.what = "fsdp1, foreach",
        .peak = 390'011'992,
        .kind = ParallelKind::FsdpFull,
        .ranks = 2,
        .shape = kWide,
        .optimizer = OptimizerKind::AdamWForeach},
    MeasuredDataParallel{.what = "fsdp1, loop",
        .peak = 366'876'248,
        .kind = ParallelKind::FsdpFull,
        .ranks = 2,
        .shape = kWide,
        .loops = true},
    MeasuredDataParallel{.what = "fsdp1, half",
        .peak = 237'222'232,
        .kind = ParallelKind::FsdpFull,
        .ranks = 2,
        .shape = kWide,
        .precision = Precision::Bf16},
    MeasuredDataParallel{.what = "fsdp1, half, active",
        .peak = 181'447'776,
        .kind = ParallelKind::FsdpFull,
        .shape = kActive,
        .precision = Precision::Bf16},
    MeasuredDataParallel{.what = "fsdp1, recomputed, accumulated",
        .peak = 92'670'944,
        .kind = ParallelKind::FsdpFull,
        .shape = kActive,
        .accumulation = 2,
        .recompute = Recompute::Full},
    MeasuredDataParallel{.what = "fsdp2, accumulated in silence",
        .peak = 307'293'348,
        .kind = ParallelKind::FsdpFull,
        .sharder = Sharder::Fsdp2,
        .shape = kWide,
        .accumulation = 2,
        .reduce = GradReduce::Step},
    MeasuredDataParallel{.what = "fsdp2, accumulated in silence, active",
        .peak = 274'090'256,
        .kind = ParallelKind::FsdpFull,
        .sharder = Sharder::Fsdp2,
        .shape = kActive,
        .accumulation = 3,
        .reduce = GradReduce::Step},
    MeasuredDataParallel{.what = "fsdp2, kept, accumulated in silence",
        .peak = 349'375'640,
        .kind = ParallelKind::FsdpGradOp,
        .sharder = Sharder::Fsdp2,
        .shape = kWide,
        .accumulation = 2,
        .reduce = GradReduce::Step},
    MeasuredDataParallel{.what = "fsdp2, kept, accumulated",
        .peak = 219'492'516,
        .kind = ParallelKind::FsdpGradOp,
        .sharder = Sharder::Fsdp2,
        .shape = kWide,
        .accumulation = 2},
    MeasuredDataParallel{.what = "fsdp2, hybrid",
        .peak = 393'750'164,
        .kind = ParallelKind::Hsdp,
        .sharder = Sharder::Fsdp2,
        .ranks = 4,
        .replicas = 2,
        .shape = kWide},
    MeasuredDataParallel{.what = "fsdp2, hybrid, kept",
        .peak = 393'750'164,
        .kind = ParallelKind::Hsdp,
        .sharder = Sharder::Fsdp2,
        .ranks = 4,
        .replicas = 2,
        .shape = kWide},
    MeasuredDataParallel{.what = "fsdp2, hybrid, accumulated",
        .peak = 471'752'340,
        .kind = ParallelKind::Hsdp,
        .sharder = Sharder::Fsdp2,
        .ranks = 4,
        .replicas = 2,
        .shape = kWide,
        .accumulation = 2},
    MeasuredDataParallel{.what = "fsdp2, hybrid, active",
        .peak = 283'842'048,
        .kind = ParallelKind::Hsdp,
        .sharder = Sharder::Fsdp2,
        .ranks = 4,
        .replicas = 2,
        .shape = kActive},
    MeasuredDataParallel{.what = "fsdp2, two ranks",
        .peak = 393'750'156,
        .kind = ParallelKind::FsdpFull,
        .sharder = Sharder::Fsdp2,
        .ranks = 2,
        .shape = kWide},
    MeasuredDataParallel{.what = "fsdp2, clipped",
        .peak = 199'269'540,
        .kind = ParallelKind::FsdpFull,
        .sharder = Sharder::Fsdp2,
        .shape = kWide},
    MeasuredDataParallel{.what = "fsdp2, foreach",
        .peak = 393'750'156,
        .kind = ParallelKind::FsdpFull,
        .sharder = Sharder::Fsdp2,
        .ranks = 2,
        .shape = kWide,
        .optimizer = OptimizerKind::AdamWForeach},
    MeasuredDataParallel{.what = "fsdp2, loop",
        .peak = 393'750'156,
        .kind = ParallelKind::FsdpFull,
        .sharder = Sharder::Fsdp2,
        .ranks = 2,
        .shape = kWide,
        .loops = true},
    MeasuredDataParallel{.what = "fsdp2, half",
        .peak = 238'795'148,
        .kind = ParallelKind::FsdpFull,
        .sharder = Sharder::Fsdp2,
        .ranks = 2,
        .shape = kWide,
        .precision = Precision::Bf16},
    MeasuredDataParallel{.what = "fsdp2, half, active",
        .peak = 181'447'952,
        .kind = ParallelKind::FsdpFull,
        .sharder = Sharder::Fsdp2,
        .shape = kActive,
        .precision = Precision::Bf16},
    MeasuredDataParallel{.what = "fsdp2, recomputed, accumulated",
        .peak = 104'270'032,
        .kind = ParallelKind::FsdpFull,
        .sharder = Sharder::Fsdp2,
        .shape = kActive,
        .accumulation = 2,
        .recompute = Recompute::Full},
    MeasuredDataParallel{.what = "fsdp2, reduced in half",
        .peak = 173'968'548,
        .kind = ParallelKind::FsdpFull,
        .sharder = Sharder::Fsdp2,
        .shape = kWide,
        .reduced = GradientType::Half},
    MeasuredDataParallel{.what = "fsdp1, reduced in fp32",
        .peak = 178'720'852,
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
    c.sharder = m.sharder;
    c.seqLen = m.shape.sequence;
    c.microBatch = m.shape.batch;
    c.gradAccum = m.accumulation;
    c.gradReduce = m.reduce;
    c.gradientType = m.reduced;
    c.precision = m.precision;
    c.recompute = m.recompute;
    c.optimizer = m.optimizer;
    c.trainMetrics = m.loops;
    c.gradientAsBucketView = m.views;
    return c;
}

TEST(DataParallelEagerPlan, peaksWithinThreePercentOfPytorchsOwn)
{
    const Catalogue catalogue = loadCatalogue().value();
    for (const MeasuredDataParallel &m : kMeasuredDataParallel)
        testing::expectPeakWithin(0.03, configOf(m), catalogue, m.peak, m.what);
}

TEST(DataParallelEagerPlan, hasNoBucketsToViewWhereTheTrainersFirstStageOfZeroIsItsOwn)
{
    const Catalogue catalogue = loadCatalogue().value();
    RunConfig c = configOf(MeasuredDataParallel{.what = "zero1 with masters", .peak = 0, .kind = ParallelKind::Zero1});
    c.fusedKernels = true;
    const Bytes plain = predict(c, catalogue)->memory.peakAllocated;
    c.gradientAsBucketView = true;
    EXPECT_EQ(predict(c, catalogue)->memory.peakAllocated, plain);
}

} // namespace
} // namespace slipway
