// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Both kinds of attention against the plain formula in fp64, at lengths around the size of a block.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "cpu_ops/attention.h"
#include "trainer_fixtures.h"

namespace slipway::testing {
namespace {

using cpu_ops::QkvShape;

std::vector<float> normals(std::int64_t count, std::uint64_t seed)
{
    std::vector<float> values(static_cast<std::size_t>(count));
    const WeightView view{.name = "values",
        .shape = {count, 1},
        .slice = {.rows = count, .columns = 1},
        .count = count,
        .master = values.data()};
    initializeWeights({&view, 1}, 1, seed);
    for (float &value : values)
        value *= 50.0f; // deviation 1
    return values;
}

struct Expected {
    std::vector<float> out, lse, dqkv;
};

// One query row at a time; gradients by the softmax's derivative.
Expected plainAttention(const QkvShape &s, const std::vector<float> &qkv, const std::vector<float> &dout)
{
    Expected e{
        std::vector<float>(dout.size()), std::vector<float>(static_cast<std::size_t>(s.batch * s.heads * s.seq)), {}};
    std::vector<double> dqkv(qkv.size());
    const auto at = [&](std::int64_t b, std::int64_t t, std::int64_t head, std::int64_t d) {
        return static_cast<std::size_t>((b * s.seq + t) * s.stride() + head * s.headDim + d);
    };
    const double scale = 1.0 / std::sqrt(static_cast<double>(s.headDim));
    for (std::int64_t b = 0; b < s.batch; ++b) {
        for (std::int64_t h = 0; h < s.heads; ++h) {
            const std::int64_t kh = s.heads + h / (s.heads / s.kvHeads), vh = kh + s.kvHeads;
            for (std::int64_t t = 0; t < s.seq; ++t) {
                std::vector<double> p, dp;
                double sum = 0, dot = 0;
                const auto row = static_cast<std::size_t>((b * s.seq + t) * s.outStride() + h * s.headDim);
                const std::int64_t first = s.documentStart(b, t);
                for (std::int64_t u = first; u <= t; ++u) {
                    double score = 0, gradient = 0;
                    for (std::int64_t d = 0; d < s.headDim; ++d) {
                        score += static_cast<double>(qkv[at(b, t, h, d)]) * static_cast<double>(qkv[at(b, u, kh, d)]);
                        gradient += static_cast<double>(dout[row + static_cast<std::size_t>(d)]) *
                                    static_cast<double>(qkv[at(b, u, vh, d)]);
                    }
                    p.push_back(std::exp(score * scale));
                    dp.push_back(gradient);
                    sum += p.back();
                }
                e.lse[static_cast<std::size_t>((b * s.heads + h) * s.seq + t)] = static_cast<float>(std::log(sum));
                for (std::size_t u = 0; u < p.size(); ++u) {
                    p[u] /= sum;
                    dot += p[u] * dp[u];
                }
                for (std::int64_t d = 0; d < s.headDim; ++d) {
                    double out = 0;
                    for (std::int64_t u = first; u <= t; ++u) {
                        const auto i = static_cast<std::size_t>(u - first);
                        const double ds = p[i] * (dp[i] - dot) * scale;
                        out += p[i] * static_cast<double>(qkv[at(b, u, vh, d)]);
                        dqkv[at(b, t, h, d)] += ds * static_cast<double>(qkv[at(b, u, kh, d)]);
                        dqkv[at(b, u, kh, d)] += ds * static_cast<double>(qkv[at(b, t, h, d)]);
                        dqkv[at(b, u, vh, d)] += p[i] * static_cast<double>(dout[row + static_cast<std::size_t>(d)]);
                    }
                    e.out[row + static_cast<std::size_t>(d)] = static_cast<float>(out);
                }
            }
        }
    }
    e.dqkv.assign(dqkv.begin(), dqkv.end());
    return e;
}

// Sequences whose documents begin at these places, and their second ones a place later.
std::vector<std::int32_t> startsAt(const QkvShape &s, const std::vector<std::int32_t> &places)
{
    std::vector<std::int32_t> starts;
    for (std::int64_t b = 0; b < s.batch; ++b) {
        std::int32_t start = 0;
        for (std::int32_t t = 0; t < s.seq; ++t) {
            if (std::find(places.begin(), places.end(), t - b) != places.end())
                start = t;
            starts.push_back(start);
        }
    }
    return starts;
}

struct LengthsCase {
    QkvShape shape;
    std::vector<std::int32_t> documents; // where they begin, besides 0; empty: not kept apart
};

class AttentionTest : public ::testing::TestWithParam<LengthsCase> {
protected:
    std::vector<std::int32_t> starts = startsAt(GetParam().shape, GetParam().documents);
    QkvShape s = [this] {
        QkvShape shape = GetParam().shape;
        shape.documentStarts = GetParam().documents.empty() ? nullptr : starts.data();
        return shape;
    }();
    std::vector<float> qkv = normals(s.batch * s.seq * s.stride(), 1),
                       dout = normals(s.batch * s.seq * s.outStride(), 2);
    Expected expected = plainAttention(s, qkv, dout);
    std::vector<float> out = std::vector<float>(dout.size(), NAN), dqkv = std::vector<float>(qkv.size(), NAN);
};

TEST_P(AttentionTest, FlashMatchesTheFormulaForwardAndBackward)
{
    std::vector<float> lse(expected.lse.size(), NAN), delta(lse.size(), NAN);
    cpu_ops::flashAttention(s, qkv.data(), out.data(), lse.data());
    cpu_ops::flashAttentionBackward(s, {.dout = dout.data(),
                                           .qkv = qkv.data(),
                                           .out = out.data(),
                                           .lse = lse.data(),
                                           .dqkv = dqkv.data(),
                                           .delta = delta.data()});
    EXPECT_LT(relativeDistance(out, expected.out), 1e-6);
    EXPECT_LT(relativeDistance(lse, expected.lse), 1e-6);
    EXPECT_LT(relativeDistance(dqkv, expected.dqkv), 2e-6);
}

TEST_P(AttentionTest, VanillaMatchesTheFormulaForwardAndBackward)
{
    std::vector<float> probabilities(static_cast<std::size_t>(s.batch * s.heads * s.seq * s.seq), NAN),
        dscores(probabilities.size(), NAN);
    cpu_ops::vanillaAttention(s, qkv.data(), probabilities.data(), out.data());
    cpu_ops::vanillaAttentionBackward(s, {.dout = dout.data(),
                                             .qkv = qkv.data(),
                                             .probabilities = probabilities.data(),
                                             .dqkv = dqkv.data(),
                                             .dscores = dscores.data()});
    EXPECT_LT(relativeDistance(out, expected.out), 1e-6);
    EXPECT_LT(relativeDistance(dqkv, expected.dqkv), 2e-6);
}

INSTANTIATE_TEST_SUITE_P(Lengths, AttentionTest,
    ::testing::Values(LengthsCase{{1, 1, 1, 1, 4}, {}}, LengthsCase{{2, 63, 2, 2, 8}, {}},
        LengthsCase{{1, 64, 4, 2, 16}, {}}, LengthsCase{{2, 65, 3, 1, 8}, {}}, LengthsCase{{1, 130, 4, 4, 64}, {}},
        LengthsCase{{1, 257, 6, 2, 12}, {}}, LengthsCase{{2, 63, 2, 2, 8}, {1, 2, 40}},
        LengthsCase{{1, 130, 4, 2, 8}, {64, 128}}, LengthsCase{{2, 257, 6, 2, 12}, {63, 65, 100, 200, 201}},
        LengthsCase{{1, 300, 2, 1, 8}, {10, 290}}),
    [](const auto &parameter) {
        const QkvShape &s = parameter.param.shape;
        return "seq_" + std::to_string(s.seq) + "_heads_" + std::to_string(s.heads) + "_of_" +
               std::to_string(s.kvHeads) + "_documents_" + std::to_string(parameter.param.documents.size() + 1);
    });

TEST(FlashAttention, HoldsScoresThatOverflowAnExponential)
{
    const QkvShape s{.batch = 1, .seq = 70, .heads = 1, .kvHeads = 1, .headDim = 4};
    std::vector<float> qkv = normals(s.seq * s.stride(), 3), out(static_cast<std::size_t>(s.seq * s.outStride())),
                       lse(70);
    for (float &value : qkv)
        value *= 40.0f;
    cpu_ops::flashAttention(s, qkv.data(), out.data(), lse.data());
    for (const float value : out)
        ASSERT_TRUE(std::isfinite(value));
}

} // namespace
} // namespace slipway::testing
