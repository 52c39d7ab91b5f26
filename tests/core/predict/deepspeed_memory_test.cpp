// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Live bytes at the peak of a third training step of Transformers' LlamaForCausalLM on one of eight ranks that share it by DeepSpeed's
// ZeRO, as tests/data/deepspeed_peaks.py measured them with PyTorch's profiler on a processor: torch 2.11, Transformers 5,
// DeepSpeed 0.19.8, 2026-11-22.
#include <gtest/gtest.h>

#include <array>

#include "support/measured_peak.h"

namespace slipway {
namespace {

struct Measured {
    const char *what;
    ParallelKind kind;
    Recompute recompute;
    int layers, hidden, ffn, vocab;
    int sequence, batch, accumulation;
    Bytes peak;
};

constexpr auto kZero1 = ParallelKind::Zero1, kZero2 = ParallelKind::FsdpGradOp, kZero3 = ParallelKind::FsdpFull;

constexpr std::array kMeasured{
    Measured{"zero1 states", kZero1, Recompute::None, 3, 1024, 2752, 512, 64, 1, 1, 1'215'227'416},
    Measured{"zero1 activations", kZero1, Recompute::None, 6, 512, 1376, 512, 256, 4, 1, 1'225'861'656},
    Measured{"zero1 recomputed", kZero1, Recompute::Full, 6, 512, 1376, 512, 256, 4, 1, 1'134'579'160},
    Measured{"zero1 logits", kZero1, Recompute::None, 6, 512, 1376, 16000, 256, 2, 1, 1'234'586'136},
    Measured{"zero1 billion", kZero1, Recompute::None, 20, 2048, 5504, 512, 64, 1, 1, 6'578'690'584},
    Measured{"zero1 accumulated", kZero1, Recompute::None, 3, 1024, 2752, 512, 64, 1, 2, 1'229'826'712},
    Measured{"zero2 states", kZero2, Recompute::None, 3, 1024, 2752, 512, 64, 1, 1, 1'214'572'052},
    Measured{"zero2 activations", kZero2, Recompute::None, 6, 512, 1376, 512, 256, 4, 1, 1'225'336'344},
    Measured{"zero2 recomputed", kZero2, Recompute::Full, 6, 512, 1376, 512, 256, 4, 1, 1'108'318'740},
    Measured{"zero2 logits", kZero2, Recompute::None, 6, 512, 1376, 16000, 256, 2, 1, 1'230'392'856},
    Measured{"zero2 billion", kZero2, Recompute::None, 20, 2048, 5504, 512, 64, 1, 1, 5'827'658'520},
    Measured{"zero2 accumulated", kZero2, Recompute::None, 3, 1024, 2752, 512, 64, 1, 2, 1'226'898'964},
    Measured{"zero3 states", kZero3, Recompute::None, 3, 1024, 2752, 512, 64, 1, 1, 1'244'028'173},
    Measured{"zero3 activations", kZero3, Recompute::None, 6, 512, 1376, 512, 256, 4, 1, 1'268'849'293},
    Measured{"zero3 recomputed", kZero3, Recompute::Full, 6, 512, 1376, 512, 256, 4, 1, 1'133'949'197},
    Measured{"zero3 logits", kZero3, Recompute::None, 6, 512, 1376, 16000, 256, 2, 1, 1'329'994'397},
    Measured{"zero3 billion", kZero3, Recompute::None, 20, 2048, 5504, 512, 64, 1, 1, 5'256'559'389},
    Measured{"zero3 accumulated", kZero3, Recompute::None, 3, 1024, 2752, 512, 64, 1, 2, 1'244'028'173},
};

RunConfig configOf(const Measured &m)
{
    RunConfig c;
    c.model = {.name = "llama-3.2-1b", .layers = m.layers, .hidden = m.hidden, .heads = 8, .kvHeads = 8, .ffn = m.ffn, .vocab = m.vocab, .tied = false, .experts = {}, .expertsPerToken = {}};
    c.gpu = "a100-sxm-80gb";
    c.framework = Framework::PytorchEager;
    c.parallel = {.kind = m.kind, .gpus = 8};
    c.sharder = Sharder::DeepSpeed;
    c.recompute = m.recompute;
    c.seqLen = m.sequence;
    c.microBatch = m.batch;
    c.gradAccum = m.accumulation;
    return c;
}

TEST(DeepSpeedPlan, peaksWithinThreePercentOfDeepSpeedsOwn)
{
    const Catalogue catalogue = loadCatalogue().value();
    for (const Measured &m : kMeasured)
        testing::expectPeakWithin(0.03, configOf(m), catalogue, m.peak, m.what);
}

} // namespace
} // namespace slipway
