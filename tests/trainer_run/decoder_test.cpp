// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/decoder.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "comm/communicator.h"
#include "cpu_ops/few_rows.h"
#include "exec/executor.h"
#include "plan/build_plan.h"
#include "decoder_inputs.h"
#include "support/family_models.h"

namespace slipway {
namespace {

using testing::smallModelOf;
using testing::unlike;

const std::vector<std::int32_t> kIds{1, 8, 43, 26, 5, 0, 63, 12, 9, 30, 1, 99, 17};

// The logits of every place, by the plan's own forward ops.
std::vector<float> logitsOf(const ModelSpec &model, const std::vector<HfWeight> &weights)
{
    RunConfig config;
    config.precision = Precision::Fp32;
    config.microBatch = 1;
    config.seqLen = std::ssize(kIds);
    const Result<RunPlan> built = buildPlan(config, model);
    EXPECT_TRUE(built) << model.family << ": " << built.error().message();
    const StepPlan &plan = built->stages.front();
    SingleCommunicator alone;
    const auto executor = std::move(Executor::create(plan, model, alone)).value();
    for (const WeightView &view : executor->weights()) {
        const auto named = std::find_if(
            weights.begin(), weights.end(), [&](const HfWeight &weight) { return weight.name == view.name; });
        std::copy_n(named->values.begin(), view.count, view.master);
    }
    executor->uploadWeights();
    std::vector<float> logits;
    executor->setObserver([&](const OpEvent &event) {
        if (event.before && plan.at(event.op.kernel).kind == OpKind::CrossEntropy) {
            const auto bytes = executor->bytesOf(event.op.reads[0], event.slot, event.microBatch);
            const auto *values = reinterpret_cast<const float *>(bytes.data());
            logits.insert(logits.end(), values, values + plan.at(event.op.kernel).m * plan.at(event.op.kernel).n);
        }
    });
    EXPECT_TRUE(executor->evaluate({.tokens = kIds, .targets = kIds}));
    return logits;
}

// What cross-entropy does to logits before it normalizes them.
double finished(const HeadModule &head, float logit)
{
    const double scaled = head.logitScale * static_cast<double>(logit);
    return head.softCap > 0 ? head.softCap * std::tanh(scaled / head.softCap) : scaled;
}

void expectTheLogitsOfTheWholeText(const ModelSpec &model, const std::string &what)
{
    const std::vector<HfWeight> weights = unlike(model);
    const std::vector<float> whole = logitsOf(model, weights);
    Decoder decoder(model, weights, std::ssize(kIds));
    for (int again = 0; again < 2; ++again) {
        decoder.forget();
        for (std::size_t place = 0; place < kIds.size(); ++place) {
            const std::span<const float> logits = decoder.next(kIds[place]);
            ASSERT_EQ(logits.size() * kIds.size(), whole.size());
            for (std::size_t i = 0; i < logits.size(); ++i)
                ASSERT_NEAR(
                    static_cast<double>(logits[i]), finished(model.head, whole[place * logits.size() + i]), 2e-4)
                    << what << ": " << place << ", " << i;
        }
    }
}

TEST(Decoder, TokenByTokenGivesTheLogitsOfTheWholeTextInEveryFamily)
{
    for (const ModelFamily &family : modelFamilies()) {
        ModelSpec model = smallModelOf(family);
        model.dropout = false;
        expectTheLogitsOfTheWholeText(model, std::string(family.type));
    }
}

TEST(Decoder, GivesThemWithOtherModulesToo)
{
    ModelSpec model = smallModelOf(*familyOfType("llama"));
    model.attention.kvHeads = 1;
    model.attention.softCap = 2;
    model.head.softCap = 3;
    model.head.logitScale = 0.5;
    model.block.branchScale = 0.3;
    model.mlp.activation = Activation::Relu2;
    expectTheLogitsOfTheWholeText(model, "caps and scales");
    model.position = Position::Alibi;
    expectTheLogitsOfTheWholeText(model, "ALiBi");
}

std::vector<HfWeight> roundedToBf16(std::vector<HfWeight> weights)
{
    for (HfWeight &weight : weights) {
        std::vector<std::uint16_t> narrowed(weight.values.size());
        cpu_ops::convertToBf16(std::ssize(weight.values), weight.values.data(), narrowed.data());
        cpu_ops::convertToFp32(std::ssize(narrowed), narrowed.data(), weight.values.data());
    }
    return weights;
}

// Keys and values are rounded too, which these models of large weights make into 1 to 3 % of the logits.
TEST(Decoder, InBf16ComputesTheModelWhoseWeightsAreRoundedInEveryFamily)
{
    for (const ModelFamily &family : modelFamilies()) {
        const ModelSpec model = smallModelOf(family);
        const std::vector<HfWeight> weights = unlike(model);
        Decoder wide(model, roundedToBf16(weights), std::ssize(kIds));
        Decoder narrow(model, weights, std::ssize(kIds), {.block = 4}, DecoderType::Bf16);
        EXPECT_EQ(narrow.cache().bytesOfBlock(), 4 * 2 * model.layers * model.kvWidth() * 2);
        double square = 0, difference = 0;
        for (const std::int32_t id : kIds) {
            const std::span<const float> expected = wide.next(id), logits = narrow.next(id);
            for (std::size_t i = 0; i < logits.size(); ++i) {
                square += double(expected[i]) * double(expected[i]);
                difference += std::pow(double(logits[i]) - double(expected[i]), 2);
            }
        }
        EXPECT_LT(std::sqrt(difference / square), 0.04) << family.type;
        EXPECT_GT(difference, 0) << family.type;
    }
}

TEST(Decoder, InBf16TakesAPromptAtOnceAsItTakesItATokenAtATime)
{
    const ModelSpec model = smallModelOf(*familyOfType("llama"));
    std::vector<std::int32_t> text; // more rows than those for which each weight is read once
    for (int i = 0; i < 50; ++i)
        text.push_back((7 * i + 3) % 61);
    Decoder decoder(model, unlike(model), std::ssize(text), {}, DecoderType::Bf16);
    const std::span<const float> at = decoder.read(text);
    const std::vector<float> once(at.begin(), at.end());
    decoder.forget();
    std::span<const float> last;
    for (const std::int32_t id : text)
        last = decoder.next(id);
    for (std::size_t i = 0; i < once.size(); ++i)
        ASSERT_NEAR(once[i], last[i], 0.03) << i;
}

TEST(Decoder, HasNoMorePositionsThanTheModelHasLearned)
{
    ModelSpec model = smallModelOf(*familyOfType("opt")); // 66 rows, the first two of no token
    model.layers = 1;
    Decoder decoder(model, unlike(model), 1000);
    EXPECT_EQ(decoder.positions(), 64);
    for (int i = 0; i < 64; ++i)
        decoder.next(i);
    EXPECT_THROW(decoder.next(0), std::logic_error);
}

} // namespace
} // namespace slipway
