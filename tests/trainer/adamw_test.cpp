// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "cpu_ops/optimizer.h"
#include "trainer_fixtures.h"

namespace slipway::testing {
namespace {

// AdamW in fp64, as torch.optim.AdamW documents it, for one element.
struct AdamWReference {
    double weight = 0, m = 0, v = 0;

    void step(double gradient, const OptimizerStep &o, double decay)
    {
        weight -= o.learningRate * decay * weight;
        m = o.beta1 * m + (1 - o.beta1) * gradient;
        v = o.beta2 * v + (1 - o.beta2) * gradient * gradient;
        const double mHat = m / (1 - std::pow(o.beta1, o.step)), vHat = v / (1 - std::pow(o.beta2, o.step));
        weight -= o.learningRate * mHat / (std::sqrt(vHat) + o.eps);
    }
};

double normOf(const Gradients &gradients)
{
    double sum = 0;
    for (const auto &[name, values] : gradients) {
        for (const float value : values)
            sum += static_cast<double>(value) * static_cast<double>(value);
    }
    return std::sqrt(sum);
}

// What differs from weight to weight.
struct Rates {
    double rate = 1, decay = 0;
};

Rates ratesOf(const WeightView &weight, const OptimizerStep &o)
{
    const bool embedding = weight.name == "model.embed_tokens.weight", head = weight.name == "lm_head.weight";
    const ParameterKind kind = embedding                  ? ParameterKind::Embedding
                               : head                     ? ParameterKind::Head
                               : weight.shape.size() == 1 ? ParameterKind::Norm
                                                          : ParameterKind::Matrix;
    return {.rate = embedding ? o.embeddingRateFactor
                    : head    ? o.headRateFactor
                              : 1,
        .decay = o.noDecay.has(kind) ? 0 : o.weightDecay};
}

void checkAdamW(OptimizerStep optimizer, BackendKind backend = BackendKind::Host)
{
    const double gradClip = optimizer.gradClip;
    optimizer.learningRate = 2e-3;
    optimizer.weightDecay = 0.3;
    const ModelSpec model = smallModel();
    RunConfig config = smallConfig();
    config.seqLen = 16;
    SingleCommunicator communicator;
    const std::unique_ptr<Executor> executor = executorOf(planOf(config, model), model, communicator, 1, backend);
    Gradients gradients;
    collectGradients(*executor, gradients);
    std::map<std::string, std::vector<AdamWReference>> reference;
    for (const WeightView &weight : executor->weights()) {
        for (std::int64_t i = 0; i < weight.elements(); ++i)
            reference[weight.name].push_back({.weight = static_cast<double>(weight.master[i])});
    }
    for (int step = 1; step <= 4; ++step) {
        optimizer.step = step;
        const Batch batch = randomBatch(executor->tokensPerStep(), model.vocab, static_cast<std::uint64_t>(step));
        const double norm = executor->step(batch.input(), optimizer).value().gradNorm;
        EXPECT_NEAR(norm / normOf(gradients), 1.0, 1e-6);
        const double factor = gradClip > 0 ? std::min(1.0, gradClip / (norm + 1e-6)) : 1.0;
        double difference = 0, moved = 0;
        executor->downloadWeights();
        for (const WeightView &weight : executor->weights()) {
            const Rates rates = ratesOf(weight, optimizer);
            OptimizerStep own = optimizer;
            own.learningRate *= rates.rate;
            for (std::int64_t i = 0; i < weight.elements(); ++i) {
                const auto at = static_cast<std::size_t>(i);
                AdamWReference &r = reference[weight.name][at];
                const double before = r.weight;
                r.step(factor * static_cast<double>(gradients.at(weight.name)[at]), own, rates.decay);
                difference += std::pow(static_cast<double>(weight.master[i]) - r.weight, 2);
                moved += std::pow(r.weight - before, 2);
            }
        }
        EXPECT_LT(std::sqrt(difference / moved), 1e-4) << "step " << step;
    }
}

TEST(AdamW, FollowsTheReferenceWithoutClipping) { checkAdamW({.gradClip = 0}); }
TEST(AdamW, FollowsTheReferenceWhereTheNormIsClipped) { checkAdamW({.gradClip = 0.05}); }
TEST(AdamW, FollowsTheReferenceWhereTheNormIsBelowTheClip) { checkAdamW({.gradClip = 1000}); }

TEST(AdamW, FollowsTheReferenceWithRatesAndDecayOfEmbeddingsAndHead)
{
    const OptimizerStep optimizer{.embeddingRateFactor = 3,
        .headRateFactor = 0.25,
        .noDecay = ParameterKinds::of(ParameterKind::Embedding),
        .gradClip = 1};
    for (const BackendKind backend : {BackendKind::Host, BackendKind::TorchCpu})
        checkAdamW(optimizer, backend);
}

TEST(AdamW, TheFirstStepMovesByTheLearningRateWhateverTheGradient)
{
    std::vector<float> weight{1, 1, 1}, gradient{1e-3f, -5, 0}, m(3), v(3);
    cpu_ops::adamW(3,
        {.learningRate = 0.1f, .beta1 = 0.9f, .beta2 = 0.95f, .eps = 1e-8f, .correction1 = 0.1f, .correction2 = 0.05f},
        {weight.data(), gradient.data(), m.data(), v.data()});
    EXPECT_NEAR(weight[0], 0.9, 1e-5);
    EXPECT_NEAR(weight[1], 1.1, 1e-5);
    EXPECT_EQ(weight[2], 1.0f);
}

TEST(AdamW, DecayShrinksAWeightWithoutAGradient)
{
    std::vector<float> weight{2}, gradient{0}, m(1), v(1);
    cpu_ops::adamW(1,
        {.learningRate = 0.1f,
            .beta1 = 0.9f,
            .beta2 = 0.95f,
            .eps = 1e-8f,
            .weightDecay = 0.5f,
            .correction1 = 0.1f,
            .correction2 = 0.05f},
        {weight.data(), gradient.data(), m.data(), v.data()});
    EXPECT_FLOAT_EQ(weight[0], 1.9f);
}

TEST(SumSquares, IsExactOverManyElementsAndLargeValues)
{
    const std::vector<float> ones(3'000'000, 1.0f);
    EXPECT_EQ(cpu_ops::sumSquares(3'000'000, ones.data()), 3e6);
    const std::vector<float> large(2, 1e30f); // its square leaves fp32
    EXPECT_NEAR(cpu_ops::sumSquares(2, large.data()) / 2e60, 1.0, 1e-6);
}

} // namespace
} // namespace slipway::testing
