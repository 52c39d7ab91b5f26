// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/inference/inference_step.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "hardware/catalogue.h"
#include "plan/kernel_work.h"
#include "plan/lifetimes.h"
#include "plan/walk.h"
#include "support/plan_fixtures.h"

namespace slipway {
namespace {

using testing::smallModel;

Flops flopsOf(const StepPlan &plan, OpKind kind)
{
    Flops flops = 0;
    forEachOp(plan, Repetitions::All, [&](const Visit &v) {
        if (plan.at(v.op.kernel).kind == kind)
            flops += plan.at(v.op.kernel).flops;
    });
    return flops;
}

Bytes bytesReadBy(const StepPlan &plan, OpKind kind)
{
    Bytes bytes = 0;
    forEachOp(plan, Repetitions::All, [&](const Visit &v) {
        if (plan.at(v.op.kernel).kind == kind)
            bytes += plan.at(v.op.kernel).bytesRead;
    });
    return bytes;
}

// A model of 4 layers that takes turns between a window of 100 keys and all of them.
ModelSpec windowedModel()
{
    ModelSpec model = smallModel();
    model.layers = 4;
    model.pattern = {{.window = 100}, {.window = 0}};
    return model;
}

ModelSpec smallExpertModel()
{
    ModelSpec model = smallModel();
    model.experts = {.count = 8, .perToken = 2};
    return model;
}

TEST(InferencePlan, WeightsOnOneRankAreTwoBytesAParameterForEveryModelOfTheCatalogue)
{
    const Catalogue catalogue = loadCatalogue().value();
    for (const CatalogueModel &model : catalogue.models)
        EXPECT_EQ(inferenceWeights(model.spec, {}).all(model.spec.layers), 2 * parameterCount(model.spec))
            << model.spec.name;
}

TEST(InferencePlan, HasNoFaultForAnyModelOfTheCatalogue)
{
    const Catalogue catalogue = loadCatalogue().value();
    for (const CatalogueModel &model : catalogue.models) {
        for (const bool fused : {true, false}) {
            StepPlan plan = buildInferenceStep(model.spec, {.fusedAttention = fused, .growsCache = !fused},
                {.decoding = 3, .decodePast = 40, .prefilling = 2, .prefillTokens = 17, .prefillPast = 5});
            EXPECT_TRUE(markAllocations(plan).empty()) << model.spec.name;
            EXPECT_EQ(plan.workload, Workload::Inference);
        }
    }
}

TEST(InferencePlan, RanksShareWhatIsSplitAndRepeatNorms)
{
    const ModelSpec model = smallModel();
    const InferenceWeights whole = inferenceWeights(model, {}), half = inferenceWeights(model, {.tp = 2});
    const Bytes norms = 2 * 2 * model.hidden; // two norms of a layer, 2 bytes each
    EXPECT_EQ(2 * half.layer - norms, whole.layer);
    EXPECT_EQ(2 * half.embedding, whole.embedding);
    EXPECT_EQ(2 * half.head - 2 * model.hidden, whole.head);
}

TEST(InferencePlan, QuantizedWeightsTakeTheirBitsAndTablesStay)
{
    const ModelSpec model = smallModel();
    const std::int64_t linear = blockParameterCount(model) - 2 * model.hidden;
    EXPECT_EQ(inferenceWeights(model, {.weightBits = 8}).layer, linear + 2 * 2 * model.hidden);
    EXPECT_EQ(inferenceWeights(model, {.weightBits = 4.25}).layer, linear * 17 / 32 + 2 * 2 * model.hidden);
    EXPECT_EQ(inferenceWeights(model, {.weightBits = 4}).embedding, inferenceWeights(model, {}).embedding);
}

TEST(InferencePlan, ATokenInTheCacheIsAKeyAndAValueForEveryKeyHead)
{
    ModelSpec model = smallModel();
    model.attention = {.heads = 32, .kvHeads = 8, .headDim = 128};
    EXPECT_EQ(cacheBytesPerToken(model, {}), 2 * 8 * 128 * 2); // LLaMA 3 8B
    EXPECT_EQ(cacheBytesPerToken(model, {.cacheBits = 8}), 2 * 8 * 128);
    EXPECT_EQ(cacheBytesPerToken(model, {.tp = 4}), 2 * 2 * 128 * 2);
    EXPECT_EQ(cacheBytesPerToken(model, {.tp = 16}), 2 * 1 * 128 * 2); // heads are copied, not split
}

TEST(InferencePlan, GemmsOfADecodeStepTakeTwoFlopsForEachParameterAndToken)
{
    const ModelSpec model = smallModel();
    for (const std::int64_t batch : {1, 7, 64}) {
        const StepPlan plan = buildInferenceStep(model, {}, {.decoding = batch, .decodePast = 100});
        EXPECT_DOUBLE_EQ(flopsOf(plan, OpKind::Gemm), 2.0 * double(matmulParameterCount(model)) * double(batch));
    }
}

TEST(InferencePlan, GemmsOfADecodeStepReadEveryMatrixOnceAsItIsStored)
{
    const ModelSpec model = smallModel();
    const std::int64_t layers = matmulParameterCount(model) - std::int64_t{model.vocab} * model.hidden;
    const auto read = [&](const InferenceLayout &layout, std::int64_t batch) {
        return bytesReadBy(buildInferenceStep(model, layout, {.decoding = batch, .decodePast = 9}), OpKind::Gemm);
    };
    const Bytes activations = read({}, 2) - read({}, 1); // of one row
    EXPECT_EQ(read({}, 1) - activations, 2 * matmulParameterCount(model));
    EXPECT_EQ(read({.weightBits = 4}, 1) - activations, layers / 2 + 2 * std::int64_t{model.vocab} * model.hidden);
}

TEST(InferencePlan, ExpertsThatNoTokenChoosesAreNotRead)
{
    const ExpertsModule experts{.count = 8, .perToken = 2};
    EXPECT_EQ(expertsTouched(experts, 1), 2);
    EXPECT_EQ(expertsTouched(experts, 2), 4); // 8 (1 - 0.75^2) = 3.5
    EXPECT_EQ(expertsTouched(experts, 4), 5); // 8 (1 - 0.75^4) = 5.47
    EXPECT_EQ(expertsTouched(experts, 100), 8);
    EXPECT_EQ(expertsTouched({.count = 0}, 5), 0);
    const ModelSpec model = smallExpertModel();
    const auto read = [&](std::int64_t batch) {
        return bytesReadBy(buildInferenceStep(model, {}, {.decoding = batch, .decodePast = 9}), OpKind::GroupedGemm);
    };
    const Bytes expert = 2 * 3 * std::int64_t{model.hidden} * model.mlp.width;
    EXPECT_GE(read(1), model.layers * 2 * expert);
    EXPECT_LT(read(1), model.layers * 3 * expert);
    EXPECT_GE(read(100), model.layers * 8 * expert);
}

TEST(InferencePlan, AttentionOfAPromptInPartsIsThatOfTheWhole)
{
    for (const ModelSpec &model : {smallModel(), windowedModel()}) {
        const auto flops = [&](std::int64_t past, std::int64_t tokens) {
            return flopsOf(
                buildInferenceStep(model, {}, {.prefilling = 1, .prefillTokens = tokens, .prefillPast = past}),
                OpKind::FlashAttention);
        };
        const Flops whole = flops(0, 512);
        EXPECT_DOUBLE_EQ(flops(0, 100) + flops(100, 300) + flops(400, 112), whole);
    }
}

TEST(InferencePlan, AttentionCountsThePairsThatAQuerySees)
{
    const ModelSpec model = windowedModel();
    const auto &a = model.attention;
    for (const auto &[past, tokens] : {std::pair(0, 50), std::pair(0, 300), std::pair(60, 90), std::pair(250, 20)}) {
        double pairs = 0;
        for (int layer = 0; layer < model.layers; ++layer) {
            const int window = model.kindOf(layer).window;
            for (int query = past + 1; query <= past + tokens; ++query)
                pairs += window > 0 ? std::min(window, query) : query;
        }
        const StepPlan plan =
            buildInferenceStep(model, {}, {.prefilling = 3, .prefillTokens = tokens, .prefillPast = past});
        EXPECT_DOUBLE_EQ(flopsOf(plan, OpKind::FlashAttention), 3 * 4.0 * a.heads * a.headDim * pairs);
    }
}

TEST(InferencePlan, DecodingReadsTheWholeCacheAndOfAWindowWhatItSees)
{
    const ModelSpec model = windowedModel();
    const auto read = [&](std::int64_t past) {
        const Bytes queries = 5 * model.queryWidth() * 2 * model.layers;
        return bytesReadBy(buildInferenceStep(model, {}, {.decoding = 5, .decodePast = past}), OpKind::FlashAttention) -
               queries;
    };
    const Bytes token = cacheBytesPerToken(model, {});
    EXPECT_EQ(read(49), 5 * 4 * 50 * token);
    EXPECT_EQ(read(999), 5 * (2 * 100 + 2 * 1000) * token);
}

TEST(InferencePlan, RanksSumTwiceALayerAndGatherTheLogits)
{
    const ModelSpec model = smallModel();
    const StepPlan plan = buildInferenceStep(model, {.tp = 2}, {.decoding = 6, .decodePast = 10});
    Bytes summed = 0, gathered = 0;
    forEachOp(plan, Repetitions::All, [&](const Visit &v) {
        const Kernel &kernel = plan.at(v.op.kernel);
        summed += kernel.kind == OpKind::AllReduce ? kernel.messageBytes : 0;
        gathered += kernel.kind == OpKind::AllGather ? kernel.messageBytes : 0;
    });
    EXPECT_EQ(summed, model.layers * 2 * 6 * model.hidden * 2);
    EXPECT_EQ(gathered, 6 * model.vocab * 2);
}

TEST(InferencePlan, AKernelWithoutACacheCountsAsBefore)
{
    Kernel plain{.kind = OpKind::FlashAttention,
        .type = DType::Bf16,
        .batch = 2,
        .seq = 64,
        .heads = 4,
        .kvHeads = 2,
        .headDim = 16};
    addWork(plain);
    EXPECT_DOUBLE_EQ(plain.flops, 0.5 * 4.0 * 2 * 4 * 64 * 64 * 16);
}

} // namespace
} // namespace slipway
