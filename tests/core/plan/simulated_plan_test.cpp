// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <gtest/gtest.h>

#include "plan/lifetimes.h"
#include "plan/plan_text.h"
#include "plan/walk.h"
#include "support/plan_fixtures.h"

namespace slipway {
namespace {

using testing::smallConfig;
using testing::smallModel;

ModelSpec gpt2Model()
{
    ModelSpec m = smallModel();
    m.mlp = {.width = m.mlp.width, .gated = false, .activation = Activation::GeluErf};
    m.norm.kind = NormKind::LayerNorm;
    m.position = Position::Learned;
    m.attention.kvHeads = m.attention.heads;
    m.embedding.positions = 64;
    m.head.tied = m.attention.qkvBias = m.attention.outBias = m.mlp.bias = m.norm.bias = true;
    return m;
}

// Every combination that the flags allow; one test, since each takes microseconds.
template<typename Check>
void forEveryChoice(Check &&check)
{
    for (const ModelSpec &model : {smallModel(), gpt2Model()}) {
        for (const Framework framework : {Framework::PytorchEager, Framework::PytorchCompile, Framework::Megatron}) {
            for (const Attention attention : {Attention::Flash, Attention::Vanilla}) {
                for (const Recompute recompute : {Recompute::None, Recompute::Selective, Recompute::Full}) {
                    for (const Precision precision : {Precision::Bf16Mixed, Precision::Bf16, Precision::Fp32}) {
                        for (const ParallelKind kind : {ParallelKind::None, ParallelKind::Ddp, ParallelKind::Zero1,
                                 ParallelKind::FsdpFull, ParallelKind::FsdpGradOp, ParallelKind::Hsdp}) {
                            for (const int gradAccum : {1, 2, 5}) {
                                RunConfig c = smallConfig();
                                c.framework = framework;
                                c.attention = attention;
                                c.recompute = recompute;
                                c.precision = precision;
                                c.gradAccum = gradAccum;
                                c.parallel = {.kind = kind, .gpus = kind == ParallelKind::None ? 1 : 16};
                                check(c, model);
                            }
                        }
                    }
                }
            }
        }
    }
}

std::string nameOf(const RunConfig &c, const ModelSpec &m)
{
    std::string name = m.norm.kind == NormKind::LayerNorm ? "gpt" : "llama";
    for (const std::string_view part : {enumName(c.framework), enumName(c.attentionOrFlash()),
             enumName(c.recomputeOrNone()), enumName(c.precisionOrMixed()), enumName(c.parallel.kind)})
        name += " " + std::string(part);
    return name + " " + std::to_string(c.gradAccum);
}

TEST(TorchPlan, isFreeOfUseAfterFreeDoubleFreeAndLeaksForEveryChoice)
{
    forEveryChoice([](const RunConfig &c, const ModelSpec &m) {
        try {
            EXPECT_TRUE(buildPlan(c, m)) << nameOf(c, m);
        } catch (const std::logic_error &fault) {
            ADD_FAILURE() << nameOf(c, m) << ": " << fault.what();
        }
    });
}

} // namespace
} // namespace slipway
