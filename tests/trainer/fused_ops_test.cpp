// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The fused kernels' reference in the place of LibTorch's ops gives the same step.
#include <cmath>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "comm/thread_group.h"
#include "fused_ops/fused_ops.h"
#include "oracle.h"

namespace slipway::testing {
namespace {

class FusedStep : public ::testing::TestWithParam<Precision> {};

TEST_P(FusedStep, GivesTheLossesAndGradientsOfLibTorchsOps)
{
    RunConfig config = smallConfig();
    config.precision = GetParam();
    config.gradAccum = 2;
    const ModelSpec model = smallModel();
    const StepPlan plan = planOf(config, model);
    std::vector<double> losses[2];
    Gradients gradients[2];
    for (const bool own : {false, true}) {
        SingleCommunicator alone;
        const auto executor =
            std::move(Executor::create(plan, model, alone,
                          {.backend = BackendKind::TorchCpu, .seed = 1, .threads = 2, .ownKernels = own}))
                .value();
        for (int step = 1; step <= 5; ++step) {
            if (step == 1)
                collectGradients(*executor, gradients[own]);
            const Batch batch = randomBatch(executor->tokensPerStep(), model.vocab, static_cast<std::uint64_t>(step));
            losses[own].push_back(executor->step(batch.input(), {.learningRate = 1e-3, .step = step}).value().loss);
            executor->setObserver({});
        }
    }
    const double near = GetParam() == Precision::Fp32 ? 1e-5 : 5e-3;
    for (std::size_t step = 0; step < losses[0].size(); ++step)
        EXPECT_NEAR(losses[1][step] / losses[0][step], 1.0, near) << step;
    for (const auto &[name, gradient] : gradients[0])
        EXPECT_LT(relativeDistance(gradients[1].at(name), gradient), GetParam() == Precision::Fp32 ? 1e-4 : 0.05)
            << name;
}

INSTANTIATE_TEST_SUITE_P(, FusedStep, ::testing::Values(Precision::Fp32, Precision::Bf16Mixed),
    [](const auto &test) { return test.param == Precision::Fp32 ? "fp32" : "bf16_mixed"; });

// What a GPU runs, with its copies of weights, as several ranks: emulated on the CPU.
TEST(DeviceRanks, ShardedInBf16DoWhatOneDoes)
{
    const ModelSpec model = smallModel();
    RunConfig config = smallConfig();
    config.precision = Precision::Bf16Mixed;
    config.seqLen = 24;
    config.microBatch = 2;
    for (const ParallelKind kind : {ParallelKind::FsdpFull, ParallelKind::Zero1, ParallelKind::Ddp}) {
        std::vector<double> one, many;
        const auto train = [&](const RunConfig &c, Communicator &communicator, std::vector<double> &losses) {
            const auto executor = executorOf(planOf(c, model), model, communicator, 1, BackendKind::TorchCpu);
            for (int step = 1; step <= 5; ++step) {
                Batch batch = randomBatch(48, model.vocab, static_cast<std::uint64_t>(step));
                if (communicator.size() > 1) {
                    const auto half = [&](std::vector<std::int32_t> &ids) {
                        ids.assign(
                            ids.begin() + 24 * communicator.rank(), ids.begin() + 24 * (communicator.rank() + 1));
                    };
                    half(batch.tokens), half(batch.targets);
                }
                const double loss = executor->step(batch.input(), {.learningRate = 1e-3, .step = step}).value().loss;
                if (communicator.rank() == 0)
                    losses.push_back(loss);
            }
        };
        SingleCommunicator alone;
        train(config, alone, one);
        RunConfig two = config;
        two.microBatch = 1;
        two.parallel = {.kind = kind, .gpus = 2};
        ThreadGroup(2).run([&](Communicator &communicator) { train(two, communicator, many); });
        for (std::size_t step = 0; step < one.size(); ++step)
            EXPECT_NEAR(many[step] / one[step], 1.0, 1e-3) << enumName(kind) << ", step " << step;
    }
}

} // namespace
} // namespace slipway::testing
