// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The plans of the presets in our own trainer, op for op as they were on 2026-11-23: whatever else becomes possible,
// LLaMA runs as it did. A plan that is meant to change changes its number here. Since then three things have: vanilla
// attention's output is freed at its last use, the workspace of GEMMs is named gemm_workspace, and load_batch is in the
// lane of the kernels.
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
        (Numbers{0x9bcdd4264e82c7d8, 0xe08ba7b872e6a86b, 0x511773414bee862a, 0x5e7724486032e511}));
}

TEST(PlansOfThePresets, AreWhatTheyWereInFp32)
{
    EXPECT_EQ(numbersOf(configOf(Precision::Fp32, 2, 64)),
        (Numbers{0x2b2082fd45bf8ddd, 0xc9606b35163a898b, 0x582b5aa843ea61, 0xe803892342d11f8d}));
}

TEST(PlansOfThePresets, AreWhatTheyWereWithVanillaAttentionAndFullRecomputation)
{
    RunConfig config = configOf(Precision::Bf16Mixed, 4, 1024);
    config.attention = Attention::Vanilla;
    config.recompute = Recompute::Full;
    EXPECT_EQ(
        numbersOf(config), (Numbers{0xde80b4fc4b676d3e, 0xdc06febc5f85ca7f, 0x3464ece1f363b8c5, 0x3e62c5293f0febb7}));
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
        numbersOf(config), (Numbers{0x630410323584de50, 0xa9556cfb12a14409, 0xf780b0b18c87a7de, 0xd3aa9dcfd3f47ee5}));
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
        (Numbers{0x1d1db42009b62c0e, 0x962f4c26af04bef3, 0xb57a249295a831f3, 0x86ddb62eb290aa40}));
}

} // namespace
} // namespace slipway
