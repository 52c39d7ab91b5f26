// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <gtest/gtest.h>

#include "cpu_ops/gemm.h"
#include "cpu_ops/tile.h"
#include "trainer_fixtures.h"

namespace slipway::testing {
namespace {

std::vector<float> randomValues(std::int64_t count, std::uint64_t seed)
{
    std::vector<float> values;
    for (std::int64_t i = 0; i < count; ++i)
        values.push_back(static_cast<float>(philox(static_cast<std::uint64_t>(i), 1, seed).words[0]) * 0x1p-31f - 1.0f);
    return values;
}

// By the definition of GemmForm, in fp64.
std::vector<float> plainProduct(
    const cpu_ops::GemmShape &s, const std::vector<float> &a, const std::vector<float> &b, std::vector<float> c)
{
    for (std::int64_t i = 0; i < s.m; ++i) {
        for (std::int64_t j = 0; j < s.n; ++j) {
            double sum = 0;
            for (std::int64_t l = 0; l < s.k; ++l) {
                const std::int64_t left = s.form == GemmForm::WeightGradient ? l * s.m + i : i * s.k + l;
                const std::int64_t right = s.form == GemmForm::Forward ? j * s.k + l : l * s.n + j;
                sum += static_cast<double>(a[static_cast<std::size_t>(left)]) *
                       static_cast<double>(b[static_cast<std::size_t>(right)]);
            }
            c[static_cast<std::size_t>(i * s.n + j)] += static_cast<float>(sum);
        }
    }
    return c;
}

class GemmTest : public ::testing::TestWithParam<GemmForm> {};

using GemmFunction = void (*)(const cpu_ops::GemmShape &, const float *, const float *, float *, const float *);

void checkAgainstThePlainProduct(GemmForm form, GemmFunction gemm)
{
    for (const auto &[m, n, k] :
        {std::tuple{1, 1, 1}, {1, 70, 333}, {3, 5, 7}, {64, 64, 64}, {257, 63, 300}, {31, 300, 257}, {256, 256, 513}}) {
        const cpu_ops::GemmShape shape{form, m, n, k};
        const std::vector<float> a = randomValues(m * k, 1), b = randomValues(n * k, 2);
        const std::vector<float> zeros(static_cast<std::size_t>(m * n), 0.0f), start = randomValues(m * n, 3);
        std::vector<float> c = start;
        gemm(shape, a.data(), b.data(), c.data(), nullptr);
        EXPECT_LT(relativeDistance(c, plainProduct(shape, a, b, zeros)), 1e-6) << m << "x" << n << "x" << k;
        gemm(shape, a.data(), b.data(), c.data(), start.data());
        EXPECT_LT(relativeDistance(c, plainProduct(shape, a, b, start)), 1e-6)
            << m << "x" << n << "x" << k << ", a residual added";
        std::vector<float> sum = start;
        gemm(shape, a.data(), b.data(), sum.data(), sum.data());
        EXPECT_EQ(sum, c) << m << "x" << n << "x" << k << ", added in place";
    }
}

TEST_P(GemmTest, MatchesThePlainProductWhateverTheSizes) { checkAgainstThePlainProduct(GetParam(), cpu_ops::gemm); }
TEST_P(GemmTest, MatchesItAlsoWithoutFastTiles) { checkAgainstThePlainProduct(GetParam(), cpu_ops::gemmByLibTorch); }

INSTANTIATE_TEST_SUITE_P(Forms, GemmTest,
    ::testing::Values(GemmForm::Forward, GemmForm::InputGradient, GemmForm::WeightGradient),
    [](const auto &parameter) { return std::string(enumName(parameter.param)); });

TEST(Gemm, OverwritesWhatWasNotANumber)
{
    const std::vector<float> a(4, 1.0f), b(4, 1.0f);
    std::vector<float> c(4, std::numeric_limits<float>::quiet_NaN());
    cpu_ops::gemm({GemmForm::Forward, 2, 2, 2}, a.data(), b.data(), c.data());
    EXPECT_EQ(c, std::vector<float>(4, 2.0f));
}

TEST(Tile, PlainLoopsAndFastTilesMultiplyTheSamePartsOfAMatrix)
{
    for (const auto &[m, n, k] : {std::tuple{1, 1, 1}, {4, 16, 8}, {5, 35, 9}, {64, 64, 12}, {63, 12, 64}}) {
        const std::int64_t stride = 70;
        const std::vector<float> a = randomValues(stride * m, 1), b = randomValues(stride * k, 2),
                                 start = randomValues(stride * m, 3);
        for (const bool accumulate : {false, true}) {
            std::vector<float> plain = start, fast = start, expected = start;
            cpu_ops::tileMultiplyPlain(
                m, n, k, {a.data(), stride}, {b.data(), stride}, {plain.data(), stride}, accumulate);
            cpu_ops::tileMultiply(m, n, k, {a.data(), stride}, {b.data(), stride}, {fast.data(), stride}, accumulate);
            for (std::int64_t i = 0; i < m; ++i) {
                for (std::int64_t j = 0; j < n; ++j) {
                    double sum = accumulate ? static_cast<double>(start[static_cast<std::size_t>(i * stride + j)]) : 0;
                    for (std::int64_t l = 0; l < k; ++l)
                        sum += static_cast<double>(a[static_cast<std::size_t>(i * stride + l)]) *
                               static_cast<double>(b[static_cast<std::size_t>(l * stride + j)]);
                    expected[static_cast<std::size_t>(i * stride + j)] = static_cast<float>(sum);
                }
            }
            EXPECT_LT(relativeDistance(plain, expected), 1e-6) << m << "x" << n << "x" << k;
            EXPECT_LT(relativeDistance(fast, expected), 1e-6) << m << "x" << n << "x" << k;
        }
    }
}

TEST(Tile, TransposesAnyShape)
{
    for (const auto &[rows, columns] : {std::pair{1, 1}, {5, 17}, {64, 12}, {16, 16}, {33, 100}}) {
        const std::vector<float> in = randomValues(rows * columns, 4);
        std::vector<float> out(in.size());
        cpu_ops::tileTranspose(rows, columns, {in.data(), columns}, {out.data(), rows});
        for (int i = 0; i < rows; ++i) {
            for (int j = 0; j < columns; ++j)
                ASSERT_EQ(out[static_cast<std::size_t>(j * rows + i)], in[static_cast<std::size_t>(i * columns + j)]);
        }
    }
}

} // namespace
} // namespace slipway::testing
