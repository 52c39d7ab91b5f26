// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The decoder that runs on GPUs, here on the processor: the same tensors, with the reference of the paged kernel.
#include "run/torch_decoder.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "run/decoder.h"
#include "run/generator.h"
#include "decoder_inputs.h"
#include "support/family_models.h"

namespace slipway {
namespace {

using testing::kPositions;
using testing::smallModelOf;
using testing::textOf;
using testing::unlike;

// Unequal inputs of three sequences, in two steps; the logits after each.
std::vector<float> logitsOf(SequenceDecoder &decoder)
{
    const std::vector<std::int32_t> texts[] = {textOf(23, 1), textOf(6, 2), textOf(37, 3)};
    std::vector<SequenceDecoder::Sequence> sequences;
    std::vector<float> all;
    for (int i = 0; i < 3; ++i)
        sequences.push_back(decoder.begin());
    for (const bool first : {true, false}) {
        std::vector<DecoderInput> inputs;
        for (std::size_t i = 0; i < 3; ++i) {
            const std::span<const std::int32_t> text(texts[i]);
            const std::size_t cut = std::min<std::size_t>(5 + 8 * i, text.size());
            inputs.push_back({sequences[i], first ? text.first(cut) : text.subspan(cut)});
            if (inputs.back().tokens.empty())
                inputs.pop_back();
        }
        const std::span<const float> logits = decoder.forward(inputs);
        all.insert(all.end(), logits.begin(), logits.end());
    }
    for (const SequenceDecoder::Sequence sequence : sequences)
        decoder.end(sequence);
    return all;
}

double distance(const std::vector<float> &a, const std::vector<float> &b)
{
    double square = 0, difference = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
        square += double(b[i]) * double(b[i]);
        difference += std::pow(double(a[i]) - double(b[i]), 2);
    }
    return std::sqrt(difference / square);
}

TEST(TorchDecoder, GivesTheLogitsOfTheOtherDecoderInEveryFamily)
{
    for (const ModelFamily &family : modelFamilies()) {
        const ModelSpec model = smallModelOf(family);
        const std::vector<HfWeight> weights = unlike(model);
        Decoder plain(model, weights, kPositions);
        const std::vector<float> expected = logitsOf(plain);
        for (const std::int64_t block : {1, 16, 128}) {
            TorchDecoder decoder(model, weights, kPositions, {.block = block}, DecoderType::Fp32, DecoderDevice::Cpu);
            const std::vector<float> logits = logitsOf(decoder);
            ASSERT_EQ(logits.size(), expected.size());
            EXPECT_LT(distance(logits, expected), 1e-5) << family.type << ", blocks of " << block;
            EXPECT_EQ(decoder.cacheInUse(), 0);
        }
        TorchDecoder narrow(model, weights, kPositions, {}, DecoderType::Bf16, DecoderDevice::Cpu);
        const double error = distance(logitsOf(narrow), expected);
        // The other decoder rounds weights and cache; this one activations too. Models differ in what that costs.
        Decoder rounded(model, weights, kPositions, {}, DecoderType::Bf16);
        EXPECT_LT(error, 4 * distance(logitsOf(rounded), expected)) << family.type;
        EXPECT_GT(error, 1e-5) << family.type;
    }
}

// The logits after prompts of these lengths, and after five more tokens of each sequence.
std::vector<float> logitsOfPrompts(SequenceDecoder &decoder, const std::vector<int> &lengths)
{
    std::vector<std::vector<std::int32_t>> texts;
    std::vector<SequenceDecoder::Sequence> sequences;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        texts.push_back(textOf(lengths[i] + 5, static_cast<int>(i) + 1));
        sequences.push_back(decoder.begin());
    }
    std::vector<float> all;
    for (const bool prompts : {true, false}) {
        std::vector<DecoderInput> inputs;
        for (std::size_t i = 0; i < texts.size(); ++i) {
            const std::span<const std::int32_t> text(texts[i]);
            inputs.push_back({sequences[i], prompts ? text.first(text.size() - 5) : text.last(5)});
        }
        const std::span<const float> logits = decoder.forward(inputs);
        all.insert(all.end(), logits.begin(), logits.end());
    }
    return all;
}

// The first prompt continues in a second piece, the next two end around the length from which attention within the
// prompt is computed without the cache.
TEST(TorchDecoder, GivesTheLogitsOfTheOtherDecoderAfterLongPrompts)
{
    constexpr std::int64_t kLong = 640;
    const std::vector<int> lengths{SequenceDecoder::kPieceRows + 70, 64, 63, 65, 1, 150};
    for (const ModelFamily &family : modelFamilies()) {
        const ModelSpec model = smallModelOf(family);
        if (model.position == Position::Learned)
            continue; // its table is shorter
        const std::vector<HfWeight> weights = unlike(model);
        Decoder plain(model, weights, kLong);
        TorchDecoder decoder(model, weights, kLong, {}, DecoderType::Fp32, DecoderDevice::Cpu);
        EXPECT_LT(distance(logitsOfPrompts(decoder, lengths), logitsOfPrompts(plain, lengths)), 2e-5) << family.type;
    }
}

TEST(TorchDecoder, GivesThemWithOtherModulesToo)
{
    ModelSpec model = smallModelOf(*familyOfType("llama"));
    model.attention.kvHeads = 1;
    model.attention.softCap = 2;
    model.head.softCap = 3;
    model.head.logitScale = 0.5;
    model.block.branchScale = 0.3;
    model.mlp.activation = Activation::Relu2;
    for (const Position position : {Position::Rope, Position::Alibi}) {
        model.position = position;
        const std::vector<HfWeight> weights = unlike(model);
        Decoder plain(model, weights, kPositions);
        TorchDecoder decoder(model, weights, kPositions, {}, DecoderType::Fp32, DecoderDevice::Cpu);
        EXPECT_LT(distance(logitsOf(decoder), logitsOf(plain)), 1e-5);
    }
}

TEST(TorchDecoder, AnswersSequencesThatJoinAndLeaveAndTakesTheBytesOfTheCache)
{
    const ModelSpec model = smallModelOf(*familyOfType("llama"));
    const std::vector<HfWeight> weights = unlike(model);
    Decoder plain(model, weights, kPositions, {.block = 4});
    TorchDecoder decoder(model, weights, kPositions, {.block = 4}, DecoderType::Fp32, DecoderDevice::Cpu);
    std::vector<std::vector<std::int32_t>> answers[2];
    std::vector<Bytes> bytes[2];
    for (const int which : {0, 1}) {
        SequenceDecoder &own = which == 0 ? static_cast<SequenceDecoder &>(plain) : decoder;
        Generator generator(own, {.sequences = 3, .tokens = 8});
        for (int i = 0; i < 6; ++i)
            ASSERT_TRUE(
                generator.add({.prompt = textOf(2 + 3 * i, i), .tokens = 1 + 2 * i, .options = {.temperature = 0}}));
        for (bool more = true; more;) {
            more = generator.step().value();
            bytes[which].push_back(own.cacheInUse());
        }
        for (std::size_t i = 0; i < 6; ++i)
            answers[which].push_back(generator.answer(i));
    }
    EXPECT_EQ(answers[0], answers[1]);
    EXPECT_EQ(bytes[0], bytes[1]);
}

} // namespace
} // namespace slipway
