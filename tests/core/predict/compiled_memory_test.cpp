// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Live bytes at the peak of a third training step of a compiled Llama with a large vocabulary, as
// tests/data/compiled_peaks.py measured them on a processor: torch 2.11, 2026-11-24. The logits decide them.
#include <gtest/gtest.h>

#include "support/measured_peak.h"
#include "support/recordings.h"

namespace slipway {
namespace {

struct MeasuredCompiled {
    const char *what;
    LossPath loss;
};
constexpr std::array kMeasuredCompiled{MeasuredCompiled{"inside", LossPath::CompiledWhole},
    MeasuredCompiled{"returned", LossPath::CompiledOutput}, MeasuredCompiled{"outside", LossPath::Hf},
    MeasuredCompiled{"outside, half", LossPath::Bf16}, MeasuredCompiled{"outside of blocks", LossPath::Hf},
    MeasuredCompiled{"outside of blocks, released", LossPath::Upcast},
    MeasuredCompiled{"compiled apart", LossPath::Compiled}};

RunConfig compiledLlama(LossPath loss)
{
    RunConfig c;
    c.model = {.name = "llama-3.2-1b",
        .layers = 2,
        .hidden = 256,
        .heads = 8,
        .kvHeads = 8,
        .ffn = 688,
        .vocab = 64000,
        .tied = false};
    c.gpu = "a100-sxm-80gb";
    c.framework = Framework::PytorchCompile;
    c.simulated.torch = "2.11";
    c.precision = Precision::Bf16;
    c.simulated.lossPath = loss;
    c.seqLen = 256;
    c.microBatch = 4;
    return c;
}

TEST(PytorchCompilePlan, peaksWithinTwoPercentOfCompiledLlamas)
{
    const Catalogue catalogue = loadCatalogue().value();
    for (const MeasuredCompiled &m : kMeasuredCompiled)
        testing::expectPeakWithin(
            0.02, compiledLlama(m.loss), catalogue, testing::recorded("compiled_peaks", m.what), m.what);
}

// tests/data/accelerate_compiled_loss.py: the tangent of logits that Accelerate casts to fp32 has four bytes, but then
// the gradient may overwrite the 16-bit logits, which no caller has. Without the cast there are three 16-bit tensors.
TEST(PytorchCompilePlan, keepsSixBytesPerLogitOfATransformersModel)
{
    const RunConfig c = compiledLlama(LossPath::CompiledOutput);
    const auto atPeak = predict(c, loadCatalogue().value()).value().memory.atPeak;
    EXPECT_EQ(atPeak[static_cast<std::size_t>(Role::Logits)], Bytes{4} * 256 * 64000 * 6);
}

// The gradient takes the logits' place since PyTorch 2.6; before, it lies beside them.
TEST(PytorchCompilePlan, writesOverWhatItSavedSinceItMay)
{
    const Catalogue catalogue = loadCatalogue().value();
    const auto peak = [&](const char *torch) {
        RunConfig c = compiledLlama(LossPath::CompiledWhole);
        c.simulated.torch = torch;
        return predict(c, catalogue).value().memory.peakAllocated;
    };
    const Bytes logits = Bytes{4} * 256 * 64000 * 2;
    EXPECT_GT(peak("2.5") - peak("2.6"), logits / 2);
    EXPECT_EQ(peak("2.6"), peak("2.11"));
}

} // namespace
} // namespace slipway
