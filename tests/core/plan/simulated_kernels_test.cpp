// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Which kernels and collectives simulated PyTorch launches: what a compiler makes one of, what a traced graph does
// weight by weight.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "plan/build_plan.h"
#include "plan/walk.h"
#include "support/plan_fixtures.h"
#include "support/torch_version.h"

namespace slipway {
namespace {

using testing::planOf;
using testing::smallConfig;
using testing::smallModel;

RunConfig frameworkConfig(Framework framework)
{
    RunConfig c = smallConfig();
    c.framework = framework;
    c.precision = Precision::Bf16Mixed;
    c.parallel = {.kind = ParallelKind::FsdpFull, .gpus = 4};
    return c;
}

Bytes bytesOf(const RunConfig &config, const std::string &op, const ModelSpec &model = smallModel())
{
    const StepPlan plan = planOf(config, model);
    Bytes sum = 0;
    forEachOp(plan, Repetitions::All, [&](const Visit &v) {
        const Kernel &kernel = plan.at(v.op.kernel);
        sum += v.op.name == op ? kernel.bytesRead + kernel.bytesWritten : 0;
    });
    return sum;
}

Bytes messageOf(const RunConfig &config, const std::string &op)
{
    const StepPlan plan = planOf(config);
    Bytes sum = 0;
    forEachOp(plan, Repetitions::All,
        [&](const Visit &v) { sum += v.op.name == op ? plan.at(v.op.kernel).messageBytes : 0; });
    return sum;
}

// Of tokens x hidden half numbers; the small model has 2 x 16 tokens of 32, and three layers.
constexpr Bytes kStream = 2 * 16 * 32 * 2;

TEST(CompiledCode, addsGradientsUpWhereTheirSumIsRead)
{
    // Five sums a layer: of q, k and v, of gate and up, and of each with what the stream passes. Eager norms have some
    // of their own.
    EXPECT_GE(bytesOf(frameworkConfig(Framework::PytorchEager), "add_gradient"), 3 * 5 * 3 * kStream);
    EXPECT_EQ(bytesOf(frameworkConfig(Framework::PytorchCompile), "add_gradient"), 3 * 5 * kStream);
}

TEST(CompiledCode, doesNotReadTheSumThatItsNormMakes)
{
    const RunConfig c = frameworkConfig(Framework::PytorchCompile);
    EXPECT_EQ(bytesOf(c, "attention_norm") - bytesOf(c, "mlp_norm"), 3 * kStream);
}

TEST(CompiledCode, hasBothGradientsOfAGatedGemmFromOneKernel)
{
    const Bytes one = 2 * 16 * 48 * 2;
    EXPECT_EQ(bytesOf(frameworkConfig(Framework::PytorchCompile), "swiglu_backward"), 3 * 5 * one);
    EXPECT_EQ(bytesOf(frameworkConfig(Framework::PytorchEager), "gate_product_backward"), 3 * 6 * one);
}

TEST(CompiledCode, writesKeysForEachQueryHeadWhereItsModelDoes)
{
    RunConfig c = frameworkConfig(Framework::PytorchCompile);
    EXPECT_EQ(bytesOf(c, "k_repeat"), 0) << "attention takes fewer heads of keys";
    c.simulated.repeatKv = true;
    EXPECT_EQ(bytesOf(c, "k_repeat"), 3 * (kStream / 2 + kStream)) << "two of four heads";
}

// at::gelu is on the list of fp32 in the wheels of 1.8.1 and 1.9.0.
TEST(Autocast, hasGeluInFp32BeforePytorch110)
{
    RunConfig c = frameworkConfig(Framework::PytorchEager);
    ModelSpec gpt = smallModel();
    gpt.norm.kind = NormKind::LayerNorm;
    gpt.mlp = {.width = gpt.mlp.width, .gated = false, .activation = Activation::GeluErf};
    c.simulated.gatherType = GradientType::Fp32; // as by_torch.yaml has it before 2.0
    testing::setTorch(c, "1.10");
    const Bytes half = bytesOf(c, "gelu", gpt);
    EXPECT_GT(half, 0);
    EXPECT_EQ(bytesOf(c, "gelu_input", gpt), 0);
    testing::setTorch(c, "1.9");
    EXPECT_EQ(bytesOf(c, "gelu", gpt), 2 * half);
    EXPECT_GT(bytesOf(c, "gelu_input", gpt), 0);
    EXPECT_GT(bytesOf(c, "gelu_output", gpt), 0);
}

TEST(ParallelBlock, addsAttentionAndMlpToTheStreamTogether)
{
    const RunConfig c = frameworkConfig(Framework::PytorchEager);
    ModelSpec neox = smallModel();
    neox.norm.kind = NormKind::LayerNorm;
    neox.mlp = {.width = neox.mlp.width, .gated = false, .activation = Activation::GeluErf};
    EXPECT_GT(bytesOf(c, "mlp_residual", neox), 0);
    neox.block.parallel = true;
    EXPECT_EQ(bytesOf(c, "mlp_residual", neox), 0);
    EXPECT_GT(bytesOf(c, "mlp_norm", neox), 0);
    neox.block.sharedNorm = true; // Phi's
    EXPECT_EQ(bytesOf(c, "mlp_norm", neox), 0);
}

TEST(SimpleFsdp, gathersAndReducesEachWeightOnItsOwn)
{
    RunConfig c = frameworkConfig(Framework::PytorchCompile);
    const auto collectives = [&](Sharder sharder, OpKind kind) {
        c.simulated.sharder = sharder;
        const StepPlan plan = planOf(c);
        std::pair<int, Bytes> sum;
        forEachOp(plan, Repetitions::All, [&](const Visit &v) {
            const Kernel &kernel = plan.at(v.op.kernel);
            sum.first += kernel.kind == kind ? kernel.calls : 0;
            sum.second += kernel.kind == kind ? kernel.messageBytes : 0;
        });
        return sum;
    };
    const int layer = 7 + 2, root = 3; // products and norms; embedding, head and the last norm
    EXPECT_EQ(collectives(Sharder::Simple, OpKind::ReduceScatter).first, 3 * layer + root);
    EXPECT_EQ(collectives(Sharder::Traced, OpKind::ReduceScatter).first, 3 + 1);
    EXPECT_EQ(collectives(Sharder::Simple, OpKind::ReduceScatter).second,
        collectives(Sharder::Fsdp2, OpKind::ReduceScatter).second)
        << "in fp32";
    EXPECT_EQ(collectives(Sharder::Simple, OpKind::ReduceScatter).second,
        2 * collectives(Sharder::Traced, OpKind::ReduceScatter).second);
}

// Tried with torch.compile of a model and of its loss (PyTorch 2.11, on a processor): the model's backward is given the
// logits' gradient by a caller that keeps it.
TEST(SimpleFsdp, holdsTheLogitsGradientUntilItsBackwardReturns)
{
    RunConfig c = frameworkConfig(Framework::PytorchCompile);
    c.simulated.lossPath = LossPath::Compiled;
    const auto freedBy = [&](Sharder sharder) {
        c.simulated.sharder = sharder;
        const StepPlan plan = planOf(c);
        std::string name;
        forEachOp(plan, Repetitions::Once, [&](const Visit &v) {
            for (const Use &use : v.op.frees)
                name = plan.at(use.buffer).name == "dlogits" ? v.op.name : name;
        });
        return name;
    };
    EXPECT_EQ(freedBy(Sharder::Simple), "embedding_backward");
    EXPECT_EQ(freedBy(Sharder::Fsdp2), "head_dweight");
}

// stage3_max_live_parameters: 1e9, of all this model; two layers are gathered as in any plan.
TEST(Sharder, ofDeepSpeedsThirdStageFetchesAsManyWeightsAheadAsMayLive)
{
    RunConfig c = frameworkConfig(Framework::PytorchEager);
    c.simulated.sharder = Sharder::DeepSpeed;
    const auto bytesOf = [&](ParallelKind kind, std::string_view name) {
        c.parallel = {.kind = kind, .gpus = 4};
        const StepPlan plan = planOf(c);
        Bytes bytes = 0;
        for (const Buffer &b : plan.buffers)
            bytes += b.name == name ? b.bytes : 0;
        return bytes;
    };
    const Bytes layer = blockParameterCount(smallModel()) * 2;
    EXPECT_EQ(bytesOf(ParallelKind::FsdpFull, "zero.fetched_ahead"), (smallModel().layers - 2) * layer);
    EXPECT_EQ(bytesOf(ParallelKind::FsdpGradOp, "zero.fetched_ahead"), 0) << "its second stage has all weights anyway";
    EXPECT_EQ(bytesOf(ParallelKind::FsdpGradOp, "layer.weights"), layer) << "whole, once";
    EXPECT_EQ(bytesOf(ParallelKind::FsdpGradOp, "layer.gathered"), 0);
    c.simulated.reduceBucket = 7;
    EXPECT_EQ(bytesOf(ParallelKind::FsdpFull, "zero.bucket"), 14);
}

TEST(Sharder, geminiPutsGradientsWhereHalfWeightsWereUnlessItAccumulates)
{
    RunConfig c = frameworkConfig(Framework::PytorchEager);
    c.simulated.sharder = Sharder::Gemini;
    c.parallel = {.kind = ParallelKind::FsdpFull, .gpus = 4};
    const auto has = [&](std::string_view name) {
        const StepPlan plan = planOf(c);
        return std::any_of(plan.buffers.begin(), plan.buffers.end(), [&](const Buffer &b) { return b.name == name; });
    };
    EXPECT_TRUE(has("layer.masters"));
    EXPECT_FALSE(has("layer.gradients"));
    c.gradAccum = 2;
    EXPECT_TRUE(has("layer.gradients"));
}

// As PyTorch 2.0's Transformers had it, LLaMA upcast its logits; before, none did.
TEST(EagerLoss, takesHalfLogitsBeforePytorch20WhereAutocastDoesNotAskForMore)
{
    RunConfig c = frameworkConfig(Framework::PytorchEager);
    c.parallel = {.kind = ParallelKind::None};
    const auto logits = [&](Precision precision, const char *torch) {
        c.precision = precision;
        testing::setTorch(c, torch);
        const StepPlan plan = planOf(c);
        return std::any_of(
            plan.buffers.begin(), plan.buffers.end(), [](const Buffer &b) { return b.name == "logits_fp32"; });
    };
    EXPECT_FALSE(logits(Precision::Bf16, "1.13"));
    EXPECT_TRUE(logits(Precision::Bf16, "2.0"));
    EXPECT_TRUE(logits(Precision::Bf16Mixed, "1.13"));
}

TEST(EagerScores, arePickedByAMaskBothWaysWhereItIsNotAdded)
{
    RunConfig c = frameworkConfig(Framework::PytorchEager);
    c.attention = Attention::Vanilla;
    ModelSpec gpt = smallModel();
    gpt.norm.kind = NormKind::LayerNorm;
    gpt.mlp = {.width = gpt.mlp.width, .gated = false, .activation = Activation::GeluErf};
    const auto bytes = [&](const std::string &op, const ModelSpec &model) { return bytesOf(c, op, model); };
    const Bytes added = bytes("mask", smallModel());
    EXPECT_GT(added, 0);
    EXPECT_EQ(bytes("mask_backward", smallModel()), 0) << "LLaMA's is added";
    EXPECT_EQ(bytes("mask", gpt), 2 * added) << "masked_fill copies first";
    EXPECT_EQ(bytes("mask_backward", gpt), 2 * added);
    gpt.mlp.byParts = true; // Transformers'
    c.simulated.olderModels = true;
    EXPECT_EQ(bytes("mask_backward", gpt), added) << "torch.where";
    c.simulated.olderModels = false;
    EXPECT_EQ(bytes("mask_backward", gpt), 0);
}

TEST(Fp8, scalesAWeightForEachOfTheTwoGemmsThatReadIt)
{
    RunConfig c = frameworkConfig(Framework::PytorchCompile);
    c.precision = Precision::Fp8Mixed;
    const Bytes weight = 32 * 48;
    EXPECT_EQ(bytesOf(c, "down_quantize_weight"), 3 * 5 * weight) << "its maximum, then a cast";
    EXPECT_EQ(bytesOf(c, "down_quantize_weight_again"), bytesOf(c, "down_quantize_weight"));
}

TEST(Fp8, scalesAnInputOnceWhereACompilerSeesAllThatReadIt)
{
    RunConfig c = frameworkConfig(Framework::PytorchCompile);
    c.precision = Precision::Fp8Mixed;
    EXPECT_GT(bytesOf(c, "q_quantize"), 0);
    EXPECT_EQ(bytesOf(c, "k_quantize"), 0);
    EXPECT_EQ(bytesOf(c, "v_quantize"), 0);
    c.framework = Framework::PytorchEager;
    EXPECT_GT(bytesOf(c, "k_quantize"), 0);
}

TEST(Fp8, ofComposerIsTransformerEnginesInEagerCode)
{
    RunConfig c = frameworkConfig(Framework::PytorchEager);
    c.precision = Precision::Fp8Mixed;
    const Bytes own = bytesOf(c, "down_quantize");
    c.simulated.trainMetrics = true;
    EXPECT_EQ(bytesOf(c, "down_quantize_weight"), 0);
    EXPECT_LT(bytesOf(c, "down_quantize"), own / 5);
}

TEST(Fp8, gathersOneByteANumberBetweenTensorParallelRanks)
{
    RunConfig c = frameworkConfig(Framework::PytorchCompile);
    c.parallel = {.kind = ParallelKind::FsdpFull, .gpus = 2, .tp = 2};
    const Bytes half = messageOf(c, "q_gather");
    c.precision = Precision::Fp8Mixed;
    EXPECT_EQ(messageOf(c, "q_gather"), half / 2);
    c.simulated.fp8Scales = Fp8Scales::Row;
    EXPECT_EQ(messageOf(c, "q_gather"), half);
}

TEST(Fp8, quantizesARanksPartOfTheTokensBeforeTheyAreGathered)
{
    RunConfig c = frameworkConfig(Framework::PytorchCompile);
    c.parallel = {.kind = ParallelKind::FsdpFull, .gpus = 2, .tp = 2};
    c.precision = Precision::Fp8Mixed;
    // Of each number: reads two bytes for the scale and two for the quotient, and writes one. Three layers.
    EXPECT_EQ(bytesOf(c, "q_quantize_part"), 3 * 5 * kStream / 2 / 2);
}

// Counted over Transformers' LlamaAttention under PyTorch 2.11's dispatch mode, in tensors of queries read or written:
// forward mul, neg of half, cat, mul, add; backward three products, the paddings of two halves, two sums and a copy.
// torchtitan's: to fp32, a product, back.
TEST(EagerRope, movesWhatTransformersOrTorchtitansKernelsMove)
{
    RunConfig c = frameworkConfig(Framework::PytorchEager);
    const auto tensors = [&](const char *op) { return bytesOf(c, op) / (3 * kStream); }; // of three layers
    EXPECT_EQ(tensors("rope_q_parts") + tensors("rope_q"), 2 + 1 + 2 + 2 + 3);
    EXPECT_EQ(tensors("rope_q_parts_backward") + tensors("rope_q_backward"), 2 + 1 + 2 * 2 + 3 + 2 + 2 + 3);
    c.simulated.torchModules = true;
    EXPECT_EQ(tensors("rope_q_parts") + tensors("rope_q"), 3 + 4 + 3);
    EXPECT_EQ(tensors("rope_q_parts_backward") + tensors("rope_q_backward"), 3 + 4 + 3);
}

} // namespace
} // namespace slipway
