// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Messages that overlap with computation by the plan overlap with it when the executor runs the plan. Time is counted,
// not measured: an op takes as long as the plan predicts, and links are slowed by their own clock.
#include <algorithm>

#include <gtest/gtest.h>

#include "comm/slow_links.h"
#include "comm/thread_group.h"
#include "core/speed/plain_rates.h"
#include "exec/executor.h"
#include "speed/collective_time.h"
#include "speed/kernel_time.h"
#include "speed/simulate_step.h"
#include "trainer_fixtures.h"

namespace slipway::testing {
namespace {

constexpr int kRanks = 4;

RunConfig contextParallel(ContextExchange exchange)
{
    RunConfig config = smallConfig();
    config.seqLen = 512;
    config.contextExchange = exchange;
    config.parallel = {.kind = ParallelKind::Ddp, .gpus = kRanks, .cp = kRanks};
    return config;
}

// Links whose messages of keys take `ratio` times as long as the attention that they overlap with in a forward pass.
DeviceRates ratesOf(const StepPlan &plan, double ratio)
{
    DeviceRates rates = plainRates();
    const auto inRing = [&](OpKind kind) {
        return *std::ranges::find_if(
            plan.kernels, [kind](const Kernel &k) { return k.kind == kind && k.group != GroupId::None; });
    };
    rates.nodeLink = {.bandwidth = static_cast<double>(inRing(OpKind::Receive).messageBytes) /
                                   (ratio * kernelTime(inRing(OpKind::FlashAttention), rates))};
    return rates;
}

// Of the messages alone: on the processor, collectives overlap with nothing and delay no message.
double plannedOverlap(StepPlan plan, const DeviceRates &rates)
{
    for (Kernel &kernel : plan.kernels)
        kernel.messageBytes = isPointToPoint(kernel.kind) ? kernel.messageBytes : 0;
    Seconds busy = 0;
    const StepTimes times = simulateStep(plan, rates, [&](const SimulatedOp &op) {
        if (plan.at(op.op.kernel).kind == OpKind::Receive)
            busy += (op.end - op.start) * op.repetitions;
    });
    const auto group = std::ranges::find(plan.groups, std::string("cp"), &Group::axis) - plan.groups.begin();
    return 1 - times.exposedByGroup[static_cast<std::size_t>(group)] / busy;
}

// Of the messages of the first rank.
double overlapOfRun(const RunConfig &config, const DeviceRates &rates)
{
    const ModelSpec model = smallModel();
    const StepPlan plan = planOf(config, model);
    LinkUse messages;
    ThreadGroup(kRanks).run([&](Communicator &ranks) {
        Seconds now = 0;
        SlowLinks links(ranks, rates.nodeLink.bandwidth,
            {.now = [&] { return now; }, .waitUntil = [&](Seconds until) { now = std::max(now, until); }});
        const auto executor = executorOf(plan, model, links);
        LinkUse before, own;
        executor->setObserver([&](const OpEvent &event) {
            const Kernel &kernel = plan.at(event.op.kernel);
            if (event.before) {
                before = links.messages();
            } else if (kernel.kind == OpKind::Receive) {
                own.busy += links.messages().busy - before.busy;
                own.waited += links.messages().waited - before.waited;
            } else if (kernel.cost != CostClass::Communication) {
                now += kernelTime(kernel, rates);
            }
        });
        const Batch batch = randomBatch(executor->tokensPerStep(), static_cast<int>(model.vocab), 1);
        EXPECT_TRUE(executor->step(batch.input(), {}));
        if (ranks.rank() == 0)
            messages = own;
    });
    return messages.overlapped();
}

TEST(OverlapOfARing, IsThatOfItsPlan)
{
    const RunConfig config = contextParallel(ContextExchange::Ring);
    const StepPlan plan = planOf(config, smallModel());
    for (const double ratio : {0.5, 1.0, 2.0, 3.0, 10.0}) {
        const DeviceRates rates = ratesOf(plan, ratio);
        EXPECT_NEAR(overlapOfRun(config, rates), plannedOverlap(plan, rates), 1e-6) << ratio;
    }
}

// Of four ranks, a layer receives keys three times in each pass, and gradients of keys three times. Nothing is left to
// compute while the last gradients arrive.
TEST(OverlapOfARing, HidesAllButTheLastOfNineMessagesThatAreFasterThanAttention)
{
    const RunConfig config = contextParallel(ContextExchange::Ring);
    EXPECT_NEAR(overlapOfRun(config, ratesOf(planOf(config, smallModel()), 0.5)), 8.0 / 9, 1e-3);
}

} // namespace
} // namespace slipway::testing
