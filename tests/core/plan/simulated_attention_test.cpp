// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What simulated frameworks launch and keep around attention: the scores' kernels, copies of heads, gradients of views.
#include <map>

#include <gtest/gtest.h>

#include "plan/build_plan.h"
#include "plan/walk.h"
#include "support/plan_fixtures.h"
#include "support/torch_version.h"

namespace slipway {
namespace {

using testing::compiledConfig;
using testing::planOf;
using testing::smallConfig;
using testing::smallModel;

RunConfig eagerConfig(Precision precision)
{
    RunConfig c = smallConfig();
    c.framework = Framework::PytorchEager;
    c.attention = Attention::Vanilla;
    c.precision = precision;
    return c;
}

ModelSpec gptModel()
{
    ModelSpec m = smallModel();
    m.norm.kind = NormKind::LayerNorm;
    m.mlp = {.width = m.mlp.width, .gated = false, .activation = Activation::GeluErf};
    m.position = Position::Learned;
    return m;
}

// Names of ops by the bytes that one of them moves.
std::map<std::string, Bytes> bytesByOp(const StepPlan &plan)
{
    std::map<std::string, Bytes> bytes;
    forEachOp(plan, Repetitions::Once,
        [&](const Visit &v) { bytes[v.op.name] = plan.at(v.op.kernel).bytesRead + plan.at(v.op.kernel).bytesWritten; });
    return bytes;
}

std::int64_t scoresOf(const RunConfig &c) { return c.microBatch * smallModel().attention.heads * c.seqLen * c.seqLen; }

// PyTorch 2.11 under a dispatch mode: F.softmax(x, dtype=torch.float32) of fp16 is one _softmax, of bf16 a _to_copy
// before it.
TEST(EagerSoftmax, readsFp16ItselfAndAnFp32CopyOfBf16)
{
    const RunConfig half = eagerConfig(Precision::Fp16Mixed), brain = eagerConfig(Precision::Bf16Mixed);
    const std::map<std::string, Bytes> fp16 = bytesByOp(planOf(half)), bf16 = bytesByOp(planOf(brain));
    EXPECT_FALSE(fp16.contains("softmax_upcast"));
    EXPECT_EQ(fp16.at("softmax"), scoresOf(half) * (2 + 4));
    EXPECT_EQ(fp16.at("softmax_backward"), scoresOf(half) * (4 + 4 + 2));
    EXPECT_EQ(bf16.at("softmax_upcast"), scoresOf(brain) * (2 + 4));
    EXPECT_EQ(bf16.at("softmax"), scoresOf(brain) * (4 + 4));
    EXPECT_EQ(bf16.at("softmax_backward"), scoresOf(brain) * (4 + 4 + 4));
    EXPECT_EQ(bf16.at("softmax_upcast_backward"), scoresOf(brain) * (4 + 2));
}

// SoftmaxBackward0 holds self_ and result_ in the headers of PyTorch 1.10, result_ alone in those of 1.11.
TEST(EagerSoftmax, keepsItsInputForBackwardBeforePytorch111)
{
    RunConfig c = eagerConfig(Precision::Fp16Mixed);
    const auto reads = [&](const char *torch) {
        testing::setTorch(c, torch);
        const StepPlan plan = planOf(c);
        std::size_t n = 0;
        forEachOp(plan, Repetitions::Once,
            [&](const Visit &v) { n = v.op.name == "softmax_backward" ? v.op.reads.size() : n; });
        return n;
    };
    EXPECT_EQ(reads("1.10"), reads("1.11") + 1);
}

// GPT-2 leaves its soft-max to autocast, GPT-NeoX and OPT since Transformers gave all models one function for it, and
// Phi always, ask for fp32.
TEST(EagerSoftmax, isLeftInHalfPrecisionByGpt2AndByOlderModels)
{
    ModelSpec gpt2 = smallModel();
    gpt2.norm.kind = NormKind::LayerNorm;
    gpt2.mlp = {.width = gpt2.mlp.width, .gated = false, .activation = Activation::GeluErf};
    gpt2.position = Position::Learned;
    gpt2.embedding.positions = 64;
    ModelSpec neox = gpt2, phi = gpt2, opt = gpt2;
    neox.position = phi.position = Position::Rope;
    phi.attention.splitQkv = opt.attention.splitQkv = true;
    opt.mlp.activation = Activation::Relu;
    enum class Models : std::uint8_t { Older, Todays };
    const auto upcasts = [&](const ModelSpec &model, Models models) {
        RunConfig c = eagerConfig(Precision::Bf16);
        c.simulated.olderModels = models == Models::Older;
        return bytesByOp(buildPlan(c, model).value().stages.front()).contains("softmax_upcast");
    };
    EXPECT_FALSE(upcasts(gpt2, Models::Older));
    EXPECT_FALSE(upcasts(gpt2, Models::Todays));
    for (const ModelSpec &model : {neox, opt}) {
        EXPECT_FALSE(upcasts(model, Models::Older));
        EXPECT_TRUE(upcasts(model, Models::Todays));
    }
    EXPECT_TRUE(upcasts(phi, Models::Older));
    EXPECT_TRUE(upcasts(phi, Models::Todays));
}

// Counted over a GPT block in eager PyTorch 2.11 with autocast's casts: three clones before torch.matmul and one after
// it; backward clones two gradients and concatenates three.
TEST(EagerHeads, areCopiedForGemmsOverScoresAndJoinedInBackward)
{
    const RunConfig c = eagerConfig(Precision::Bf16Mixed);
    const Bytes stream = c.microBatch * c.seqLen * 32 * 2;
    ModelSpec gpt = gptModel();
    gpt.attention.kvHeads = gpt.attention.heads;
    const std::map<std::string, Bytes> vanilla = bytesByOp(planOf(c, gpt));
    EXPECT_EQ(vanilla.at("heads"), 3 * 2 * stream);
    EXPECT_EQ(vanilla.at("heads_backward"), (2 + 3) * 2 * stream);
    EXPECT_EQ(vanilla.at("merged_heads"), 2 * stream);
    RunConfig fused = c;
    fused.attention = Attention::Flash;
    const std::map<std::string, Bytes> flash = bytesByOp(planOf(fused, gpt));
    EXPECT_FALSE(flash.contains("heads"));
    EXPECT_EQ(flash.at("qkv_join"), 3 * 2 * stream);
    fused.framework = Framework::Megatron;
    EXPECT_FALSE(bytesByOp(planOf(fused, gpt)).contains("qkv_join"));
}

// Of cp parts of a causal sequence the last one pairs with cp - 1/2 parts, the mean one with cp / 2.
TEST(ContextParallelism, waitsForTheLastPartBeforePytorch26)
{
    RunConfig c = smallConfig();
    c.framework = Framework::PytorchEager;
    c.precision = Precision::Bf16;
    c.parallel = {.gpus = 4, .cp = 4};
    const auto flops = [&](const char *torch) {
        testing::setTorch(c, torch);
        const StepPlan plan = planOf(c);
        double sum = 0;
        forEachOp(plan, Repetitions::Once,
            [&](const Visit &v) { sum += v.op.name == "attention" ? plan.at(v.op.kernel).flops : 0; });
        return sum;
    };
    EXPECT_DOUBLE_EQ(flops("2.5") / flops("2.6"), 2 - 1.0 / 4);
    c.framework = Framework::Megatron;
    EXPECT_DOUBLE_EQ(flops("2.5"), flops("2.6"));
}

TEST(EagerResidual, castsItsGradientWhereAHalfTensorWasAddedToAWideOne)
{
    RunConfig c = eagerConfig(Precision::Bf16Mixed);
    const Bytes elements = std::int64_t(c.microBatch) * c.seqLen * 32;
    EXPECT_EQ(bytesByOp(planOf(c)).at("mlp_residual"), elements * (4 + 2 + 4));
    EXPECT_EQ(bytesByOp(planOf(c)).at("mlp_residual_cast_backward"), elements * (4 + 2));
    c.precision = Precision::Bf16;
    EXPECT_FALSE(bytesByOp(planOf(c)).contains("mlp_residual_cast_backward"));
}

TEST(CompiledSoftmax, isOneKernelEachWayWithScaleMaskAndDropout)
{
    RunConfig c = compiledConfig();
    c.framework = Framework::PytorchCompile;
    c.attention = Attention::Vanilla;
    c.precision = Precision::Bf16Mixed;
    for (const bool dropout : {false, true}) {
        c.simulated.dropout = dropout;
        const StepPlan plan = buildPlan(c, smallModel()).value().stages.front();
        const std::int64_t scores = std::int64_t(c.microBatch) * smallModel().attention.heads * c.seqLen * c.seqLen;
        std::map<Phase, std::vector<Bytes>> moved; // by elementwise kernels over the scores, read and written
        forEachOp(plan, Repetitions::Once, [&](const Visit &v) {
            const Kernel &k = plan.at(v.op.kernel);
            if (k.kind == OpKind::Elementwise && k.cost == CostClass::Attention)
                moved[v.op.phase].push_back(k.bytesRead + k.bytesWritten);
        });
        const std::size_t layers = static_cast<std::size_t>(smallModel().layers);
        const Bytes chosen = dropout ? 1 : 0; // what dropout left out, a byte a score
        EXPECT_EQ(
            moved[Phase::Forward], std::vector<Bytes>(layers, (2 + 2 + chosen) * scores)); // scores, probabilities
        EXPECT_EQ(moved[Phase::Backward],
            std::vector<Bytes>(layers, (2 + 2 + 2 + chosen) * scores)); // scores, the gradient, the other gradient
        Bytes masks = 0;
        for (const Buffer &b : plan.buffers)
            masks += b.name.find("attention_mask") != std::string::npos ? b.bytes : 0;
        EXPECT_EQ(masks, chosen * scores) << "it waits for backward";
    }
}

TEST(MegatronSoftmax, isFusedWhereFourDividesTheRowsOfScores)
{
    RunConfig c = compiledConfig();
    c.framework = Framework::Megatron;
    c.attention = Attention::Vanilla;
    c.precision = Precision::Bf16Mixed;
    c.simulated.dropout = false;
    const auto kernels = [&](int microBatch, int tp) {
        c.microBatch = microBatch;
        c.parallel.gpus = c.parallel.tp = tp;
        const StepPlan plan = buildPlan(c, smallModel()).value().stages.front();
        std::int64_t n = 0;
        forEachOp(plan, Repetitions::All, [&](const Visit &v) {
            const Kernel &k = plan.at(v.op.kernel);
            n += k.kind == OpKind::Elementwise && k.cost == CostClass::Attention && v.op.phase == Phase::Forward;
        });
        return n / (smallModel().layers * c.gradAccum);
    };
    EXPECT_EQ(kernels(1, 1), 1) << "four heads";
    EXPECT_EQ(kernels(2, 2), 1);
    EXPECT_EQ(kernels(1, 2), 4) << "scale, mask, soft-max and cast";
}

} // namespace
} // namespace slipway
