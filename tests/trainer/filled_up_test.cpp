// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Odd widths in bf16: zeros fill them up where the plan lays them out, and nobody else knows.
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/thread_group.h"
#include "memory/memory_walk.h"
#include "oracle.h"
#include "plan/native/sizes.h"

namespace slipway::testing {
namespace {

using native::laidOutWidth;

ModelSpec oddModel(bool tied = false)
{
    ModelSpec model = smallModel();
    model.mlp.width = 83; // laid out as 88
    model.vocab = 97;     // as 104
    model.head.tied = tied;
    return model;
}

RunConfig narrowConfig()
{
    RunConfig config = smallConfig();
    config.precision = Precision::Bf16Mixed;
    config.seqLen = 24;
    return config;
}

TEST(LaidOutWidth, FillsUpToACacheLineWhereThatCostsLessThanAHundredth)
{
    EXPECT_EQ(laidOutWidth(4147, DType::Bf16), 4160);
    EXPECT_EQ(laidOutWidth(6739, DType::Bf16), 6784);
    EXPECT_EQ(laidOutWidth(50257, DType::Bf16), 50304);
    EXPECT_EQ(laidOutWidth(2332, DType::Bf16), 2336) << "64 would be 1.5 % more";
    EXPECT_EQ(laidOutWidth(5184, DType::Bf16), 5184);
    EXPECT_EQ(laidOutWidth(32000, DType::Bf16), 32000);
    EXPECT_EQ(laidOutWidth(4147, DType::Fp32), 4147);
}

TEST(FilledUp, EveryProductOfAStepHasWholeRows)
{
    for (const bool tied : {false, true}) {
        const StepPlan plan = planOf(narrowConfig(), oddModel(tied));
        for (const Kernel &kernel : plan.kernels) {
            if (kernel.kind != OpKind::Gemm)
                continue;
            EXPECT_EQ(kernel.n % 8, 0);
            EXPECT_EQ((kernel.form == GemmForm::WeightGradient ? kernel.m : kernel.k) % 8, 0);
        }
    }
}

// Names, shapes and numbers are the model's, in whole weights and in parts that begin anywhere.
TEST(FilledUp, WeightsAreTheModels)
{
    const ModelSpec model = oddModel();
    std::map<std::string, std::vector<float>> whole;
    RunConfig wide = narrowConfig();
    wide.precision = Precision::Fp32;
    {
        SingleCommunicator alone;
        const auto executor = executorOf(planOf(wide, model), model, alone);
        for (const WeightView &weight : executor->weights())
            whole[weight.name].assign(weight.master, weight.master + weight.count);
    }
    for (const int ranks : {1, 4}) {
        RunConfig config = narrowConfig();
        config.microBatch = 1;
        if (ranks > 1)
            config.parallel = {.kind = ParallelKind::FsdpFull, .gpus = ranks};
        const StepPlan plan = planOf(config, model);
        std::vector<std::map<std::string, std::vector<std::pair<std::int64_t, std::vector<float>>>>> parts(
            static_cast<std::size_t>(ranks));
        ThreadGroup(ranks).run([&](Communicator &communicator) {
            const auto executor = executorOf(plan, model, communicator, 1, BackendKind::TorchCpu);
            executor->downloadWeights();
            for (const WeightView &weight : executor->weights())
                parts[static_cast<std::size_t>(communicator.rank())][weight.name].emplace_back(
                    weight.first, std::vector<float>(weight.master, weight.master + weight.count));
        });
        std::map<std::string, std::vector<float>> together;
        for (const auto &ofRank : parts) {
            for (const auto &[name, runs] : ofRank) {
                for (const auto &[first, values] : runs) {
                    EXPECT_EQ(first, std::ssize(together[name])) << name << ": parts follow each other";
                    together[name].insert(together[name].end(), values.begin(), values.end());
                }
            }
        }
        EXPECT_EQ(together, whole) << ranks << " ranks";
    }
}

TEST(FilledUp, LossAndGradientsAreThoseOfTheModel)
{
    for (const bool tied : {false, true}) {
        const ModelSpec model = oddModel(tied);
        const RunConfig config = narrowConfig();
        SingleCommunicator alone;
        for (const bool own : {true, false}) {
            const auto executor =
                std::move(Executor::create(planOf(config, model), model, alone,
                              {.backend = BackendKind::TorchCpu, .seed = 1, .threads = 2, .ownKernels = own}))
                    .value();
            const Batch batch = randomBatch(executor->tokensPerStep(), model.vocab, 3);
            executor->downloadWeights();
            Gradients gradients;
            collectGradients(*executor, gradients);
            const OracleStep exact = oracleStep(model, executor->weights(), batch, config.seqLen, OracleType::Fp64);
            const OracleStep rounded = oracleStep(model, executor->weights(), batch, config.seqLen, OracleType::Bf16);
            const StepOutcome outcome = executor->step(batch.input(), {}).value();
            EXPECT_NEAR(outcome.loss / exact.loss, 1.0, 1e-3);
            for (const auto &[name, gradient] : exact.gradients)
                EXPECT_EQ(gradients.at(name).size(), gradient.size()) << name;
            EXPECT_LT(distanceOfAll(gradients, exact.gradients), distanceOfAll(rounded.gradients, exact.gradients))
                << (own ? "own kernels" : "LibTorch's");
        }
    }
}

// After steps with decay: what fills up a weight, its masters and states is zero to the last byte.
TEST(FilledUp, WhatFillsUpStaysZero)
{
    for (const bool tied : {false, true}) {
        const ModelSpec model = oddModel(tied);
        const StepPlan plan = planOf(narrowConfig(), model);
        SingleCommunicator alone;
        const auto executor = executorOf(plan, model, alone, 1, BackendKind::TorchCpu);
        std::int64_t gaps = 0;
        executor->setObserver([&](const OpEvent &event) {
            if (event.op.name != "adamw" || event.before)
                return;
            for (std::size_t i = 1; i < event.op.writes.size(); ++i) { // masters, momenta, variances
                const std::span<std::byte> bytes = executor->bytesOf(event.op.writes[i], event.slot, event.microBatch);
                std::vector<float> left(bytes.size() / sizeof(float));
                std::memcpy(left.data(), bytes.data(), left.size() * sizeof(float));
                std::int64_t seen = 0;
                for (const WeightView &weight : executor->weights()) {
                    if (weight.flat != event.op.writes[1].buffer || weight.layer != event.slot.index)
                        continue;
                    weight.forEachRun([&](std::int64_t, std::int64_t place, std::int64_t count) {
                        std::fill_n(left.begin() + weight.place + place, count, 0.0f);
                        seen += count;
                    });
                }
                gaps += std::ssize(left) - seen;
                EXPECT_THAT(left, ::testing::Each(0.0f)) << plan.at(event.op.writes[i].buffer).name;
            }
        });
        const Batch batch = randomBatch(executor->tokensPerStep(), model.vocab, 3);
        for (int step = 1; step <= 3; ++step)
            ASSERT_TRUE(executor->step(batch.input(), {.learningRate = 1e-2, .weightDecay = 0.3, .step = step}));
        // 5 of 88 columns or rows in three matrices of a layer, 7 rows of the head or the table that is one.
        EXPECT_EQ(gaps, 3 * 3 * (3 * 3 * 5 * 48 + 7 * 48));
    }
}

TEST(FilledUp, RanksDoWhatOneDoes)
{
    const ModelSpec model = oddModel();
    for (const ParallelKind kind : {ParallelKind::Ddp, ParallelKind::Zero1, ParallelKind::FsdpFull}) {
        std::vector<double> losses[2];
        for (const int ranks : {1, 2}) {
            RunConfig config = narrowConfig();
            config.microBatch = 2 / ranks;
            if (ranks > 1)
                config.parallel = {.kind = kind, .gpus = ranks};
            const StepPlan plan = planOf(config, model);
            ThreadGroup(ranks).run([&](Communicator &communicator) {
                const auto executor = executorOf(plan, model, communicator, 1, BackendKind::TorchCpu);
                for (int step = 1; step <= 5; ++step) {
                    Batch batch = randomBatch(48, model.vocab, static_cast<std::uint64_t>(step));
                    const std::ptrdiff_t own = 48 / ranks, at = own * communicator.rank();
                    batch = {{batch.tokens.begin() + at, batch.tokens.begin() + at + own},
                        {batch.targets.begin() + at, batch.targets.begin() + at + own}};
                    const StepOutcome outcome =
                        executor->step(batch.input(), {.learningRate = 1e-3, .step = step}).value();
                    if (communicator.rank() == 0)
                        losses[ranks - 1].push_back(outcome.loss);
                    EXPECT_EQ(outcome.allocatedPeak, peakMemory(plan).allocated) << "the plan has what fills up";
                }
            });
        }
        for (std::size_t step = 0; step < losses[0].size(); ++step)
            EXPECT_NEAR(losses[1][step] / losses[0][step], 1.0, 1e-3) << enumName(kind) << ", step " << step;
    }
}

// Copies that are written and read back, and ones of another layout: as a checkpoint does it.
TEST(FilledUp, AStateGoesOnBitForBitElsewhere)
{
    const ModelSpec model = oddModel();
    const StepPlan plan = planOf(narrowConfig(), model);
    SingleCommunicator alone;
    const auto first = executorOf(plan, model, alone, 1, BackendKind::TorchCpu),
               second = executorOf(plan, model, alone, 2, BackendKind::TorchCpu);
    const Batch batch = randomBatch(first->tokensPerStep(), model.vocab, 3);
    ASSERT_TRUE(first->step(batch.input(), {.step = 1}));
    first->downloadWeights();
    for (std::size_t i = 0; i < first->weights().size(); ++i) {
        const WeightView &from = first->weights()[i], &to = second->weights()[i];
        std::copy_n(from.master, from.count, to.master);
        std::copy_n(from.momentum, from.count, to.momentum);
        std::copy_n(from.variance, from.count, to.variance);
    }
    second->uploadWeights();
    EXPECT_EQ(
        first->step(batch.input(), {.step = 2}).value().loss, second->step(batch.input(), {.step = 2}).value().loss);
}

} // namespace
} // namespace slipway::testing
