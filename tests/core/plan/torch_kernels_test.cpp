// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Which kernels and collectives simulated PyTorch launches: what a compiler makes one of, what a traced graph does weight by weight.
#include <gtest/gtest.h>

#include "plan/build_plan.h"
#include "plan/walk.h"
#include "support/plan_fixtures.h"

namespace slipway {
namespace {

using testing::planOf;
using testing::smallConfig;
using testing::smallModel;

RunConfig torchConfig(Framework framework)
{
    RunConfig c = smallConfig();
    c.framework = framework;
    c.precision = Precision::Bf16Mixed;
    c.parallel = {.kind = ParallelKind::FsdpFull, .gpus = 4};
    return c;
}

Bytes bytesOf(const RunConfig &config, const std::string &op)
{
    const StepPlan plan = planOf(config);
    Bytes sum = 0;
    forEachOp(plan, Repetitions::All, [&](const Visit &v) {
        const Kernel &kernel = plan.at(v.op.kernel);
        sum += v.op.name == op ? kernel.bytesRead + kernel.bytesWritten : 0;
    });
    return sum;
}

// Of tokens x hidden half numbers; the small model has 2 x 16 tokens of 32, and three layers.
constexpr Bytes kStream = 2 * 16 * 32 * 2;

TEST(CompiledCode, addsGradientsUpWhereTheirSumIsRead)
{
    // Five sums a layer: of q, k and v, of gate and up, and of each with what the stream passes. Eager norms have some of their own.
    EXPECT_GE(bytesOf(torchConfig(Framework::PytorchEager), "add_gradient"), 3 * 5 * 3 * kStream);
    EXPECT_EQ(bytesOf(torchConfig(Framework::PytorchCompile), "add_gradient"), 3 * 5 * kStream);
}

TEST(CompiledCode, doesNotReadTheSumThatItsNormMakes)
{
    const RunConfig c = torchConfig(Framework::PytorchCompile);
    EXPECT_EQ(bytesOf(c, "attention_norm") - bytesOf(c, "mlp_norm"), 3 * kStream);
}

TEST(CompiledCode, hasBothGradientsOfAGatedProductFromOneKernel)
{
    const Bytes one = 2 * 16 * 48 * 2;
    EXPECT_EQ(bytesOf(torchConfig(Framework::PytorchCompile), "swiglu_backward"), 3 * 5 * one);
    EXPECT_EQ(bytesOf(torchConfig(Framework::PytorchEager), "gate_product_backward"), 3 * 6 * one);
}

} // namespace
} // namespace slipway
