// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Windows, scales, soft caps and ALiBi in both kinds of attention, against LibTorch's autograd in fp64.
#include <gtest/gtest.h>

#include "cpu_ops/attention.h"
#include "exact_ops.h"
#include "fixed_seed.h"

namespace slipway::testing {
namespace {

using cpu_ops::QkvShape;

struct OptionsCase {
    QkvShape shape;
    std::vector<std::int64_t> documents = {};
    bool alibi = false;
};

class AttentionOptions : public ::testing::TestWithParam<OptionsCase> {
protected:
    testing::FixedSeed m_seed;
    std::vector<std::int32_t> starts =
        documentStartsAt(GetParam().shape.batch, GetParam().shape.seq, GetParam().documents);
    at::Tensor slopes = GetParam().alibi ? at::linspace(0.05, 0.5, GetParam().shape.heads, at::kFloat) : at::Tensor();
    QkvShape s = [this] {
        QkvShape shape = GetParam().shape;
        shape.documentStarts = GetParam().documents.empty() ? nullptr : starts.data();
        shape.slopes = dataOf(slopes);
        return shape;
    }();
    at::Tensor qkv = randomFloats({s.batch * s.seq, s.stride()}), dout = randomFloats({s.batch * s.seq, s.outStride()}),
               out = nans(dout.sizes()), dqkv = nans(qkv.sizes());
    at::Tensor qkv64 = exact(qkv);
    ExactAttention expected = exactAttention(s, qkv64, slopes);
    void backward() const { (expected.out * dout.to(at::kDouble)).sum().backward(); }
};

TEST_P(AttentionOptions, FlashMatchesAutograd)
{
    const at::Tensor lse = nans({s.batch, s.heads, s.seq}), delta = nans(lse.sizes());
    cpu_ops::flashAttention(s, dataOf(qkv), dataOf(out), dataOf(lse));
    EXPECT_LT(distanceOf(out, expected.out), 1e-6);
    EXPECT_LT(distanceOf(lse, expected.lse), 1e-6);
    backward();
    cpu_ops::flashAttentionBackward(s, {.dout = dataOf(dout),
                                           .qkv = dataOf(qkv),
                                           .out = dataOf(out),
                                           .lse = dataOf(lse),
                                           .dqkv = dataOf(dqkv),
                                           .delta = dataOf(delta)});
    EXPECT_LT(distanceOf(dqkv, qkv64.grad()), 2e-6);
}

TEST_P(AttentionOptions, VanillaMatchesAutogradAndKeepsZerosWhereNothingIsSeen)
{
    const at::Tensor probabilities = nans({s.batch, s.heads, s.seq, s.seq}), dscores = nans(probabilities.sizes());
    cpu_ops::vanillaAttention(s, dataOf(qkv), dataOf(probabilities), dataOf(out));
    EXPECT_LT(distanceOf(out, expected.out), 1e-6);
    EXPECT_EQ(probabilities.masked_select(hiddenFrom(s).expand(probabilities.sizes())).count_nonzero().item<int>(), 0);
    backward();
    cpu_ops::vanillaAttentionBackward(s, {.dout = dataOf(dout),
                                             .qkv = dataOf(qkv),
                                             .probabilities = dataOf(probabilities),
                                             .dqkv = dataOf(dqkv),
                                             .dscores = dataOf(dscores)});
    EXPECT_LT(distanceOf(dqkv, qkv64.grad()), 2e-6);
    EXPECT_EQ(dscores.masked_select(hiddenFrom(s).expand(dscores.sizes())).count_nonzero().item<int>(), 0);
}

INSTANTIATE_TEST_SUITE_P(Windows, AttentionOptions,
    ::testing::Values(OptionsCase{shapeOf(1, 1, 1, 1, 4, 1)}, OptionsCase{shapeOf(2, 130, 2, 1, 8, 1)},
        OptionsCase{shapeOf(1, 200, 4, 2, 16, 7)}, OptionsCase{shapeOf(1, 257, 3, 3, 12, 64)},
        OptionsCase{shapeOf(2, 300, 2, 2, 8, 65)}, OptionsCase{shapeOf(1, 300, 4, 1, 8, 100)},
        OptionsCase{shapeOf(1, 130, 2, 1, 8, 130)}, OptionsCase{shapeOf(1, 130, 2, 1, 8, 1000)},
        OptionsCase{shapeOf(2, 257, 6, 2, 12, 50), {63, 65, 100, 200, 201}},
        OptionsCase{shapeOf(1, 300, 2, 1, 8, 128), {10, 290}}));
INSTANTIATE_TEST_SUITE_P(Scores, AttentionOptions,
    ::testing::Values(OptionsCase{shapeOf(1, 1, 1, 1, 4, 0, 0.3f, 5)}, OptionsCase{shapeOf(2, 65, 4, 2, 16, 0, 0.7f)},
        OptionsCase{shapeOf(1, 130, 4, 1, 8, 0, 0, 2)},
        OptionsCase{shapeOf(2, 257, 6, 2, 12, 70, 0.5f, 3), {63, 65, 200}},
        OptionsCase{shapeOf(2, 130, 4, 2, 16, 0), {}, true},
        OptionsCase{shapeOf(1, 257, 3, 1, 12, 90, 1, 4), {70, 128}, true}));

// What the options say by default is what was computed without them, bit for bit.
TEST(AttentionWindow, AsLongAsTheSequenceChangesNothing)
{
    at::manual_seed(2);
    const QkvShape s = shapeOf(1, 150, 2, 1, 8, 0);
    QkvShape windowed = s;
    windowed.window = 150;
    const at::Tensor qkv = randomFloats({150, s.stride()});
    at::Tensor whole = nans({150, s.outStride()}), within = nans({150, s.outStride()}), lse = nans({2, 150});
    cpu_ops::flashAttention(s, dataOf(qkv), dataOf(whole), dataOf(lse));
    cpu_ops::flashAttention(windowed, dataOf(qkv), dataOf(within), dataOf(lse));
    EXPECT_TRUE(whole.equal(within));
}

} // namespace
} // namespace slipway::testing
