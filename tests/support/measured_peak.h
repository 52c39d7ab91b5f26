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
