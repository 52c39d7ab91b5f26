// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Attention of sequences that ranks share is that of whole sequences, with every option and both ways to get keys.
#include <gtest/gtest.h>

#include "fixed_seed.h"
#include "split_sequences.h"

namespace slipway::testing {
namespace {

void expectWhole(SplitCase split)
{
    const FixedSeed seed;
    for (const bool ring : {false, true}) {
        split.ring = ring;
        for (const int ranks : {2, 3, 4}) {
            split.ranks = ranks;
            const Distances apart = SplitAttention(split, at::kFloat).ofSplit(aten_ops::FlashKernel::Processor);
            for (const double distance : apart)
                EXPECT_LT(distance, 3e-6) << ranks << (ring ? " ring" : " gathered");
        }
    }
}

TEST(SplitAttention, IsThatOfWholeSequences) { expectWhole({}); }
TEST(SplitAttention, TakesOneKeyHeadPerQueryHead) { expectWhole({.kvHeads = 4}); }
TEST(SplitAttention, SeesWindowsThatEndWithinAChunk) { expectWhole({.seq = 48, .options = {.window = 9}}); }
TEST(SplitAttention, SeesWindowsOfAWholeChunk) { expectWhole({.seq = 48, .options = {.window = 6}}); }
TEST(SplitAttention, SeesWindowsOverSeveralChunks) { expectWhole({.seq = 48, .options = {.window = 31}}); }
TEST(SplitAttention, ScalesAndCapsScores) { expectWhole({.options = {.scale = 0.3, .softCap = 2}}); }
TEST(SplitAttention, CountsTheDistancesOfAlibiOverChunks)
{
    expectWhole({.options = {.slopes = at::linspace(0.05, 0.5, 4, at::kFloat)}});
}

} // namespace
} // namespace slipway::testing
