// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "model/validate_model.h"

#include <functional>
#include <limits>
#include <gtest/gtest.h>

namespace slipway {
namespace {

ModelSpec valid()
{
    return {.layers = 2,
        .hidden = 64,
        .attention = {.heads = 4, .kvHeads = 2, .headDim = 16},
        .mlp = {.width = 128},
        .vocab = 100};
}

TEST(ValidateModel, AcceptsAWorkingShape) { EXPECT_TRUE(validateModel(valid())); }

TEST(ValidateModel, NamesTheSizeThatIsOutOfRange)
{
    const std::pair<const char *, std::function<void(ModelSpec &)>> cases[] = {
        {"--layers", [](ModelSpec &m) { m.layers = 0; }},
        {"--layers", [](ModelSpec &m) { m.layers = -3; }},
        {"--hidden", [](ModelSpec &m) { m.hidden = 2'000'000'000; }},
        {"--heads", [](ModelSpec &m) { m.attention.heads = 0; }},
        {"--kv-heads", [](ModelSpec &m) { m.attention.kvHeads = 0; }},
        {"--kv-heads", [](ModelSpec &m) { m.attention.kvHeads = 3; }},
        {"--ffn", [](ModelSpec &m) { m.mlp.width = -1; }},
        {"--vocab", [](ModelSpec &m) { m.vocab = 1; }},
        {"head_dim", [](ModelSpec &m) { m.attention.headDim = 15; }},
        {"--heads",
            [](ModelSpec &m) { // the heads share the hidden size
                m.attention.headDim = 15;
                m.hidden = 15 * m.attention.heads;
            }},
        {"--experts", [](ModelSpec &m) { m.experts.count = -1; }},
        {"--experts",
            [](ModelSpec &m) { // twelve million weights, whose names alone take a gigabyte
                m.layers = 1000;
                m.experts.count = 4096;
                m.experts.perToken = 2;
            }},
        {"--experts-per-token",
            [](ModelSpec &m) {
                m.experts.count = 4;
                m.experts.perToken = 5;
            }},
        {"--experts-per-token", [](ModelSpec &m) { m.experts.count = 4; }},
        {"--experts-per-token", [](ModelSpec &m) { m.experts.perToken = 1; }},
        {"rope_theta", [](ModelSpec &m) { m.ropes.front().base = 0; }},
        {"rope_theta", [](ModelSpec &m) { m.ropes.front().base = std::numeric_limits<double>::infinity(); }},
        {"norm_eps", [](ModelSpec &m) { m.norm.eps = std::numeric_limits<double>::quiet_NaN(); }},
        {"norm_eps", [](ModelSpec &m) { m.norm.eps = -1e-5; }},
        {"context_length", [](ModelSpec &m) { m.contextLength = -1; }},
        {"max_positions", [](ModelSpec &m) { m.position = Position::Learned; }},
    };
    for (const auto &[flag, breakIt] : cases) {
        ModelSpec model = valid();
        breakIt(model);
        const auto checked = validateModel(model);
        ASSERT_FALSE(checked) << flag;
        EXPECT_EQ(checked.error().where, flag);
        EXPECT_FALSE(checked.error().accepted.empty());
    }
}

TEST(HeadDimOf, NamesSizesNearByThatDivide)
{
    EXPECT_EQ(*headDimOf(1920, 30), 64);
    const auto headDim = headDimOf(1000, 12);
    ASSERT_FALSE(headDim);
    EXPECT_EQ(headDim.error().message(),
        "--hidden: hidden size 1000 is not a multiple of 12 heads (accepted: a multiple of 12, or 10 or 20 heads)");
    EXPECT_FALSE(headDimOf(64, 0));
    EXPECT_FALSE(headDimOf(-64, 4));
    EXPECT_FALSE(headDimOf(4, 12));
}

} // namespace
} // namespace slipway
