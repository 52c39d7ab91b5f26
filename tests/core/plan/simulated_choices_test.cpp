// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What only the simulated frameworks have: lists of ops to recompute, pipelines, fp8, offloading.
#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "plan/build_plan.h"
#include "plan/walk.h"
#include "support/plan_fixtures.h"
#include "support/torch_version.h"

namespace slipway {
namespace {

using testing::compiledConfig;
using testing::smallConfig;
using testing::smallModel;

ModelSpec evenModel()
{
    ModelSpec m = smallModel();
    m.layers = 4;
    return m;
}

// Bytes of activations that live while the loss is computed, of a plan's one micro-batch.
Bytes aliveAtLoss(const RunConfig &config, const ModelSpec &model = evenModel())
{
    const StepPlan plan = buildPlan(config, model).value().stages.front();
    Bytes alive = 0, atLoss = -1;
    forEachOp(plan, Repetitions::Once, [&](const Visit &v) {
        const auto activation = [&](const Use &u) {
            return plan.at(u.buffer).role == Role::Activation ? plan.at(u.buffer).bytes : 0;
        };
        for (const Use &use : v.op.allocations)
            alive += activation(use);
        if (plan.at(v.slot.block).name == "loss" && atLoss < 0)
            atLoss = alive;
        for (const Use &use : v.op.frees)
            alive -= activation(use);
    });
    return atLoss;
}

std::int64_t count(const StepPlan &plan, OpKind kind, Phase phase, GemmForm form = GemmForm::Forward)
{
    std::int64_t n = 0;
    forEachOp(plan, Repetitions::All, [&](const Visit &v) {
        n += plan.at(v.op.kernel).kind == kind && v.op.phase == phase && plan.at(v.op.kernel).form == form;
    });
    return n;
}

// Autocast casts each product's input anew; a compiler's norm writes the half tensor that all products read.
TEST(CompiledCode, castsANormsResultOnceForAllGemmsThatReadIt)
{
    RunConfig c = compiledConfig();
    c.parallel = {.kind = ParallelKind::None};
    c.precision = Precision::Bf16Mixed;
    const auto copies = [](const RunConfig &config) {
        const StepPlan plan = buildPlan(config, evenModel()).value().stages.front();
        std::vector<std::string> names;
        for (const Buffer &buffer : plan.buffers) {
            if (buffer.name.ends_with("_input"))
                names.push_back(buffer.name);
        }
        return names;
    };
    EXPECT_EQ(copies(c), std::vector<std::string>{});
    c.framework = Framework::PytorchEager;
    EXPECT_EQ(copies(c), (std::vector<std::string>{
                             "layer.q_input", "layer.k_input", "layer.v_input", "layer.gate_input", "layer.up_input"}));
}

// FSDP2 beside pipeline stages: one gather and one reduction of each unit a step, whatever the micro-batches; between
// them each weight lies there in half and each gradient in fp32.
TEST(FsdpInAPipeline, keepsOneCopyOfWeightsThatItDoesNotLetGo)
{
    RunConfig c = compiledConfig();
    c.framework = Framework::PytorchEager;
    c.simulated.sharder = Sharder::Fsdp1;
    c.parallel = {.kind = ParallelKind::FsdpGradOp, .gpus = 8, .pp = 2};
    c.gradAccum = 8;
    const StepPlan plan = buildPlan(c, evenModel()).value().stages.front();
    EXPECT_EQ(plan.microBatchesInFlight, 2);
    EXPECT_EQ(count(plan, OpKind::AllGather, Phase::Forward), plan.layers + 1) << "once a step";
    for (const Buffer &b : plan.buffers)
        EXPECT_TRUE(!b.name.ends_with(".gathered") || b.scope == Scope::Run)
            << b.name << " would be there for each micro-batch in flight";
}

TEST(Fsdp2InAPipeline, gathersOnceAndReducesOnceAStep)
{
    RunConfig c = compiledConfig();
    c.framework = Framework::PytorchEager;
    c.simulated.sharder = Sharder::Fsdp2;
    c.precision = Precision::Bf16Mixed;
    c.parallel = {.kind = ParallelKind::FsdpFull, .gpus = 8, .pp = 2};
    for (const int accumulation : {1, 4, 8}) {
        c.gradAccum = accumulation;
        const StepPlan plan = buildPlan(c, evenModel()).value().stages.front();
        const std::int64_t units = plan.layers + 1;
        EXPECT_EQ(count(plan, OpKind::AllGather, Phase::Forward), units);
        EXPECT_EQ(count(plan, OpKind::AllGather, Phase::Backward), 0);
        EXPECT_EQ(count(plan, OpKind::ReduceScatter, Phase::Backward), units);
        Bytes gathered = 0, gradients = 0, shards = 0;
        for (const Buffer &b : plan.buffers) {
            const Bytes bytes = b.bytes * (b.perLayer ? plan.layers : 1);
            gathered += b.name.ends_with(".gathered") && b.scope != Scope::MicroBatch ? bytes : 0;
            gradients += b.name.ends_with(".accumulated") && b.scope == Scope::Step ? bytes : 0;
            shards += b.name.ends_with(".weights") ? bytes : 0;
        }
        EXPECT_NEAR(double(gathered) / double(shards), 2.0 * 4 / 4, 0.01) << "of four ranks' shards in fp32";
        EXPECT_NEAR(double(gradients) / double(shards), 4.0 * 4 / 4, 0.01);
    }
}

TEST(RecomputedOps, bringBackEverySecondGemmOfALayer)
{
    RunConfig c = compiledConfig();
    c.recompute = Recompute::Selective;
    c.recomputeOps = {"norm", "activation", "rope", "linear-alternate"};
    const StepPlan plan = buildPlan(c, smallModel()).value().stages.front();
    // Of q, k, v, o, gate, up and down: k, o and up.
    EXPECT_EQ(count(plan, OpKind::Gemm, Phase::Recompute), 3 * smallModel().layers * c.gradAccum);
    EXPECT_EQ(count(plan, OpKind::FlashAttention, Phase::Recompute), 0);
}

TEST(RecomputedOps, runALayerToItsEndBeforePyTorch21)
{
    RunConfig c = compiledConfig();
    c.framework = Framework::PytorchEager;
    c.recompute = Recompute::Full;
    const auto products = [&](const char *torch) {
        testing::setTorch(c, torch);
        return count(buildPlan(c, smallModel()).value().stages.front(), OpKind::Gemm, Phase::Recompute);
    };
    // Backward of the last product, down, does not read what it wrote.
    EXPECT_EQ(products("2.0") - products("2.1"), smallModel().layers * c.gradAccum);
}

TEST(RecomputedOps, runALayerToItsEndWithoutEarlyStop)
{
    RunConfig c = compiledConfig();
    c.framework = Framework::PytorchEager;
    c.recompute = Recompute::Full;
    testing::setTorch(c, "2.11");
    const auto gemms = [&](bool stopsEarly) {
        c.simulated.checkpointEarlyStop = stopsEarly;
        return count(buildPlan(c, smallModel()).value().stages.front(), OpKind::Gemm, Phase::Recompute);
    };
    // Of q, k, v, o, gate, up and down: PyTorch 2.11 repeats all with use_reentrant, and otherwise all but the last.
    EXPECT_EQ(gemms(false), 7 * smallModel().layers * c.gradAccum);
    EXPECT_EQ(gemms(true), 6 * smallModel().layers * c.gradAccum);
}

// Of a layer: two gathers and two scatters forward, as many for the gradients; the checkpointed forward again, up to
// what backward needs last, which is not the second scatter.
TEST(RecomputedOps, gatherAndScatterAgainWhatTensorParallelRanksHoldInParts)
{
    RunConfig c = compiledConfig();
    c.framework = Framework::PytorchEager;
    c.recompute = Recompute::Full;
    c.parallel = {.kind = ParallelKind::None, .gpus = 2, .tp = 2};
    const ModelSpec model = evenModel();
    const StepPlan plan = buildPlan(c, model).value().stages.front();
    for (const Phase phase : {Phase::Forward, Phase::Backward}) {
        EXPECT_GE(count(plan, OpKind::AllGather, phase), 2 * model.layers);
        EXPECT_GE(count(plan, OpKind::ReduceScatter, phase), 2 * model.layers);
    }
    EXPECT_EQ(count(plan, OpKind::AllGather, Phase::Recompute), 2 * model.layers);
    EXPECT_EQ(count(plan, OpKind::ReduceScatter, Phase::Recompute), model.layers);
}

// fully_shard copies each weight out of what it gathered, and reduces in the type of the shards' gradients; FSDP1 does
// neither.
TEST(Sharder, ofFullyShardCopiesWhatItGathersAndReducesInFp32)
{
    RunConfig c = compiledConfig();
    c.framework = Framework::PytorchEager;
    c.precision = Precision::Bf16Mixed;
    c.parallel = {.kind = ParallelKind::FsdpFull, .gpus = 4};
    const auto messages = [&](Sharder sharder, OpKind kind) {
        c.simulated.sharder = sharder;
        const StepPlan plan = buildPlan(c, evenModel()).value().stages.front();
        Bytes sum = 0;
        forEachOp(plan, Repetitions::All,
            [&](const Visit &v) { sum += plan.at(v.op.kernel).kind == kind ? plan.at(v.op.kernel).messageBytes : 0; });
        return sum;
    };
    const auto copied = [&](Sharder sharder) {
        c.simulated.sharder = sharder;
        const StepPlan plan = buildPlan(c, evenModel()).value().stages.front();
        Bytes sum = 0;
        forEachOp(plan, Repetitions::All,
            [&](const Visit &v) { sum += v.op.name == "copy_out" ? plan.at(v.op.kernel).bytesWritten : 0; });
        return sum;
    };
    EXPECT_EQ(messages(Sharder::Fsdp2, OpKind::ReduceScatter), 2 * messages(Sharder::Fsdp1, OpKind::ReduceScatter));
    EXPECT_EQ(copied(Sharder::Fsdp2), messages(Sharder::Fsdp2, OpKind::AllGather));
    EXPECT_EQ(copied(Sharder::Fsdp1), 0);
}

TEST(RmsNorm, isOneKernelInTorchtitansModulesSincePyTorch29)
{
    RunConfig c = compiledConfig();
    c.framework = Framework::PytorchEager;
    c.parallel = {.kind = ParallelKind::FsdpFull, .gpus = 4};
    const auto squares = [&](bool torchModules, const std::string &torch) {
        c.simulated.torchModules = torchModules;
        testing::setTorch(c, torch);
        const StepPlan plan = buildPlan(c, evenModel()).value().stages.front();
        int n = 0;
        forEachOp(plan, Repetitions::Once, [&](const Visit &v) { n += v.op.name.ends_with("_norm_pow"); });
        return n;
    };
    EXPECT_GT(squares(true, "2.8"), 0);
    EXPECT_EQ(squares(true, "2.9"), 0);
    EXPECT_GT(squares(false, "2.9"), 0) << "Transformers writes its norm out";
}

// What an op needs on its way, a cast or a part that nobody keeps, is done as often as the op.
TEST(RecomputedOps, takeTheirSmallStepsAgain)
{
    RunConfig c = compiledConfig();
    c.framework = Framework::PytorchEager;
    c.precision = Precision::Fp8Mixed;
    c.recompute = Recompute::Full;
    c.parallel = {.kind = ParallelKind::FsdpFull, .gpus = 2};
    std::map<Phase, std::multiset<std::string>> steps;
    const StepPlan plan = buildPlan(c, evenModel()).value().stages.front();
    forEachOp(plan, Repetitions::All, [&](const Visit &v) {
        if (v.op.name.ends_with("_parts") || v.op.name.ends_with("_quantize_weight"))
            steps[v.op.phase].insert(v.op.name);
    });
    ASSERT_GT(steps[Phase::Forward].count("gate_quantize_weight"), 0U);
    ASSERT_GT(steps[Phase::Forward].count("rope_q_parts"), 0U);
    std::erase_if(steps[Phase::Forward], [](const std::string &name) {
        return name == "down_quantize_weight";
    }); // backward needs no output of the last product
    EXPECT_EQ(steps[Phase::Recompute], steps[Phase::Forward]);
}

// The last product's output is on the list, but backward does not read it: measured with torch 2.11, 8.03 and 7.03
// times tokens x hidden a layer.
TEST(RecomputedOps, areKeptUnreadByEagerCodeOnly)
{
    RunConfig c = compiledConfig();
    c.precision = Precision::Bf16;
    c.recompute = Recompute::Selective;
    c.recomputeOps = {"norm", "activation", "rope", "linear-alternate"};
    const auto ofALayer = [](const RunConfig &config) {
        return aliveAtLoss(config, evenModel()) - aliveAtLoss(config, smallModel());
    };
    const Bytes compiled = ofALayer(c);
    c.framework = Framework::PytorchEager;
    EXPECT_EQ(ofALayer(c) - compiled, c.tokensPerMicroBatch() * evenModel().hidden * sizeOf(DType::Bf16));
    const Bytes eager = ofALayer(c);
    c.simulated.sharder = Sharder::Simple;
    EXPECT_LT(ofALayer(c), eager) << "a trace knows who reads";
}

TEST(Autocast, overHalfWeightsRunsNormsInFp32BesideAHalfStream)
{
    RunConfig c = compiledConfig();
    c.framework = Framework::PytorchEager;
    c.precision = Precision::Bf16Mixed;
    c.parallel = {.kind = ParallelKind::FsdpFull, .gpus = 2};
    ModelSpec gpt = evenModel(), shallow = smallModel();
    for (ModelSpec *m : {&gpt, &shallow}) {
        m->norm.kind = NormKind::LayerNorm;
        m->mlp.gated = false;
    }
    const auto ofALayer = [&] { return aliveAtLoss(c, gpt) - aliveAtLoss(c, shallow); };
    const Bytes plain = ofALayer();
    c.simulated.autocast = true;
    // Each keeps the fp32 copy of its input in place of the half one. What it writes dies once it is cast.
    EXPECT_EQ(
        ofALayer() - plain, 2 * c.tokensPerMicroBatch() * gpt.hidden * (sizeOf(DType::Fp32) - sizeOf(DType::Bf16)));
}

TEST(RecomputedOps, keepLessTheMoreIsListed)
{
    RunConfig c = compiledConfig();
    const Bytes none = aliveAtLoss(c);
    c.recompute = Recompute::Selective;
    c.recomputeOps = {"activation"};
    const Bytes activation = aliveAtLoss(c);
    c.recomputeOps = {"activation", "norm", "rope"};
    const Bytes more = aliveAtLoss(c);
    c.recomputeOps = {"activation", "norm", "rope", "linear-alternate"};
    const Bytes most = aliveAtLoss(c);
    c.recomputeOps = {};
    c.recompute = Recompute::Full;
    const Bytes full = aliveAtLoss(c);
    EXPECT_LT(activation, none);
    EXPECT_LT(more, activation);
    EXPECT_LT(most, activation); // holds outputs that nobody needs, as PyTorch's list of ops does
    EXPECT_LT(full, more);
}

TEST(RecomputedOps, halveWhatIsKeptWhereEverySecondLayerIsCheckpointed)
{
    RunConfig c = compiledConfig();
    const Bytes none = aliveAtLoss(c);
    c.recompute = Recompute::Full;
    const Bytes full = aliveAtLoss(c);
    c.recompute = Recompute::Selective;
    c.recomputeOps = {"layer-alternate"};
    EXPECT_NEAR(double(aliveAtLoss(c)), (double(none) + double(full)) / 2, 0.01 * double(none));
}

TEST(UnpaddedAttention, keepsCopiesOfWhatItReadsAndOfWhatItWrites)
{
    RunConfig c = compiledConfig();
    c.framework = Framework::PytorchEager;
    testing::setTorch(c, "2.5"); // heads of keys are not repeated
    const Bytes without = aliveAtLoss(c);
    c.simulated.unpadAttention = true;
    const ModelSpec m = evenModel();
    // Of queries, keys and values the copies live in place of what was copied; of the output both do, in fp32.
    EXPECT_EQ(aliveAtLoss(c) - without,
        Bytes{m.layers} * c.tokensPerMicroBatch() * m.attention.heads * m.attention.headDim * 4);
}

// A causal kernel computes half of the pairs of a query and a key. The mask has the type of the model, here fp32.
TEST(DenseMask, IsReadByAKernelThatComputesAllPairs)
{
    RunConfig c = compiledConfig();
    const auto attention = [&] {
        const StepPlan plan = buildPlan(c, evenModel()).value().stages.front();
        const auto of = [](const Kernel &k) { return k.kind == OpKind::FlashAttention; };
        return *std::find_if(plan.kernels.begin(), plan.kernels.end(), of);
    };
    const Kernel causal = attention();
    c.simulated.denseMask = true;
    const Kernel masked = attention();
    EXPECT_DOUBLE_EQ(masked.flops, 2 * causal.flops);
    EXPECT_EQ(masked.bytesRead - causal.bytesRead, Bytes{causal.batch} * causal.seq * causal.seq * 4);
    const StepPlan plan = buildPlan(c, evenModel()).value().stages.front();
    const auto mask =
        std::find_if(plan.buffers.begin(), plan.buffers.end(), [](const Buffer &b) { return b.name == "causal_mask"; });
    ASSERT_NE(mask, plan.buffers.end());
    EXPECT_EQ(mask->bytes, c.microBatch * c.seqLen * c.seqLen * 4);
}

TEST(MegatronVocabulary, isFilledUpToAMultipleOfEachRank)
{
    RunConfig c = compiledConfig();
    c.framework = Framework::Megatron;
    ModelSpec model = smallModel();
    model.vocab = 50'257;
    const auto columns = [&](int tp) {
        c.parallel.tp = c.parallel.gpus = tp;
        const StepPlan plan = buildPlan(c, model).value().stages.front();
        std::int64_t n = 0;
        forEachOp(
            plan, Repetitions::Once, [&](const Visit &v) { n = v.op.name == "logits" ? plan.at(v.op.kernel).n : n; });
        return n;
    };
    EXPECT_EQ(columns(1), 50'304);
    EXPECT_EQ(columns(2), 50'432 / 2);
    c.simulated.vocabMultiple = 1;
    EXPECT_EQ(columns(1), 50'257);
    EXPECT_EQ(columns(2), 50'258 / 2);
}

TEST(OffloadedActivations, leaveOnlyTheLayerAtHandOnTheDevice)
{
    RunConfig c = compiledConfig();
    c.recompute = Recompute::Full;
    const Bytes kept = aliveAtLoss(c);
    c.offloadActivations = true;
    EXPECT_LT(aliveAtLoss(c), kept);
    const StepPlan plan = buildPlan(c, smallModel()).value().stages.front();
    std::int64_t out = 0, back = 0;
    forEachOp(plan, Repetitions::All, [&](const Visit &v) {
        if (plan.at(v.op.kernel).kind == OpKind::HostCopy)
            (v.op.writes.empty() ? out : back) += plan.at(v.op.kernel).messageBytes;
    });
    EXPECT_GT(out, 0);
    EXPECT_EQ(out, back);
}

TEST(UpdateInBackward, letsNoLayersGradientLiveBesideAnothers)
{
    RunConfig c = compiledConfig();
    c.gradAccum = 1;
    c.optimizerInBackward = true;
    const StepPlan plan = buildPlan(c, smallModel()).value().stages.front();
    int alive = 0, most = 0;
    forEachOp(plan, Repetitions::Once, [&](const Visit &v) {
        const auto layerGradient = [&](const Use &u) { return plan.at(u.buffer).name == "layer.gradients"; };
        alive += int(std::count_if(v.op.allocations.begin(), v.op.allocations.end(), layerGradient));
        most = std::max(most, alive);
        alive -= int(std::count_if(v.op.frees.begin(), v.op.frees.end(), layerGradient));
    });
    EXPECT_EQ(most, 1);
    EXPECT_EQ(alive, 0);
}

TEST(Fp8, runsAWeightsGemmsOnOneByteOperandsAndNothingElse)
{
    RunConfig c = compiledConfig();
    c.framework = Framework::Megatron;
    c.precision = Precision::Fp8Mixed;
    const StepPlan plan = buildPlan(c, smallModel()).value().stages.front();
    for (const Kernel &k : plan.kernels) {
        if (k.kind == OpKind::Gemm) {
            EXPECT_EQ(k.type == DType::Fp8, k.cost == CostClass::Gemm);
        }
    }
}

// Stage 0 of p holds p micro-batches at once, the last one 1 (Narayanan et al. 2021).
// A faulty plan throws: use after free, double free, leaks.
TEST(RecomputedOps, leaveNothingBehindWhateverTheTypesTheAttentionAndTheFramework)
{
    std::vector<std::vector<std::string>> lists{
        {}, {"attention", "norm"}, {"attention", "linear"}, {"norm", "activation", "rope", "linear-alternate"}};
    for (const char *op : {"attention", "norm", "activation", "rope", "linear", "linear-alternate", "layer-alternate"})
        lists.push_back({op});
    RunConfig c = smallConfig();
    c.recompute = Recompute::Selective;
    for (const Framework framework : {Framework::PytorchEager, Framework::PytorchCompile, Framework::Megatron}) {
        for (const Precision precision :
            {Precision::Fp8Mixed, Precision::Bf16Mixed, Precision::Fp16Mixed, Precision::Bf16, Precision::Fp32}) {
            for (const Attention attention : {Attention::Vanilla, Attention::Flash}) {
                for (const auto &ops : lists) {
                    c.framework = framework;
                    c.precision = precision;
                    c.attention = attention;
                    c.recomputeOps = ops;
                    EXPECT_NO_THROW(EXPECT_TRUE(buildPlan(c, evenModel())))
                        << enumName(framework) << " " << enumName(precision) << " " << enumName(attention) << " "
                        << (ops.empty() ? "" : ops.front());
                }
            }
        }
    }
}

TEST(Pipeline, holdsAsManyMicroBatchesAsStagesFollowAndItsOwn)
{
    RunConfig c = compiledConfig();
    c.framework = Framework::Megatron;
    c.parallel = {.kind = ParallelKind::None, .gpus = 2, .pp = 2};
    c.gradAccum = 6;
    const RunPlan plan = buildPlan(c, smallModel()).value();
    ASSERT_EQ(plan.stages.size(), 2U);
    for (int stage = 0; stage < 2; ++stage) {
        const StepPlan &p = plan.stages[std::size_t(stage)];
        EXPECT_EQ(p.microBatchesInFlight, 2 - stage);
        // Every micro-batch goes forward once and backward once.
        std::vector<int> forward(6), backward(6);
        forEachOp(p, Repetitions::All, [&](const Visit &v) {
            const std::string &block = p.at(v.slot.block).name;
            const bool firstOp = &v.op == p.at(v.slot.block).ops.data();
            if (firstOp && block == "embedding_forward")
                ++forward[std::size_t(v.microBatch)];
            if (firstOp && block == "embedding_backward")
                ++backward[std::size_t(v.microBatch)];
        });
        EXPECT_EQ(forward, std::vector<int>(6, 1));
        EXPECT_EQ(backward, std::vector<int>(6, 1));
    }
}

TEST(Pipeline, runsAheadFurtherWhenInterleaved)
{
    RunConfig c = compiledConfig();
    c.framework = Framework::Megatron;
    c.parallel = {.kind = ParallelKind::None, .gpus = 2, .pp = 2};
    c.gradAccum = 8;
    const ModelSpec m = evenModel();
    c.parallel.virtualStages = 2;
    // 2 (p - 1) + (v - 1) p + 1 = 5 halves of the stage: three micro-batches.
    EXPECT_EQ(buildPlan(c, m).value().stages.front().microBatchesInFlight, 3);
}

} // namespace
} // namespace slipway
