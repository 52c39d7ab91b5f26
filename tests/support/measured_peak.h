// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "memory/outside_allocator.h"
#include "predict/predict.h"

namespace slipway::testing {

// For tables of what was measured.
inline constexpr auto kBf16 = Precision::Bf16, kMixed = Precision::Bf16Mixed;
inline constexpr auto kNone = Recompute::None, kFull = Recompute::Full;

// The Llama that tests/data/*_peaks.py train, of 4 layers of 512 with 8 heads, by simulated eager PyTorch.
inline RunConfig smallLlama(int vocab, int kvHeads = 8)
{
    RunConfig c;
    c.model = {.name = "llama-3.2-1b",
        .layers = 4,
        .hidden = 512,
        .heads = 8,
        .kvHeads = kvHeads,
        .ffn = 1376,
        .vocab = vocab,
        .tied = false};
    c.gpu = "a100-sxm-80gb";
    c.framework = Framework::PytorchEager;
    c.seqLen = 256;
    c.microBatch = 4;
    return c;
}

// Live bytes at the plan's peak are within that part of what was measured on a processor, which has no cuBLAS.
inline void expectPeakWithin(
    double part, const RunConfig &config, const Catalogue &catalogue, Bytes measured, const char *what)
{
    const Result<Prediction> p = predict(config, catalogue);
    ASSERT_TRUE(p) << what << ": " << p.error().message();
    const Bytes live = p->memory.peakAllocated - cublasWorkspaces(p->gpu, config);
    EXPECT_NEAR(double(live) / double(measured), 1, part) << what << " " << p->memory.peakAt.op;
}

// The same of one stage of a pipeline.
inline void expectStagePeakWithin(
    double part, const RunConfig &config, const Catalogue &catalogue, int stage, Bytes measured, const char *what)
{
    const Result<Prediction> p = predict(config, catalogue);
    ASSERT_TRUE(p) << what << ": " << p.error().message();
    const auto found = std::find_if(
        p->memory.stages.begin(), p->memory.stages.end(), [&](const StageMemory &s) { return s.stage == stage; });
    ASSERT_NE(found, p->memory.stages.end()) << what;
    const Bytes live = found->allocated - cublasWorkspaces(p->gpu, config);
    EXPECT_NEAR(double(live) / double(measured), 1, part) << what;
}

} // namespace slipway::testing
