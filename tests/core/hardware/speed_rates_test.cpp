// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <gtest/gtest.h>

#include <set>

#include "base/file.h"
#include "hardware/catalogue.h"

namespace slipway {
namespace {

std::string shipped() { return readFile(resourceDirectory() / "catalogue" / "rates.yaml").value(); }

std::string with(std::string text, const std::string &from, const std::string &to)
{
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

std::string errorOf(const std::string &text)
{
    const Result<SpeedRates> rates = speedRatesOf(parseYaml(text, "rates.yaml").value(), "rates.yaml");
    return rates ? "" : rates.error().message();
}

TEST(SpeedRates, asShippedGiveEveryConstantASource)
{
    const SpeedRates rates = speedRatesOf(parseYaml(shipped(), "rates.yaml").value(), "rates.yaml").value();
    EXPECT_GT(rates.gemmEfficiency, 0.5);
    for (const AttentionRate &kernel : rates.attention)
        EXPECT_FALSE(kernel.source.empty()) << kernel.kernel;
    for (const FrameworkRate &framework : rates.frameworks) {
        EXPECT_FALSE(framework.source.empty()) << framework.framework;
        EXPECT_LT(framework.stepP10, framework.stepP90) << framework.framework;
    }
}

TEST(SpeedRates, knowEveryFlashKernelOnEveryCard)
{
    const Catalogue catalogue = loadCatalogue().value();
    for (const Gpu &gpu : catalogue.gpus) {
        for (const char *kernel : {"flash-1", "flash-2", "flash-3", "cudnn", "efficient"}) {
            const AttentionRate rate = catalogue.rates.attentionOf(kernel, gpu.arch);
            EXPECT_GT(rate.forward, 0) << gpu.id << kernel;
            EXPECT_GE(rate.forward, rate.backward) << gpu.id << kernel;
        }
    }
}

TEST(SpeedRates, takeTheRowOfTheVersionAndTheAttention)
{
    const SpeedRates rates = loadCatalogue().value().rates;
    EXPECT_GT(rates.frameworkOf({"pytorch-eager", 113}).launch, rates.frameworkOf({"pytorch-eager", 205}).launch);
    EXPECT_GT(rates.frameworkOf({"pytorch-eager", 205, false, true}).launch,
        rates.frameworkOf({"pytorch-eager", 205}).launch);
    EXPECT_GT(rates.frameworkOf({"megatron", 205, true}).launch, rates.frameworkOf({"megatron", 205}).launch);
}

TEST(SpeedRates, takeARowOfACardsGenerationForItAlone)
{
    const SpeedRates rates = loadCatalogue().value().rates;
    const auto compiled = [&](int torch, const char *arch) {
        return rates.frameworkOf({"pytorch-compile", torch, false, false, arch});
    };
    EXPECT_LT(compiled(205, "hopper").bandwidth, compiled(205, "ampere").bandwidth);
    EXPECT_EQ(compiled(207, "hopper").bandwidth, compiled(207, "ada").bandwidth);
    EXPECT_LT(compiled(207, "ampere").bandwidth, compiled(207, "ada").bandwidth);
    EXPECT_LT(rates.frameworkOf({"megatron", 205, false, false, "ampere"}).bandwidth,
        rates.frameworkOf({"megatron", 205, false, false, "hopper"}).bandwidth);
    EXPECT_EQ(rates.frameworkOf({"megatron", 205, true, false, "ampere"}).launch,
        rates.frameworkOf({"megatron", 205, true}).launch);
    EXPECT_GT(compiled(207, "hopper").gemmFactor, compiled(205, "hopper").gemmFactor);
    EXPECT_EQ(compiled(207, "ampere").gemmFactor, 1);
}

TEST(SpeedRates, sayHowFarPlansOfMemoryAreFromRunsOfEachFramework)
{
    const SpeedRates rates = loadCatalogue().value().rates;
    for (const char *framework : {"slipway", "pytorch-eager", "pytorch-compile", "megatron"}) {
        const MemoryRate rate = rates.memoryOf(framework);
        EXPECT_LT(rate.p10, 1) << framework;
        EXPECT_GT(rate.p90, 1) << framework;
        EXPECT_FALSE(rate.source.empty()) << framework;
    }
    EXPECT_EQ(rates.memoryOf("another").p90, 1);
    EXPECT_NE(errorOf(with(shipped(), "{framework: megatron, p10: 0.90", "{framework: megatron, p10: 1.10"))
                  .find("p10, p50 and p90 are not in ascending order"),
        std::string::npos);
}

TEST(SpeedRates, knowPublishedRunsOfCardsOfTheCatalogueOnce)
{
    const Catalogue catalogue = loadCatalogue().value();
    std::set<std::pair<std::string, std::string>> seen;
    for (const PublishedRuns &runs : catalogue.rates.published) {
        EXPECT_EQ(catalogue.gpu(runs.gpu).value().id, runs.gpu);
        EXPECT_GT(catalogue.rates.frameworkOf({runs.framework, 205}).launch, 0) << runs.framework;
        EXPECT_TRUE(seen.emplace(runs.framework, runs.gpu).second) << runs.framework << " " << runs.gpu;
    }
    EXPECT_EQ(catalogue.rates.publishedOf("slipway", "h100-sxm-80gb").speedRows, 0);
}

TEST(SpeedRates, nameWhatIsWrongAndWhere)
{
    EXPECT_NE(errorOf(with(shipped(), "id: gemm_part", "id: gem_part")).find("'gem_part' is not a constant"),
        std::string::npos);
    EXPECT_NE(errorOf(with(shipped(), "id: gemm_fp8_part", "id: gemm_part")).find("'gemm_part' appears twice"),
        std::string::npos);
    EXPECT_NE(
        errorOf(with(shipped(), "value: 0.78", "value: -0.78")).find("'gemm_part' is negative"), std::string::npos);
    EXPECT_NE(
        errorOf(with(shipped(), "forward: 0.28", "forward: 0")).find("'forward' is not above 0"), std::string::npos);
    EXPECT_NE(
        errorOf("constants: []\nattention: []\nframeworks: []\n").find("'gemm_part' is missing"), std::string::npos);
    EXPECT_NE(errorOf("constants: 3\n").find("rates.yaml"), std::string::npos);
    EXPECT_NE(
        errorOf(with(shipped(), "as_of: 2026-11-26", "as_of: lately")).find("'as_of' is 'lately'"), std::string::npos);
    EXPECT_NE(errorOf(with(shipped(), "origin: measured", "origin: guessed")).find("'origin' is 'guessed'"),
        std::string::npos);
    EXPECT_NE(errorOf(with(shipped(), "launch_s: 5.0e-6", "launch_s: fast")).find("launch_s"), std::string::npos);
}

} // namespace
} // namespace slipway
