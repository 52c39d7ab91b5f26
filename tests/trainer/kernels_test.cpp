// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The fused kernels: their reference in the place of LibTorch's ops gives the same step, and where a GPU is, the fast ones
// give what the reference does.
#include <cmath>
#include <cstring>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "comm/thread_group.h"
#include "exec/cuda_devices.h"
#include "kernels/kernels.h"
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
        const auto executor = std::move(Executor::create(plan, model, alone, {.backend = BackendKind::TorchCpu, .seed = 1, .threads = 2, .ownKernels = own})).value();
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
        EXPECT_LT(relativeDistance(gradients[1].at(name), gradient), GetParam() == Precision::Fp32 ? 1e-4 : 0.05) << name;
}

INSTANTIATE_TEST_SUITE_P(, FusedStep, ::testing::Values(Precision::Fp32, Precision::Bf16Mixed), [](const auto &test) { return test.param == Precision::Fp32 ? "fp32" : "bf16_mixed"; });

// What a GPU runs, with its copies of weights, as several ranks: rehearsed on the processor.
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
                    const auto half = [&](std::vector<std::int32_t> &ids) { ids.assign(ids.begin() + 24 * communicator.rank(), ids.begin() + 24 * (communicator.rank() + 1)); };
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

// Buffers on the processor and, copied, on a GPU.
struct Pair {
    at::Tensor host, device;
    explicit Pair(at::Tensor values) : host(std::move(values)), device(host.to(at::kCUDA)) {}
    template<typename T = void>
    [[nodiscard]] T *at(bool gpu) const { return static_cast<T *>((gpu ? device : host).data_ptr()); }
    // |device - host| / |host|
    [[nodiscard]] double distance() const
    {
        const at::Tensor a = device.cpu().to(at::kDouble), b = host.to(at::kDouble);
        return ((a - b).norm() / (b.norm() + 1e-30)).item<double>();
    }
};

class CudaKernels : public ::testing::TestWithParam<kernels::Float> {
protected:
    void SetUp() override
    {
        if (!kernels::cudaKernels() || !cudaDevices())
            GTEST_SKIP() << "no GPU, or built without CUDA";
    }
    [[nodiscard]] static at::ScalarType type() { return GetParam() == kernels::Float::Fp32 ? at::kFloat : at::kBFloat16; }
    [[nodiscard]] static Pair random(std::int64_t rows, std::int64_t width) { return Pair(at::randn({rows, width}).to(type())); }
    [[nodiscard]] static Pair fp32(std::int64_t elements) { return Pair(at::randn({elements})); }
    // Runs a kernel on both.
    template<typename Run>
    static void both(const Run &run)
    {
        run(kernels::referenceKernels(), false);
        run(*kernels::cudaKernels(), true);
    }
    static void expectEqual(std::initializer_list<const Pair *> pairs)
    {
        for (const Pair *pair : pairs)
            EXPECT_LT(pair->distance(), GetParam() == kernels::Float::Fp32 ? 1e-5 : 1e-2);
    }
};

TEST_P(CudaKernels, NormAndItsGradient)
{
    for (const auto &[rows, width] : {std::pair(37, 80), std::pair(1000, 2048)}) {
        Pair x = random(rows, width), delta = random(rows, width), weight = random(1, width), sum = random(rows, width), y = random(rows, width), rstd = fp32(rows), dx = random(rows, width), dweight = fp32(width);
        const kernels::Rows shape{rows, width};
        both([&](const kernels::Table &table, bool gpu) {
            table.norm({.shape = shape, .type = GetParam(), .x = x.at(gpu), .delta = delta.at(gpu), .weight = weight.at(gpu), .eps = 1e-5f, .sum = sum.at(gpu), .y = y.at(gpu), .rstd = rstd.at<float>(gpu)}, nullptr);
            table.normBackward({.shape = shape, .type = GetParam(), .dy = delta.at(gpu), .x = x.at(gpu), .rstd = rstd.at<float>(gpu), .weight = weight.at(gpu), .residual = dx.at(gpu), .dx = dx.at(gpu),
                                .dweight = dweight.at<float>(gpu), .accumulate = true}, nullptr);
        });
        expectEqual({&sum, &y, &rstd, &dx, &dweight});
    }
}

TEST_P(CudaKernels, RopeAndSwiGlu)
{
    Pair qkv = random(2 * 40, (6 + 2 * 2) * 16), cosines = fp32(40 * 8), sines = fp32(40 * 8), gateUp = random(70, 2 * 96), product = random(70, 96);
    both([&](const kernels::Table &table, bool gpu) {
        table.rope({.tokens = 80, .seq = 40, .heads = 6, .kvHeads = 2, .headDim = 16, .type = GetParam(), .cosines = cosines.at<float>(gpu), .sines = sines.at<float>(gpu), .qkv = qkv.at(gpu), .back = true}, nullptr);
        table.swiGlu({.shape = {70, 96}, .type = GetParam(), .gateUp = gateUp.at(gpu), .product = product.at(gpu)}, nullptr);
        table.swiGluBackward({.shape = {70, 96}, .type = GetParam(), .gateUp = gateUp.at(gpu), .dproduct = product.at(gpu)}, nullptr);
    });
    expectEqual({&qkv, &product, &gateUp});
}

TEST_P(CudaKernels, CrossEntropyAndSums)
{
    Pair logits = random(1500, 997), targets(at::randint(997, {1500}, at::kInt)), loss = fp32(1), values = fp32(300'001), sum = fp32(1);
    both([&](const kernels::Table &table, bool gpu) {
        for (const bool accumulate : {false, true})
            table.sumSquares({.elements = 300'001, .values = values.at<float>(gpu), .sum = sum.at<float>(gpu), .accumulate = accumulate}, nullptr);
        table.crossEntropy({.shape = {1500, 997}, .type = GetParam(), .logits = logits.at(gpu), .targets = targets.at<std::int32_t>(gpu), .scale = 1.0f / 1500, .loss = loss.at<float>(gpu)}, nullptr);
    });
    expectEqual({&logits, &loss, &sum});
}

TEST_P(CudaKernels, AdamWAndCasts)
{
    constexpr std::int64_t kElements = 70'001;
    Pair gradient = fp32(kElements), norm2(at::full({1}, 9.0f)), master = fp32(kElements), momentum = fp32(kElements), variance(at::rand({kElements})), parameter = random(1, kElements), cast = random(1, kElements);
    both([&](const kernels::Table &table, bool gpu) {
        table.adamW({.elements = kElements, .decayed = 50'000, .type = GetParam(), .learningRate = 1e-3f, .beta1 = 0.9f, .beta2 = 0.95f, .eps = 1e-8f, .weightDecay = 0.1f, .correction1 = 0.1f, .correction2 = 0.05f,
                     .gradClip = 1.0f, .gradient = gradient.at<float>(gpu), .norm2 = norm2.at<float>(gpu), .master = master.at<float>(gpu), .momentum = momentum.at<float>(gpu), .variance = variance.at<float>(gpu),
                     .parameter = parameter.at(gpu)}, nullptr);
        table.castScale({.elements = kElements, .from = kernels::Float::Fp32, .to = GetParam(), .source = master.at(gpu), .target = cast.at(gpu), .scale = 0.5f}, nullptr);
    });
    expectEqual({&master, &momentum, &variance, &parameter, &cast});
}

INSTANTIATE_TEST_SUITE_P(, CudaKernels, ::testing::Values(kernels::Float::Fp32, kernels::Float::Bf16), [](const auto &test) { return test.param == kernels::Float::Fp32 ? "fp32" : "bf16"; });

} // namespace
} // namespace slipway::testing
