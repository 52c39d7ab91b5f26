// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Live bytes at the peak of a second step of torchtune's recipes for one device, as tests/data/torchtune_peaks.py
// measured them with PyTorch's profiler on a processor: torch 2.11, torchtune 0.6.1.
#include <gtest/gtest.h>

#include "support/measured_peak.h"
#include "support/recordings.h"

namespace slipway {
namespace {

using testing::kFull;
using testing::kNone;

struct MeasuredTorchtune {
    const char *what;
    Recompute recompute;
    int vocab, kvHeads;
    int loraRank = 0, accumulation = 1;
    double tolerance = 0.01;
};

constexpr std::array kMeasuredTorchtune{
    MeasuredTorchtune{"plain", kNone, 8000, 8},
    MeasuredTorchtune{.what = "accumulated", .recompute = kNone, .vocab = 8000, .kvHeads = 8, .accumulation = 2},
    MeasuredTorchtune{"large vocabulary", kNone, 64000, 8},
    MeasuredTorchtune{"recomputed", kFull, 8000, 8},
    MeasuredTorchtune{"recomputed large vocabulary", kFull, 64000, 8},
    MeasuredTorchtune{"small vocabulary", kNone, 512, 8},
    MeasuredTorchtune{"grouped queries", kNone, 512, 2},
    MeasuredTorchtune{"grouped queries recomputed", kFull, 512, 2},
    // The first layer is planned like the others. Nothing before it is trained, so its norm saves no input.
    MeasuredTorchtune{"lora", kNone, 8000, 8, 8, 1, 0.02},
    MeasuredTorchtune{"lora grouped queries", kNone, 512, 2, 8},
    MeasuredTorchtune{"lora recomputed", kFull, 8000, 8, 8},
};

TEST(TorchtunePlan, peaksWithinOnePercentOfItsTrainingOrTwoWithAdapters)
{
    const Catalogue catalogue = loadCatalogue().value();
    for (const MeasuredTorchtune &m : kMeasuredTorchtune) {
        RunConfig c = testing::smallLlama(m.vocab, m.kvHeads);
        c.software = "torchtune";
        c.recompute = m.recompute;
        c.gradAccum = m.accumulation;
        c.loraRank = m.loraRank;
        testing::expectPeakWithin(m.tolerance, c, catalogue, testing::recorded("torchtune_peaks", m.what), m.what);
    }
}

} // namespace
} // namespace slipway
