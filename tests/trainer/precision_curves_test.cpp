// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Whole small trainings in narrow types, as a GPU would do them, on the processor: their losses step by step against
// those in wider types. The table of docs/trainer.md is written from here (packaging/test --precisions).
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>

#include <gtest/gtest.h>

#include "comm/thread_group.h"
#include "learnable.h"
#include "oracle.h"

namespace slipway::testing {
namespace {

constexpr int kCurveSteps = 200, kWindow = 10;

ModelSpec curveModel()
{
    ModelSpec model = smallModel();
    model.hidden = 64;
    model.attention = {.heads = 4, .kvHeads = 2, .headDim = 16};
    model.mlp.width = 160;
    return model;
}

struct Training {
    Precision precision = Precision::Bf16Mixed;
    int ranks = 1;
    ReduceType sums = ReduceType::Fp32;
    ParallelKind kind = ParallelKind::Ddp;
};

std::vector<double> lossesOf(const Training &training)
{
    const ModelSpec model = curveModel();
    RunConfig config = smallConfig();
    config.precision = training.precision;
    config.seqLen = 64;
    config.microBatch = 4 / training.ranks;
    config.reduceType = training.sums;
    config.parallel = {
        .kind = training.ranks > 1 ? training.kind : ParallelKind::None, .gpus = training.ranks, .gpusPerNode = 8};
    const StepPlan plan = planOf(config, model);
    std::vector<double> losses;
    ThreadGroup(training.ranks).run([&](Communicator &communicator) {
        const auto executor = std::move(
            Executor::create(plan, model, communicator, {.backend = BackendKind::TorchCpu, .seed = 1, .threads = 1}))
                                  .value();
        for (int step = 1; step <= kCurveSteps; ++step) {
            Batch batch = learnable(256, model.vocab, static_cast<std::uint64_t>(step));
            const auto own = [&](std::vector<std::int32_t> &ids) {
                const auto share = std::ssize(ids) / training.ranks, first = share * communicator.rank();
                ids = {ids.begin() + first, ids.begin() + first + share};
            };
            own(batch.tokens), own(batch.targets);
            const double rate = 3e-3 * std::min(1.0, step / 20.0);
            const double loss = executor->step(batch.input(), {.learningRate = rate, .step = step}).value().loss;
            if (communicator.rank() == 0)
                losses.push_back(loss);
        }
    });
    return losses;
}

// Means of ten steps each: one step's loss is as noisy as its batch.
std::vector<double> meansOf(const std::vector<double> &losses)
{
    std::vector<double> means;
    for (std::size_t first = 0; first + kWindow <= losses.size(); first += kWindow)
        means.push_back(std::accumulate(losses.begin() + static_cast<std::ptrdiff_t>(first),
                            losses.begin() + static_cast<std::ptrdiff_t>(first + kWindow), 0.0) /
                        kWindow);
    return means;
}

struct Comparison {
    const char *name;
    Training narrow, wide;
    double bound; // of any mean, relative
};

class PrecisionCurves : public ::testing::TestWithParam<Comparison> {};

TEST_P(PrecisionCurves, StayWithinTheirBoundOfTheWiderTypes)
{
    const Comparison &comparison = GetParam();
    const std::vector<double> narrow = meansOf(lossesOf(comparison.narrow)), wide = meansOf(lossesOf(comparison.wide));
    double apart = 0;
    for (std::size_t i = 0; i < wide.size(); ++i)
        apart = std::max(apart, std::abs(narrow[i] / wide[i] - 1));
    const double last = narrow.back() / wide.back() - 1;
    std::array<char, 200> row{};
    std::snprintf(row.data(), row.size(), "| %s | %.4f | %.4f | %+.2f %% | %.2f %% | %g %% |", comparison.name,
        wide.back(), narrow.back(), 100 * last, 100 * apart, 100 * comparison.bound);
    RecordProperty("curve", row.data());
    EXPECT_LT(wide.back(), 0.5 * wide.front()) << "nothing was learnt that could be compared";
    EXPECT_NE(narrow.back(), wide.back()) << "both rounded alike";
    EXPECT_LT(apart, comparison.bound);
}

std::string nameOfComparison(const ::testing::TestParamInfo<Comparison> &test)
{
    static constexpr std::array<const char *, 4> kNames{"bf16", "fp8", "sums_in_bf16_ddp", "sums_in_bf16_fsdp"};
    return kNames[test.index];
}

constexpr Training kBf16{}, kBf16Ranks{.ranks = 4};

INSTANTIATE_TEST_SUITE_P(, PrecisionCurves,
    ::testing::Values(Comparison{"bf16-mixed against fp32", kBf16, {.precision = Precision::Fp32}, 0.02},
        Comparison{"fp8-mixed against bf16-mixed", {.precision = Precision::Fp8Mixed}, kBf16, 0.02},
        Comparison{"`reduce_type: bf16` against fp32, ddp on 4 ranks", {.ranks = 4, .sums = ReduceType::Bf16},
            kBf16Ranks, 0.02},
        Comparison{"`reduce_type: bf16` against fp32, fsdp-full on 4 ranks",
            {.ranks = 4, .sums = ReduceType::Bf16, .kind = ParallelKind::FsdpFull},
            {.ranks = 4, .kind = ParallelKind::FsdpFull}, 0.02}),
    nameOfComparison);

} // namespace
} // namespace slipway::testing
