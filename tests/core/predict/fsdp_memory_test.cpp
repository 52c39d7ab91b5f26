// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Live bytes at the peak of a third training step of Transformers' LlamaForCausalLM on one of eight ranks that share it, as
// tests/data/fsdp_peaks.py measured them with PyTorch's profiler on a processor: torch 2.11, Transformers 5, 2026-11-21.
#include <gtest/gtest.h>

#include <array>

#include "support/measured_peak.h"

namespace slipway {
namespace {

struct Measured {
    const char *what;
    Sharder sharder;
    ParallelKind kind;
    Recompute recompute;
    int layers, hidden, ffn, vocab;
    int sequence, batch, accumulation;
    Bytes peak;
};

constexpr auto kFull = ParallelKind::FsdpFull, kGradOp = ParallelKind::FsdpGradOp;

constexpr std::array kMeasured{
    Measured{"states", Sharder::Fsdp2, kFull, Recompute::None, 6, 512, 1376, 512, 64, 1, 1, 71'215'600},
    Measured{"wide layers", Sharder::Fsdp2, kFull, Recompute::None, 3, 1024, 2752, 512, 64, 1, 1, 199'268'484},
    Measured{"kept gathered", Sharder::Fsdp2, kGradOp, Recompute::None, 3, 1024, 2752, 512, 64, 1, 1, 199'990'916},
    Measured{"activations", Sharder::Fsdp2, kFull, Recompute::None, 6, 512, 1376, 512, 256, 4, 1, 196'067'312},
    Measured{"recomputed", Sharder::Fsdp2, kFull, Recompute::Full, 6, 512, 1376, 512, 256, 4, 1, 97'675'120},
    Measured{"logits", Sharder::Fsdp2, kFull, Recompute::None, 6, 512, 1376, 16000, 256, 2, 1, 280'681'456},
    Measured{"accumulated", Sharder::Fsdp2, kFull, Recompute::None, 3, 1024, 2752, 512, 64, 1, 2, 212'443'780},
    Measured{"fsdp1", Sharder::Fsdp1, kFull, Recompute::None, 3, 1024, 2752, 512, 64, 1, 1, 172'394'536},
    Measured{"fsdp1 activations", Sharder::Fsdp1, kFull, Recompute::None, 6, 512, 1376, 512, 256, 4, 1, 196'067'136},
};

RunConfig configOf(const Measured &m)
{
    RunConfig c;
    c.model = {.name = "llama-3.2-1b", .layers = m.layers, .hidden = m.hidden, .heads = 8, .kvHeads = 8, .ffn = m.ffn, .vocab = m.vocab, .tied = false, .experts = {}, .expertsPerToken = {}};
    c.gpu = "a100-sxm-80gb";
    c.framework = Framework::PytorchEager;
    c.parallel = {.kind = m.kind, .gpus = 8};
    c.sharder = m.sharder;
    c.recompute = m.recompute;
    c.seqLen = m.sequence;
    c.microBatch = m.batch;
    c.gradAccum = m.accumulation;
    return c;
}

TEST(ShardedEagerPlan, peaksWithinThreePercentOfPytorchsOwn)
{
    const Catalogue catalogue = loadCatalogue().value();
    for (const Measured &m : kMeasured)
        testing::expectPeakWithin(0.03, configOf(m), catalogue, m.peak, m.what);
}

} // namespace
} // namespace slipway
