// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/pyramid.h"

#include <cmath>
#include <limits>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runs/curve.h"

namespace slipway {
namespace {

struct Columns {
    std::vector<double> x, y;
};

// Noise with spikes, NaN and infinities; x rises by uneven steps, some of them none.
Columns noisy(std::size_t count, unsigned seed)
{
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> unit(0, 1);
    Columns columns;
    double x = 1;
    for (std::size_t i = 0; i < count; ++i) {
        x += unit(random) < 0.1 ? 0 : std::floor(unit(random) * 5);
        columns.x.push_back(x);
        const double kind = unit(random);
        columns.y.push_back(kind < 0.01   ? std::nan("")
                            : kind < 0.02 ? std::numeric_limits<double>::infinity()
                            : kind < 0.03 ? 1e6 * unit(random)
                                          : unit(random));
    }
    return columns;
}

Pyramid pyramidOf(const std::vector<double> &values)
{
    Pyramid pyramid;
    for (const double value : values)
        pyramid.append(value);
    return pyramid;
}

TEST(Pyramid, GivesTheEnvelopeOfTheFullDataValueForValue)
{
    for (const std::size_t count : {1U, 2U, 63U, 64U, 65U, 129U, 1000U, 4096U, 50'000U}) {
        const Columns columns = noisy(count, static_cast<unsigned>(count));
        const Pyramid pyramid = pyramidOf(columns.y);
        const double end = columns.x.back();
        for (const std::size_t most : {1U, 7U, 300U, 2000U}) {
            for (const auto &[from, to] : {std::pair{0.0, end}, std::pair{end * 0.3, end * 0.31},
                     std::pair{end / 3, end}, std::pair{end + 1, end + 2}})
                EXPECT_EQ(envelope(columns.x, pyramid, most, from, to), envelope(columns.x, columns.y, most, from, to))
                    << count << " points, " << most << " buckets";
        }
    }
}

TEST(Pyramid, ForgetsWhatWasCutOffAndGrowsOnAsIfItHadNeverBeenThere)
{
    const Columns columns = noisy(3000, 7);
    for (const std::size_t cut :
        {0U, 1U, 63U, 64U, 65U, 128U, 129U, 511U, 512U, 513U, 1024U, 2047U, 2048U, 2049U, 2999U, 3000U}) {
        Pyramid pyramid = pyramidOf(columns.y);
        pyramid.truncate(cut);
        ASSERT_EQ(pyramid.size(), cut);
        std::vector<double> y(columns.y.begin(), columns.y.begin() + static_cast<std::ptrdiff_t>(cut));
        for (int i = 0; i < 700; ++i) {
            const double value = i % 97 == 0 ? std::nan("") : -i;
            pyramid.append(value);
            y.push_back(value);
        }
        std::vector<double> x(y.size());
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = static_cast<double>(i);
        EXPECT_EQ(envelope(x, pyramid, 50, 0, 1e9), envelope(x, y, 50, 0, 1e9)) << "cut at " << cut;
    }
}

TEST(Pyramid, FindsTheLastFiniteValueBehindALongGap)
{
    std::vector<double> values(5000, std::nan(""));
    values[3] = 42;
    const EnvelopeBucket bucket = pyramidOf(values).over(0, values.size());
    EXPECT_EQ(bucket.points, 1);
    EXPECT_EQ(bucket.notFinite, 4999);
    EXPECT_EQ(bucket.x, 3);
    EXPECT_EQ(bucket.last, 42);
}

TEST(PlainCurve, HasMeansOnlyWithAHalfLife)
{
    const PlainCurve curve({0, 1, 2, 3}, std::vector<double>{4, 8, 4, 8});
    for (const EnvelopeBucket &bucket : curve.buckets(4, {0, 3}, 0))
        EXPECT_FALSE(bucket.mean);
    for (const EnvelopeBucket &bucket : curve.buckets(4, {0, 3}, 2))
        EXPECT_TRUE(bucket.mean);
}

} // namespace
} // namespace slipway
