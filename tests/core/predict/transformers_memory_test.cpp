// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Live bytes at the peak of a second training step of Transformers' models, as tests/data/transformers_peaks.py
// measured them with PyTorch's profiler on a processor: torch 2.11, Transformers 5, 2026-11-21.
#include <gtest/gtest.h>

#include "support/measured_peak.h"

namespace slipway {
namespace {

using testing::kBf16;
using testing::kFull;
using testing::kMixed;
using testing::kNone;

struct MeasuredModel {
    const char *what;
    Precision precision;
    Attention attention;
    Recompute recompute;
    int vocab;
    bool tied;
    int sequence, batch, accumulation, kvHeads;
    Bytes peak;
};

constexpr auto kFlash = Attention::Flash, kVanilla = Attention::Vanilla;

constexpr std::array kMeasuredLlama{
    MeasuredModel{"plain", kBf16, kFlash, kNone, 8000, false, 256, 4, 1, 8, 339'606'696},
    MeasuredModel{"accumulated", kBf16, kFlash, kNone, 8000, false, 256, 4, 2, 8, 381'296'808},
    MeasuredModel{"autocast", kMixed, kFlash, kNone, 8000, false, 256, 4, 1, 8, 520'251'560},
    MeasuredModel{"autocast accumulated", kMixed, kFlash, kNone, 8000, false, 256, 4, 2, 8, 603'631'784},
    MeasuredModel{"tied", kMixed, kFlash, kNone, 20000, true, 256, 4, 1, 8, 729'147'556},
    MeasuredModel{"small vocabulary", kBf16, kFlash, kNone, 512, false, 256, 4, 1, 8, 188'870'824},
    MeasuredModel{"recomputed", kBf16, kFlash, kFull, 8000, false, 256, 4, 1, 8, 248'239'016},
    MeasuredModel{"vanilla recomputed", kBf16, kVanilla, kFull, 512, false, 1024, 1, 1, 8, 216'846'448},
    MeasuredModel{"vanilla autocast recomputed", kMixed, kVanilla, kFull, 512, false, 1024, 1, 1, 8, 327'244'912},
    MeasuredModel{"few tokens", kBf16, kFlash, kFull, 8000, false, 64, 1, 1, 8, 167'850'152},
    MeasuredModel{"grouped queries", kBf16, kFlash, kNone, 8000, false, 256, 4, 1, 2, 323'878'056},
    MeasuredModel{"grouped queries autocast", kMixed, kFlash, kNone, 8000, false, 256, 4, 1, 2, 491'940'008},
    MeasuredModel{"vanilla", kBf16, kVanilla, kNone, 8000, false, 512, 2, 1, 8, 440'204'488},
};

// Without dropout, whose masks are wider on a processor.
constexpr std::array kMeasuredGpt2{
    MeasuredModel{"plain", kBf16, kFlash, kNone, 8000, true, 256, 4, 1, 8, 337'781'052},
    MeasuredModel{"autocast", kMixed, kFlash, kNone, 8000, true, 256, 4, 1, 8, 534'329'660},
    MeasuredModel{"vanilla", kBf16, kVanilla, kNone, 8000, true, 512, 2, 1, 8, 371'206'492},
    MeasuredModel{"vanilla autocast", kMixed, kVanilla, kNone, 8000, true, 512, 2, 1, 8, 634'863'964},
    MeasuredModel{"recomputed", kBf16, kFlash, kFull, 8000, true, 256, 4, 1, 8, 224'391'228},
    MeasuredModel{"vanilla autocast recomputed", kMixed, kVanilla, kFull, 8000, true, 512, 2, 1, 8, 380'159'164},
};

// The same script under Transformers 4.40 (2024-05): logits are upcast before they are handed out, keys and values
// repeated, GPT-2 has its own soft-max and takes the loss of half logits. 2026-11-22.
constexpr std::array kMeasuredOld{
    MeasuredModel{"plain", kBf16, kFlash, kNone, 8000, false, 256, 4, 1, 8, 355'803'304},
    MeasuredModel{"accumulated", kBf16, kFlash, kNone, 8000, false, 256, 4, 2, 8, 397'493'416},
    MeasuredModel{"autocast", kMixed, kFlash, kNone, 8000, false, 256, 4, 1, 8, 536'382'632},
    MeasuredModel{"autocast accumulated", kMixed, kFlash, kNone, 8000, false, 256, 4, 2, 8, 619'762'856},
    MeasuredModel{"tied", kMixed, kFlash, kNone, 20000, true, 256, 4, 1, 8, 769'278'628},
    MeasuredModel{"small vocabulary", kBf16, kFlash, kNone, 512, false, 256, 4, 1, 8, 190'116'008},
    MeasuredModel{"recomputed", kBf16, kFlash, kFull, 8000, false, 256, 4, 1, 8, 264'173'480},
    MeasuredModel{"vanilla recomputed", kBf16, kVanilla, kFull, 512, false, 1024, 1, 1, 8, 217'897'072},
    MeasuredModel{"vanilla autocast recomputed", kMixed, kVanilla, kFull, 512, false, 1024, 1, 1, 8, 328'035'440},
    MeasuredModel{"grouped queries", kBf16, kFlash, kNone, 8000, false, 256, 4, 1, 2, 346'366'120},
    MeasuredModel{"grouped queries autocast", kMixed, kFlash, kNone, 8000, false, 256, 4, 1, 2, 514'362'536},
    MeasuredModel{"vanilla", kBf16, kVanilla, kNone, 8000, false, 512, 2, 1, 8, 456'789'704},
};
constexpr MeasuredModel kMeasuredOldGpt2{"vanilla", kBf16, kVanilla, kNone, 8000, true, 512, 2, 1, 8, 321'958'462};

// The same script where the output is let go of before backward, as Trainer.compute_loss does; Transformers 4.45.2,
// 4.47.1 and 5.23 with torch 2.11, 2026-11-25. The first two take the loss of a copy without the last position.
struct MeasuredCopy {
    LossPath loss;
    LogitsCopy copy;
    MeasuredModel measured;
};
constexpr auto kUpcast = LossPath::Upcast;
constexpr std::array kMeasuredCopies{
    MeasuredCopy{
        kUpcast, LogitsCopy::AfterUpcast, {"4.45", kBf16, kFlash, kNone, 64000, false, 256, 4, 1, 8, 1'353'374'852}},
    MeasuredCopy{kUpcast, LogitsCopy::AfterUpcast,
        {"4.45 autocast", kMixed, kFlash, kNone, 64000, false, 256, 4, 1, 8, 1'937'524'868}},
    MeasuredCopy{kUpcast, LogitsCopy::AfterUpcast,
        {"4.45 recomputed", kBf16, kFlash, kFull, 64000, false, 256, 4, 1, 8, 1'262'007'172}},
    MeasuredCopy{
        kUpcast, LogitsCopy::InLoss, {"4.47", kBf16, kFlash, kNone, 64000, false, 256, 4, 1, 8, 1'484'446'852}},
    MeasuredCopy{kUpcast, LogitsCopy::InLoss,
        {"4.47 autocast", kMixed, kFlash, kNone, 64000, false, 256, 4, 1, 8, 2'068'596'868}},
    MeasuredCopy{kUpcast, LogitsCopy::InLoss,
        {"4.47 recomputed", kBf16, kFlash, kFull, 64000, false, 256, 4, 1, 8, 1'393'079'172}},
    MeasuredCopy{kUpcast, LogitsCopy::None, {"5.23", kBf16, kFlash, kNone, 64000, false, 256, 4, 1, 8, 1'355'414'692}},
    MeasuredCopy{kUpcast, LogitsCopy::None,
        {"5.23 recomputed", kBf16, kFlash, kFull, 64000, false, 256, 4, 1, 8, 1'264'047'012}},
};
constexpr std::array kMeasuredCopiesGpt2{
    MeasuredCopy{LossPath::Bf16Released, LogitsCopy::BeforeUpcast,
        {"4.47 GPT-2", kBf16, kFlash, kNone, 64000, true, 256, 4, 1, 8, 787'325'204}},
    MeasuredCopy{kUpcast, LogitsCopy::BeforeUpcast,
        {"4.47 GPT-2 autocast", kMixed, kFlash, kNone, 64000, true, 256, 4, 1, 8, 1'607'063'832}},
    MeasuredCopy{
        kUpcast, LogitsCopy::None, {"5.23 GPT-2", kBf16, kFlash, kNone, 64000, true, 256, 4, 1, 8, 1'181'557'048}},
};

// 2026-11-22. GPT-NeoX's rotated queries and keys lie beside the product that its values are a view of; its attention
// and MLP read one stream, as Phi's do. OPT has a ReLU, Gemma's norms are scaled in fp32.
struct MeasuredFamily {
    const char *model;
    int ffn;
    MeasuredModel measured;
};
constexpr std::array kMeasuredFamilies{
    MeasuredFamily{"pythia-160m", 2048, {"neox", kBf16, kFlash, kNone, 8000, false, 256, 4, 1, 8, 317'282'520}},
    MeasuredFamily{
        "pythia-160m", 2048, {"neox autocast", kMixed, kFlash, kNone, 8000, false, 256, 4, 1, 8, 480'751'832}},
    MeasuredFamily{
        "pythia-160m", 2048, {"neox vanilla", kBf16, kVanilla, kNone, 8000, false, 512, 2, 1, 8, 405'248'252}},
    MeasuredFamily{"opt-125m", 2048, {"opt", kBf16, kFlash, kNone, 8000, true, 256, 4, 1, 8, 273'830'204}},
    MeasuredFamily{"opt-125m", 2048, {"opt autocast", kMixed, kFlash, kNone, 8000, true, 256, 4, 1, 8, 431'587'644}},
    MeasuredFamily{"opt-125m", 2048, {"opt vanilla", kBf16, kVanilla, kNone, 8000, true, 512, 2, 1, 8, 374'362'460}},
    MeasuredFamily{"phi-1.5", 2048, {"phi", kBf16, kFlash, kNone, 8000, false, 256, 4, 1, 8, 355'054'816}},
    MeasuredFamily{"phi-1.5", 2048, {"phi autocast", kMixed, kFlash, kNone, 8000, false, 256, 4, 1, 8, 581'462'112}},
    MeasuredFamily{"phi-1.5", 2048, {"phi vanilla", kBf16, kVanilla, kNone, 8000, false, 512, 2, 1, 8, 451'425'536}},
    MeasuredFamily{"stablelm-2-1.6b", 1376, {"stablelm", kBf16, kFlash, kNone, 8000, false, 256, 4, 1, 8, 324'905'164}},
    MeasuredFamily{
        "stablelm-2-1.6b", 1376, {"stablelm autocast", kMixed, kFlash, kNone, 8000, false, 256, 4, 1, 8, 505'565'388}},
    MeasuredFamily{"gemma-2b", 2048, {"gemma", kBf16, kFlash, kNone, 8000, true, 256, 4, 1, 1, 352'928'932}},
    MeasuredFamily{"gemma-2b", 2048, {"gemma autocast", kMixed, kFlash, kNone, 8000, true, 256, 4, 1, 1, 517'910'692}},
    MeasuredFamily{"gemma-2b", 2048, {"gemma vanilla", kBf16, kVanilla, kNone, 8000, true, 512, 2, 1, 1, 460'866'756}},
};

RunConfig configOf(const MeasuredModel &m)
{
    RunConfig c;
    c.model = {.name = "llama-3.2-1b",
        .layers = 4,
        .hidden = 512,
        .heads = 8,
        .kvHeads = m.kvHeads,
        .ffn = 1376,
        .vocab = m.vocab,
        .tied = m.tied};
    c.gpu = "a100-sxm-80gb";
    c.framework = Framework::PytorchEager;
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
    c.dropout = false;
    return c;
}

TEST(PytorchEagerPlan, peaksWithinOnePercentOfTransformersGpt2)
{
    const Catalogue catalogue = loadCatalogue().value();
    for (const MeasuredModel &m : kMeasuredGpt2)
        testing::expectPeakWithin(0.01, gptOf("gpt2-124m", m), catalogue, m.peak, m.what);
}

TEST(PytorchEagerPlan, peaksWithinOnePercentOfTransformersOtherFamilies)
{
    const Catalogue catalogue = loadCatalogue().value();
    for (const MeasuredFamily &f : kMeasuredFamilies) {
        RunConfig c = gptOf(f.model, f.measured);
        c.model.ffn = f.ffn;
        testing::expectPeakWithin(0.01, c, catalogue, f.measured.peak, f.measured.what);
    }
}

TEST(PytorchEagerPlan, peaksWithinOnePercentOfTheTransformersOfPytorch23)
{
    const Catalogue catalogue = loadCatalogue().value();
    const auto expectPeak = [&](RunConfig c, const MeasuredModel &m) {
        c.torch = "2.3";
        testing::expectPeakWithin(0.01, c, catalogue, m.peak, m.what);
    };
    for (const MeasuredModel &m : kMeasuredOld)
        expectPeak(configOf(m), m);
    expectPeak(gptOf("gpt2-124m", kMeasuredOldGpt2), kMeasuredOldGpt2);
}

TEST(PytorchEagerPlan, peaksWithinOnePercentOfTransformersThatCopiesItsLogits)
{
    const Catalogue catalogue = loadCatalogue().value();
    const auto expectPeak = [&](RunConfig c, const MeasuredCopy &m) {
        c.lossPath = m.loss;
        c.logitsCopy = m.copy;
        testing::expectPeakWithin(0.01, c, catalogue, m.measured.peak, m.measured.what);
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
        testing::expectPeakWithin(0.01, configOf(m), catalogue, m.peak, m.what);
}

} // namespace
} // namespace slipway
