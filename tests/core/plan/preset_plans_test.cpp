// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The plans of the presets in our own trainer, op for op as they were on 2026-11-23: whatever else becomes possible,
// LLaMA runs as it did. A plan that is meant to change changes its number here.
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>

#include "plan/build_plan.h"
#include "plan/plan_text.h"

namespace slipway {
namespace {

// FNV-1a.
std::uint64_t numberOf(const std::string &text)
{
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    return hash;
}

ModelSpec preset(int layers, int heads, int width)
{
    ModelSpec model;
    model.layers = layers;
    model.hidden = heads * 64;
    model.attention = {.heads = heads, .kvHeads = heads, .headDim = 64};
    model.mlp.width = width;
    model.vocab = 32000;
    return model;
}

// 100M, 500M, 1B and 2B.
using Numbers = std::array<std::uint64_t, 4>;
Numbers numbersOf(const RunConfig &config, void (*change)(ModelSpec &) = nullptr)
{
    Numbers numbers{};
    std::size_t i = 0;
    for (ModelSpec model : {preset(9, 13, 2332), preset(15, 24, 4147), preset(19, 30, 5184), preset(24, 39, 6739)}) {
        if (change)
            change(model);
        numbers[i++] = numberOf(toText(buildPlan(config, model).value().stages.front()));
    }
    return numbers;
}

RunConfig configOf(Precision precision, std::int64_t microBatch, std::int64_t seqLen)
{
    RunConfig config;
    config.precision = precision;
    config.microBatch = microBatch;
    config.seqLen = seqLen;
    return config;
}

TEST(PlansOfThePresets, AreWhatTheyWereInBf16)
{
    EXPECT_EQ(numbersOf(configOf(Precision::Bf16Mixed, 4, 1024)),
        (Numbers{0xf4fbcd5f1ad40546, 0x54fb06cba51638f3, 0x3fda0e559b56eb4c, 0x3fcb6e0fceffcaff}));
}

TEST(PlansOfThePresets, AreWhatTheyWereInFp32)
{
    EXPECT_EQ(numbersOf(configOf(Precision::Fp32, 2, 64)),
        (Numbers{0x969052facfd07ef7, 0x5a671b6a70de932d, 0xb652e535dd67ed7, 0x7820dda4435c4e6f}));
}

TEST(PlansOfThePresets, AreWhatTheyWereWithVanillaAttentionAndFullRecomputation)
{
    RunConfig config = configOf(Precision::Bf16Mixed, 4, 1024);
    config.attention = Attention::Vanilla;
    config.recompute = Recompute::Full;
    EXPECT_EQ(
        numbersOf(config), (Numbers{0xff8b64a072e7e929, 0xb2a541e582fd9362, 0xfdd8958c47e6e434, 0xf2677e1b952b30d8}));
}

TEST(PlansOfThePresets, AreWhatTheyWereOverFourRanksWithGradientAccumulation)
{
    RunConfig config = configOf(Precision::Fp32, 2, 64);
    config.attention = Attention::Vanilla;
    config.recompute = Recompute::Selective;
    config.gradAccum = 3;
    config.parallel.kind = ParallelKind::FsdpFull;
    config.parallel.gpus = 4;
    EXPECT_EQ(
        numbersOf(config), (Numbers{0xe229fdafd34e28ae, 0xd83d944e8ac2c5fd, 0x71bc79714e1130b4, 0x1f4a55c12fc3b2f}));
}

TEST(PlansOfThePresets, AreWhatTheyWereTiedAndWithOneKeyValueHead)
{
    RunConfig config = configOf(Precision::Fp32, 2, 64);
    config.parallel.kind = ParallelKind::Zero1;
    config.parallel.gpus = 2;
    EXPECT_EQ(numbersOf(config,
                  [](ModelSpec &model) {
                      model.head.tied = true;
                      model.attention.kvHeads = 1;
                  }),
        (Numbers{0x962d48d862841086, 0x65ec809edcaa1a73, 0x232af093c682418f, 0x7d8865b461bda00}));
}

} // namespace
} // namespace slipway
