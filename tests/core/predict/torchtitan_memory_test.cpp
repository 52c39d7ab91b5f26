// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Live bytes at the peak of a third step of torchtitan's Llama on one of eight ranks that share it, as
// tests/data/torchtitan_peaks.py measured them with PyTorch's profiler on a processor: torch 2.11, torchtitan 0.2.2.
#include <gtest/gtest.h>

#include "support/measured_shards.h"
#include "support/recordings.h"

namespace slipway {
namespace {

using testing::kFull;
using testing::kNone;

struct MeasuredTorchtitan {
    const char *what;
    Recompute recompute;
    int vocab = 512, kvHeads = 8, sequence = 256, batch = 4, accumulation = 1, tensorRanks = 1;
};
constexpr Recompute kSelective = Recompute::Selective;

constexpr std::array kMeasuredTorchtitan{
    MeasuredTorchtitan{"states", kNone, 512, 8, 64, 1},
    MeasuredTorchtitan{"plain", kNone},
    MeasuredTorchtitan{"selective", kSelective},
    MeasuredTorchtitan{"full", kFull},
    MeasuredTorchtitan{"grouped queries", kNone, 512, 2},
    MeasuredTorchtitan{"grouped queries selective", kSelective, 512, 2},
    MeasuredTorchtitan{"large vocabulary", kSelective, 32000},
    MeasuredTorchtitan{"large vocabulary accumulated", kSelective, 32000, 8, 256, 4, 2},
    MeasuredTorchtitan{"two parts", kNone, 512, 8, 256, 4, 1, 2},
    MeasuredTorchtitan{"two parts selective", kSelective, 512, 8, 256, 4, 1, 2},
    MeasuredTorchtitan{"two parts full", kFull, 512, 8, 256, 4, 1, 2},
    MeasuredTorchtitan{"two parts, large vocabulary", kSelective, 32000, 8, 256, 4, 1, 2},
    MeasuredTorchtitan{"four parts, grouped queries", kSelective, 512, 4, 256, 4, 1, 4},
};

TEST(TorchtitanPlan, peaksWithinOnePercentOfItsTrainingOrThreeWithTensorParallelism)
{
    const Catalogue catalogue = loadCatalogue().value();
    for (const MeasuredTorchtitan &m : kMeasuredTorchtitan) {
        RunConfig c = testing::configOf({m.what, Sharder::Auto, ParallelKind::FsdpFull, m.recompute, 6, 512, 1536,
            m.vocab, m.sequence, m.batch, m.accumulation});
        c.model.kvHeads = m.kvHeads;
        c.parallel.tp = m.tensorRanks;
        c.software = "torchtitan@0.2.2";
        // Two kernels differ on a processor. The norm is not fused, and torchtitan does not list the attention among
        // those whose results selective recomputation keeps.
        c.frameworkOptions = {"torch.fused_rms_norm=false"};
        if (m.recompute == kSelective)
            c.recomputeOps = {"attention", "norm", "activation", "rope", "linear-alternate"};
        testing::expectPeakWithin(0.01 * (m.tensorRanks > 2 ? 3 : m.tensorRanks), c, catalogue,
            testing::recorded("torchtitan_peaks", m.what), m.what);
    }
}

} // namespace
} // namespace slipway
