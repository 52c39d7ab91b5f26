// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What kernel libraries such as flash-attn fuse in eager PyTorch: epilogues of GEMMs, dropout with addition and norm,
// packed queries, keys and values.
#include <algorithm>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "plan/walk.h"
#include "support/plan_fixtures.h"

namespace slipway {
namespace {

using testing::planOf;
using testing::smallConfig;
using testing::smallModel;

// Three layers of GPT's kind, under autocast: 2 x 16 tokens, and an fp32 residual stream.
constexpr Bytes kTokens = 32, kHidden = 32, kWidth = 48;
constexpr Bytes kStreamElements = kTokens * kHidden, kInnerElements = kTokens * kWidth; // elements
constexpr Bytes kLayers = 3;

ModelSpec biasedGpt()
{
    ModelSpec model = smallModel();
    model.norm = {.kind = NormKind::LayerNorm, .bias = true};
    model.attention.kvHeads = model.attention.heads;
    model.attention.qkvBias = model.attention.outBias = true;
    model.mlp = {.width = int{kWidth}, .gated = false, .activation = Activation::GeluTanh, .bias = true};
    return model;
}

RunConfig libraryConfig()
{
    RunConfig config = smallConfig();
    config.framework = Framework::PytorchEager;
    config.precision = Precision::Bf16Mixed;
    config.simulated.fusedKernels = true;
    config.software = "flash-attn";
    return config;
}

// The kernels of the ops of this name in one layer.
std::map<std::string, Kernel> layerKernels(const RunConfig &config, const ModelSpec &model)
{
    const StepPlan plan = planOf(config, model);
    std::map<std::string, Kernel> kernels;
    for (const Block &block : plan.blocks) {
        if (!block.name.starts_with("layer_"))
            continue;
        for (const Op &op : block.ops)
            kernels[op.name] = plan.at(op.kernel);
    }
    return kernels;
}

std::ptrdiff_t namesEndingWith(const std::map<std::string, Kernel> &kernels, std::string_view end)
{
    return std::count_if(kernels.begin(), kernels.end(), [&](const auto &item) { return item.first.ends_with(end); });
}

// Bytes of activations at the first op of the backward pass.
Bytes keptForBackward(const RunConfig &config, const ModelSpec &model)
{
    const StepPlan plan = planOf(config, model);
    Bytes alive = 0, kept = -1;
    forEachOp(plan, Repetitions::Once, [&](const Visit &v) {
        if (v.op.phase == Phase::Backward && kept < 0)
            kept = alive;
        const auto bytes = [&](const Use &use) {
            const Buffer &buffer = plan.at(use.buffer);
            return buffer.role == Role::Activation ? buffer.bytes : 0;
        };
        for (const Use &use : v.op.allocations)
            alive += bytes(use);
        for (const Use &use : v.op.frees)
            alive -= bytes(use);
    });
    return kept;
}

TEST(GemmEpilogues, computeGradientsOfBiasesWithoutKernelsOfTheirOwn)
{
    RunConfig config = libraryConfig();
    EXPECT_EQ(namesEndingWith(layerKernels(config, biasedGpt()), "_dbias"), 4) << "of qkv, o, up and down";
    config.simulated.gemmEpilogues = GemmEpilogues::Bias;
    const auto kernels = layerKernels(config, biasedGpt());
    EXPECT_EQ(namesEndingWith(kernels, "_dbias"), 0);
    EXPECT_TRUE(kernels.contains("gelu") && kernels.contains("gelu_backward"));
}

// CUBLASLT_EPILOGUE_GELU_AUX writes the input of GELU as well as its result; DGELU reads this input.
TEST(GemmEpilogues, applyGeluAndItsGradientAndMoveItsInput)
{
    RunConfig config = libraryConfig();
    auto apart = layerKernels(config, biasedGpt());
    const Bytes keptApart = keptForBackward(config, biasedGpt());
    config.simulated.gemmEpilogues = GemmEpilogues::Activation;
    auto fused = layerKernels(config, biasedGpt());
    EXPECT_FALSE(fused.contains("gelu") || fused.contains("gelu_backward"));
    EXPECT_EQ(namesEndingWith(fused, "_dbias"), 0);

    EXPECT_EQ(apart["up"].bytesWritten, 2 * kInnerElements);
    EXPECT_EQ(fused["up"].bytesWritten, 2 * 2 * kInnerElements);
    EXPECT_EQ(fused["up"].bytesRead, 2 * (kStreamElements + kHidden * kWidth));
    EXPECT_EQ(apart["down_dx"].bytesRead, 2 * (kStreamElements + kHidden * kWidth));
    EXPECT_EQ(fused["down_dx"].bytesRead, 2 * (kStreamElements + kHidden * kWidth + kInnerElements));
    EXPECT_EQ(fused["down_dx"].bytesWritten, 2 * kInnerElements);
    EXPECT_EQ(fused["down"], apart["down"]);
    EXPECT_EQ(fused["up_dx"], apart["up_dx"]);
    for (const char *gemm : {"up", "down_dx"})
        EXPECT_DOUBLE_EQ(fused[gemm].flops, 2.0 * kTokens * kWidth * kHidden) << gemm;

    EXPECT_EQ(keptForBackward(config, biasedGpt()), keptApart) << "both keep input and result of GELU";
}

TEST(GemmEpilogues, areNotForGatedMlpsNorForRecomputedActivations)
{
    RunConfig config = libraryConfig();
    config.simulated.gemmEpilogues = GemmEpilogues::Activation;
    EXPECT_TRUE(layerKernels(config, smallModel()).contains("swiglu"));
    config.recompute = Recompute::Selective;
    config.recomputeOps = {"activation"};
    EXPECT_TRUE(layerKernels(config, biasedGpt()).contains("gelu"));
}

// flash-attn 2.0.4, csrc/layer_norm, dropout_add_ln_fwd and _bwd. Forward reads x0 and the residual, and writes their
// sum, the mask and the norm. Backward reads the gradients of norm and sum, the sum and the mask. It writes the
// gradients of the residual and of x0.
TEST(FusedAddNorm, movesEachTensorOnce)
{
    for (const bool dropout : {false, true}) {
        RunConfig config = libraryConfig();
        config.simulated.dropout = dropout;
        config.simulated.fusedAddNorm = true;
        auto kernels = layerKernels(config, biasedGpt());
        const Bytes mask = dropout ? kStreamElements : 0, wide = 4 * kStreamElements, narrow = 2 * kStreamElements;
        const Kernel add = kernels["attention_residual"], norm = kernels["mlp_norm"];
        EXPECT_EQ(add.bytesRead + norm.bytesRead, wide + narrow) << dropout;
        EXPECT_EQ(add.bytesWritten + norm.bytesWritten, wide + mask + narrow) << dropout;
        const Kernel back = kernels["mlp_norm_backward"], sum = kernels["add_gradient"],
                     drop = kernels["attention_residual_backward"];
        EXPECT_EQ(back.bytesRead + sum.bytesRead + drop.bytesRead, wide + narrow + wide + mask) << dropout;
        EXPECT_EQ(back.bytesWritten + sum.bytesWritten + drop.bytesWritten, wide + narrow) << dropout;
        EXPECT_EQ(kernels["mlp_norm_dweight"].kind, OpKind::View) << "of the same kernel";
        for (const char *cast : {"_input", "_input_backward", "_cast_backward", "_dropout"})
            EXPECT_EQ(namesEndingWith(kernels, cast), 0) << cast;
    }
}

// GEMMs read what the norm wrote, in 16 bits. Autocast's norm writes fp32, which a copy is made of.
TEST(FusedAddNorm, keepsNoDropoutResults)
{
    RunConfig config = libraryConfig();
    config.simulated.dropout = false;
    const Bytes apart = keptForBackward(config, biasedGpt());
    config.simulated.fusedAddNorm = true;
    // The last norm's result is alive then: 2 bytes in place of 4.
    EXPECT_EQ(apart - keptForBackward(config, biasedGpt()), 2 * kStreamElements);
    config.simulated.dropout = true;
    EXPECT_EQ(keptForBackward(config, biasedGpt()) - (apart - 2 * kStreamElements),
        2 * kLayers * kStreamElements + kStreamElements)
        << "masks of a byte, two a layer and one of the embedding";
}

TEST(PackedQkv, hasOneGemmAndGradientsThatNobodyJoins)
{
    RunConfig config = libraryConfig();
    EXPECT_TRUE(layerKernels(config, biasedGpt()).contains("qkv_join"));
    config.simulated.packedQkv = true;
    EXPECT_FALSE(layerKernels(config, biasedGpt()).contains("qkv_join"));
    ModelSpec llama = smallModel();
    auto kernels = layerKernels(config, llama);
    EXPECT_FALSE(kernels.contains("q"));
    EXPECT_EQ(kernels["qkv"].n, 8 * (4 + 2 * 2)) << "four heads of queries and two of keys and values, of 8";
    EXPECT_TRUE(kernels.contains("qkv_join")) << "the packed kernel has as many keys as queries";
}

// LitGPT 0.5.13, model.py, CausalSelfAttention: torch.cat makes tensors of rotated queries and keys, head by head, so
// that the output of attention has to be copied. Values are views of the GEMM's result.
TEST(PackedQkv, isKeptForItsValuesWhereRopeIsNotFused)
{
    RunConfig config = libraryConfig();
    config.precision = Precision::Bf16;
    config.simulated.fusedKernels = false;
    ModelSpec llama = smallModel();
    llama.attention.kvHeads = llama.attention.heads;
    const Bytes apart = keptForBackward(config, llama);
    config.simulated.packedQkv = true;
    // Q, k and v are kept besides rotated q and k; a copy of the output besides the output.
    EXPECT_EQ(keptForBackward(config, llama) - apart, kLayers * 2 * (2 + 1) * kStreamElements);
}

} // namespace
} // namespace slipway
