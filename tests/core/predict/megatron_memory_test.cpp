// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Live bytes at the peak of a third training step of a small GPT or Llama in Megatron-Core's own layers, as
// tests/data/megatron_peaks.py measured them with PyTorch's profiler on a processor: Megatron-Core 0.12.0, torch 2.11,
// 2026-11-22.
#include <gtest/gtest.h>

#include <array>

#include "support/measured_peak.h"
#include "support/recordings.h"

namespace slipway {
namespace {

using testing::kFull;

struct MeasuredMegatron {
    const char *what;
    Bytes sequence = 512, batch = 2;
    int layers = 4, vocab = 1024;
    Recompute recompute = Recompute::None;
    bool dropout = false, scores = false;
    int ranks = 1, shards = 1;
    bool split = false;
    int stages = 1, stage = 0, parts = 1;
    bool llama = false, fusedLoss = false;
    int groups = 8, experts = 0;
};

constexpr auto kSelective = Recompute::Selective;

constexpr std::array kMeasuredMegatron{
    MeasuredMegatron{.what = "plain", .sequence = 1024, .batch = 4},
    MeasuredMegatron{.what = "dropout", .sequence = 1024, .batch = 4, .dropout = true},
    MeasuredMegatron{.what = "distributed optimizer", .sequence = 1024, .batch = 4, .shards = 8},
    MeasuredMegatron{.what = "distributed optimizer, few tokens", .sequence = 128, .shards = 8},
    MeasuredMegatron{.what = "scores", .batch = 4, .scores = true},
    MeasuredMegatron{.what = "scores, dropout", .dropout = true, .scores = true},
    MeasuredMegatron{.what = "scores, selective", .recompute = kSelective, .scores = true},
    MeasuredMegatron{
        .what = "scores, dropout, selective", .batch = 4, .recompute = kSelective, .dropout = true, .scores = true},
    MeasuredMegatron{.what = "recomputed", .sequence = 1024, .batch = 4, .layers = 8, .recompute = kFull},
    MeasuredMegatron{.what = "two ranks", .sequence = 1024, .batch = 4, .ranks = 2},
    MeasuredMegatron{
        .what = "two ranks, recomputed", .sequence = 1024, .batch = 4, .layers = 8, .recompute = kFull, .ranks = 2},
    MeasuredMegatron{.what = "two ranks, scores, dropout", .dropout = true, .scores = true, .ranks = 2},
    MeasuredMegatron{.what = "split sequence", .sequence = 1024, .batch = 4, .ranks = 2, .split = true},
    MeasuredMegatron{.what = "split sequence, scores, selective",
        .recompute = kSelective,
        .scores = true,
        .ranks = 2,
        .split = true},
    MeasuredMegatron{.what = "split sequence, recomputed",
        .sequence = 1024,
        .batch = 4,
        .layers = 8,
        .recompute = kFull,
        .ranks = 2,
        .split = true},
    MeasuredMegatron{.what = "logits", .sequence = 1024, .layers = 1, .vocab = 16384},
    MeasuredMegatron{.what = "logits, fused loss", .sequence = 1024, .layers = 1, .vocab = 16384, .fusedLoss = true},
    MeasuredMegatron{.what = "logits, two ranks", .sequence = 1024, .layers = 1, .vocab = 16384, .ranks = 2},
    MeasuredMegatron{
        .what = "logits, split sequence", .sequence = 1024, .layers = 1, .vocab = 16384, .ranks = 2, .split = true},
    MeasuredMegatron{.what = "llama", .sequence = 1024, .batch = 4, .llama = true},
    MeasuredMegatron{.what = "llama, grouped queries", .sequence = 1024, .batch = 4, .llama = true, .groups = 2},
    MeasuredMegatron{.what = "llama, split sequence",
        .sequence = 1024,
        .batch = 4,
        .ranks = 2,
        .split = true,
        .llama = true,
        .groups = 2},
    MeasuredMegatron{
        .what = "llama, recomputed", .sequence = 1024, .batch = 4, .layers = 8, .recompute = kFull, .llama = true},
    MeasuredMegatron{.what = "first of four", .layers = 8, .vocab = 4096, .stages = 4},
    MeasuredMegatron{.what = "second of four", .layers = 8, .vocab = 4096, .stages = 4, .stage = 1},
    MeasuredMegatron{.what = "last of four", .layers = 8, .vocab = 4096, .stages = 4, .stage = 3},
    MeasuredMegatron{.what = "second of four, split sequence",
        .layers = 8,
        .vocab = 4096,
        .ranks = 2,
        .split = true,
        .stages = 4,
        .stage = 1},
    MeasuredMegatron{
        .what = "second of four, recomputed", .layers = 8, .vocab = 4096, .recompute = kFull, .stages = 4, .stage = 1},
    MeasuredMegatron{
        .what = "last of four, recomputed", .layers = 8, .vocab = 4096, .recompute = kFull, .stages = 4, .stage = 3},
    MeasuredMegatron{.what = "first of two, two parts", .layers = 8, .vocab = 4096, .stages = 2, .parts = 2},
    MeasuredMegatron{.what = "last of two, two parts", .layers = 8, .vocab = 4096, .stages = 2, .stage = 1, .parts = 2},
    MeasuredMegatron{
        .what = "second of four, two parts", .layers = 8, .vocab = 4096, .stages = 4, .stage = 1, .parts = 2},
    MeasuredMegatron{.what = "experts", .sequence = 1024, .llama = true, .experts = 4},
    MeasuredMegatron{
        .what = "experts, recomputed", .sequence = 1024, .layers = 8, .recompute = kFull, .llama = true, .experts = 4},
};

RunConfig configOf(const MeasuredMegatron &m)
{
    RunConfig c;
    const int ffn = m.experts > 0 ? 704 : m.llama ? 1408 : 2048;
    c.model = {.name = m.llama ? "llama-3.2-1b" : "gpt2-124m",
        .layers = m.layers,
        .hidden = 512,
        .heads = 8,
        .kvHeads = m.groups,
        .ffn = ffn,
        .vocab = m.vocab,
        .tied = false,
        .experts = {},
        .expertsPerToken = {}};
    if (m.experts > 0) {
        c.model.experts = m.experts;
        c.model.expertsPerToken = 2;
    }
    c.gpu = "a100-sxm-80gb";
    c.framework = Framework::Megatron;
    c.simulated.torch = "2.7"; // of the time of Megatron-Core 0.12
    c.precision = Precision::Bf16Mixed;
    c.attention = m.scores ? Attention::Vanilla : Attention::Flash;
    c.simulated.olderRecipe = true; // its own layers
    c.parallel = {.kind = m.shards > 1 ? ParallelKind::Zero1 : ParallelKind::None,
        .gpus = m.ranks * m.shards * m.stages,
        .tp = m.ranks,
        .pp = m.stages,
        .virtualStages = m.parts};
    c.recompute = m.recompute;
    c.simulated.dropout = m.dropout;
    c.simulated.sequenceParallel = m.split;
    c.simulated.lossPath = m.fusedLoss ? LossPath::ParallelFused : LossPath::Auto;
    c.simulated.vocabMultiple = 1;
    c.seqLen = m.sequence;
    c.microBatch = m.batch;
    c.gradAccum = m.stages > 1 ? 8 : 2;
    return c;
}

// Its local experts run one after the other, ours in one kernel.
TEST(MegatronPlan, peaksWithinOnePercentOfMegatronCoresOwnAndTwoWithExperts)
{
    const Catalogue catalogue = loadCatalogue().value();
    for (const MeasuredMegatron &m : kMeasuredMegatron)
        testing::expectStagePeakWithin(m.experts > 0 ? 0.02 : 0.01, configOf(m), catalogue, m.stage,
            testing::recorded("megatron_peaks", m.what), m.what);
}

} // namespace
} // namespace slipway
