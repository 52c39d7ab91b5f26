// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Live bytes at the peak of a second training step of Transformers' models, as tests/data/transformers_peaks.py
// measured them with PyTorch's profiler on a processor: torch 2.11, Transformers 5, 2026-11-21.
#include <gtest/gtest.h>

#include "support/measured_peak.h"
#include "support/recordings.h"

namespace slipway {
namespace {

using testing::kBf16;
using testing::kFull;
using testing::kMixed;
using testing::kNone;
using testing::recorded;

struct MeasuredModel {
    const char *what;
    Precision precision;
    Attention attention;
    Recompute recompute;
    int vocab;
    bool tied;
    int sequence, batch, accumulation, kvHeads;
};

constexpr const char *kNewest = "transformers_peaks", *kOf447 = "transformers_peaks-4.47",
                     *kOf445 = "transformers_peaks-4.45", *kOf440 = "transformers_peaks-4.40";
constexpr auto kFlash = Attention::Flash, kVanilla = Attention::Vanilla;

constexpr std::array kMeasuredLlama{
    MeasuredModel{"plain", kBf16, kFlash, kNone, 8000, false, 256, 4, 1, 8},
    MeasuredModel{"accumulated", kBf16, kFlash, kNone, 8000, false, 256, 4, 2, 8},
    MeasuredModel{"autocast", kMixed, kFlash, kNone, 8000, false, 256, 4, 1, 8},
    MeasuredModel{"autocast accumulated", kMixed, kFlash, kNone, 8000, false, 256, 4, 2, 8},
    MeasuredModel{"tied", kMixed, kFlash, kNone, 20000, true, 256, 4, 1, 8},
    MeasuredModel{"small vocabulary", kBf16, kFlash, kNone, 512, false, 256, 4, 1, 8},
    MeasuredModel{"recomputed", kBf16, kFlash, kFull, 8000, false, 256, 4, 1, 8},
    MeasuredModel{"vanilla recomputed", kBf16, kVanilla, kFull, 512, false, 1024, 1, 1, 8},
    MeasuredModel{"vanilla autocast recomputed", kMixed, kVanilla, kFull, 512, false, 1024, 1, 1, 8},
    MeasuredModel{"few tokens", kBf16, kFlash, kFull, 8000, false, 64, 1, 1, 8},
    MeasuredModel{"grouped queries", kBf16, kFlash, kNone, 8000, false, 256, 4, 1, 2},
    MeasuredModel{"grouped queries autocast", kMixed, kFlash, kNone, 8000, false, 256, 4, 1, 2},
    MeasuredModel{"vanilla", kBf16, kVanilla, kNone, 8000, false, 512, 2, 1, 8},
};

// Without dropout, whose masks are wider on a processor.
constexpr std::array kMeasuredGpt2{
    MeasuredModel{"gpt2", kBf16, kFlash, kNone, 8000, true, 256, 4, 1, 8},
    MeasuredModel{"gpt2 autocast", kMixed, kFlash, kNone, 8000, true, 256, 4, 1, 8},
    MeasuredModel{"gpt2 vanilla", kBf16, kVanilla, kNone, 8000, true, 512, 2, 1, 8},
    MeasuredModel{"gpt2 vanilla autocast", kMixed, kVanilla, kNone, 8000, true, 512, 2, 1, 8},
    MeasuredModel{"gpt2 recomputed", kBf16, kFlash, kFull, 8000, true, 256, 4, 1, 8},
    MeasuredModel{"gpt2 vanilla autocast recomputed", kMixed, kVanilla, kFull, 8000, true, 512, 2, 1, 8},
};

// The same script under Transformers 4.40 (2024-05), 2026-11-22: logits are upcast before they are handed out, keys and
// values repeated, GPT-2 has its own soft-max and takes the loss of half logits. Of Llama, all but one were measured.
constexpr std::string_view kNotMeasuredOld = "few tokens";
constexpr MeasuredModel kMeasuredOldGpt2{"gpt2 vanilla", kBf16, kVanilla, kNone, 8000, true, 512, 2, 1, 8};

// The same script where the output is let go of before backward, as Trainer.compute_loss does; Transformers 4.45.2,
// 4.47.1 and 5.23 with torch 2.11, 2026-11-25. The first two take the loss of a copy without the last position.
struct MeasuredCopy {
    LossPath loss;
    LogitsCopy copy;
    const char *recording;
    MeasuredModel measured;
};
constexpr auto kUpcast = LossPath::Upcast;
constexpr std::array kMeasuredCopies{
    MeasuredCopy{
        kUpcast, LogitsCopy::AfterUpcast, kOf445, {"released", kBf16, kFlash, kNone, 64000, false, 256, 4, 1, 8}},
    MeasuredCopy{kUpcast, LogitsCopy::AfterUpcast, kOf445,
        {"released autocast", kMixed, kFlash, kNone, 64000, false, 256, 4, 1, 8}},
    MeasuredCopy{kUpcast, LogitsCopy::AfterUpcast, kOf445,
        {"released recomputed", kBf16, kFlash, kFull, 64000, false, 256, 4, 1, 8}},
    MeasuredCopy{kUpcast, LogitsCopy::InLoss, kOf447, {"released", kBf16, kFlash, kNone, 64000, false, 256, 4, 1, 8}},
    MeasuredCopy{
        kUpcast, LogitsCopy::InLoss, kOf447, {"released autocast", kMixed, kFlash, kNone, 64000, false, 256, 4, 1, 8}},
    MeasuredCopy{
        kUpcast, LogitsCopy::InLoss, kOf447, {"released recomputed", kBf16, kFlash, kFull, 64000, false, 256, 4, 1, 8}},
    MeasuredCopy{kUpcast, LogitsCopy::None, kNewest, {"released", kBf16, kFlash, kNone, 64000, false, 256, 4, 1, 8}},
    MeasuredCopy{
        kUpcast, LogitsCopy::None, kNewest, {"released recomputed", kBf16, kFlash, kFull, 64000, false, 256, 4, 1, 8}},
};
constexpr std::array kMeasuredCopiesGpt2{
    MeasuredCopy{LossPath::Bf16Released, LogitsCopy::BeforeUpcast, kOf447,
        {"released gpt2", kBf16, kFlash, kNone, 64000, true, 256, 4, 1, 8}},
    MeasuredCopy{kUpcast, LogitsCopy::BeforeUpcast, kOf447,
        {"released gpt2 autocast", kMixed, kFlash, kNone, 64000, true, 256, 4, 1, 8}},
    MeasuredCopy{
        kUpcast, LogitsCopy::None, kNewest, {"released gpt2", kBf16, kFlash, kNone, 64000, true, 256, 4, 1, 8}},
};

// 2026-11-22. GPT-NeoX's rotated queries and keys lie beside the product that its values are a view of; its attention
// and MLP read one stream, as Phi's do. OPT has a ReLU, Gemma's norms are scaled in fp32.
struct MeasuredFamily {
    const char *model;
    int ffn;
    MeasuredModel measured;
};
constexpr std::array kMeasuredFamilies{
    MeasuredFamily{"pythia-160m", 2048, {"neox", kBf16, kFlash, kNone, 8000, false, 256, 4, 1, 8}},
    MeasuredFamily{"pythia-160m", 2048, {"neox autocast", kMixed, kFlash, kNone, 8000, false, 256, 4, 1, 8}},
    MeasuredFamily{"pythia-160m", 2048, {"neox vanilla", kBf16, kVanilla, kNone, 8000, false, 512, 2, 1, 8}},
    MeasuredFamily{"opt-125m", 2048, {"opt", kBf16, kFlash, kNone, 8000, true, 256, 4, 1, 8}},
    MeasuredFamily{"opt-125m", 2048, {"opt autocast", kMixed, kFlash, kNone, 8000, true, 256, 4, 1, 8}},
    MeasuredFamily{"opt-125m", 2048, {"opt vanilla", kBf16, kVanilla, kNone, 8000, true, 512, 2, 1, 8}},
    MeasuredFamily{"phi-1.5", 2048, {"phi", kBf16, kFlash, kNone, 8000, false, 256, 4, 1, 8}},
    MeasuredFamily{"phi-1.5", 2048, {"phi autocast", kMixed, kFlash, kNone, 8000, false, 256, 4, 1, 8}},
    MeasuredFamily{"phi-1.5", 2048, {"phi vanilla", kBf16, kVanilla, kNone, 8000, false, 512, 2, 1, 8}},
    MeasuredFamily{"stablelm-2-1.6b", 1376, {"stablelm", kBf16, kFlash, kNone, 8000, false, 256, 4, 1, 8}},
    MeasuredFamily{"stablelm-2-1.6b", 1376, {"stablelm autocast", kMixed, kFlash, kNone, 8000, false, 256, 4, 1, 8}},
    MeasuredFamily{"gemma-2b", 2048, {"gemma", kBf16, kFlash, kNone, 8000, true, 256, 4, 1, 1}},
    MeasuredFamily{"gemma-2b", 2048, {"gemma autocast", kMixed, kFlash, kNone, 8000, true, 256, 4, 1, 1}},
    MeasuredFamily{"gemma-2b", 2048, {"gemma vanilla", kBf16, kVanilla, kNone, 8000, true, 512, 2, 1, 1}},
};

RunConfig configOf(const MeasuredModel &m)
{
    RunConfig c = testing::smallLlama(m.vocab, m.kvHeads);
    c.model.tied = m.tied;
    c.precision = m.precision;
    c.attention = m.attention;
    c.recompute = m.recompute;
    c.seqLen = m.sequence;
    c.microBatch = m.batch;
    c.gradAccum = m.accumulation;
    return c;
}

// Of a model with two products in its MLP.
RunConfig gptOf(const char *model, const MeasuredModel &m)
{
    RunConfig c = configOf(m);
    c.model.name = model;
    c.model.ffn = 2048;
    c.simulated.dropout = false;
    return c;
}

TEST(PytorchEagerPlan, peaksWithinOnePercentOfTransformersGpt2)
{
    const Catalogue catalogue = loadCatalogue().value();
    for (const MeasuredModel &m : kMeasuredGpt2)
        testing::expectPeakWithin(0.01, gptOf("gpt2-124m", m), catalogue, recorded(kNewest, m.what), m.what);
}

TEST(PytorchEagerPlan, peaksWithinOnePercentOfTransformersOtherFamilies)
{
    const Catalogue catalogue = loadCatalogue().value();
    for (const MeasuredFamily &f : kMeasuredFamilies) {
        RunConfig c = gptOf(f.model, f.measured);
        c.model.ffn = f.ffn;
        testing::expectPeakWithin(0.01, c, catalogue, recorded(kNewest, f.measured.what), f.measured.what);
    }
}

TEST(PytorchEagerPlan, peaksWithinOnePercentOfTheTransformersOfPytorch23)
{
    const Catalogue catalogue = loadCatalogue().value();
    const auto expectPeak = [&](RunConfig c, const MeasuredModel &m) {
        c.simulated.torch = "2.3";
        testing::expectPeakWithin(0.01, c, catalogue, recorded(kOf440, m.what), m.what);
    };
    for (const MeasuredModel &m : kMeasuredLlama) {
        if (m.what != kNotMeasuredOld)
            expectPeak(configOf(m), m);
    }
    expectPeak(gptOf("gpt2-124m", kMeasuredOldGpt2), kMeasuredOldGpt2);
}

TEST(PytorchEagerPlan, peaksWithinOnePercentOfTransformersThatCopiesItsLogits)
{
    const Catalogue catalogue = loadCatalogue().value();
    const auto expectPeak = [&](RunConfig c, const MeasuredCopy &m) {
        c.simulated.lossPath = m.loss;
        c.simulated.logitsCopy = m.copy;
        testing::expectPeakWithin(0.01, c, catalogue, recorded(m.recording, m.measured.what), m.recording);
    };
    for (const MeasuredCopy &m : kMeasuredCopies)
        expectPeak(configOf(m.measured), m);
    for (const MeasuredCopy &m : kMeasuredCopiesGpt2)
        expectPeak(gptOf("gpt2-124m", m.measured), m);
}

TEST(PytorchEagerPlan, peaksWithinOnePercentOfTransformersOwn)
{
    const Catalogue catalogue = loadCatalogue().value();
    for (const MeasuredModel &m : kMeasuredLlama)
        testing::expectPeakWithin(0.01, configOf(m), catalogue, recorded(kNewest, m.what), m.what);
}

} // namespace
} // namespace slipway
