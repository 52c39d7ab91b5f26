// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Live bytes at the peak of a third training step of Transformers' LlamaForCausalLM on one of eight ranks that share
// it, as tests/data/fsdp_peaks.py measured them with PyTorch's profiler on a processor: torch 2.11, Transformers 5,
// 2026-11-21.
#include <gtest/gtest.h>

#include <array>

#include "support/measured_shards.h"

namespace slipway {
namespace {

using testing::MeasuredShards;

constexpr std::array kMeasuredFsdp{
    MeasuredShards{
        "states", Sharder::Fsdp2, ParallelKind::FsdpFull, Recompute::None, 6, 512, 1376, 512, 64, 1, 1, 71'215'600},
    MeasuredShards{"wide layers", Sharder::Fsdp2, ParallelKind::FsdpFull, Recompute::None, 3, 1024, 2752, 512, 64, 1, 1,
        199'268'484},
    MeasuredShards{"kept gathered", Sharder::Fsdp2, ParallelKind::FsdpGradOp, Recompute::None, 3, 1024, 2752, 512, 64,
        1, 1, 199'990'916},
    MeasuredShards{"activations", Sharder::Fsdp2, ParallelKind::FsdpFull, Recompute::None, 6, 512, 1376, 512, 256, 4, 1,
        196'067'312},
    MeasuredShards{"recomputed", Sharder::Fsdp2, ParallelKind::FsdpFull, Recompute::Full, 6, 512, 1376, 512, 256, 4, 1,
        97'675'120},
    MeasuredShards{
        "logits", Sharder::Fsdp2, ParallelKind::FsdpFull, Recompute::None, 6, 512, 1376, 16000, 256, 2, 1, 280'681'456},
    MeasuredShards{"accumulated", Sharder::Fsdp2, ParallelKind::FsdpFull, Recompute::None, 3, 1024, 2752, 512, 64, 1, 2,
        212'443'780},
    MeasuredShards{
        "fsdp1", Sharder::Fsdp1, ParallelKind::FsdpFull, Recompute::None, 3, 1024, 2752, 512, 64, 1, 1, 172'394'536},
    MeasuredShards{"fsdp1 activations", Sharder::Fsdp1, ParallelKind::FsdpFull, Recompute::None, 6, 512, 1376, 512, 256,
        4, 1, 196'067'136},
};

TEST(ShardedEagerPlan, peaksWithinThreePercentOfPytorchsOwn)
{
    const Catalogue catalogue = loadCatalogue().value();
    for (const MeasuredShards &m : kMeasuredFsdp)
        testing::expectPeakWithin(0.03, testing::configOf(m), catalogue, m.peak, m.what);
}

} // namespace
} // namespace slipway
