// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Live bytes at the peak of a third training step of one rank's stages of a small Llama in PyTorch's pipelines (1F1B,
// interleaved; half models, or FSDP2 in each stage), as tests/data/pipeline_peaks.py measured them with PyTorch's
// profiler on a processor: torch 2.11, Transformers 5, 2026-11-22.
#include <gtest/gtest.h>

#include <array>

#include "support/measured_peak.h"
#include "support/recordings.h"

namespace slipway {
namespace {

struct PipelineShape {
    int hidden = 512, ffn = 1376, sequence = 256, batch = 2;
};
constexpr PipelineShape kWideStage{.hidden = 1024, .ffn = 2752, .sequence = 64, .batch = 1},
    kWideStageActive{.hidden = 1024, .ffn = 2752, .sequence = 256, .batch = 4};

struct MeasuredPipeline {
    const char *what;
    int stages = 2, parts = 1, stage = 0, ranks = 1;
    PipelineShape shape = {};
    int vocab = 512, microBatches = 8;
    Recompute recompute = Recompute::None;
    bool handsOut = false; // the last stage its logits, as all did before PyTorch 2.10
};

constexpr std::array kMeasuredPipeline{
    MeasuredPipeline{.what = "first of two"},
    MeasuredPipeline{.what = "last of two", .stage = 1},
    MeasuredPipeline{.what = "first of four", .stages = 4},
    MeasuredPipeline{.what = "second of four", .stages = 4, .stage = 1},
    MeasuredPipeline{.what = "last of four", .stages = 4, .stage = 3},
    MeasuredPipeline{.what = "second of four, sixteen micro-batches", .stages = 4, .stage = 1, .microBatches = 16},
    MeasuredPipeline{.what = "first of four, recomputed", .stages = 4, .recompute = Recompute::Full},
    MeasuredPipeline{.what = "second of four, recomputed", .stages = 4, .stage = 1, .recompute = Recompute::Full},
    MeasuredPipeline{.what = "last of two, logits", .stage = 1, .vocab = 16000},
    MeasuredPipeline{.what = "last of two, logits handed out", .stage = 1, .vocab = 16000, .handsOut = true},
    MeasuredPipeline{.what = "first of two, two parts", .parts = 2},
    MeasuredPipeline{.what = "last of two, two parts", .parts = 2, .stage = 1},
    MeasuredPipeline{.what = "second of four, two parts", .stages = 4, .parts = 2, .stage = 1},
    MeasuredPipeline{.what = "first of two, four parts", .parts = 4},
    MeasuredPipeline{.what = "sharded, first of two", .ranks = 4, .shape = kWideStage},
    MeasuredPipeline{.what = "sharded, last of two", .stage = 1, .ranks = 4, .shape = kWideStage},
    MeasuredPipeline{.what = "sharded, second of four", .stages = 4, .stage = 1, .ranks = 4, .shape = kWideStage},
    MeasuredPipeline{.what = "sharded, first of two, active", .ranks = 4},
    MeasuredPipeline{.what = "sharded, first of two, two parts", .parts = 2, .ranks = 4, .shape = kWideStage},
    MeasuredPipeline{.what = "sharded, last of two, recomputed",
        .stage = 1,
        .ranks = 4,
        .shape = kWideStageActive,
        .recompute = Recompute::Full},
};

RunConfig configOf(const MeasuredPipeline &m)
{
    RunConfig c;
    c.model = {.name = "llama-3.2-1b",
        .layers = 8,
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
    c.simulated.torch = m.handsOut ? "2.9" : "2.11";
    c.precision = m.ranks > 1 ? Precision::Bf16Mixed : Precision::Bf16;
    c.parallel = {.kind = m.ranks > 1 ? ParallelKind::FsdpGradOp : ParallelKind::None,
        .gpus = m.stages * m.ranks,
        .pp = m.stages,
        .virtualStages = m.parts};
    c.simulated.sharder = Sharder::Fsdp2;
    c.simulated.lossPath = LossPath::Hf;
    c.recompute = m.recompute;
    c.seqLen = m.shape.sequence;
    c.microBatch = m.shape.batch;
    c.gradAccum = m.microBatches;
    return c;
}

TEST(PipelinedEagerPlan, peaksWithinThreePercentOfPytorchsOwnOnEachStage)
{
    const Catalogue catalogue = loadCatalogue().value();
    for (const MeasuredPipeline &m : kMeasuredPipeline)
        testing::expectStagePeakWithin(
            0.03, configOf(m), catalogue, m.stage, testing::recorded("pipeline_peaks", m.what), m.what);
}

} // namespace
} // namespace slipway
