// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Steps with Muon, against torch.optim.Muon written out with LibTorch in fp64.
#include <cmath>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cpu_ops/muon.h"
#include "support/family_models.h"
#include "trainer_fixtures.h"

namespace slipway::testing {
namespace {

// torch/optim/_muon.py of PyTorch 2.11, but that all is in fp64: one parameter with its momentum.
struct MuonReference {
    at::Tensor weight, buffer;

    static at::Tensor orthogonal(const at::Tensor &update)
    {
        constexpr double a = 3.4445, b = -4.7750, c = 2.0315;
        const bool tall = update.size(0) > update.size(1);
        at::Tensor x = tall ? update.t() : update;
        x = x / x.norm().clamp_min(1e-7);
        for (int step = 0; step < 5; ++step) {
            const at::Tensor gram = x.matmul(x.t());
            x = a * x + (b * gram + c * gram.matmul(gram)).matmul(x);
        }
        return tall ? x.t() : x;
    }

    // adjust_lr_fn="match_rms_adamw", nesterov=True.
    void step(const at::Tensor &gradient, const OptimizerStep &o)
    {
        buffer.lerp_(gradient, 1 - o.muonMomentum);
        const at::Tensor update = gradient.lerp(buffer, o.muonMomentum);
        const double ratio = 0.2 * std::sqrt(static_cast<double>(std::max(weight.size(0), weight.size(1))));
        weight.mul_(1 - o.learningRate * o.weightDecay);
        weight.sub_(orthogonal(update) * (o.learningRate * ratio));
    }
};

at::Tensor asTensor(const float *values, const std::vector<std::int64_t> &shape)
{
    return at::from_blob(const_cast<float *>(values), shape, at::kFloat).to(at::kDouble);
}

bool isMuons(const WeightView &weight) { return weight.shape.size() == 2 && weight.name.find(".layers.") < 64; }

struct Subject {
    ModelSpec model = smallModel();
    BackendKind backend = BackendKind::Host;
};

void checkMuon(const Subject &subject)
{
    RunConfig config = smallConfig();
    config.seqLen = 16;
    config.optimizer = OptimizerKind::Muon;
    SingleCommunicator communicator;
    const std::unique_ptr<Executor> executor =
        executorOf(planOf(config, subject.model), subject.model, communicator, 1, subject.backend);
    Gradients gradients;
    collectGradients(*executor, gradients);
    std::map<std::string, MuonReference> references;
    for (const WeightView &weight : executor->weights()) {
        EXPECT_EQ(weight.variance == nullptr, isMuons(weight)) << weight.name;
        if (isMuons(weight)) {
            const at::Tensor start = asTensor(weight.master, weight.shape);
            references[weight.name] = {start, at::zeros_like(start)};
        }
    }
    ASSERT_FALSE(references.empty());
    for (int step = 1; step <= 3; ++step) {
        const OptimizerStep optimizer{.learningRate = 2e-3, .weightDecay = 0.3, .gradClip = 0.05, .step = step};
        const Batch batch =
            randomBatch(executor->tokensPerStep(), subject.model.vocab, static_cast<std::uint64_t>(step));
        const double norm = executor->step(batch.input(), optimizer).value().gradNorm;
        executor->downloadWeights();
        const double clip = std::min(1.0, optimizer.gradClip / (norm + 1e-6));
        for (const WeightView &weight : executor->weights()) {
            if (!isMuons(weight))
                continue;
            MuonReference &reference = references.at(weight.name);
            const at::Tensor before = reference.weight.clone();
            reference.step(asTensor(gradients.at(weight.name).data(), weight.shape) * clip, optimizer);
            const double moved = (reference.weight - before).norm().item<double>(),
                         off = (asTensor(weight.master, weight.shape) - reference.weight).norm().item<double>();
            EXPECT_LT(off / moved, 1e-4) << weight.name << ", step " << step;
        }
    }
}

TEST(Muon, FollowsTheReference) { checkMuon({}); }

TEST(Muon, FollowsTheReferenceForExpertsOneByOne) { checkMuon({.model = smallModelOf(*familyOfType("mixtral"))}); }

TEST(Muon, FollowsTheReferenceWithTheOpsOfAGpu) { checkMuon({.backend = BackendKind::TorchCpu}); }

TEST(Muon, LeavesEmbeddingsHeadAndNormsToAdamW)
{
    const auto weightsAfter = [](OptimizerKind kind) {
        RunConfig config = smallConfig();
        config.seqLen = 16;
        config.optimizer = kind;
        SingleCommunicator communicator;
        const std::unique_ptr<Executor> executor = executorOf(planOf(config, smallModel()), smallModel(), communicator);
        const Batch batch = randomBatch(executor->tokensPerStep(), smallModel().vocab, 1);
        EXPECT_TRUE(executor->step(batch.input(), {}));
        Gradients weights;
        for (const WeightView &weight : executor->weights())
            weights[weight.name].assign(weight.master, weight.master + weight.count);
        return weights;
    };
    const Gradients muon = weightsAfter(OptimizerKind::Muon), adamW = weightsAfter(OptimizerKind::AdamW);
    for (const char *name :
        {"model.embed_tokens.weight", "lm_head.weight", "model.norm.weight", "model.layers.1.input_layernorm.weight"})
        EXPECT_EQ(muon.at(name), adamW.at(name)) << name;
    EXPECT_NE(muon.at("model.layers.1.mlp.down_proj.weight"), adamW.at("model.layers.1.mlp.down_proj.weight"));
}

TEST(Muon, TheFirstUpdateIsTheGradientWhereThereIsNoMomentum)
{
    const std::vector<float> gradient{3, 0, -2};
    std::vector<float> buffer(3), update(3);
    cpu_ops::muonMomentum(
        3, {.gradient = gradient.data(), .momentum = 0, .buffer = buffer.data(), .update = update.data()});
    EXPECT_EQ(buffer, gradient);
    EXPECT_EQ(update, gradient);
}

TEST(Muon, MatricesStandTransposedWithNormOneWhereThereAreMoreRows)
{
    const std::vector<float> update{3, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 2}; // two matrices of 3 x 2
    std::vector<float> x(12);
    cpu_ops::muonNormalize({.count = 2, .rows = 3, .columns = 2}, update.data(), 0, x.data());
    const std::vector<float> expected{0.6f, 0, 0, 0, 0.8f, 0, 0, 0, 0, 0, 0, 1};
    for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_FLOAT_EQ(x[i], expected[i]) << i;
}

// Two ranks have a column each of a 3 x 2 matrix, or two rows each of one of 4 x 1.
TEST(Muon, WholeMatricesArePutTogetherFromTheRanksParts)
{
    const std::vector<float> columns{3, 0, 0, /*behind the shard*/ 9, 0, 4, 0};
    std::vector<float> x(6);
    cpu_ops::muonNormalize({.rows = 3, .columns = 2, .shards = 2, .byColumns = true}, columns.data(), 4, x.data());
    EXPECT_THAT(x, ::testing::Pointwise(::testing::FloatEq(), {0.6f, 0.f, 0.f, 0.f, 0.8f, 0.f}));
    const std::vector<float> rows{0, 3, /*behind the shard*/ 9, 9, 4, 0};
    x.resize(4);
    cpu_ops::muonNormalize({.rows = 4, .columns = 1, .shards = 2}, rows.data(), 4, x.data());
    EXPECT_THAT(x, ::testing::Pointwise(::testing::FloatEq(), {0.f, 0.6f, 0.8f, 0.f}));
}

// A shard may begin and end within rows.
TEST(Muon, ARankUpdatesOnlyItsShardOfItsPart)
{
    const std::vector<float> x{1, 2, 3, 4, 5, 6, 7, 8}; // 2 x 4
    const cpu_ops::Matrices wide{.rows = 2, .columns = 4, .shards = 2, .byColumns = true};
    std::vector<float> weights{10, 10};
    cpu_ops::muonUpdate(
        wide, {.x = x.data(), .shard = 1, .first = 1, .last = 3, .rate = 1, .keep = 0.5f, .weight = weights.data()});
    EXPECT_THAT(weights, ::testing::ElementsAre(5 - 4, 5 - 7)) << "of 3 4, 7 8";
    const cpu_ops::Matrices tall{.rows = 4, .columns = 2, .shards = 2}; // x is its transpose: 1 5, 2 6, 3 7, 4 8
    weights = {10, 10, 10};
    cpu_ops::muonUpdate(
        tall, {.x = x.data(), .shard = 1, .first = 0, .last = 3, .rate = 1, .keep = 0.5f, .weight = weights.data()});
    EXPECT_THAT(weights, ::testing::ElementsAre(5 - 3, 5 - 7, 5 - 4));
}

TEST(Muon, ThePolynomialIsThatOfItsCoefficients)
{
    const std::vector<float> gram{1, 2, 2, 1};
    std::vector<float> square{10, 20, 20, 10};
    cpu_ops::newtonSchulz({.rows = 2, .columns = 2}, gram.data(), square.data());
    EXPECT_FLOAT_EQ(square[0], 3.4445f - 4.7750f + 20.315f);
    EXPECT_FLOAT_EQ(square[1], -9.55f + 40.63f);
    EXPECT_FLOAT_EQ(square[3], square[0]);
}

} // namespace
} // namespace slipway::testing
