// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Live bytes at the peak of a third training step of Transformers' LlamaForCausalLM on one of eight ranks that share
// it, as tests/data/fsdp_peaks.py measured them with PyTorch's profiler on a processor: torch 2.11, Transformers 5,
// 2026-11-21.
#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "support/measured_shards.h"
#include "support/recordings.h"

namespace slipway {
namespace {

using testing::MeasuredShards;

constexpr std::array kMeasuredFsdp{
    MeasuredShards{"states", Sharder::Fsdp2, ParallelKind::FsdpFull, Recompute::None, 6, 512, 1376, 512, 64, 1, 1},
    MeasuredShards{
        "wide layers", Sharder::Fsdp2, ParallelKind::FsdpFull, Recompute::None, 3, 1024, 2752, 512, 64, 1, 1},
    MeasuredShards{
        "kept gathered", Sharder::Fsdp2, ParallelKind::FsdpGradOp, Recompute::None, 3, 1024, 2752, 512, 64, 1, 1},
    MeasuredShards{
        "activations", Sharder::Fsdp2, ParallelKind::FsdpFull, Recompute::None, 6, 512, 1376, 512, 256, 4, 1},
    MeasuredShards{"recomputed", Sharder::Fsdp2, ParallelKind::FsdpFull, Recompute::Full, 6, 512, 1376, 512, 256, 4, 1},
    MeasuredShards{"logits", Sharder::Fsdp2, ParallelKind::FsdpFull, Recompute::None, 6, 512, 1376, 16000, 256, 2, 1},
    MeasuredShards{
        "accumulated", Sharder::Fsdp2, ParallelKind::FsdpFull, Recompute::None, 3, 1024, 2752, 512, 64, 1, 2},
    MeasuredShards{"fsdp1", Sharder::Fsdp1, ParallelKind::FsdpFull, Recompute::None, 3, 1024, 2752, 512, 64, 1, 1},
    MeasuredShards{
        "fsdp1 activations", Sharder::Fsdp1, ParallelKind::FsdpFull, Recompute::None, 6, 512, 1376, 512, 256, 4, 1},
};

TEST(ShardedEagerPlan, peaksWithinThreePercentOfPytorchsOwn)
{
    const Catalogue catalogue = loadCatalogue().value();
    for (const MeasuredShards &m : kMeasuredFsdp)
        testing::expectPeakWithin(
            0.03, testing::configOf(m), catalogue, testing::recorded("fsdp_peaks", m.what), m.what);
}

// Transformers' Trainer runs the model under autocast, whose norms keep fp32 copies also with FSDP2. As
// tests/data/trainer_peaks.py measured it: torch 2.11, Transformers 5.23, Accelerate 1.15, 2026-11-27.
TEST(ShardedTrainerPlan, peaksWithinTwoPercentOfTransformersTrainer)
{
    const Catalogue catalogue = loadCatalogue().value();
    for (const auto &[what, sharder] : {std::pair{"fsdp1", Sharder::Fsdp1}, std::pair{"fsdp2", Sharder::Fsdp2}}) {
        RunConfig c =
            testing::configOf({what, sharder, ParallelKind::FsdpFull, Recompute::None, 6, 512, 1376, 16000, 320, 2, 1});
        c.simulated.autocast = true;
        c.simulated.lossPath = LossPath::Upcast;
        c.simulated.splitUnits = sharder == Sharder::Fsdp2;
        testing::expectPeakWithin(0.02, c, catalogue, testing::recorded("trainer_peaks", what), what);
    }
}

// The same by the Trainer's profile, which must know these switches.
TEST(ShardedTrainerPlan, ofTheTrainersProfilePeaksWithinTwoPercent)
{
    const Catalogue catalogue = loadCatalogue().value();
    for (const char *what : {"fsdp1", "fsdp2"}) {
        RunConfig c = testing::configOf(
            {what, Sharder::Auto, ParallelKind::FsdpFull, Recompute::None, 6, 512, 1376, 16000, 320, 2, 1});
        c.software = "hf-trainer@5.23";
        c.frameworkOptions = {std::string("sharder=") + what};
        testing::expectPeakWithin(0.02, c, catalogue, testing::recorded("trainer_peaks", what), what);
    }
}

// Before Accelerate 1.14, the LM head shares its unit with embedding and last norm, which are gathered together.
TEST(ShardedTrainerPlan, gathersTheEmbeddingWithTheHeadBeforeAccelerateSplitThem)
{
    const Catalogue catalogue = loadCatalogue().value();
    const auto peak = [&](bool split) {
        RunConfig c = testing::configOf(
            {"fsdp2", Sharder::Fsdp2, ParallelKind::FsdpFull, Recompute::None, 6, 512, 1376, 16000, 320, 2, 1});
        c.simulated.autocast = true;
        c.simulated.lossPath = LossPath::Upcast;
        c.simulated.splitUnits = split;
        return predict(c, catalogue).value().memory.peakAllocated;
    };
    constexpr Bytes kEmbedding = Bytes{16000} * 512 * 2;
    EXPECT_EQ(peak(false) - peak(true), kEmbedding);
}

} // namespace
} // namespace slipway
