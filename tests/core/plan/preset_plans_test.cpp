// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The plans of the presets in our own trainer, op for op as they were on 2026-11-23: whatever else becomes possible,
// LLaMA runs as it did. A plan that is meant to change changes its number here. Since then two things have: vanilla
// attention's output is freed at its last use, and the workspace of GEMMs is named gemm_workspace.
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
        (Numbers{0x477137aff2cf8c6e, 0xca316d5e4072ef0d, 0x801d844e5a8263a4, 0x91882762b4970383}));
}

TEST(PlansOfThePresets, AreWhatTheyWereInFp32)
{
    EXPECT_EQ(numbersOf(configOf(Precision::Fp32, 2, 64)),
        (Numbers{0x19e88cbb9e3c3b57, 0x42518eb206ed6e6d, 0xbd8e9b369a361e67, 0x1ff21d93c43dfaf}));
}

TEST(PlansOfThePresets, AreWhatTheyWereWithVanillaAttentionAndFullRecomputation)
{
    RunConfig config = configOf(Precision::Bf16Mixed, 4, 1024);
    config.attention = Attention::Vanilla;
    config.recompute = Recompute::Full;
    EXPECT_EQ(
        numbersOf(config), (Numbers{0x40e076ecf67d0610, 0x9e9b48c65e0d3fd5, 0xcbac438e8917833f, 0xb7341b19fffa8675}));
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
        numbersOf(config), (Numbers{0x807ba2b9138767e, 0xceb93b865c208d47, 0x6db27e2a6c0744c8, 0xabe5ad77abc695df}));
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
        (Numbers{0xf66b10423a4a95e0, 0xd8605a1cd46eac65, 0xae4afe9a595a7035, 0xe86ea083cf6e0ae}));
}

} // namespace
} // namespace slipway
