// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "model/size_curve.h"

#include <cmath>
#include <gtest/gtest.h>

#include "model/validate_model.h"

namespace slipway {
namespace {

TEST(ModelOfSize, MeetsThePaperWhereItsShapesLieOnTheCurve)
{
    const struct {
        double size;
        int layers, hidden, ffn;
    } rows[] = {{526'550'016, 15, 1536, 4147}, {970'458'240, 19, 1920, 5184}, {1'969'027'008, 24, 2496, 6739}};
    for (const auto &row : rows) {
        const auto model = modelOfSize(row.size, "x");
        ASSERT_TRUE(model);
        EXPECT_EQ(model->layers, row.layers);
        EXPECT_EQ(model->hidden, row.hidden);
        EXPECT_EQ(model->mlp.width, row.ffn);
        EXPECT_EQ(static_cast<double>(parameterCount(*model)), row.size);
    }
}

TEST(ModelOfSize, GivesAValidShapeNearAnySizeAndNeverShrinksMuch)
{
    double before = 0;
    const int steps = static_cast<int>(std::log(kLargestCurveSize / kSmallestCurveSize) / std::log(1.07));
    for (int i = 0; i <= steps; ++i) {
        const double size = kSmallestCurveSize * std::pow(1.07, i);
        const auto model = modelOfSize(size, "x");
        ASSERT_TRUE(model);
        EXPECT_TRUE(validateModel(*model));
        const auto count = static_cast<double>(parameterCount(*model));
        EXPECT_NEAR(count / size, 1.0, size < 100e6 ? 0.25 : 0.07) << size;
        EXPECT_GT(count, before * 0.95);
        before = count;
    }
}

TEST(ModelOfSize, RefusesSizesOutsideTheCurve)
{
    for (const double size : {0.0, -1e9, 1e3, 1e15, std::nan("")})
        EXPECT_FALSE(modelOfSize(size, "x"));
}

} // namespace
} // namespace slipway
