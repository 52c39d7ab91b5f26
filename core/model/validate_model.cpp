// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "model/validate_model.h"

#include <array>
#include <fmt/format.h>

namespace slipway {

namespace {

struct Size {
    const char *flag;
    int value;
    int minimum, maximum;
};

// Far beyond any model there is, and small enough that no product of sizes overflows 64 bits.
Result<void> checkSizes(const ModelSpec &model)
{
    const std::array<Size, 9> sizes{{
        {"--layers", model.layers, 1, 1000},
        {"--hidden", model.hidden, 1, 131072},
        {"--heads", model.heads, 1, 1024},
        {"--kv-heads", model.kvHeads, 1, 1024},
        {"head_dim", model.headDim, 1, 4096},
        {"--ffn", model.ffn, 1, 1 << 20},
        {"--vocab", model.vocab, 2, 10'000'000},
        {"--experts", model.experts, 0, 4096},
        {"--experts-per-token", model.expertsPerToken, 0, 4096},
    }};
    for (const Size &size : sizes) {
        if (size.value < size.minimum || size.value > size.maximum) {
            return Error{.what = fmt::format("{} is out of range", size.value),
                .where = size.flag,
                .accepted = fmt::format("{} to {}", size.minimum, size.maximum)};
        }
    }
    return {};
}

// The divisors of `number` that are nearest to `wanted` on both sides.
std::string nearestDivisors(int number, int wanted)
{
    int below = wanted, above = wanted;
    while (below > 1 && number % below != 0)
        --below;
    while (above < number && number % above != 0)
        ++above;
    return below == above || above > number ? fmt::format("{}", below) : fmt::format("{} or {}", below, above);
}

Result<void> checkHeads(const ModelSpec &model)
{
    if (model.heads % model.kvHeads != 0) {
        return Error{
            .what = fmt::format("{} key-value heads do not divide the {} attention heads", model.kvHeads, model.heads),
            .where = "--kv-heads",
            .accepted = nearestDivisors(model.heads, model.kvHeads)};
    }
    if (model.position == Position::Rope && model.headDim % 2 != 0) {
        return Error{.what = fmt::format("RoPE needs an even head dimension; it is {}", model.headDim),
            .where = "--heads",
            .accepted = "a number of heads for which hidden / heads is even"};
    }
    return {};
}

Result<void> checkExperts(const ModelSpec &model)
{
    if (model.experts == 0 && model.expertsPerToken > 0) {
        return Error{
            .what = fmt::format("{} experts per token are given for a model without experts", model.expertsPerToken),
            .where = "--experts-per-token",
            .accepted = "0, or a model with experts (--experts)"};
    }
    if (model.experts > 0 && (model.expertsPerToken < 1 || model.expertsPerToken > model.experts)) {
        return Error{.what = fmt::format(
                         "{} experts per token, but the model has {} experts", model.expertsPerToken, model.experts),
            .where = "--experts-per-token",
            .accepted = fmt::format("1 to {}", model.experts)};
    }
    return {};
}

} // namespace

Result<int> headDimOf(int hidden, int heads)
{
    if (hidden < 1 || heads < 1 || hidden % heads != 0) {
        return Error{.what = fmt::format("hidden size {} is not a multiple of {} heads", hidden, heads),
            .where = "--hidden",
            .accepted = hidden < 1 || heads < 1
                            ? std::string("positive sizes")
                            : fmt::format("a multiple of {}, or {} heads", heads, nearestDivisors(hidden, heads))};
    }
    return hidden / heads;
}

Result<void> validateModel(const ModelSpec &model)
{
    if (Result<void> checked = checkSizes(model); !checked)
        return checked;
    if (Result<void> checked = checkHeads(model); !checked)
        return checked;
    if (!(model.ropeTheta > 0 && model.ropeTheta <= 1e15))
        return Error{.what = fmt::format("{} is not a valid RoPE base", model.ropeTheta),
            .where = "rope_theta",
            .accepted = "above 0, usually 10000"};
    if (!(model.normEps >= 0 && model.normEps <= 1))
        return Error{.what = fmt::format("{} is not a valid epsilon of a norm", model.normEps),
            .where = "norm_eps",
            .accepted = "0 to 1, usually 1e-5"};
    if (model.position == Position::Learned && model.maxPositions < 1)
        return Error{.what = "the learned position embedding has no positions",
            .where = "max_positions",
            .accepted = "the maximum sequence length"};
    return checkExperts(model);
}

} // namespace slipway
