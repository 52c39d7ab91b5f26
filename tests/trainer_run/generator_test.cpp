// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/generator.h"

#include <cmath>

#include <gtest/gtest.h>

#include "run/decoder.h"
#include "decoder_inputs.h"
#include "support/family_models.h"

namespace slipway {
namespace {

using testing::kPositions;
using testing::smallModelOf;
using testing::textOf;
using testing::unlike;

// The likeliest answer, a token at a time, by a sequence alone.
std::vector<std::int32_t> answerAlone(Decoder &decoder, const std::vector<std::int32_t> &prompt, std::int64_t tokens)
{
    const SampleOptions likeliest{.temperature = 0};
    std::mt19937_64 random;
    decoder.forget();
    std::vector<std::int32_t> answer;
    std::int32_t next = 0;
    for (const std::int32_t id : prompt)
        next = drawToken(decoder.next(id), likeliest, random);
    while (std::ssize(answer) < tokens) {
        answer.push_back(next);
        if (std::ssize(answer) < tokens)
            next = drawToken(decoder.next(next), likeliest, random);
    }
    return answer;
}

void runAll(Generator &generator)
{
    for (int step = 0; step < 10'000; ++step) {
        const Result<bool> more = generator.step();
        ASSERT_TRUE(more) << more.error().message();
        if (!*more)
            return;
    }
    FAIL() << "goes on and on";
}

TEST(PagedDecoder, RaggedPartsInBlocksOfAnySizeGiveTheLogitsOfATokenAtATimeInEveryFamily)
{
    for (const ModelFamily &family : modelFamilies()) {
        const ModelSpec model = smallModelOf(family);
        const std::vector<HfWeight> weights = unlike(model);
        const std::vector<std::int32_t> texts[] = {textOf(23, 1), textOf(5, 2), textOf(37, 3)};
        Decoder alone(model, weights, kPositions);
        for (const std::int64_t block : {1, 16, 128}) {
            Decoder decoder(model, weights, kPositions, {.block = block});
            std::vector<KvCache::Sequence> sequences;
            for (std::size_t i = 0; i < 3; ++i)
                sequences.push_back(decoder.begin());
            // Parts of 4, 1 and 9 tokens; a sequence that has no more leaves the step.
            const std::size_t sizes[] = {4, 1, 9};
            std::size_t taken[] = {0, 0, 0};
            std::vector<std::vector<float>> last(3);
            while (taken[0] + taken[1] + taken[2] < 23 + 5 + 37) {
                std::vector<DecoderInput> inputs;
                std::vector<std::size_t> whose;
                for (std::size_t i = 0; i < 3; ++i) {
                    const std::size_t count = std::min(sizes[i], texts[i].size() - taken[i]);
                    if (count == 0)
                        continue;
                    inputs.push_back({sequences[i], std::span(texts[i]).subspan(taken[i], count)});
                    whose.push_back(i);
                    taken[i] += count;
                }
                const std::span<const float> logits = decoder.forward(inputs);
                const auto vocab = static_cast<std::size_t>(model.vocab);
                ASSERT_EQ(logits.size(), inputs.size() * vocab);
                for (std::size_t i = 0; i < whose.size(); ++i)
                    last[whose[i]].assign(logits.begin() + static_cast<std::ptrdiff_t>(i * vocab),
                        logits.begin() + static_cast<std::ptrdiff_t>((i + 1) * vocab));
            }
            for (std::size_t i = 0; i < 3; ++i) {
                alone.forget();
                std::span<const float> expected;
                for (const std::int32_t id : texts[i])
                    expected = alone.next(id);
                for (std::size_t v = 0; v < expected.size(); ++v)
                    ASSERT_NEAR(last[i][v], expected[v], 2e-4) << family.type << ", blocks of " << block << ": " << i;
            }
        }
    }
}

TEST(PagedDecoder, BlocksChangeNoBit)
{
    const ModelSpec model = smallModelOf(*familyOfType("llama"));
    const std::vector<std::int32_t> text = textOf(40, 5);
    std::vector<float> first;
    for (const std::int64_t block : {1, 7, 16, 128}) {
        Decoder decoder(model, unlike(model), kPositions, {.block = block});
        const std::span<const float> logits = decoder.read(text);
        if (first.empty())
            first.assign(logits.begin(), logits.end());
        EXPECT_TRUE(std::equal(first.begin(), first.end(), logits.begin())) << block;
    }
}

TEST(PagedDecoder, TakesTextsLongerThanAPiece)
{
    const ModelSpec model = smallModelOf(*familyOfType("llama"));
    const std::vector<std::int32_t> text = textOf(static_cast<int>(Decoder::kPieceRows) + 40, 5);
    Decoder decoder(model, unlike(model), std::ssize(text));
    const std::span<const float> whole = decoder.read(text);
    const std::vector<float> expected(whole.begin(), whole.end());
    decoder.forget();
    decoder.read(std::span(text).first(300));
    const std::span<const float> logits = decoder.read(std::span(text).subspan(300));
    for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_NEAR(logits[i], expected[i], 2e-4);
}

TEST(KvCache, HoldsWholeBlocksAndGivesThemBack)
{
    const ModelSpec model = smallModelOf(*familyOfType("llama"));
    KvCache cache(model, {.block = 4, .blocks = 3});
    EXPECT_EQ(cache.bytesOfBlock(), 4 * 2 * model.layers * model.kvWidth() * 4);
    const KvCache::Sequence one = cache.begin(), two = cache.begin();
    EXPECT_TRUE(cache.reserve(one, 5));
    EXPECT_EQ(cache.blocksInUse(), 2);
    EXPECT_FALSE(cache.reserve(two, 5));
    EXPECT_TRUE(cache.reserve(two, 4));
    EXPECT_FALSE(cache.hasRoom(1));
    cache.advance(one, 5);
    EXPECT_TRUE(cache.reserve(one, 3)); // the rest of its block
    EXPECT_FALSE(cache.reserve(one, 4));
    cache.end(one);
    EXPECT_EQ(cache.bytesInUse(), cache.bytesOfBlock());
    EXPECT_TRUE(cache.hasRoom(8));
    EXPECT_EQ(cache.begin(), one); // its number is free again
}

TEST(Generator, WithPromptsFirstNoSequenceDecodesBeforeAllHaveATokenAndTheAnswersAreTheSame)
{
    const ModelSpec model = smallModelOf(*familyOfType("llama"));
    const std::vector<HfWeight> weights = unlike(model);
    Decoder alone(model, weights, kPositions);
    Decoder decoder(model, weights, kPositions, {.block = 4});
    Generator generator(decoder, {.sequences = 3, .tokens = 5, .promptsFirst = true});
    const std::vector<std::vector<std::int32_t>> prompts{textOf(3, 1), textOf(1, 2), textOf(14, 3)};
    for (const std::vector<std::int32_t> &prompt : prompts)
        ASSERT_TRUE(generator.add({.prompt = prompt, .tokens = 6, .options = {.temperature = 0}}));
    while (generator.answer(2).empty()) {
        ASSERT_TRUE(generator.step());
        EXPECT_LE(std::ssize(generator.answer(0)), 1);
        EXPECT_LE(std::ssize(generator.answer(1)), 1);
    }
    runAll(generator);
    for (std::size_t i = 0; i < prompts.size(); ++i)
        EXPECT_EQ(generator.answer(i), answerAlone(alone, prompts[i], 6)) << i;
}

TEST(Generator, WithPromptsFirstPreemptedSequencesComeToAnEndToo)
{
    const ModelSpec model = smallModelOf(*familyOfType("llama"));
    const std::vector<HfWeight> weights = unlike(model);
    Decoder alone(model, weights, kPositions);
    Decoder decoder(model, weights, kPositions, {.block = 4, .blocks = 9});
    Generator generator(decoder, {.sequences = 4, .tokens = 8, .promptsFirst = true});
    for (int i = 0; i < 4; ++i)
        ASSERT_TRUE(generator.add({.prompt = textOf(6, i), .tokens = 12, .options = {.temperature = 0}}));
    runAll(generator);
    EXPECT_GT(generator.preemptions(), 0);
    for (int i = 0; i < 4; ++i)
        EXPECT_EQ(generator.answer(static_cast<std::size_t>(i)), answerAlone(alone, textOf(6, i), 12)) << i;
}

TEST(Generator, AnswersManyAsItAnswersOne)
{
    for (const char *type : {"llama", "gpt2", "mixtral", "gemma2"}) {
        const ModelSpec model = smallModelOf(*familyOfType(type));
        const std::vector<HfWeight> weights = unlike(model);
        Decoder alone(model, weights, kPositions), decoder(model, weights, kPositions, {.block = 4});
        // Five at once of nine, and steps of 8 tokens: they join and leave, and prompts are processed in chunks.
        Generator generator(decoder, {.sequences = 5, .tokens = 8});
        for (int i = 0; i < 9; ++i)
            ASSERT_TRUE(
                generator.add({.prompt = textOf(3 + 4 * i, i), .tokens = 1 + i % 7, .options = {.temperature = 0}}));
        runAll(generator);
        for (int i = 0; i < 9; ++i) {
            ASSERT_TRUE(generator.isDone(static_cast<std::size_t>(i)));
            EXPECT_EQ(
                generator.answer(static_cast<std::size_t>(i)), answerAlone(alone, textOf(3 + 4 * i, i), 1 + i % 7))
                << type << " " << i;
        }
        EXPECT_EQ(decoder.cache().blocksInUse(), 0);
    }
}

TEST(Generator, SequencesThatGiveWayAnswerAllTheSame)
{
    const ModelSpec model = smallModelOf(*familyOfType("llama"));
    const std::vector<HfWeight> weights = unlike(model);
    Decoder alone(model, weights, kPositions), decoder(model, weights, kPositions, {.block = 2, .blocks = 14});
    Generator generator(decoder, {.sequences = 4});
    for (int i = 0; i < 4; ++i)
        ASSERT_TRUE(generator.add({.prompt = textOf(5, i), .tokens = 15, .options = {.temperature = 0}}));
    runAll(generator);
    EXPECT_GT(generator.preemptions(), 0);
    for (int i = 0; i < 4; ++i)
        EXPECT_EQ(generator.answer(static_cast<std::size_t>(i)), answerAlone(alone, textOf(5, i), 15)) << i;
}

TEST(Generator, ASampledAnswerDependsOnItsOwnSeedAlone)
{
    const ModelSpec model = smallModelOf(*familyOfType("llama"));
    Decoder decoder(model, unlike(model), kPositions);
    const auto answers = [&](int others) {
        Generator generator(decoder, {});
        EXPECT_TRUE(generator.add({.prompt = textOf(6, 1), .tokens = 12, .options = {.temperature = 1, .seed = 3}}));
        for (int i = 0; i < others; ++i)
            EXPECT_TRUE(generator.add({.prompt = textOf(4, i), .tokens = 9, .options = {.temperature = 1, .seed = 8}}));
        runAll(generator);
        return generator.answer(0);
    };
    EXPECT_EQ(answers(0), answers(3));
}

TEST(Generator, EndsAtTheStopTokenAndNamesWhatItCannotTake)
{
    const ModelSpec model = smallModelOf(*familyOfType("llama"));
    const std::vector<HfWeight> weights = unlike(model);
    Decoder decoder(model, weights, kPositions, {.block = 4, .blocks = 2});
    Generator generator(decoder, {});
    EXPECT_EQ(generator.add({.prompt = {}, .tokens = 1}).error().where, "the prompt");
    EXPECT_NE(generator.add({.prompt = {9999}, .tokens = 1}).error().message().find("9999"), std::string::npos);
    EXPECT_EQ(generator.add({.prompt = textOf(40, 1), .tokens = 9}).error().where, "the request");
    Decoder alone(model, weights, kPositions);
    const std::vector<std::int32_t> free = answerAlone(alone, textOf(3, 1), 4);
    ASSERT_TRUE(generator.add({.prompt = textOf(3, 1), .tokens = 4, .options = {.temperature = 0}, .stop = free[0]}));
    runAll(generator);
    EXPECT_TRUE(generator.answer(0).empty());
    ASSERT_TRUE(generator.add({.prompt = textOf(20, 1), .tokens = 4}));
    EXPECT_EQ(generator.step().error().where, "the cache");
}

} // namespace
} // namespace slipway
