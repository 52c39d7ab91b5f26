// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What Megatron-LM, Megatron-Core and DeepSpeed's engine around them do in which version.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "plan/build_plan.h"
#include "plan/framework_recipe.h"
#include "plan/walk.h"
#include "support/plan_fixtures.h"

namespace slipway {
namespace {

using testing::planOf;

RunConfig megatron(
    Attention attention, Recompute recompute, ParallelKind kind = ParallelKind::None, int gpus = 2, int tp = 2)
{
    RunConfig c = testing::smallConfig();
    c.framework = Framework::Megatron;
    c.precision = Precision::Bf16Mixed;
    c.attention = attention;
    c.simulated.olderRecipe = attention == Attention::Vanilla; // recipes before 2023 wrote the scores to memory
    c.recompute = recompute;
    c.parallel = {.kind = kind, .gpus = gpus, .tp = tp};
    return c;
}

// The ops of a step: name, bytes and stream of each. Without those of attention, and without sums of gradients, one of
// which adds up what the gradients of queries, keys and values are.
std::multiset<std::string> opsBesideAttention(const RunConfig &config, const ModelSpec &model)
{
    const StepPlan plan = planOf(config, model);
    std::multiset<std::string> ops;
    forEachOp(plan, Repetitions::All, [&](const Visit &v) {
        const Kernel &k = plan.at(v.op.kernel);
        if (!v.op.name.starts_with("attention") && !v.op.name.starts_with("scores") &&
            !v.op.name.starts_with("softmax") && !v.op.name.starts_with("context") && v.op.name != "add_gradient")
            ops.insert(v.op.name + " " + std::to_string(k.bytesRead + k.bytesWritten + k.messageBytes) + " " +
                       std::to_string(static_cast<int>(v.op.stream)));
    });
    return ops;
}

TEST(MegatronAttention, changesNothingElse)
{
    ModelSpec gpt = testing::smallModel();
    gpt.norm.kind = NormKind::LayerNorm;
    gpt.position = Position::Learned;
    gpt.attention.kvHeads = gpt.attention.heads;
    for (const bool older : {false, true}) {
        RunConfig flash = megatron(Attention::Flash, Recompute::None, ParallelKind::Ddp, 4, 2);
        flash.simulated.olderRecipe = older;
        RunConfig vanilla = flash;
        vanilla.attention = Attention::Vanilla;
        ModelSpec llama = testing::smallModel();
        llama.attention.kvHeads = llama.attention.heads; // attention in memory repeats the keys of grouped queries
        for (const ModelSpec &model : {llama, gpt})
            EXPECT_EQ(opsBesideAttention(flash, model), opsBesideAttention(vanilla, model)) << older;
    }
}

// Korthikanti et al. 2022 brought both.
TEST(MegatronSequence, isSplitBetweenGemmsSinceSelectiveRecomputation)
{
    const ModelSpec model = testing::smallModel();
    EXPECT_TRUE(frameworkRecipe(megatron(Attention::Flash, Recompute::Full), model).sequenceParallel);
    EXPECT_TRUE(frameworkRecipe(megatron(Attention::Vanilla, Recompute::Selective), model).sequenceParallel);
    EXPECT_FALSE(frameworkRecipe(megatron(Attention::Vanilla, Recompute::Full), model).sequenceParallel);
    EXPECT_FALSE(
        frameworkRecipe(megatron(Attention::Flash, Recompute::None, ParallelKind::Ddp, 2, 1), model).sequenceParallel);
}

TEST(MegatronSequence, isSplitOrNotWhereTheUserSaysSo)
{
    const ModelSpec model = testing::smallModel();
    RunConfig c = megatron(Attention::Flash, Recompute::None);
    c.simulated.sequenceParallel = false;
    EXPECT_FALSE(frameworkRecipe(c, model).sequenceParallel);
    c = megatron(Attention::Vanilla, Recompute::Full);
    c.simulated.sequenceParallel = true;
    EXPECT_TRUE(frameworkRecipe(c, model).sequenceParallel);
    c.framework = Framework::PytorchEager; // whose products rely on it
    c.simulated.sequenceParallel = false;
    EXPECT_TRUE(frameworkRecipe(c, model).sequenceParallel);
}

TEST(MegatronSoftmax, isFusedUpTo4096Keys)
{
    RunConfig c = megatron(Attention::Vanilla, Recompute::None);
    c.microBatch = 4;
    c.seqLen = 4096;
    EXPECT_TRUE(frameworkRecipe(c, testing::smallModel()).fusedSoftmax);
    c.seqLen = 4100;
    EXPECT_FALSE(frameworkRecipe(c, testing::smallModel()).fusedSoftmax);
}

TEST(MegatronDropout, isOfModelsWithLearnedPositions)
{
    ModelSpec model = testing::smallModel();
    model.norm.kind = NormKind::LayerNorm;
    for (const auto &[position, drops] :
        {std::pair(Position::Learned, true), std::pair(Position::Rope, false), std::pair(Position::Alibi, false)}) {
        model.position = position;
        EXPECT_EQ(frameworkRecipe(megatron(Attention::Vanilla, Recompute::None), model).dropout, drops)
            << enumName(position);
    }
}

// Its paper of 2019 is from before its kernels for masked soft-max and for bias, dropout and sum. When they came is
// data.
TEST(Megatron, masksAndSumsInKernelsOfPyTorchWhereItsSoftmaxIsNotFused)
{
    ModelSpec gpt = testing::smallModel();
    gpt.norm.kind = NormKind::LayerNorm;
    RunConfig c = megatron(Attention::Vanilla, Recompute::Full);
    c.microBatch = 4;
    for (const bool fused : {false, true}) {
        c.simulated.fusedSoftmax = fused;
        const FrameworkRecipe r = frameworkRecipe(c, gpt);
        EXPECT_TRUE(r.fusedSoftmax == fused && r.fusedResidual == fused && (r.maskPasses == 0) == fused) << fused;
    }
}

// Megatron-Core 0.3 of 2023 has torch.chunk, silu and a product for SwiGLU (transformer/mlp.py), and PyTorch's kernels
// for rotation; 0.5 fuses both. Which one a version does is data of its profile.
TEST(Megatron, gatesAndRotatesInKernelsOfPyTorchWhereItsGateIsNotFused)
{
    RunConfig c;
    c.framework = Framework::Megatron;
    const FrameworkRecipe today = frameworkRecipe(c, testing::smallModel());
    EXPECT_TRUE(today.fusedMlp && today.fusedRope);
    c.simulated.fusedGate = false;
    const FrameworkRecipe then = frameworkRecipe(c, testing::smallModel());
    EXPECT_FALSE(then.fusedMlp || then.fusedRope);
    EXPECT_TRUE(then.fusedNorm && then.fusedGateUp);
    // Forward silu and the product move 5 times the gate's bytes where one kernel moves 3, backward 13 where it moves
    // 5.
    c = megatron(Attention::Flash, Recompute::None, ParallelKind::None, 1, 1);
    c.gradAccum = 1;
    const auto moved = [&](bool fused) {
        c.simulated.fusedGate = fused;
        const StepPlan plan = planOf(c);
        Bytes bytes = 0;
        forEachOp(plan, Repetitions::All, [&](const Visit &v) {
            if (v.op.name.starts_with("silu") || v.op.name.starts_with("swiglu") ||
                v.op.name.starts_with("gate_product"))
                bytes += plan.at(v.op.kernel).bytesRead + plan.at(v.op.kernel).bytesWritten;
        });
        return bytes;
    };
    const ModelSpec model = testing::smallModel();
    const Bytes gate = 2 * c.microBatch * c.seqLen * model.mlp.width * model.layers;
    EXPECT_EQ(moved(true), (3 + 5) * gate);
    EXPECT_EQ(moved(false), (5 + 13) * gate);
}

TEST(DeepSpeedInHalfFloats, rotatesInKernelsOfPyTorchAndLaysOutForFlashAttentionWhereToldTo)
{
    RunConfig c = megatron(Attention::Flash, Recompute::Full, ParallelKind::Zero1, 4, 1);
    c.simulated.unpadAttention = true;
    EXPECT_TRUE(frameworkRecipe(c, testing::smallModel()).fusedRope);
    EXPECT_FALSE(frameworkRecipe(c, testing::smallModel()).unpadsAttention);
    c.precision = Precision::Fp16Mixed;
    EXPECT_FALSE(frameworkRecipe(c, testing::smallModel()).fusedRope);
    EXPECT_TRUE(frameworkRecipe(c, testing::smallModel()).unpadsAttention);
    c.simulated.unpadAttention = false;
    EXPECT_FALSE(frameworkRecipe(c, testing::smallModel()).unpadsAttention);
}

// Most bytes of logits at once, a token and word.
double logitsAlive(LossPath path)
{
    RunConfig c = megatron(Attention::Flash, Recompute::None, ParallelKind::None, 1, 1);
    c.simulated.lossPath = path;
    c.gradAccum = 1;
    c.simulated.vocabMultiple = 1;
    const StepPlan plan = planOf(c);
    Bytes alive = 0, most = 0;
    forEachOp(plan, Repetitions::Once, [&](const Visit &v) {
        const auto logits = [&](const Use &u) {
            return plan.at(u.buffer).role == Role::Logits ? plan.at(u.buffer).bytes : 0;
        };
        for (const Use &use : v.op.allocations)
            alive += logits(use);
        most = std::max(most, alive);
        for (const Use &use : v.op.frees)
            alive -= logits(use);
    });
    return double(most) / double(c.microBatch * c.seqLen * testing::smallModel().vocab);
}

TEST(MegatronLoss, takesACopyOfTheSoftmaxInBackwardWhereItsPiecesAreCompiled)
{
    EXPECT_EQ(logitsAlive(LossPath::Parallel), 2 + 4) << "logits and their fp32 copy";
    EXPECT_EQ(logitsAlive(LossPath::ParallelFused), 4 + 4 + 2) << "soft-max, its copy, the gradient";
}

struct Gathers {
    int beside = 0, within = 0; // on a stream of their own, among the kernels
    bool beforeForward = false;
};

Gathers weightGathers(const RunConfig &c)
{
    const StepPlan plan = planOf(c);
    Gathers g;
    bool forwardRan = false;
    forEachOp(plan, Repetitions::All, [&](const Visit &v) {
        if (v.op.name == "gather_weights") {
            ++(v.op.stream == Stream::Gather ? g.beside : g.within);
            g.beforeForward = g.beforeForward || !forwardRan;
        }
        forwardRan = forwardRan || plan.at(v.op.kernel).kind == OpKind::Gemm;
    });
    return g;
}

TEST(MegatronOptimizer, gathersUpdatedWeightsBesideTheNextForwardButInOlderRecipes)
{
    const int units = testing::smallModel().layers + 1;
    const Gathers newer = weightGathers(megatron(Attention::Flash, Recompute::None, ParallelKind::Zero1, 4, 1));
    EXPECT_EQ(newer.beside, units);
    EXPECT_EQ(newer.within, 0);
    EXPECT_TRUE(newer.beforeForward);
    const Gathers older = weightGathers(megatron(Attention::Vanilla, Recompute::None, ParallelKind::Zero1, 4, 1));
    EXPECT_EQ(older.beside, 0);
    EXPECT_EQ(older.within, units);
    EXPECT_FALSE(older.beforeForward);
    RunConfig deepSpeed = megatron(Attention::Flash, Recompute::None, ParallelKind::Zero1, 4, 1);
    deepSpeed.precision = Precision::Fp16Mixed;
    EXPECT_EQ(weightGathers(deepSpeed).beside, 0) << "its first stage waits for what it gathers";
}

TEST(InterleavedStages, passOnAsManyMessagesAsTheyHaveParts)
{
    ModelSpec model = testing::smallModel();
    model.layers = 4;
    const auto passed = [&](Attention attention, int parts, bool beside) {
        RunConfig c = megatron(attention, Recompute::None, ParallelKind::None, 2, 1);
        c.parallel.pp = 2;
        c.parallel.virtualStages = parts;
        c.gradAccum = 4;
        const StepPlan plan = buildPlan(c, model).value().stages.front();
        std::int64_t calls = 0, bytes = 0;
        forEachOp(plan, Repetitions::All, [&](const Visit &v) {
            const Kernel &k = plan.at(v.op.kernel);
            if (k.kind == OpKind::SendReceive && (v.op.stream != Stream::Compute) == beside) {
                calls += k.calls;
                bytes += k.messageBytes;
            }
        });
        EXPECT_EQ(bytes, calls * c.microBatch * c.seqLen * model.hidden * 2);
        return calls;
    };
    constexpr int kEachWay = 2 * 4; // of four micro-batches
    EXPECT_EQ(passed(Attention::Vanilla, 1, false), kEachWay);
    EXPECT_EQ(passed(Attention::Vanilla, 2, false), 2 * kEachWay) << "waited for, until 2023";
    EXPECT_EQ(passed(Attention::Flash, 2, false), 0);
    EXPECT_EQ(passed(Attention::Flash, 2, true), 2 * kEachWay) << "beside the other part's kernels";
}

// Six layers on two stages of two parts, two each: the embedding stands for one layer of the first part, the head for
// one of the last.
TEST(InterleavedStages, haveALayerLessInThePartsOfTheEmbeddingAndTheHead)
{
    ModelSpec model = testing::smallModel();
    model.layers = 6;
    RunConfig c = megatron(Attention::Flash, Recompute::None, ParallelKind::None, 2, 1);
    c.parallel.pp = c.parallel.virtualStages = 2;
    c.gradAccum = 8;
    const RunPlan run = buildPlan(c, model).value();
    ASSERT_EQ(run.stages.size(), 2U);
    for (const StepPlan &stage : run.stages)
        EXPECT_EQ(stage.layers, 3);
    // Four parts of two layers, embedding and head among them: E0, 12, 34, 5H. The second stage has the second and the
    // fourth.
    EXPECT_EQ(run.stages[1].modelLayer(0), 1);
    EXPECT_EQ(run.stages[1].modelLayer(2), 5);
    // The first stage's steady state begins a micro-batch with one layer before it goes back through the last two of
    // another.
    const StepPlan &first = run.stages.front();
    std::string order;
    for (const Slot &slot : first.schedule.at(1).slots) {
        const std::string &name = first.at(slot.block).name;
        order += name == "layer_forward"       ? "f"
                 : name == "layer_backward"    ? "b"
                 : name == "embedding_forward" ? "e"
                                               : "";
    }
    EXPECT_EQ(order.substr(0, 7), "efbbffb") << order;
}

// DeepSpeed's bf16 optimizer: 2 + 4 + 4 bytes read and 4 + 4 written of each weight after each backward, and half
// gradients that stay.
TEST(DeepSpeedInBf16, addsHalfGradientsToWholeOnesOfFp32ThatAllRanksSum)
{
    RunConfig c = megatron(Attention::Vanilla, Recompute::Full, ParallelKind::Zero1, 4, 1);
    c.gradAccum = 3;
    const auto run = [](const RunConfig &config, const std::string &name, OpKind kind) {
        const StepPlan plan = planOf(config);
        Bytes bytes = 0;
        forEachOp(plan, Repetitions::All, [&](const Visit &v) {
            const Kernel &k = plan.at(v.op.kernel);
            if (v.op.name == name && k.kind == kind)
                bytes += kind == OpKind::Elementwise ? k.bytesRead + k.bytesWritten : k.messageBytes;
        });
        return bytes;
    };
    EXPECT_EQ(run(c, "accumulate", OpKind::Elementwise), 0);
    EXPECT_EQ(run(c, "reduce", OpKind::AllReduce), 0);
    const Bytes scattered = run(c, "reduce", OpKind::ReduceScatter);
    c.simulated.sharder = Sharder::DeepSpeed;
    EXPECT_EQ(run(c, "accumulate", OpKind::Elementwise), scattered / 4 * 18 * c.gradAccum)
        << "of as many weights as fp32 gradients are reduced";
    EXPECT_EQ(run(c, "reduce", OpKind::AllReduce), scattered);
    const StepPlan plan = planOf(c);
    const auto half = std::find_if(
        plan.buffers.begin(), plan.buffers.end(), [](const Buffer &b) { return b.name == "half_gradients"; });
    ASSERT_NE(half, plan.buffers.end());
    EXPECT_EQ(half->bytes, scattered / 2);
}

} // namespace
} // namespace slipway
