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
        {"--heads", model.attention.heads, 1, 1024},
        {"--kv-heads", model.attention.kvHeads, 1, 1024},
        {"head_dim", model.attention.headDim, 1, 4096},
        {"--ffn", model.mlp.width, 1, 1 << 20},
        {"--vocab", model.vocab, 2, 10'000'000},
        {"--experts", model.experts.count, 0, 4096},
        {"--experts-per-token", model.experts.perToken, 0, 4096},
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
    if (model.attention.heads % model.attention.kvHeads != 0) {
        return Error{.what = fmt::format("{} key-value heads do not divide the {} attention heads",
                         model.attention.kvHeads, model.attention.heads),
            .where = "--kv-heads",
            .accepted = nearestDivisors(model.attention.heads, model.attention.kvHeads)};
    }
    if (model.position == Position::Rope && model.attention.headDim % 2 != 0) {
        if (model.attention.headDim * model.attention.heads != model.hidden)
            return Error{.what = fmt::format("RoPE needs an even head dimension; it is {}", model.attention.headDim),
                .where = "head_dim",
                .accepted = "an even number"};
        return Error{.what = fmt::format("RoPE needs an even head dimension; it is {}", model.attention.headDim),
            .where = "--heads",
            .accepted = "a number of heads for which hidden / heads is even"};
    }
    return {};
}

// Scales and the like, which must be numbers that a kernel can use.
Result<void> checkNumbers(const ModelSpec &model)
{
    struct Number {
        const char *where;
        double value, least, most;
        const char *accepted;
    };
    const std::array<Number, 10> numbers{{
        {"norm_eps", model.norm.eps, 0, 1, "0 to 1, usually 1e-5"},
        {"attention_scale", model.attention.scale, 0, 1e6, "above 0, or 0 for the usual one"},
        {"attention_soft_cap", model.attention.softCap, 0, 1e6, "above 0, or 0 for none"},
        {"logit_soft_cap", model.head.softCap, 0, 1e6, "above 0, or 0 for none"},
        {"logit_scale", model.head.logitScale, 1e-6, 1e6, "above 0, usually 1"},
        {"embedding_scale", model.embedding.scale, 0, 1e6, "above 0, or 0 for the root of the hidden size"},
        {"branch_scale", model.block.branchScale, 1e-6, 1e6, "above 0, usually 1"},
        {"context_length", double(model.contextLength), 0, 1 << 30,
            "the maximum sequence length, or 0 if it is not known"},
        {"mlp_limit", model.mlp.limit, 0, 1e6, "above 0, or 0 for none"},
        {"capacity_factor", model.experts.capacityFactor, 0, 1e6, "above 0, or 0 for dropless"},
    }};
    for (const Number &number : numbers) {
        if (!(number.value >= number.least && number.value <= number.most))
            return Error{.what = fmt::format("{} is out of range", number.value),
                .where = number.where,
                .accepted = number.accepted};
    }
    if (model.position == Position::Learned && model.embedding.positions <= model.embedding.firstPosition)
        return Error{.what = "the learned position embedding has no positions",
            .where = "max_positions",
            .accepted = "the maximum sequence length"};
    return {};
}

Result<void> checkRopes(const ModelSpec &model)
{
    if (model.ropes.empty() || model.ropes.size() > 8)
        return Error{.what = fmt::format("the model has {} kinds of RoPE", model.ropes.size()),
            .where = "further_rope_thetas",
            .accepted = "1 to 8"};
    for (const Rope &rope : model.ropes) {
        if (!(rope.base > 0 && rope.base <= 1e15))
            return Error{.what = fmt::format("{} is not a valid RoPE base", rope.base),
                .where = &rope == &model.ropes.front() ? "rope_theta" : "further_rope_thetas",
                .accepted = "above 0, usually 10000"};
        const bool rotates = rope.fraction > 0 && rope.fraction <= 1 && model.attention.headDim * rope.fraction >= 2;
        if (model.position == Position::Rope && !rotates)
            return Error{.what = fmt::format("RoPE cannot rotate {} of the {} dimensions of a head", rope.fraction,
                             model.attention.headDim),
                .where = "rotary_fraction",
                .accepted = "above 0, up to 1, for at least 2 dimensions"};
        const int rotated = static_cast<int>(model.attention.headDim * rope.fraction);
        if (model.position == Position::Rope && rotated % 2 != 0)
            return Error{.what = fmt::format("RoPE cannot rotate {} of the {} dimensions of a head, an odd number",
                             rotated, model.attention.headDim),
                .where = "rotary_fraction",
                .accepted = "a fraction for an even number of dimensions"};
    }
    return {};
}

Result<void> checkLayers(const ModelSpec &model)
{
    if (model.pattern.empty() || model.pattern.size() > 1000)
        return Error{.what = fmt::format("the layer pattern has {} layers", model.pattern.size()),
            .where = "windows",
            .accepted = "1 to 1000"};
    for (const LayerKind &kind : model.pattern) {
        if (kind.window < 0)
            return Error{.what = fmt::format("{} is not a valid sliding window size", kind.window),
                .where = "windows",
                .accepted = "1 or more, or 0 for none"};
        if (kind.rope < kNoRope || kind.rope >= static_cast<int>(model.ropes.size()))
            return Error{.what = fmt::format("a layer uses RoPE number {}, which does not exist", kind.rope),
                .where = "ropes",
                .accepted = fmt::format("0 to {}, or -1 for none", model.ropes.size() - 1)};
    }
    return {};
}

Result<void> checkExperts(const ModelSpec &model)
{
    if (model.experts.count == 0 && model.experts.perToken > 0) {
        return Error{
            .what = fmt::format("{} experts per token are given for a model without experts", model.experts.perToken),
            .where = "--experts-per-token",
            .accepted = "0, or a model with experts (--experts)"};
    }
    if (model.experts.count > 0 && (model.experts.perToken < 1 || model.experts.perToken > model.experts.count)) {
        return Error{.what = fmt::format("{} experts per token, but the model has {} experts", model.experts.perToken,
                         model.experts.count),
            .where = "--experts-per-token",
            .accepted = fmt::format("1 to {}", model.experts.count)};
    }
    // Each expert has its own weights, each with a name and a shape.
    constexpr std::int64_t kMostWeights = 1'000'000, kOfExpert = 3;
    const std::int64_t most = kMostWeights / (kOfExpert * model.layers);
    if (model.experts.count > most)
        return Error{.what = fmt::format("{} layers of {} experts have more than {} weights", model.layers,
                         model.experts.count, kMostWeights),
            .where = "--experts",
            .accepted = fmt::format("at most {} experts for as many layers", most)};
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
    for (const auto check : {checkSizes, checkHeads, checkNumbers, checkRopes, checkLayers, checkExperts}) {
        if (Result<void> checked = check(model); !checked)
            return checked;
    }
    return {};
}

} // namespace slipway
