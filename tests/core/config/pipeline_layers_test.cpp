// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <gtest/gtest.h>
#include <vector>

#include "config/pipeline_layers.h"

namespace slipway {
namespace {

std::vector<int> layersOf(int pp, int parts, int layers)
{
    const Parallelism mesh{.gpus = pp, .pp = pp, .virtualStages = parts};
    std::vector<int> list;
    for (int stage = 0, first = 0; stage < pp; ++stage) {
        list.push_back(layersOfStage(mesh, layers, stage));
        EXPECT_EQ(firstLayerOfStage(mesh, layers, stage), first);
        first += list.back();
    }
    return list;
}

TEST(PipelineLayers, areAsManyOnEveryStageWhereTheyDivide)
{
    EXPECT_EQ(layersOf(4, 1, 32), (std::vector<int>{8, 8, 8, 8}));
    EXPECT_EQ(layersOf(2, 2, 8), (std::vector<int>{4, 4}));
    EXPECT_EQ(layersOf(1, 1, 30), (std::vector<int>{30}));
}

TEST(PipelineLayers, giveUpOneForTheEmbeddingAndOneForTheHeadWhereTheyDivideWithThem)
{
    EXPECT_EQ(layersOf(8, 1, 70), (std::vector<int>{8, 9, 9, 9, 9, 9, 9, 8}));
    EXPECT_EQ(layersOf(4, 4, 30), (std::vector<int>{7, 8, 8, 7}));
    EXPECT_EQ(layersOf(5, 1, 8), (std::vector<int>{1, 2, 2, 2, 1}));
    EXPECT_EQ(layersOf(2, 2, 6), (std::vector<int>{3, 3}));
    EXPECT_TRUE(hasEqualModelChunks({.gpus = 16, .pp = 16, .virtualStages = 8}, 126)) << "Llama 3 405B's";
    EXPECT_FALSE(endsCountAsLayers({.gpus = 4, .pp = 4}, 32)) << "they divide alone";
}

TEST(PipelineLayers, areOneMoreOnTheFirstStagesWhereNothingDivides)
{
    EXPECT_EQ(layersOf(4, 1, 33), (std::vector<int>{9, 8, 8, 8}));
    EXPECT_FALSE(hasEqualModelChunks({.gpus = 4, .pp = 4}, 33));
}

} // namespace
} // namespace slipway
