// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <gtest/gtest.h>

#include "speed/device_rates.h"

#include "plan/kernel_work.h"
#include "speed/kernel_time.h"
#include "support/plan_fixtures.h"
#include "support/torch_version.h"

namespace slipway {
namespace {

using testing::smallConfig;

TEST(DeviceRates, letMegatronsOlderModulesWaitBetweenPassesAndLaunchMoreThanItsOptimizer)
{
    const Catalogue catalogue = loadCatalogue().value();
    const Gpu gpu = catalogue.gpu("a100-sxm-80gb").value();
    RunConfig c = smallConfig();
    c.framework = Framework::Megatron;
    c.precision = Precision::Fp16Mixed;
    const DeviceRates recent = deviceRates(gpu, catalogue, c);
    c.simulated.olderRecipe = true;
    const DeviceRates older = deviceRates(gpu, catalogue, c);
    EXPECT_FALSE(recent.waitsBetweenPasses);
    EXPECT_TRUE(older.waitsBetweenPasses);
    EXPECT_GT(older.launch, 5 * recent.launch);
    EXPECT_DOUBLE_EQ(older.launch * older.optimizerLaunch, recent.launch);
    c.parallel.kind = ParallelKind::Zero1;
    EXPECT_FALSE(deviceRates(gpu, catalogue, c).waitsBetweenPasses) << "DeepSpeed's engine";
    c.framework = Framework::PytorchEager;
    EXPECT_FALSE(deviceRates(gpu, catalogue, c).waitsBetweenPasses);
    EXPECT_DOUBLE_EQ(deviceRates(gpu, catalogue, c).optimizerLaunch, 1);
}

TEST(DeviceRates, letPythonSeeEachOpThatAListOfThemKeeps)
{
    const Catalogue catalogue = loadCatalogue().value();
    const auto rates = [&](Recompute recompute, std::vector<std::string> ops, Sharder sharder = Sharder::Fsdp2) {
        RunConfig c = smallConfig();
        c.framework = Framework::PytorchEager;
        c.parallel = {.kind = ParallelKind::FsdpFull, .gpus = 8, .tp = 2};
        c.recompute = recompute;
        c.recomputeOps = std::move(ops);
        c.simulated.sharder = sharder;
        return deviceRates(catalogue.gpu("h100-sxm-80gb").value(), catalogue, c);
    };
    const DeviceRates whole = rates(Recompute::Full, {}),
                      list = rates(Recompute::Selective, {"norm", "linear-alternate"});
    EXPECT_GT(list.launch, 1.5 * whole.launch);
    EXPECT_EQ(list.backwardLaunch, whole.backwardLaunch);
    EXPECT_EQ(rates(Recompute::Selective, {"layer-alternate"}).launch, whole.launch);
    EXPECT_LT(rates(Recompute::Selective, {"norm"}, Sharder::Simple).launch, 0.5 * whole.launch)
        << "a trace has no DTensors, and has asked for its list";
}

// An A100's data sheet: 19.5 TFLOP/s in fp32, 156 in TF32, 312 in bf16.
TEST(DeviceRates, runFp32GemmsOnTensorCoresWhereTf32IsAllowed)
{
    const Catalogue catalogue = loadCatalogue().value();
    const auto rates = [&](const char *gpu, Precision precision, bool tf32, Framework framework) {
        RunConfig c = smallConfig();
        c.framework = framework;
        c.precision = precision;
        c.simulated.tf32 = tf32;
        return deviceRates(catalogue.gpu(gpu).value(), catalogue, c);
    };
    const Framework eager = Framework::PytorchEager;
    const DeviceRates fp32 = rates("a100-sxm-80gb", Precision::Fp32, false, eager),
                      tf32 = rates("a100-sxm-80gb", Precision::Fp32, true, eager),
                      mixed = rates("a100-sxm-80gb", Precision::Bf16Mixed, true, eager);
    EXPECT_DOUBLE_EQ(fp32.peakFlops, 19.5e12);
    EXPECT_DOUBLE_EQ(tf32.peakFlops, 156e12);
    EXPECT_DOUBLE_EQ(tf32.gemmFlops, mixed.gemmFlops / 2);
    EXPECT_DOUBLE_EQ(mixed.gemmFp32Flops, mixed.gemmFlops / 2) << "grouped GEMMs in fp32 next to others in bf16";
    EXPECT_GT(tf32.gemmFlops, 5 * fp32.gemmFlops);
    EXPECT_DOUBLE_EQ(tf32.attentionFlops, fp32.attentionFlops) << "not by this switch";
    EXPECT_DOUBLE_EQ(rates("v100-sxm2-16gb", Precision::Fp32, true, eager).gemmFlops,
        rates("v100-sxm2-16gb", Precision::Fp32, false, eager).gemmFlops)
        << "it has no TF32";
    EXPECT_DOUBLE_EQ(rates("a100-sxm-80gb", Precision::Fp32, true, Framework::Slipway).gemmFlops,
        rates("a100-sxm-80gb", Precision::Fp32, false, Framework::Slipway).gemmFlops)
        << "our own trainer does not allow it";
}

TEST(DeviceRates, takeScalesOfRowsToSlowFp8ProductsOfPyTorchAndNoOthers)
{
    const Catalogue catalogue = loadCatalogue().value();
    RunConfig c = smallConfig();
    c.framework = Framework::PytorchCompile;
    c.precision = Precision::Fp8Mixed;
    const Gpu gpu = catalogue.gpu("h100-sxm-80gb").value();
    const DeviceRates tensor = deviceRates(gpu, catalogue, c);
    c.simulated.fp8Scales = Fp8Scales::Row;
    const DeviceRates row = deviceRates(gpu, catalogue, c);
    EXPECT_LT(row.gemmFp8Flops, tensor.gemmFp8Flops);
    EXPECT_EQ(row.gemmFlops, tensor.gemmFlops);
}

TEST(DeviceRates, letABridgeJoinTwoCardsAndNoMore)
{
    const Catalogue catalogue = loadCatalogue().value();
    const Gpu gpu = catalogue.gpu("a100-pcie-80gb").value();
    const auto bandwidth = [&](int gpus, int perNode) {
        RunConfig c;
        c.parallel.gpus = gpus;
        c.parallel.gpusPerNode = perNode;
        return deviceRates(gpu, catalogue, c).nodeLink.bandwidth;
    };
    EXPECT_GT(bandwidth(2, 8), 150e9);
    EXPECT_GT(bandwidth(8, 2), 150e9);
    EXPECT_NEAR(bandwidth(4, 8), 25e9, 5e9) << "Azure measures 25 GB/s among four";
}

// All-reduces of 2, 4 and 8 A100 PCIe (SimuMax' a100_pcie.json).
TEST(DeviceRates, letRingsOfMoreThanFourCardsCrossBetweenProcessors)
{
    const Catalogue catalogue = loadCatalogue().value();
    Gpu gpu = catalogue.gpu("a100-pcie-80gb").value();
    gpu.linkBandwidth = 0; // no bridges there
    RunConfig c;
    c.parallel.gpus = c.parallel.gpusPerNode = 8;
    const auto seconds = [&](double ranks, double volume) {
        return transferTime(deviceRates(gpu, catalogue, c).nodeLink, ranks, volume);
    };
    EXPECT_NEAR(1e9 / seconds(2, 1e9) / 21e9, 1, 0.1);
    EXPECT_NEAR(1e9 / seconds(4, 1e9) / 20.7e9, 1, 0.1);
    EXPECT_NEAR(1e9 / seconds(8, 1e9) / 12.6e9, 1, 0.1);
    EXPECT_LT(seconds(8, 0), 20e-6) << "a bus answers sooner than links by way of a switch";
}

// Of products of dense and of latent-attention models on a B200, SimuMax' tables have 0.16 to 0.65 of the peak.
TEST(DeviceRates, giveLargeGemmsOfABlackwellCardTwoThirdsOfItsPeakAndSmallOnesLittle)
{
    const Catalogue catalogue = loadCatalogue().value();
    RunConfig c;
    c.framework = Framework::Megatron;
    const DeviceRates rates = deviceRates(catalogue.gpu("b200-sxm-180gb").value(), catalogue, c);
    const auto part = [&](std::int64_t m, std::int64_t n, std::int64_t k) {
        Kernel gemm;
        gemm.kind = OpKind::Gemm;
        gemm.m = m, gemm.n = n, gemm.k = k;
        gemm.flops = 2.0 * double(m) * double(n) * double(k);
        return gemm.flops / kernelTime(gemm, rates) / rates.peakFlops;
    };
    EXPECT_NEAR(part(8192, 53248, 16384), 0.65, 0.03);
    EXPECT_NEAR(part(4096, 6144, 4096), 0.49, 0.07);
    EXPECT_LT(part(4096, 576, 5120), 0.35);
}

// Products and flash attention that NVIDIA measured (aiconfigurator 0.7.0 on PyPI, SGLang's and TensorRT-LLM's tables),
// whose products are those of a benchmark, which a training loop's stay below.
TEST(DeviceRates, meetAnH100sNarrowGemmsAndWeightGradientsAsMeasured)
{
    const Catalogue catalogue = loadCatalogue().value();
    RunConfig c;
    c.framework = Framework::Megatron;
    const DeviceRates rates = deviceRates(catalogue.gpu("h100-sxm-80gb").value(), catalogue, c);
    const auto teraflops = [&](std::int64_t m, std::int64_t n, std::int64_t k) {
        const Kernel gemm = kernelOf({.m = m, .n = n, .k = k});
        return gemm.flops / kernelTime(gemm, rates) / 1e12;
    };
    EXPECT_NEAR(teraflops(8192, 3072, 768) / 640, 1, 0.1);
    EXPECT_NEAR(teraflops(8192, 768, 3072) / 720, 1, 0.15);
    EXPECT_NEAR(teraflops(768, 3072, 16384) / 765, 1, 0.2);
    EXPECT_NEAR(teraflops(2048, 1536, 16384) / 785, 1, 0.2);
    EXPECT_LT(teraflops(8192, 8192, 8192), 702);
}

TEST(DeviceRates, letFlashAttentionsRowsCostWhatTheyWereMeasuredAt)
{
    const Catalogue catalogue = loadCatalogue().value();
    const auto teraflops = [&](const char *gpu, AttentionKernel kind, std::int32_t seq) {
        RunConfig c;
        c.simulated.attentionKernel = kind;
        Kernel kernel{.kind = OpKind::FlashAttention,
            .type = DType::Bf16,
            .batch = 1048576 / seq,
            .seq = seq,
            .heads = 8,
            .kvHeads = 1,
            .headDim = 128};
        addWork(kernel);
        return kernel.flops / kernelTime(kernel, deviceRates(catalogue.gpu(gpu).value(), catalogue, c)) / 1e12;
    };
    EXPECT_NEAR(teraflops("h100-sxm-80gb", AttentionKernel::Flash3, 1024) / 408, 1, 0.06);
    EXPECT_NEAR(teraflops("h100-sxm-80gb", AttentionKernel::Flash3, 4096) / 588, 1, 0.07);
    EXPECT_NEAR(teraflops("h100-sxm-80gb", AttentionKernel::Flash3, 16384) / 649, 1, 0.07);
    EXPECT_NEAR(teraflops("b200-sxm-180gb", AttentionKernel::Cudnn, 1024) / 750, 1, 0.06);
    EXPECT_NEAR(teraflops("b200-sxm-180gb", AttentionKernel::Cudnn, 16384) / 1260, 1, 0.07);
}

// NVIDIA's measurements of NCCL 2.27 (the same package): gathers of 512 MiB.
TEST(DeviceRates, gatherOverBlackwellsAndHoppersLinksAsFastAsMeasured)
{
    const Catalogue catalogue = loadCatalogue().value();
    const auto seconds = [&](const char *gpu, double ranks) {
        RunConfig c;
        c.parallel.gpus = c.parallel.gpusPerNode = 8;
        Link link = deviceRates(catalogue.gpu(gpu).value(), catalogue, c).nodeLink;
        link.latency = link.latencyPerRank = 0; // a training loop's
        return transferTime(link, ranks, (ranks - 1) / ranks * 512 * 1024 * 1024);
    };
    EXPECT_NEAR(seconds("b200-sxm-180gb", 2) / 637e-6, 1, 0.1);
    EXPECT_NEAR(seconds("b200-sxm-180gb", 4) / 736e-6, 1, 0.1);
    EXPECT_NEAR(seconds("b200-sxm-180gb", 8) / 788e-6, 1, 0.1);
    EXPECT_NEAR(seconds("h100-sxm-80gb", 8) / 1406e-6, 1, 0.1);
}

// Bus bandwidths of all-reduces: vTrain's traces of V100, MI300X by stas00/ml-engineering.
TEST(DeviceRates, shareOutTheLinksWhereNoSwitchJoinsTheCards)
{
    const Catalogue catalogue = loadCatalogue().value();
    const auto bandwidth = [&](const char *gpu, int perNode, double ranks) {
        RunConfig c;
        c.parallel.gpus = c.parallel.gpusPerNode = perNode;
        Link link = deviceRates(catalogue.gpu(gpu).value(), catalogue, c).nodeLink;
        link.latency = link.latencyPerRank = 0;
        return 1 / transferTime(link, ranks, 1);
    };
    EXPECT_NEAR(bandwidth("v100-sxm2-16gb", 8, 2) / 22.6e9, 1, 0.15);
    EXPECT_NEAR(bandwidth("v100-sxm2-16gb", 8, 4) / 85.8e9, 1, 0.15);
    EXPECT_NEAR(bandwidth("v100-sxm2-16gb", 8, 8) / 136e9, 1, 0.15);
    EXPECT_NEAR(bandwidth("mi300x-192gb", 8, 2) / 48e9, 1, 0.15);
    EXPECT_NEAR(bandwidth("mi300x-192gb", 8, 8) / 313e9, 1, 0.15);
    EXPECT_DOUBLE_EQ(bandwidth("v100-sxm2-16gb", 4, 2), 2 * bandwidth("v100-sxm2-16gb", 8, 2))
        << "each pair of four has two of a card's six links";
    // Each of eight MI300X has one link to each of the others: n ranks use n - 1 of seven.
    EXPECT_DOUBLE_EQ(bandwidth("mi300x-192gb", 8, 4), 3 * bandwidth("mi300x-192gb", 8, 2));
    EXPECT_DOUBLE_EQ(bandwidth("mi300x-192gb", 8, 8), 7 * bandwidth("mi300x-192gb", 8, 2));
    EXPECT_DOUBLE_EQ(bandwidth("v100-sxm2-16gb", 8, 4), 4 * bandwidth("v100-sxm2-16gb", 8, 2)) << "of six links";
    EXPECT_DOUBLE_EQ(bandwidth("v100-sxm2-16gb", 4, 4), 3 * bandwidth("v100-sxm2-16gb", 4, 2));
    EXPECT_GT(bandwidth("a100-sxm-80gb", 8, 2), 150e9) << "a switch";
    EXPECT_GT(bandwidth("v100-sxm2-32gb", 16, 2), 4 * bandwidth("v100-sxm2-32gb", 8, 2)) << "DGX-2 has one";
}

TEST(DeviceRates, takeNodesWithAnotherNumberOfCardsForOtherNodes)
{
    const Catalogue catalogue = loadCatalogue().value();
    const auto network = [&](int perNode) {
        RunConfig c;
        c.parallel.gpus = 8;
        c.parallel.gpusPerNode = perNode;
        return deviceRates(catalogue.gpu("v100-sxm2-16gb").value(), catalogue, c).networkLink.bandwidth;
    };
    EXPECT_DOUBLE_EQ(network(4), 4 * network(8))
        << "the catalogue's node of eight has 25 Gbit/s, others are taken to have 100";
}

TEST(DeviceRates, meetOverTheBusWhereACardHasNoLinksOfItsOwn)
{
    Gpu gpu;
    gpu.bf16Flops = 165e12;
    gpu.memoryBandwidth = 1e12;
    gpu.multiprocessors = 128;
    gpu.pcieGeneration = 4;
    const Catalogue catalogue = loadCatalogue().value();
    const DeviceRates rates = deviceRates(gpu, catalogue, {});
    EXPECT_NEAR(rates.nodeLink.bandwidth, 31.5e9 * 0.7, 0.1e9);
    gpu.linkBandwidth = 300e9;
    EXPECT_GT(deviceRates(gpu, catalogue, {}).nodeLink.bandwidth, 200e9);
}

TEST(DeviceRates, takeTheNetworkThatTheUserNames)
{
    Gpu gpu;
    gpu.bf16Flops = 312e12;
    const Catalogue catalogue = loadCatalogue().value();
    RunConfig c;
    c.networkGbps = 800;
    const double named = deviceRates(gpu, catalogue, c).networkLink.bandwidth;
    c.networkGbps = 400;
    EXPECT_DOUBLE_EQ(deviceRates(gpu, catalogue, c).networkLink.bandwidth, named / 2);
}

TEST(DeviceRates, takeTheFlashKernelOfTheFrameworksVersionAndCard)
{
    const Catalogue catalogue = loadCatalogue().value();
    const Gpu a100 = catalogue.gpu("a100-sxm-80gb").value(), h100 = catalogue.gpu("h100-sxm-80gb").value();
    const auto forward = [&](const Gpu &gpu, Framework framework, const char *torch,
                             AttentionKernel kernel = AttentionKernel::Auto) {
        RunConfig c;
        c.framework = framework;
        testing::setTorch(c, torch);
        c.simulated.attentionKernel = kernel;
        return deviceRates(gpu, catalogue, c).attentionFlops;
    };
    EXPECT_GT(forward(a100, Framework::PytorchEager, "2.2"), 1.5 * forward(a100, Framework::PytorchEager, "2.1"))
        << "FlashAttention-2 came with 2.2";
    EXPECT_GT(forward(h100, Framework::Megatron, ""), forward(h100, Framework::PytorchEager, ""))
        << "cuDNN's, on Hopper";
    EXPECT_EQ(forward(a100, Framework::Megatron, ""), forward(a100, Framework::PytorchEager, ""));
    EXPECT_EQ(
        forward(h100, Framework::PytorchEager, "", AttentionKernel::Cudnn), forward(h100, Framework::Megatron, ""));
}

TEST(DeviceRates, ranksWaitForTheSlowestOfThem)
{
    const Catalogue catalogue = loadCatalogue().value();
    RunConfig config;
    config.parallel.kind = ParallelKind::Ddp;
    const auto slowest = [&](int gpus) {
        config.parallel.gpus = gpus;
        return (deviceRates(catalogue.gpu("h100").value(), catalogue, config).slowestRankFactor - 1) /
               catalogue.rates.gpuSpeedDeviation;
    };
    EXPECT_EQ(slowest(1), 0);
    // Means of the largest of 2, 8 and 100 standard normal values: Harter 1961, table 1.
    EXPECT_NEAR(slowest(2), 0.56419, 0.03);
    EXPECT_NEAR(slowest(8), 1.42360, 0.03);
    EXPECT_NEAR(slowest(100), 2.50759, 0.03);
}

// A thread of its kernels loads 8 bytes of a tensor before PyTorch 2.7, 16 since on Hopper.
TEST(DeviceRates, limitWhatOldEagerKernelsMoveOnAMultiprocessorOfAFastMemory)
{
    const Catalogue catalogue = loadCatalogue().value();
    const auto ofOneMultiprocessor = [&](const char *name, const char *torch,
                                         Framework framework = Framework::PytorchEager) {
        RunConfig c = smallConfig();
        c.framework = framework;
        testing::setTorch(c, torch);
        const Gpu gpu = catalogue.gpu(name).value();
        return deviceRates(gpu, catalogue, c).memoryBandwidth / gpu.multiprocessors;
    };
    EXPECT_EQ(ofOneMultiprocessor("a100-sxm-80gb", "2.2"), ofOneMultiprocessor("a100-sxm-80gb", "2.7"));
    EXPECT_GT(ofOneMultiprocessor("h100-sxm-80gb", "2.7"), 1.1 * ofOneMultiprocessor("h100-sxm-80gb", "2.6"));
    EXPECT_GT(ofOneMultiprocessor("b200-sxm-180gb", "2.9"), 1.3 * ofOneMultiprocessor("h100-sxm-80gb", "2.9"));
    EXPECT_GT(ofOneMultiprocessor("h100-sxm-80gb", "2.2", Framework::PytorchCompile),
        1.3 * ofOneMultiprocessor("a100-sxm-80gb", "2.2"));
    EXPECT_LT(ofOneMultiprocessor("h100-sxm-96gb", "2.2"), ofOneMultiprocessor("h100-sxm-80gb", "2.2"))
        << "its memory is the slower of the two limits";
}

TEST(DeviceRates, letACardOfLessPowerMultiplySlowerInATrainingLoop)
{
    const Catalogue catalogue = loadCatalogue().value();
    const auto ofBest = [&](const char *name) {
        RunConfig c = smallConfig();
        c.precision = Precision::Bf16Mixed;
        const Gpu gpu = catalogue.gpu(name).value();
        return deviceRates(gpu, catalogue, c).gemmFlops / *gpu.matmulAchievedFlops;
    };
    EXPECT_EQ(ofBest("a800-pcie-80gb"), ofBest("a100-sxm-80gb")) << "300 W are enough: SimuMax' products";
    EXPECT_LT(ofBest("a100-pcie-40gb"), 0.9 * ofBest("a800-pcie-80gb")) << "250 W";
    EXPECT_EQ(ofBest("a800-sxm-80gb"), ofBest("a100-sxm-80gb"));
}

} // namespace
} // namespace slipway
