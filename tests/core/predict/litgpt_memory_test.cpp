// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Live bytes at the peak of a second training step of LitGPT's finetune/full.py, as tests/data/litgpt_peaks.py measured
// them with PyTorch's profiler on a processor: torch 2.11, lightning 2.6.6, litgpt 0.5.13.
#include <gtest/gtest.h>

#include "support/measured_peak.h"
#include "support/recordings.h"

namespace slipway {
namespace {

using testing::kBf16;
using testing::kMixed;

struct MeasuredLitgpt {
    const char *what;
    Precision precision;
    int vocab, kvHeads;
};

constexpr std::array kMeasuredLitgpt{
    MeasuredLitgpt{"plain", kBf16, 8000, 8},
    MeasuredLitgpt{"autocast", kMixed, 8000, 8},
    MeasuredLitgpt{"small vocabulary", kBf16, 512, 8},
    MeasuredLitgpt{"small vocabulary autocast", kMixed, 512, 8},
    MeasuredLitgpt{"grouped queries", kBf16, 512, 2},
    MeasuredLitgpt{"grouped queries autocast", kMixed, 512, 2},
};

TEST(LitgptPlan, peaksWithinOnePercentOfItsTraining)
{
    const Catalogue catalogue = loadCatalogue().value();
    for (const MeasuredLitgpt &m : kMeasuredLitgpt) {
        RunConfig c = testing::smallLlama(m.vocab, m.kvHeads);
        c.software = "litgpt";
        c.precision = m.precision;
        testing::expectPeakWithin(0.01, c, catalogue, testing::recorded("litgpt_peaks", m.what), m.what);
    }
}

} // namespace
} // namespace slipway
