// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/decoder.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "comm/communicator.h"
#include "exec/executor.h"
#include "plan/build_plan.h"
#include "support/family_models.h"

namespace slipway {
namespace {

using testing::smallModelOf;

const std::vector<std::int32_t> kIds{1, 8, 43, 26, 5, 0, 63, 12, 9, 30, 1, 99, 17};

// Every weight counts, norms and biases too, and norms stay near what they begin with.
std::vector<HfWeight> unlike(const ModelSpec &model)
{
    std::vector<HfWeight> weights = weightsOf(model);
    const std::vector<ModelWeight> known = modelWeights(model);
    int next = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        std::int64_t count = 1;
        for (const std::int64_t extent : weights[i].shape)
            count *= extent;
        const float middle = known[i].init == WeightInit::Ones ? 1.0F : 0.0F;
        for (std::int64_t j = 0; j < count; ++j)
            weights[i].values.push_back(middle + 0.2F * std::sin(static_cast<float>(++next) * 1.7F));
    }
    return weights;
}

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
