// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Live bytes at the peak of a third step of training PEFT's adapters of a Llama, as tests/data/adapter_peaks.py
// measured them on a processor: torch 2.11, Transformers 5.23, PEFT 0.21, 2026-11-24; those with fp32 weights on
// 2026-11-28, and those with quantized weights (bitsandbytes 0.50) on 2026-11-29.
#include <gtest/gtest.h>

#include "support/measured_peak.h"
#include "support/recordings.h"

namespace slipway {
namespace {

using testing::kBf16;
using testing::kFull;
using testing::kMixed;
using testing::kNone;

struct MeasuredAdapter {
    const char *what;
    Precision precision;
    LoraTargets targets;
    int vocab;
    bool dropout;
    Recompute recompute;
    FrozenWeights frozen = FrozenWeights::Whole;
    bool half = false; // adapters in bf16
};
constexpr auto kLinear = LoraTargets::Linear, kAttention = LoraTargets::Attention,
               kQueryValue = LoraTargets::QueryValue;

constexpr std::array kMeasuredAdapter{MeasuredAdapter{"plain", kBf16, kLinear, 8000, false, kNone},
    MeasuredAdapter{"attention", kBf16, kAttention, 8000, false, kNone},
    MeasuredAdapter{"query-value", kBf16, kQueryValue, 8000, false, kNone},
    MeasuredAdapter{"autocast", kMixed, kLinear, 8000, false, kNone},
    MeasuredAdapter{"autocast query-value", kMixed, kQueryValue, 8000, false, kNone},
    MeasuredAdapter{"dropout", kMixed, kLinear, 8000, true, kNone},
    MeasuredAdapter{"recomputed", kBf16, kLinear, 8000, false, kFull},
    MeasuredAdapter{"small vocabulary", kBf16, kLinear, 512, false, kNone},
    MeasuredAdapter{"small vocabulary autocast", kMixed, kLinear, 512, false, kNone},
    MeasuredAdapter{"small vocabulary recomputed", kMixed, kLinear, 512, false, kFull},
    MeasuredAdapter{"small vocabulary query-value", kBf16, kQueryValue, 512, false, kNone},
    MeasuredAdapter{"fp32", kMixed, kLinear, 8000, false, kNone, FrozenWeights::Fp32},
    MeasuredAdapter{"fp32 recomputed", kMixed, kLinear, 8000, false, kFull, FrozenWeights::Fp32},
    MeasuredAdapter{"fp32 query-value", kMixed, kQueryValue, 8000, false, kNone, FrozenWeights::Fp32},
    MeasuredAdapter{"small vocabulary fp32", kMixed, kLinear, 512, false, kNone, FrozenWeights::Fp32},
    MeasuredAdapter{"nf4", kMixed, kLinear, 8000, false, kNone, FrozenWeights::Nf4},
    MeasuredAdapter{"nf4 recomputed", kMixed, kLinear, 8000, false, kFull, FrozenWeights::Nf4},
    MeasuredAdapter{"nf4 query-value", kMixed, kQueryValue, 8000, false, kNone, FrozenWeights::Nf4},
    MeasuredAdapter{"small vocabulary nf4", kMixed, kLinear, 512, false, kNone, FrozenWeights::Nf4},
    MeasuredAdapter{"small vocabulary nf4 recomputed", kMixed, kLinear, 512, false, kFull, FrozenWeights::Nf4},
    MeasuredAdapter{"nf4 half", kMixed, kLinear, 8000, false, kNone, FrozenWeights::Nf4, true},
    MeasuredAdapter{"small vocabulary nf4 half", kMixed, kLinear, 512, false, kNone, FrozenWeights::Nf4, true},
    MeasuredAdapter{
        "small vocabulary nf4 half recomputed", kMixed, kLinear, 512, false, kFull, FrozenWeights::Nf4, true},
    MeasuredAdapter{"int8", kMixed, kLinear, 8000, false, kNone, FrozenWeights::Int8},
    MeasuredAdapter{"int8 query-value", kMixed, kQueryValue, 8000, false, kNone, FrozenWeights::Int8},
    MeasuredAdapter{"small vocabulary int8", kMixed, kLinear, 512, false, kNone, FrozenWeights::Int8},
    MeasuredAdapter{"small vocabulary int8 recomputed", kMixed, kLinear, 512, false, kFull, FrozenWeights::Int8}};

RunConfig configOf(const MeasuredAdapter &m)
{
    RunConfig c = testing::smallLlama(m.vocab);
    c.simulated.torch = "2.11";
    c.precision = m.precision;
    c.recompute = m.recompute;
    c.loraRank = 16;
    c.loraTargets = m.targets;
    c.frozenWeights = m.frozen;
    c.simulated.halfAdapters = m.half;
    c.simulated.dropout = m.dropout;
    c.simulated.lossPath = LossPath::Upcast; // the script lets go of the logits before backward
    return c;
}

// On a processor, dropout keeps its mask in the type of what it drops; on GPUs, which are planned, its kernel keeps a
// byte for each number (PyTorch 2.11, ATen, is_fused_kernel_acceptable). Of all inputs of adapted matrices, the
// down projection's is as wide as the MLP.
Bytes wideMasks(const MeasuredAdapter &m, const RunConfig &c)
{
    const std::int64_t numbers = c.microBatch * c.seqLen * *c.model.layers * (6 * *c.model.hidden + *c.model.ffn);
    return m.dropout ? numbers * 3 : 0;
}

TEST(AdapterPlan, peaksWithinFivePercentOfPeftAndTenIfInt8IsRecomputed)
{
    const Catalogue catalogue = loadCatalogue().value();
    for (const MeasuredAdapter &m : kMeasuredAdapter) {
        // An op of int8 keeps its input when it runs, and once more when it runs again. The plan has one of the two.
        const bool keepsTwo = m.recompute == kFull && m.frozen == FrozenWeights::Int8;
        const RunConfig c = configOf(m);
        testing::expectPeakWithin(
            keepsTwo ? 0.10 : 0.05, c, catalogue, testing::recorded("adapter_peaks", m.what) - wideMasks(m, c), m.what);
    }
}

Bytes ofRole(const MemoryPrediction &m, Role role) { return m.atPeak[static_cast<std::size_t>(role)]; }

TEST(AdapterPlan, HasStatesOfAdaptersAloneAndPacksWhatIsFrozen)
{
    const Catalogue catalogue = loadCatalogue().value();
    RunConfig c = configOf(kMeasuredAdapter[0]);
    const MemoryPrediction whole = predict(c, catalogue).value().memory;
    // Rank 16 times rows and columns: four of 512 x 512, three of 512 x 1,376; two moments of two bytes.
    const Bytes adapters = Bytes{16} * (4 * 1024 + 3 * (512 + 1376)) * 4;
    EXPECT_NEAR(double(ofRole(whole, Role::OptimizerState)), 4.0 * double(adapters), 1e3);
    c.frozenWeights = FrozenWeights::Nf4;
    const MemoryPrediction packed = predict(c, catalogue).value().memory;
    const double matrices = 4.0 * (4 * 512 * 512 + 3 * 512 * 1376);
    EXPECT_NEAR(
        double(ofRole(whole, Role::Parameter) - ofRole(packed, Role::Parameter)), matrices * 1.5, matrices * 0.03);
    const SpeedPrediction fast = predict(configOf(kMeasuredAdapter[0]), catalogue).value().speed,
                          slow = predict(c, catalogue).value().speed;
    EXPECT_GT(slow.step, fast.step) << "each GEMM unpacks its weight";
}

TEST(AdapterPlan, RunsUnderEverySharder)
{
    const Catalogue catalogue = loadCatalogue().value();
    for (const ParallelKind kind : {ParallelKind::Ddp, ParallelKind::FsdpFull, ParallelKind::FsdpGradOp}) {
        for (const Sharder sharder : {Sharder::Fsdp1, Sharder::Fsdp2, Sharder::DeepSpeed}) {
            RunConfig c = configOf(kMeasuredAdapter[0]);
            c.parallel = {.kind = kind, .gpus = 4};
            c.simulated.sharder = sharder;
            c.gradAccum = 2;
            c.model.hidden = 2048, c.model.ffn = 5504, c.model.heads = c.model.kvHeads = 16; // GEMMs outweigh launches
            RunConfig all = c;
            all.loraRank = 0;
            const Result<Prediction> adapters = predict(c, catalogue), full = predict(all, catalogue);
            ASSERT_TRUE(adapters) << adapters.error().message();
            EXPECT_LT(adapters->memory.peakAllocated, full->memory.peakAllocated)
                << enumName(kind) << " " << enumName(sharder);
            EXPECT_LT(adapters->speed.step, full->speed.step) << enumName(kind) << " " << enumName(sharder);
        }
    }
}

TEST(AdapterPlan, IsRefusedWhereItCannotBePlanned)
{
    const Catalogue catalogue = loadCatalogue().value();
    RunConfig c = configOf(kMeasuredAdapter[0]);
    c.parallel = {.gpus = 2, .tp = 2};
    EXPECT_EQ(predict(c, catalogue).error().where, "--lora-rank");
    c = configOf(kMeasuredAdapter[0]);
    c.loraRank = 0;
    c.frozenWeights = FrozenWeights::Int8;
    EXPECT_EQ(predict(c, catalogue).error().where, "--frozen-weights");
    c = configOf(kMeasuredAdapter[0]);
    c.framework = Framework::Slipway;
    EXPECT_FALSE(predict(c, catalogue));
    c = configOf(kMeasuredAdapter[0]);
    c.gpu = "h100-sxm-80gb";
    c.precision = Precision::Fp8Mixed;
    EXPECT_EQ(predict(c, catalogue).error().message(), "--precision: LoRA is not supported with fp8-mixed precision "
                                                       "(accepted: bf16-mixed, bf16, fp16-mixed or fp32; or "
                                                       "--lora-rank 0)");
    c.loraRank = 0;
    EXPECT_TRUE(predict(c, catalogue));
}

TEST(AdapterPlan, MfuDoesNotCountGradientsOfFrozenWeights)
{
    const Catalogue catalogue = loadCatalogue().value();
    const double layer = 4 * 512.0 * 512 + 3 * 512.0 * 1376, head = 8000 * 512.0, frozen = 4 * layer + head,
                 attention = 12.0 * 4 * 512 * 256;
    for (const auto &[targets, sides] : {std::pair{kLinear, 4 * 1024 + 3 * (512 + 1376)},
             std::pair{kAttention, 4 * 1024}, std::pair{kQueryValue, 2 * 1024}}) {
        RunConfig c = configOf(kMeasuredAdapter[0]);
        c.loraTargets = targets;
        const double adapters = 4 * 16.0 * sides;
        const Prediction p = predict(c, catalogue).value();
        EXPECT_NEAR(p.speed.mfu, (4 * frozen + 6 * adapters + attention) * p.speed.tokensPerSecond / 312e12, 1e-6);
        EXPECT_NEAR(p.speed.mfuCausal, p.speed.mfu - attention / 2 * p.speed.tokensPerSecond / 312e12, 1e-6);
        c.loraRank = 0;
        const Prediction all = predict(c, catalogue).value();
        EXPECT_NEAR(all.speed.mfu, (6 * frozen + attention) * all.speed.tokensPerSecond / 312e12, 1e-6);
    }
}

TEST(Optimizers, OfThePagedKindsHaveNoStatesOnTheGpu)
{
    const Catalogue catalogue = loadCatalogue().value();
    RunConfig c = configOf(kMeasuredAdapter[0]);
    c.loraRank = 0;
    const auto states = [&](OptimizerKind kind) {
        c.optimizer = kind;
        return ofRole(predict(c, catalogue).value().memory, Role::OptimizerState);
    };
    const Bytes adam = states(OptimizerKind::AdamW);
    EXPECT_EQ(states(OptimizerKind::PagedAdamW8bit), 0);
    EXPECT_EQ(states(OptimizerKind::PagedAdamW), 0);
    EXPECT_EQ(states(OptimizerKind::Adafactor), 0);
    EXPECT_EQ(states(OptimizerKind::Lion), adam / 2);
}

} // namespace
} // namespace slipway
