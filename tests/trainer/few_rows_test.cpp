// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cpu_ops/few_rows.h"

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "cpu_ops/gemm.h"
#include "cpu_ops/paged_attention.h"

namespace slipway::cpu_ops {
namespace {

std::vector<float> valuesOf(std::int64_t count, float phase)
{
    std::vector<float> values;
    for (std::int64_t i = 0; i < count; ++i)
        values.push_back(std::sin(phase + static_cast<float>(i) * 1.7F));
    return values;
}

double product(std::int64_t k, const float *x, const float *w)
{
    double sum = 0;
    for (std::int64_t l = 0; l < k; ++l)
        sum += double(x[l]) * double(w[l]);
    return sum;
}

void expectProducts(std::int64_t rows, std::int64_t n, std::int64_t k)
{
    const std::vector<float> x = valuesOf(rows * k, 1);
    std::vector<float> w = valuesOf(n * k, 2);
    std::vector<std::uint16_t> half(w.size());
    convertToBf16(n * k, w.data(), half.data());
    std::vector<float> rounded(w.size());
    convertToFp32(n * k, half.data(), rounded.data());
    const std::vector<float> added = valuesOf(rows * n, 3);
    std::vector<float> wide(added.size()), small(added.size());
    gemm({GemmForm::Forward, rows, n, k}, x.data(), w.data(), wide.data(), added.data());
    gemmOfBf16Weights(rows, n, k, x.data(), half.data(), small.data());
    for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
            const auto at = static_cast<std::size_t>(i * n + j);
            ASSERT_NEAR(wide[at], double(added[at]) + product(k, x.data() + i * k, w.data() + j * k), 1e-5 * double(k))
                << rows << " x " << n << " x " << k << ": " << i << ", " << j;
            ASSERT_NEAR(small[at], product(k, x.data() + i * k, rounded.data() + j * k), 1e-5 * double(k))
                << rows << " x " << n << " x " << k << ": " << i << ", " << j;
        }
    }
}

TEST(FewRows, ProductsOfAnyShapeAreThoseOfDoublePrecision)
{
    for (const std::int64_t rows : {1, 2, 3, 4, 5, 7, 16, 32, 33, 70}) {
        for (const auto &[n, k] : {std::pair(1, 1), std::pair(3, 15), std::pair(33, 16), std::pair(70, 100)})
            expectProducts(rows, n, k);
    }
    expectProducts(40, 300, 530); // more than a tile in each direction
}

TEST(FewRows, ARowsResultDoesNotDependOnTheOthers)
{
    constexpr std::int64_t kRows = 7, kN = 37, kK = 83;
    const std::vector<float> x = valuesOf(kRows * kK, 1), w = valuesOf(kN * kK, 2);
    std::vector<float> all(kRows * kN), one(kN);
    multiplyFewRows(kRows, kN, kK, x.data(), w.data(), all.data());
    for (std::int64_t row = 0; row < kRows; ++row) {
        multiplyFewRows(1, kN, kK, x.data() + row * kK, w.data(), one.data());
        for (std::int64_t j = 0; j < kN; ++j)
            ASSERT_EQ(one[static_cast<std::size_t>(j)], all[static_cast<std::size_t>(row * kN + j)]) << row;
    }
}

TEST(FewRows, Bf16IsRoundedToTheNearestAndTiesToEven)
{
    const auto bits = [](std::uint32_t of) { return std::bit_cast<float>(of); };
    const std::vector<float> values{1.0F, bits(0x3f808000), bits(0x3f818000), bits(0x3f808001), -2.5F,
        std::numeric_limits<float>::infinity(), bits(0x7f7fffff), bits(0x7f800001)};
    std::vector<std::uint16_t> narrowed(values.size());
    convertToBf16(std::ssize(values), values.data(), narrowed.data());
    EXPECT_EQ(narrowed[0], 0x3f80);
    EXPECT_EQ(narrowed[1], 0x3f80); // a tie, down to the even one
    EXPECT_EQ(narrowed[2], 0x3f82); // a tie, up to the even one
    EXPECT_EQ(narrowed[3], 0x3f81);
    EXPECT_EQ(narrowed[5], 0x7f80);
    EXPECT_EQ(narrowed[6], 0x7f80); // the largest fp32 rounds to infinity
    std::vector<float> again(values.size());
    convertToFp32(std::ssize(values), narrowed.data(), again.data());
    EXPECT_EQ(again[4], -2.5F);
    EXPECT_TRUE(std::isnan(again[7]));
}

TEST(PagedAttention, IsTheSoftmaxOfCappedScoresOverKeysFarApart)
{
    constexpr std::int64_t kDim = 37, kKeys = 45, kStride = 90;
    const std::vector<float> q = valuesOf(kDim, 1), k = valuesOf(kKeys * kStride, 2), v = valuesOf(kKeys * kStride, 3);
    const ScoreForm form{.scale = 0.3F, .softCap = 2, .slope = 0.01F};
    std::vector<float> scores(kKeys), out(kDim, 0.0F);
    scoreKeys(kDim, q.data(), k.data(), kStride, form, kKeys - 1, scores);
    std::vector<double> expected;
    double sum = 0;
    for (std::int64_t t = 0; t < kKeys; ++t) {
        const double score = 2 * std::tanh(0.3 * product(kDim, q.data(), k.data() + t * kStride) / 2);
        expected.push_back(score - 0.01 * double(kKeys - 1 - t));
        ASSERT_NEAR(scores[static_cast<std::size_t>(t)], expected.back(), 1e-5) << t;
        sum += std::exp(expected.back());
    }
    const float total = exponentials(scores);
    addValues(kDim, scores, v.data(), kStride, out.data());
    for (std::int64_t j = 0; j < kDim; ++j) {
        double value = 0;
        for (std::int64_t t = 0; t < kKeys; ++t)
            value += std::exp(expected[static_cast<std::size_t>(t)]) / sum *
                     double(v[static_cast<std::size_t>(t * kStride + j)]);
        ASSERT_NEAR(out[static_cast<std::size_t>(j)] / total, value, 1e-5) << j;
    }
}

TEST(PagedAttention, TheLargestIsTheFirstOfEqualOnes)
{
    for (const std::size_t count : {1U, 5U, 16U, 100U}) {
        for (std::size_t place = 0; place < count; ++place) {
            std::vector<float> values(count, -3.0F);
            values[place] = values.back() = 2.0F;
            EXPECT_EQ(indexOfLargest(values), static_cast<std::int64_t>(place)) << count;
        }
    }
    EXPECT_EQ(indexOfLargest(std::vector<float>(20, std::numeric_limits<float>::quiet_NaN())), 0);
    EXPECT_EQ(indexOfLargest(std::vector<float>(20, -std::numeric_limits<float>::infinity())), 0);
    EXPECT_EQ(indexOfLargest({}), 0);
}

} // namespace
} // namespace slipway::cpu_ops
