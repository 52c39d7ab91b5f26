// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <gtest/gtest.h>

#include "memory/memory_walk.h"
#include "plan/build_plan.h"
#include "plan/walk.h"

namespace slipway {
namespace {

// The shape that was measured; Mixtral's, small.
ModelSpec mixtralLike(int layers = 4)
{
    return {.name = "experts",
        .layers = layers,
        .hidden = 256,
        .attention = {.heads = 8, .kvHeads = 4, .headDim = 32},
        .mlp = {.width = 512},
        .vocab = 2048,
        .experts = {.count = 8, .perToken = 2}};
}

RunConfig configOf(Framework framework, Precision precision, ExpertGemm gemm = ExpertGemm::Grouped)
{
    RunConfig c;
    c.framework = framework;
    c.precision = precision;
    c.simulated.expertGemm = gemm;
    c.microBatch = 2;
    c.seqLen = 512;
    c.simulated.lossPath = LossPath::Upcast;
    return c;
}

Bytes peakOf(const RunConfig &c, const ModelSpec &m)
{
    return peakMemory(buildPlan(c, m).value().stages.front()).allocated;
}

// OLMoE's, small: norms over all queries and keys.
ModelSpec olmoeLike()
{
    ModelSpec m = mixtralLike();
    m.attention.kvHeads = m.attention.heads;
    m.attention.qkNorm = QkNorm::Full;
    return m;
}

// Live bytes of a whole training step of Transformers 5.23's MixtralForCausalLM and OlmoeForCausalLM under PyTorch 2.11
// on a processor, followed through every op: two steps with AdamW, none of the layers checkpointed.
TEST(ExpertMemory, meetsThePeakOfAWholeStepInTransformers)
{
    const struct {
        Precision precision;
        ExpertGemm gemm;
        double mixtral, olmoe;
    } cases[] = {{Precision::Bf16, ExpertGemm::Loop, 183'720'960, 199'958'528},
        {Precision::Bf16, ExpertGemm::Grouped, 179'576'832, 195'813'376},
        {Precision::Bf16Mixed, ExpertGemm::Grouped, 319'706'624, 338'052'608}};
    for (const auto &c : cases) {
        const RunConfig config = configOf(Framework::PytorchEager, c.precision, c.gemm);
        EXPECT_NEAR(double(peakOf(config, mixtralLike())), c.mixtral, 0.005 * c.mixtral)
            << enumName(c.precision) << " " << enumName(c.gemm);
        EXPECT_NEAR(double(peakOf(config, olmoeLike())), c.olmoe, 0.005 * c.olmoe)
            << enumName(c.precision) << " " << enumName(c.gemm);
    }
}

// What one more layer keeps while the loss is computed.
Bytes keptByALayer(const RunConfig &config)
{
    const auto atLoss = [&](int layers) {
        const StepPlan plan = buildPlan(config, mixtralLike(layers)).value().stages.front();
        Bytes alive = 0, found = -1;
        forEachOp(plan, Repetitions::Once, [&](const Visit &v) {
            if (plan.at(v.slot.block).name == "loss" && found < 0)
                found = alive;
            const auto activation = [&](const Use &u) {
                return plan.at(u.buffer).role == Role::Activation ? plan.at(u.buffer).bytes : 0;
            };
            for (const Use &use : v.op.allocations)
                alive += activation(use);
            for (const Use &use : v.op.frees)
                alive -= activation(use);
        });
        return found;
    };
    return atLoss(4) - atLoss(3);
}

TEST(ExpertMemory, ofMegatronKeepsTheRowsOfEachTokensExperts)
{
    const Bytes tokens = 2 * 512, h = 256, q = 256, kv = 128, heads = 8, f = 512, k = 2, experts = 8;
    // In bf16: both norms' input and output, their statistics; rotated q, k, v; attention's output and its sums of
    // exponents.
    const Bytes attention = 2 * q + 4 * heads, rest = 2 * (2 * h + 2 * h + 4) + 2 * (q + 2 * kv);
    // Soft-max of the router in fp32, weights and places of what was chosen; for each chosen expert its rows, gate, up,
    // product.
    const Bytes router = 4 * experts + 4 * k + 8 * k, rows = 2 * k * h + 2 * k * 2 * f, product = 2 * k * f;
    RunConfig c = configOf(Framework::Megatron, Precision::Bf16Mixed);
    EXPECT_EQ(keptByALayer(c), tokens * (attention + rest + router + rows + product + 2 * k * h))
        << "what comes out of each expert, before it is weighted";
    c.simulated.weightedExperts = true; // Megatron-Core 0.13 weighs what goes into the last product
    EXPECT_EQ(keptByALayer(c), tokens * (attention + rest + router + rows + product));
    for (const int ep : {2, 4}) { // each rank's experts take as many rows as all of them would of its own
        c.parallel = {.kind = ParallelKind::Zero1, .gpus = 4, .ep = ep};
        EXPECT_EQ(keptByALayer(c), tokens * (attention + rest + router + rows + product)) << ep;
    }
    c.recompute = Recompute::Selective;
    EXPECT_EQ(keptByALayer(c), tokens * (2 * q + rest + router + rows + product))
        << "what comes out of attention is the next product's input";
    // Element-wise sums come back as well: the stream between the layer's halves.
    c.recomputeOps = {"activation"};
    EXPECT_EQ(keptByALayer(c), tokens * (attention + rest - 2 * h + router + rows));
    c.recomputeOps = {"activation", "experts"};
    EXPECT_EQ(keptByALayer(c), tokens * (attention + rest - 2 * h + router));
    c.recompute = Recompute::Full;
    c.recomputeOps = {};
    EXPECT_EQ(keptByALayer(c), tokens * 2 * h);
}

TEST(ExpertMemory, growsWithTokensAndExpertsATokenAndShrinksWithRecomputationAndExpertParallelism)
{
    for (const Framework framework : {Framework::PytorchEager, Framework::PytorchCompile, Framework::Megatron}) {
        for (const ExpertGemm gemm : {ExpertGemm::Grouped, ExpertGemm::Loop}) {
            RunConfig c = configOf(framework, Precision::Bf16Mixed, gemm);
            c.parallel = {.kind = ParallelKind::Zero1, .gpus = 8};
            const auto with = [&](auto change) {
                RunConfig other = c;
                ModelSpec m = mixtralLike();
                change(other, m);
                return peakOf(other, m);
            };
            const Bytes plain = with([](RunConfig &, ModelSpec &) {});
            EXPECT_GT(with([](RunConfig &r, ModelSpec &) { r.microBatch = 3; }), plain);
            EXPECT_GT(with([](RunConfig &r, ModelSpec &) { r.seqLen = 1024; }), plain);
            EXPECT_GT(with([](RunConfig &, ModelSpec &m) { m.experts.perToken = 3; }), plain);
            EXPECT_GT(with([](RunConfig &r, ModelSpec &) { r.expertCapacity = 1.5; }), plain);
            EXPECT_LT(with([](RunConfig &r, ModelSpec &) { r.recompute = Recompute::Full; }), plain);
            EXPECT_LT(with([](RunConfig &r, ModelSpec &) {
                r.recompute = Recompute::Selective;
                r.recomputeOps = {"experts", "activation"};
            }),
                plain);
            EXPECT_LT(with([](RunConfig &r, ModelSpec &) { r.parallel.ep = 8; }),
                with([](RunConfig &r, ModelSpec &) { r.parallel.ep = 2; }));
        }
    }
}

} // namespace
} // namespace slipway
