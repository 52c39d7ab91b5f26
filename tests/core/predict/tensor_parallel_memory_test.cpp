// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Live bytes at the peak of a third training step of a small Llama on one of two ranks that share it by PyTorch's
// tensor and sequence parallelism, as tests/data/tensor_parallel_peaks.py measured them with PyTorch's profiler on a
// processor: torch 2.11, 2026-11-21.
#include <gtest/gtest.h>

#include <array>

#include "support/measured_peak.h"
#include "support/recordings.h"

namespace slipway {
namespace {

struct MeasuredTensorParallel {
    const char *what;
    Recompute recompute;
    LossPath loss;
    int ranks, layers, vocab;
};

constexpr auto kDropped = LossPath::Upcast, kHeld = LossPath::UpcastHeld;

constexpr std::array kMeasuredTensorParallel{
    MeasuredTensorParallel{"plain", Recompute::None, kDropped, 2, 4, 512},
    MeasuredTensorParallel{"selective", Recompute::Selective, kDropped, 2, 8, 512},
    MeasuredTensorParallel{"recomputed", Recompute::Full, kDropped, 2, 8, 512},
    MeasuredTensorParallel{"logits", Recompute::None, kDropped, 2, 1, 8192},
    MeasuredTensorParallel{"logits held", Recompute::None, kHeld, 2, 1, 8192},
    MeasuredTensorParallel{"one rank, selective", Recompute::Selective, kDropped, 1, 8, 512},
    MeasuredTensorParallel{"one rank, logits held", Recompute::None, kHeld, 1, 1, 8192},
};

TEST(TensorParallelEagerPlan, peaksWithinThreePercentOfPytorchsOwn)
{
    const Catalogue catalogue = loadCatalogue().value();
    for (const MeasuredTensorParallel &m : kMeasuredTensorParallel) {
        RunConfig c;
        c.model = {.name = "llama-3.2-1b",
            .layers = m.layers,
            .hidden = 256,
            .heads = 4,
            .kvHeads = 4,
            .ffn = 768,
            .vocab = m.vocab,
            .tied = false,
            .experts = {},
            .expertsPerToken = {}};
        c.gpu = "a100-sxm-80gb";
        c.framework = Framework::PytorchEager;
        c.precision = Precision::Bf16;
        c.parallel = {.gpus = m.ranks, .tp = m.ranks};
        c.recompute = m.recompute;
        if (m.recompute == Recompute::Selective)
            c.recomputeOps = {"norm", "activation", "rope", "linear-alternate"};
        c.simulated.lossPath = m.loss;
        c.seqLen = 4096;
        c.microBatch = 1;
        testing::expectPeakWithin(0.03, c, catalogue, testing::recorded("tensor_parallel_peaks", m.what), m.what);
    }
}

} // namespace
} // namespace slipway
