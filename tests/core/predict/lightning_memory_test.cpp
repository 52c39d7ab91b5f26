// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Live bytes at the peak of a third step of PyTorch Lightning's Trainer with a Llama of Transformers, as
// tests/data/lightning_peaks.py measured them with PyTorch's profiler on a processor: torch 2.11, lightning 2.6.6,
// Transformers 5.23. The Trainer frees gradients between the forward and the backward pass.
#include <gtest/gtest.h>

#include "support/measured_peak.h"
#include "support/recordings.h"

namespace slipway {
namespace {

using testing::kBf16;
using testing::kFull;
using testing::kMixed;
using testing::kNone;

struct MeasuredLightning {
    const char *what;
    Precision precision;
    Recompute recompute = kNone;
    int vocab = 8000, accumulation = 1;
};

constexpr std::array kMeasuredLightning{
    MeasuredLightning{"plain", kBf16},
    MeasuredLightning{"accumulated", kBf16, kNone, 8000, 2},
    MeasuredLightning{"clipped", kBf16},
    MeasuredLightning{"large vocabulary", kBf16, kNone, 64000},
    MeasuredLightning{"recomputed", kBf16, kFull},
    MeasuredLightning{"autocast", kMixed},
    MeasuredLightning{"autocast accumulated", kMixed, kNone, 8000, 2},
    MeasuredLightning{"autocast recomputed", kMixed, kFull},
    MeasuredLightning{"fp32", Precision::Fp32},
};

TEST(LightningPlan, peaksWithinOnePercentOfItsTraining)
{
    const Catalogue catalogue = loadCatalogue().value();
    for (const MeasuredLightning &m : kMeasuredLightning) {
        RunConfig c = testing::smallLlama(m.vocab);
        c.software = "lightning";
        c.precision = m.precision;
        c.recompute = m.recompute;
        c.gradAccum = m.accumulation;
        testing::expectPeakWithin(0.01, c, catalogue, testing::recorded("lightning_peaks", m.what), m.what);
    }
}

} // namespace
} // namespace slipway
