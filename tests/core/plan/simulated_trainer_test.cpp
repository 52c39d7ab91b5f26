// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What trainers around a simulated model bring along: metrics, kernels of their own, optimizers.
#include <algorithm>
#include <array>
#include <string_view>

#include <gtest/gtest.h>

#include "model/model_spec.h"
#include "plan/build_plan.h"
#include "plan/walk.h"
#include "support/plan_fixtures.h"
#include "support/torch_version.h"

namespace slipway {
namespace {

using testing::compiledConfig;
using testing::smallModel;

// Composer 0.12 to 0.17, trainer.py: each metric casts the half logits (2 + 4 bytes), takes log-probabilities (4 + 4),
// and comes after backward.
TEST(TrainMetrics, areTwoCrossEntropiesInFp32AfterBackwardWhateverTheLoss)
{
    RunConfig c = compiledConfig();
    c.framework = Framework::PytorchEager;
    const Bytes logits = c.microBatch * c.seqLen * smallModel().vocab;
    for (const LossPath path : {LossPath::Upcast, LossPath::Hf, LossPath::Compiled}) {
        c.simulated.lossPath = path;
        for (const bool metrics : {false, true}) {
            c.simulated.trainMetrics = metrics;
            const StepPlan plan = buildPlan(c, smallModel()).value().stages.front();
            std::int64_t taken = 0;
            bool after = false;
            Bytes bytes = 0;
            forEachOp(plan, Repetitions::All, [&](const Visit &v) {
                after = after || v.op.name == "embedding_backward";
                if (!v.op.name.ends_with("_metric"))
                    return;
                EXPECT_TRUE(after);
                ++taken;
                bytes += plan.at(v.op.kernel).bytesRead + plan.at(v.op.kernel).bytesWritten;
            });
            EXPECT_EQ(taken, metrics ? 2 * c.gradAccum : 0);
            EXPECT_EQ(bytes, taken * logits * 8);
        }
    }
}

// Norms, rotations, the gate and the loss are a kernel each; nothing else of the layer changes.
TEST(FusedKernels, standForEagerKernelsOfNormRotationGateAndLoss)
{
    RunConfig c = compiledConfig();
    c.framework = Framework::PytorchEager;
    c.parallel = {.kind = ParallelKind::FsdpFull, .gpus = 8};
    const auto kernels = [&](bool fused, bool products) {
        c.simulated.fusedKernels = fused;
        const StepPlan plan = buildPlan(c, smallModel()).value().stages.front();
        std::int64_t n = 0;
        forEachOp(plan, Repetitions::All,
            [&](const Visit &v) { n += (plan.at(v.op.kernel).kind == OpKind::Gemm) == products ? 1 : 0; });
        return n;
    };
    EXPECT_EQ(kernels(true, true), kernels(false, true));
    EXPECT_LT(kernels(true, false), kernels(false, false));
}

// Of 32 tokens and a vocabulary of 100 over a stream of 32: ceil(32 / ceil(100 / 32)) = 8 tokens a part. Of 48: 12, and
// so 16. torchtitan's loss, whose kernels are PyTorch's, has eight parts.
TEST(FusedKernels, takeLigersPartsThroughTheFusedLoss)
{
    RunConfig c = compiledConfig();
    c.framework = Framework::PytorchEager;
    c.precision = Precision::Bf16Mixed;
    c.simulated.lossPath = LossPath::Fused;
    c.simulated.torchModules = true;                 // torchtitan's
    const auto logits = [&](std::string_view name) { // bytes of a word of the vocabulary
        const StepPlan plan = buildPlan(c, smallModel()).value().stages.front();
        const auto found = std::find_if(
            plan.buffers.begin(), plan.buffers.end(), [&](const Buffer &buffer) { return buffer.name == name; });
        return found == plan.buffers.end() ? 0 : found->bytes / smallModel().vocab;
    };
    const auto rows = [&] { return logits("logits") / 2; };
    EXPECT_EQ(rows(), 32 / 8);
    EXPECT_EQ(logits("logits_fp32") / 4, 32 / 8) << "the usual loss of each part";
    c.framework = Framework::PytorchCompile;
    EXPECT_EQ(logits("logits_fp32"), 0) << "of which a compiler makes a kernel";
    c.framework = Framework::PytorchEager;
    c.simulated.fusedKernels = true;
    EXPECT_EQ(rows(), 8);
    EXPECT_EQ(logits("logits_fp32"), 0);
    c.simulated.fusedKernels = false;
    c.simulated.torchModules = false;
    EXPECT_EQ(rows(), 8) << "the loss alone is Liger's";
    EXPECT_EQ(logits("logits_fp32"), 0);
    c.seqLen = 24;
    EXPECT_EQ(rows(), 16);
}

TEST(FusedKernels, keepHalfWeightsBesideMastersWhereNobodyShardsThem)
{
    RunConfig c = compiledConfig();
    c.framework = Framework::PytorchEager;
    c.precision = Precision::Bf16Mixed;
    c.parallel = {.kind = ParallelKind::Ddp, .gpus = 2};
    c.simulated.fusedKernels = true;
    const auto parameters = double(parameterCount(smallModel()));
    std::array<Bytes, 3> held{};
    const StepPlan plan = buildPlan(c, smallModel()).value().stages.front();
    for (const Buffer &b : plan.buffers) {
        const Bytes copies = b.perLayer ? smallModel().layers : 1;
        held[0] += b.role == Role::Parameter ? b.bytes * copies : 0;
        held[1] += b.role == Role::MasterWeight ? b.bytes * copies : 0;
        held[2] += b.role == Role::Gradient ? b.bytes * copies : 0;
    }
    EXPECT_NEAR(double(held[0]), 2 * parameters, 0.01 * parameters);
    EXPECT_NEAR(double(held[1]), 4 * parameters, 0.01 * parameters);
    EXPECT_NEAR(double(held[2]), 2 * parameters, 0.01 * parameters);
}

// torch 1.12, optim/adamw.py, _single_tensor_adamw: mul_, mul_, add_, mul_, addcmul_, sqrt, div, add_, addcdiv_ read 14
// numbers and write 9; one kernel reads 4 and writes 3.
TEST(AdamW, goesTensorByTensorBeforePyTorch20AndInComposer)
{
    RunConfig c = compiledConfig();
    c.framework = Framework::PytorchEager;
    c.optimizer = OptimizerKind::AdamW;
    struct Work {
        Bytes read = 0, written = 0;
        std::int64_t kernels = 0;
    };
    const auto work = [&](const char *torch, bool composer) {
        testing::setTorch(c, torch);
        c.simulated.trainMetrics = composer;
        const StepPlan plan = buildPlan(c, smallModel()).value().stages.front();
        Work sum;
        forEachOp(plan, Repetitions::All, [&](const Visit &v) {
            if (v.op.name != "adamw")
                return;
            sum.read += plan.at(v.op.kernel).bytesRead;
            sum.written += plan.at(v.op.kernel).bytesWritten;
            sum.kernels += plan.at(v.op.kernel).calls;
        });
        return sum;
    };
    const Work fused = work("2.0", false);
    for (const Work &looped : {work("1.13", false), work("2.0", true)}) {
        EXPECT_EQ(looped.read, fused.read * 14 / 4);
        EXPECT_EQ(looped.written, fused.written * 3);
        EXPECT_GE(looped.kernels, 9 * fused.kernels);
    }
}

} // namespace
} // namespace slipway
