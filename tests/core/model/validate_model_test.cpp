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
    return {.layers = 2, .hidden = 64, .heads = 4, .kvHeads = 2, .headDim = 16, .ffn = 128, .vocab = 100};
}

TEST(ValidateModel, AcceptsAWorkingShape) { EXPECT_TRUE(validateModel(valid())); }

TEST(ValidateModel, NamesTheSizeThatIsOutOfRange)
{
    const std::pair<const char *, std::function<void(ModelSpec &)>> cases[] = {
        {"--layers", [](ModelSpec &m) { m.layers = 0; }},
        {"--layers", [](ModelSpec &m) { m.layers = -3; }},
        {"--hidden", [](ModelSpec &m) { m.hidden = 2'000'000'000; }},
        {"--heads", [](ModelSpec &m) { m.heads = 0; }},
        {"--kv-heads", [](ModelSpec &m) { m.kvHeads = 0; }},
        {"--kv-heads", [](ModelSpec &m) { m.kvHeads = 3; }},
        {"--ffn", [](ModelSpec &m) { m.ffn = -1; }},
        {"--vocab", [](ModelSpec &m) { m.vocab = 1; }},
        {"--heads", [](ModelSpec &m) { m.headDim = 15; }},
        {"--experts", [](ModelSpec &m) { m.experts = -1; }},
        {"--experts-per-token",
            [](ModelSpec &m) {
                m.experts = 4;
                m.expertsPerToken = 5;
            }},
        {"--experts-per-token", [](ModelSpec &m) { m.experts = 4; }},
        {"--experts-per-token", [](ModelSpec &m) { m.expertsPerToken = 1; }},
        {"rope_theta", [](ModelSpec &m) { m.ropeTheta = 0; }},
        {"rope_theta", [](ModelSpec &m) { m.ropeTheta = std::numeric_limits<double>::infinity(); }},
        {"norm_eps", [](ModelSpec &m) { m.normEps = std::numeric_limits<double>::quiet_NaN(); }},
        {"norm_eps", [](ModelSpec &m) { m.normEps = -1e-5; }},
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
