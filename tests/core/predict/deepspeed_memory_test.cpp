// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Live bytes at the peak of a third training step of Transformers' LlamaForCausalLM on one of eight ranks that share it
// by DeepSpeed's ZeRO, as tests/data/deepspeed_peaks.py measured them with PyTorch's profiler on a processor: torch
// 2.11, Transformers 5, DeepSpeed 0.19.8, 2026-11-22.
#include <gtest/gtest.h>

#include <array>

#include "support/measured_shards.h"
#include "support/recordings.h"

namespace slipway {
namespace {

using testing::MeasuredShards;

constexpr auto kDeepSpeed = Sharder::DeepSpeed;
constexpr auto kZero1 = ParallelKind::Zero1, kZero2 = ParallelKind::FsdpGradOp, kZero3 = ParallelKind::FsdpFull;

constexpr std::array kMeasuredDeepSpeed{
    MeasuredShards{"zero1 states", kDeepSpeed, kZero1, Recompute::None, 3, 1024, 2752, 512, 64, 1, 1},
    MeasuredShards{"zero1 activations", kDeepSpeed, kZero1, Recompute::None, 6, 512, 1376, 512, 256, 4, 1},
    MeasuredShards{"zero1 recomputed", kDeepSpeed, kZero1, Recompute::Full, 6, 512, 1376, 512, 256, 4, 1},
    MeasuredShards{"zero1 logits", kDeepSpeed, kZero1, Recompute::None, 6, 512, 1376, 16000, 256, 2, 1},
    MeasuredShards{"zero1 billion", kDeepSpeed, kZero1, Recompute::None, 20, 2048, 5504, 512, 64, 1, 1},
    MeasuredShards{"zero1 accumulated", kDeepSpeed, kZero1, Recompute::None, 3, 1024, 2752, 512, 64, 1, 2},
    MeasuredShards{"zero2 states", kDeepSpeed, kZero2, Recompute::None, 3, 1024, 2752, 512, 64, 1, 1},
    MeasuredShards{"zero2 activations", kDeepSpeed, kZero2, Recompute::None, 6, 512, 1376, 512, 256, 4, 1},
    MeasuredShards{"zero2 recomputed", kDeepSpeed, kZero2, Recompute::Full, 6, 512, 1376, 512, 256, 4, 1},
    MeasuredShards{"zero2 logits", kDeepSpeed, kZero2, Recompute::None, 6, 512, 1376, 16000, 256, 2, 1},
    MeasuredShards{"zero2 billion", kDeepSpeed, kZero2, Recompute::None, 20, 2048, 5504, 512, 64, 1, 1},
    MeasuredShards{"zero2 accumulated", kDeepSpeed, kZero2, Recompute::None, 3, 1024, 2752, 512, 64, 1, 2},
    MeasuredShards{"zero3 states", kDeepSpeed, kZero3, Recompute::None, 3, 1024, 2752, 512, 64, 1, 1},
    MeasuredShards{"zero3 activations", kDeepSpeed, kZero3, Recompute::None, 6, 512, 1376, 512, 256, 4, 1},
    MeasuredShards{"zero3 recomputed", kDeepSpeed, kZero3, Recompute::Full, 6, 512, 1376, 512, 256, 4, 1},
    MeasuredShards{"zero3 logits", kDeepSpeed, kZero3, Recompute::None, 6, 512, 1376, 16000, 256, 2, 1},
    MeasuredShards{"zero3 billion", kDeepSpeed, kZero3, Recompute::None, 20, 2048, 5504, 512, 64, 1, 1},
    MeasuredShards{"zero3 accumulated", kDeepSpeed, kZero3, Recompute::None, 3, 1024, 2752, 512, 64, 1, 2},
};

TEST(DeepSpeedPlan, peaksWithinThreePercentOfDeepSpeedsOwn)
{
    const Catalogue catalogue = loadCatalogue().value();
    for (const MeasuredShards &m : kMeasuredDeepSpeed)
        testing::expectPeakWithin(
            0.03, testing::configOf(m), catalogue, testing::recorded("deepspeed_peaks", m.what), m.what);
}

TEST(DeepSpeedPlan, ofItsProfilePeaksWithinThreeAndAHalfPercent)
{
    const Catalogue catalogue = loadCatalogue().value();
    for (const MeasuredShards &m : kMeasuredDeepSpeed) {
        RunConfig c = testing::configOf(m);
        c.software = "deepspeed";
        c.simulated.torch = "2.11";
        c.simulated.sharder = Sharder::Auto;
        testing::expectPeakWithin(0.035, c, catalogue, testing::recorded("deepspeed_peaks", m.what), m.what);
    }
}

} // namespace
} // namespace slipway
