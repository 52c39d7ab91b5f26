// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The load-balancing and z losses of a router in a step, against Transformers' load_balancing_loss_func written out
// with LibTorch and differentiated by its autograd.
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include "comm/thread_group.h"
#include "fused_ops/gemm.h"
#include "support/family_models.h"
#include "trainer_fixtures.h"

namespace slipway::testing {
namespace {

constexpr double kAux = 0.5, kZ = 0.25; // so large that they are seen

ModelSpec expertModel(const char *family)
{
    ModelSpec model = smallModelOf(*familyOfType(family));
    model.layers = 3;
    model.experts.auxLoss = kAux;
    model.experts.zLoss = kZ;
    return model;
}

RunConfig configOf(bool balances)
{
    RunConfig config = smallConfig();
    config.seqLen = 24;
    config.balanceLoss = balances;
    return config;
}

// What each layer's router gave, and the gradient that came back to it, in the newest step.
struct Routers {
    std::map<int, at::Tensor> logits, gradients;
};

void follow(Executor &executor, const ModelSpec &model, Routers &routers)
{
    executor.setObserver([&executor, &model, &routers](const OpEvent &event) {
        const auto take = [&](const Use &use) {
            const std::span<std::byte> bytes = executor.bytesOf(use, event.slot, event.microBatch);
            const std::int64_t rows = std::ssize(bytes) / 4 / model.experts.count;
            return at::from_blob(bytes.data(), {rows, model.experts.count}, at::kFloat).to(at::kDouble);
        };
        if (event.op.name == "route" && event.before && event.op.phase == Phase::Forward)
            routers.logits[event.slot.index] = take(event.op.reads[0]);
        if (event.op.name == "route_backward" && !event.before)
            routers.gradients[event.slot.index] = take(event.op.writes[0]);
    });
}

// transformers/models/mixtral/modeling_mixtral.py, load_balancing_loss_func without a mask; and the mean of the squares
// of log sum exp over the same logits (Zoph et al. 2022, equation 5).
at::Tensor routerLosses(const std::vector<at::Tensor> &layers, std::int64_t topK)
{
    const at::Tensor logits = at::cat(layers, 0);
    const at::Tensor weights = at::softmax(logits, -1);
    const at::Tensor chosen = std::get<1>(at::topk(weights, topK, -1));
    const at::Tensor mask = at::one_hot(chosen, logits.size(1)).to(at::kDouble);
    const at::Tensor tokensPerExpert = mask.mean(0), shares = weights.mean(0);
    const at::Tensor balance = (tokensPerExpert * shares.unsqueeze(0)).sum() * logits.size(1);
    return kAux * balance + kZ * at::logsumexp(logits, -1).square().mean();
}

Routers routersOf(const ModelSpec &model, bool balances, double *loss = nullptr)
{
    SingleCommunicator communicator;
    const auto executor = executorOf(planOf(configOf(balances), model), model, communicator);
    Routers routers;
    follow(*executor, model, routers);
    const Batch batch = randomBatch(executor->tokensPerStep(), model.vocab, 3);
    const StepOutcome outcome = executor->step(batch.input(), {}).value();
    if (loss)
        *loss = outcome.loss;
    return routers;
}

// The last layer's router is the only one whose gradient nothing behind it changes.
void checkLastRouter(const char *family)
{
    const ModelSpec model = expertModel(family);
    double plainLoss = 0, balancedLoss = 0;
    const Routers plain = routersOf(model, false, &plainLoss), balanced = routersOf(model, true, &balancedLoss);
    EXPECT_EQ(plainLoss, balancedLoss) << "what is reported is the cross-entropy alone";

    std::vector<at::Tensor> layers;
    for (const auto &[layer, logits] : plain.logits)
        layers.push_back(logits.clone().requires_grad_(true));
    routerLosses(layers, model.experts.perToken).backward();
    const at::Tensor expected = layers.back().grad(),
                     added = balanced.gradients.at(model.layers - 1) - plain.gradients.at(model.layers - 1);
    EXPECT_LT(((added - expected).norm() / expected.norm()).item<double>(), 1e-5);
}

TEST(BalanceLoss, AddsToTheRoutersGradientWhatAutogradDoes) { checkLastRouter("mixtral"); }
TEST(BalanceLoss, AddsTheSameWhereWeightsAreNotNormalized) { checkLastRouter("qwen2_moe"); }

TEST(BalanceLoss, IsTheSameWithRecomputation)
{
    const ModelSpec model = expertModel("mixtral");
    const auto gradientsOf = [&](Recompute recompute) {
        RunConfig config = configOf(true);
        config.gradAccum = 2;
        config.recompute = recompute;
        SingleCommunicator communicator;
        const auto executor = executorOf(planOf(config, model), model, communicator);
        Gradients gradients;
        collectGradients(*executor, gradients);
        const StepOutcome outcome =
            executor->step(randomBatch(executor->tokensPerStep(), model.vocab, 3).input(), {}).value();
        return std::pair(gradients, outcome.expertShares);
    };
    const auto [kept, shares] = gradientsOf(Recompute::None);
    const auto [again, sharesAgain] = gradientsOf(Recompute::Full);
    EXPECT_LT(distanceOfAll(again, kept), 1e-6);
    EXPECT_EQ(shares, sharesAgain) << "a row that is routed again counts once";
}

// Multiplies nothing.
class SeenGemms final : public fused_ops::GemmLibrary {
public:
    bool multiply(const fused_ops::Gemm &product, const fused_ops::Queue &, fused_ops::Workspace) override
    {
        forward.insert(product.transposedB ? product.n : 0);
        return false;
    }
    [[nodiscard]] std::string description() const override { return "none"; }
    std::set<std::int64_t> forward; // widths of the results of forward GEMMs
};

// Ranks that route the same tokens would choose other experts if each took the algorithm that it finds fastest.
TEST(Router, IsNotMultipliedByTheLibraryThatTimesItsAlgorithms)
{
    ModelSpec model = expertModel("mixtral");
    model.experts.count = 5;
    RunConfig config = configOf(false);
    config.precision = Precision::Bf16Mixed;
    SingleCommunicator communicator;
    const auto seen = std::make_shared<SeenGemms>();
    const auto executor =
        std::move(Executor::create(planOf(config, model), model, communicator,
                      {.backend = BackendKind::TorchCpu, .seed = 1, .threads = 1, .gemmLibrary = seen}))
            .value();
    ASSERT_TRUE(executor->step(randomBatch(executor->tokensPerStep(), model.vocab, 3).input(), {}));
    EXPECT_THAT(seen->forward, ::testing::Contains(model.hidden)) << "attention's output";
    EXPECT_THAT(seen->forward, ::testing::Not(::testing::Contains(model.experts.count)));
}

TEST(BalanceLoss, IsTheSameWithTheOpsOfADevice)
{
    for (const char *const family : {"mixtral", "qwen2_moe"}) {
        const ModelSpec model = expertModel(family);
        RunConfig config = configOf(true);
        config.gradAccum = 2;
        std::array<Gradients, 2> gradients;
        std::array<std::vector<double>, 2> shares;
        for (const bool device : {false, true}) {
            SingleCommunicator communicator;
            const auto executor = executorOf(
                planOf(config, model), model, communicator, 1, device ? BackendKind::TorchCpu : BackendKind::Host);
            collectGradients(*executor, gradients[device]);
            shares[device] =
                executor->step(randomBatch(executor->tokensPerStep(), model.vocab, 3).input(), {}).value().expertShares;
        }
        EXPECT_LT(distanceOfAll(gradients[1], gradients[0]), 1e-5) << family;
        EXPECT_EQ(shares[1], shares[0]) << family;
    }
}

TEST(ExpertShares, AreThoseOfTheRoutersChoices)
{
    const ModelSpec model = expertModel("mixtral");
    SingleCommunicator communicator;
    const auto executor = executorOf(planOf(configOf(false), model), model, communicator);
    for (int step = 1; step <= 2; ++step) { // the first step does not count to the second
        Routers routers;
        follow(*executor, model, routers);
        const Batch batch = randomBatch(executor->tokensPerStep(), model.vocab, static_cast<std::uint64_t>(step));
        const StepOutcome outcome = executor->step(batch.input(), {.step = step}).value();
        at::Tensor counts = at::zeros({model.experts.count}, at::kDouble);
        for (const auto &[layer, logits] : routers.logits)
            counts += at::one_hot(std::get<1>(at::topk(logits, model.experts.perToken, -1)), model.experts.count)
                          .sum(0)
                          .sum(0);
        ASSERT_EQ(std::ssize(outcome.expertShares), model.experts.count);
        for (int expert = 0; expert < model.experts.count; ++expert)
            EXPECT_NEAR(outcome.expertShares[static_cast<std::size_t>(expert)],
                (counts[expert] / counts.sum()).item<double>(), 1e-6);
        executor->setObserver(nullptr);
        ASSERT_TRUE(executor->evaluate(batch.input())); // nor does an evaluation
    }
}

TEST(ExpertShares, AreEmptyWithoutExperts)
{
    SingleCommunicator communicator;
    const RunConfig config = smallConfig();
    const auto executor = executorOf(planOf(config, smallModel()), smallModel(), communicator);
    const Batch batch = randomBatch(executor->tokensPerStep(), smallModel().vocab, 1);
    EXPECT_TRUE(executor->step(batch.input(), {}).value().expertShares.empty());
}

} // namespace
} // namespace slipway::testing
