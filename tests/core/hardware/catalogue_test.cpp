// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hardware/catalogue.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "base/text.h"
#include "model/families.h"
#include "model/hf_config.h"
#include "model/validate_model.h"

namespace slipway {
namespace {

class ShippedCatalogue : public ::testing::Test {
protected:
    static void SetUpTestSuite()
    {
        const auto loaded = loadCatalogue();
        ASSERT_TRUE(loaded) << loaded.error().message();
        s_catalogue = new Catalogue(*loaded);
    }
    static void TearDownTestSuite()
    {
        delete s_catalogue;
        s_catalogue = nullptr;
    }
    static Catalogue *s_catalogue;
};
Catalogue *ShippedCatalogue::s_catalogue = nullptr;

TEST_F(ShippedCatalogue, HoldsThePresetsWithThePapersCounts)
{
    const std::map<std::string, std::int64_t> counts{
        {"100M", 130'569'920}, {"500M", 526'550'016}, {"1B", 970'458'240}, {"2B", 1'969'027'008}};
    for (const auto &[name, count] : counts) {
        const auto model = s_catalogue->model(name);
        ASSERT_TRUE(model) << name;
        EXPECT_TRUE(model->preset);
        EXPECT_EQ(parameterCount(model->spec), count);
        EXPECT_EQ(model->spec.attention.headDim, 64);
        EXPECT_EQ(model->spec.vocab, 32000);
        EXPECT_FALSE(model->spec.head.tied);
    }
}

TEST_F(ShippedCatalogue, CountsPublicModelsAsTheyWerePublished)
{
    // Published totals, from the repositories' own figures; loading checks every row against its `params`.
    const std::map<std::string, std::int64_t> counts{{"llama-2-7b", 6'738'415'616}, {"llama-3-8b", 8'030'261'248},
        {"llama-3.1-8b", 8'030'261'248}, {"qwen2.5-7b", 7'615'616'512}, {"mistral-7b", 7'241'732'096},
        {"llama-3.2-1b", 1'235'814'400}, {"tinyllama-1.1b", 1'100'048'384}, {"smollm2-135m", 134'515'008},
        {"qwen2.5-0.5b", 494'032'768}, {"gemma-2b", 2'506'172'416}, {"pythia-1b", 1'011'781'632},
        {"gpt2-124m", 124'439'808}, {"gpt2-1.5b", 1'557'611'200}, {"olmo-1b", 1'176'764'416},
        {"opt-1.3b", 1'315'758'080}, {"phi-1.5", 1'418'270'720}, {"stablelm-2-1.6b", 1'644'515'328},
        {"mixtral-8x7b", 46'702'792'704}, {"olmoe-1b-7b", 6'919'161'856}, {"granite-3.1-2b", 2'533'531'648},
        {"qwen2-57b-a14b", 57'408'658'944}, {"qwen3-30b-a3b", 30'532'122'624}, {"qwen3-235b-a22b", 235'093'634'560}};
    for (const auto &[name, count] : counts) {
        const auto model = s_catalogue->model(name);
        ASSERT_TRUE(model) << name;
        EXPECT_EQ(parameterCount(model->spec), count) << name;
    }
    EXPECT_EQ(activeParameterCount(s_catalogue->model("olmoe-1b-7b")->spec), 1'282'017'280);
    EXPECT_EQ(activeParameterCount(s_catalogue->model("mixtral-8x7b")->spec), 12'879'925'248);
    EXPECT_EQ(activeParameterCount(s_catalogue->model("qwen2-57b-a14b")->spec), 14'249'270'784);
    EXPECT_EQ(activeParameterCount(s_catalogue->model("qwen3-30b-a3b")->spec), 3'353'032'704);
    EXPECT_EQ(activeParameterCount(s_catalogue->model("qwen3-235b-a22b")->spec), 22'190'763'520);
    EXPECT_GE(s_catalogue->models.size(), 100u);
}

TEST_F(ShippedCatalogue, ModelsDoWhatTheirFamilyDoes)
{
    for (const CatalogueModel &model : s_catalogue->models) {
        const ModelFamily *family = familyNamed(model.spec.name);
        if (!family)
            continue;
        ModelSpec asFamily = model.spec;
        applyFamily(*family, asFamily);
        const ModelSpec plain = familyDefaults(*family);
        asFamily.attention.qkvBias = model.spec.attention.qkvBias ||
                                     plain.attention.qkvBias; // StableLM's models differ: their config.json says so
        EXPECT_EQ(asFamily, model.spec) << model.spec.name << " against " << family->type;
        EXPECT_EQ(model.spec.mlp.gated, plain.mlp.gated) << model.spec.name;
        EXPECT_EQ(model.spec.position, plain.position) << model.spec.name;
        EXPECT_EQ(model.spec.family, family->type) << model.spec.name;
        // Phi 2 rotates 32 of 80 dimensions.
        const double fraction = model.spec.name == "phi-2" ? 0.4 : plain.rope().fraction;
        EXPECT_EQ(model.spec.rope().fraction, fraction) << model.spec.name;
    }
}

TEST_F(ShippedCatalogue, HasNoModelThatTransformersLacks)
{
    for (const CatalogueModel &model : s_catalogue->models) {
        const Result<std::string> config = hfConfigOf(model.spec, {.type = "bfloat16", .positions = 2048});
        EXPECT_TRUE(config) << config.error().message();
    }
}

TEST_F(ShippedCatalogue, DescribesModelsAsTheirConfigJson)
{
    const auto specOf = [](std::string_view name) { return s_catalogue->model(name)->spec; };
    const Rope scaled = specOf("llama-3.2-1b").rope();
    EXPECT_EQ(scaled.scaling, RopeScaling::Llama3);
    EXPECT_EQ(scaled.factor, 32);
    EXPECT_EQ(scaled.trainedPositions, 8192);
    EXPECT_EQ(specOf("mistral-7b").kindOf(31).window, 4096);
    EXPECT_EQ(specOf("mistral-7b-v0.3").kindOf(0).window, 0);
    EXPECT_EQ(specOf("qwen3-0.6b").attention.qkNorm, QkNorm::Head);
    EXPECT_EQ(specOf("olmo-2-7b").block.norms, NormPlacement::After);
    EXPECT_EQ(specOf("smollm3-3b").kindOf(35).rope, kNoRope);
    EXPECT_EQ(specOf("granite-3.0-8b").block.branchScale, 0.22);
    EXPECT_EQ(specOf("qwen1.5-moe-a2.7b").experts.sharedWidth, 5632);
    const ModelSpec gemma = specOf("gemma-3-4b");
    EXPECT_EQ(gemma.embeddingScale(), std::sqrt(2560.0));
    EXPECT_TRUE(gemma.norm.onePlusWeight);
    EXPECT_EQ(gemma.kindOf(4).window, 1024);
    EXPECT_EQ(gemma.ropes.at(static_cast<std::size_t>(gemma.kindOf(4).rope)), Rope{.base = 1e4});
    EXPECT_EQ(gemma.kindOf(5).window, 0);
    EXPECT_EQ(gemma.ropes.at(static_cast<std::size_t>(gemma.kindOf(5).rope)),
        (Rope{.base = 1e6, .scaling = RopeScaling::Linear, .factor = 8}));
}

TEST_F(ShippedCatalogue, FindsGpusByIdNameAndAliasInAnyCase)
{
    for (const char *name : {"h100-sxm-80gb", "H100-80GB", "h100", "H100 80GB SXM5"})
        EXPECT_EQ(s_catalogue->gpu(name)->id, "h100-sxm-80gb") << name;
    EXPECT_EQ(s_catalogue->gpu("A100-40GB")->id, "a100-sxm-40gb");
    EXPECT_EQ(s_catalogue->gpu("A100")->id, "a100-sxm-80gb");
    EXPECT_EQ(s_catalogue->gpu("V100-32GB")->id, "v100-sxm2-32gb");
    for (const char *name : {"rtx-4090", "RTX 4090", "RTX4090", "rtx_4090"})
        EXPECT_EQ(s_catalogue->gpu(name)->id, "rtx-4090-24gb") << name;
    EXPECT_FALSE(s_catalogue->gpu(""));
    EXPECT_FALSE(s_catalogue->gpu("-"));
    // As nvidia-smi prints them.
    for (const auto &[driver, id] :
        {std::pair{"NVIDIA H100 80GB HBM3", "h100-sxm-80gb"}, {"NVIDIA A100-SXM4-40GB", "a100-sxm-40gb"},
            {"NVIDIA A100-PCIE-40GB", "a100-pcie-40gb"}, {"NVIDIA A100 80GB PCIe", "a100-pcie-80gb"},
            {"NVIDIA H100 PCIe", "h100-pcie-80gb"}, {"NVIDIA H200", "h200-sxm-141gb"},
            {"Tesla V100-SXM2-32GB", "v100-sxm2-32gb"}, {"NVIDIA GeForce RTX 4090", "rtx-4090-24gb"},
            {"NVIDIA RTX A6000", "rtx-a6000-48gb"}, {"NVIDIA A800-SXM4-80GB", "a800-sxm-80gb"},
            {"NVIDIA A800-SXM4-40GB", "a800-sxm-40gb"}, {"NVIDIA A800 40GB Active", "a800-pcie-40gb"},
            {"NVIDIA H800", "h800-sxm-80gb"}, {"NVIDIA H20", "h20-96gb"}, {"NVIDIA H20-3e", "h20-141gb"},
            {"NVIDIA H100 NVL", "h100-nvl-94gb"}, {"NVIDIA H200 NVL", "h200-nvl-141gb"},
            {"NVIDIA GH200 480GB", "gh200-96gb"}, {"NVIDIA GH200 144G HBM3e", "gh200-144gb"},
            {"NVIDIA B200", "b200-sxm-180gb"}, {"NVIDIA B300 SXM6 AC", "b300-sxm-288gb"},
            {"NVIDIA GB200", "gb200-186gb"}, {"NVIDIA GB10", "gb10-128gb"}, {"Tesla P100-PCIE-16GB", "p100-pcie-16gb"},
            {"Tesla P100-SXM2-16GB", "p100-sxm2-16gb"}, {"Tesla P40", "p40-24gb"}, {"Tesla K80", "k80-12gb"},
            {"Tesla M40 24GB", "m40-24gb"}, {"NVIDIA TITAN V", "titan-v-12gb"}, {"TITAN Xp", "titan-xp-12gb"},
            {"NVIDIA TITAN RTX", "titan-rtx-24gb"}, {"Tesla V100S-PCIE-32GB", "v100s-pcie-32gb"},
            {"Tesla V100-PCIE-32GB", "v100-pcie-32gb"}, {"Quadro RTX 6000", "quadro-rtx-6000-24gb"},
            {"Quadro RTX 8000", "rtx-8000-48gb"}, {"NVIDIA GeForce GTX 1080 Ti", "gtx-1080-ti-11gb"},
            {"NVIDIA GeForce RTX 2080 Ti", "rtx-2080-ti-11gb"}, {"NVIDIA GeForce RTX 2070 SUPER", "rtx-2070-super-8gb"},
            {"NVIDIA GeForce RTX 3060", "rtx-3060-12gb"}, {"NVIDIA GeForce RTX 3060 Ti", "rtx-3060-ti-8gb"},
            {"NVIDIA GeForce RTX 3070 Ti", "rtx-3070-ti-8gb"}, {"NVIDIA GeForce RTX 3090 Ti", "rtx-3090-ti-24gb"},
            {"NVIDIA GeForce RTX 4060", "rtx-4060-8gb"}, {"NVIDIA GeForce RTX 4070 Ti SUPER", "rtx-4070-ti-super-16gb"},
            {"NVIDIA GeForce RTX 4080 SUPER", "rtx-4080-super-16gb"}, {"NVIDIA GeForce RTX 4090 D", "rtx-4090-d-24gb"},
            {"NVIDIA GeForce RTX 4090 Laptop GPU", "rtx-4090-laptop-16gb"},
            {"NVIDIA GeForce RTX 5060 Ti", "rtx-5060-ti-16gb"}, {"NVIDIA GeForce RTX 5070", "rtx-5070-12gb"},
            {"NVIDIA GeForce RTX 5090", "rtx-5090-32gb"}, {"NVIDIA RTX A5500", "rtx-a5500-24gb"},
            {"NVIDIA A2", "a2-16gb"}, {"NVIDIA A16", "a16-16gb"}, {"NVIDIA A30", "a30-24gb"},
            {"NVIDIA L40", "l40-48gb"}, {"NVIDIA RTX 6000 Ada Generation", "rtx-6000-ada-48gb"},
            {"NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "rtx-pro-6000-96gb"},
            {"NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", "rtx-pro-6000-max-q-96gb"},
            {"AMD Instinct MI300X VF", "mi300x-192gb"}, {"AMD Radeon RX 7900 XTX", "rx-7900-xtx-24gb"}}) {
        const auto gpu = s_catalogue->gpu(driver);
        ASSERT_TRUE(gpu) << driver;
        EXPECT_EQ(gpu->id, id) << driver;
    }
}

TEST_F(ShippedCatalogue, FindsGpusAsTablesWriteThem)
{
    for (const auto &[written, id] : {std::pair{"A100 (80GB)", "a100-sxm-80gb"}, {"8xA100-80GB", "a100-sxm-80gb"},
             {"A100-SXM4-80GB x8", "a100-sxm-80gb"}, {"NVIDIA A100-PCIe (40 GB)", "a100-pcie-40gb"},
             {"DGX A100", "a100-sxm-80gb"}, {"nvidia_h100_80gb_hbm3", "h100-sxm-80gb"},
             {"Nvidia-H100-SXM", "h100-sxm-80gb"}, {"8x H100", "h100-sxm-80gb"}, {"H100-80GB PCIe", "h100-pcie-80gb"},
             {"H100-94GB NVL", "h100-nvl-94gb"}, {"H200-SXM5-141GB", "h200-sxm-141gb"},
             {"AMD Instinct MI300X OAM", "mi300x-192gb"}, {"MI300X-192GB", "mi300x-192gb"},
             {"AMD Instinct MI250X", "mi250x-128gb"}, {"L40S-48GB", "l40s-48gb"}, {"RTX A6000 48GB", "rtx-a6000-48gb"},
             {"RTX6000Ada-48GB", "rtx-6000-ada-48gb"}, {"H20-96GB", "h20-96gb"}, {"Tesla T4 16GB", "t4-16gb"},
             {"RTX2080Ti", "rtx-2080-ti-11gb"}, {"Tesla V100-PCIE-16GB", "v100-pcie-16gb"},
             {"GH200 120GB", "gh200-96gb"}, {"A100-80G", "a100-sxm-80gb"}, {"h100-sxm-80g", "h100-sxm-80gb"},
             {"8 x H100", "h100-sxm-80gb"}, {"A100 x 8", "a100-sxm-80gb"}, {"8 H100 GPUs", "h100-sxm-80gb"},
             {"4\xc3\x97RTX 3090", "rtx-3090-24gb"}, {"2 * RTX 4090 (24GB)", "rtx-4090-24gb"},
             {"A100 80GB PCI-E", "a100-pcie-80gb"}, {"A100 SXM4 80GB NVLink", "a100-sxm-80gb"},
             {"V100 (32GB, SXM2)", "v100-sxm2-32gb"}, {"RTX 3080 12GB", "rtx-3080-12gb"},
             {"RTX 4090 48GB", "rtx-4090-48gb"}, {"RTX 4060 Ti 8GB", "rtx-4060-ti-8gb"},
             {"NVIDIA DGX Spark", "gb10-128gb"}, {"GTX1080Ti", "gtx-1080-ti-11gb"}, {"Titan V 12GB", "titan-v-12gb"},
             {"P100 16GB", "p100-pcie-16gb"}, {"RTX A6000 Ada", "rtx-6000-ada-48gb"}}) {
        const auto gpu = s_catalogue->gpu(written);
        ASSERT_TRUE(gpu) << written;
        EXPECT_EQ(gpu->id, id) << written;
    }
    // Another GPU, other memory or another form is not taken for the one that is known.
    for (const char *other : {"L40X", "A100-96GB", "H100 NVL 80GB", "RTX 3090 Laptop", "RTX 3080 11GB", "T4 32GB",
             "h100-sxm-80m", "8", "8 x", "TPU v4", "Gaudi 2", "GeForce", "80GB", "SXM", "A100 TPU"})
        EXPECT_FALSE(s_catalogue->gpu(other)) << other;
}

TEST_F(ShippedCatalogue, FindsModelsWithOtherSeparatorsAndByTheirRepository)
{
    for (const auto &[written, name] : {std::pair{"Llama 3.1 8B", "llama-3.1-8b"}, {"TinyLlama_1.1B", "tinyllama-1.1b"},
             {"mixtral 8x7b", "mixtral-8x7b"}, {"gpt2-xl", "gpt2-1.5b"}, {"gpt2", "gpt2-124m"}}) {
        const auto model = s_catalogue->model(written);
        ASSERT_TRUE(model) << written;
        EXPECT_EQ(model->spec.name, name);
    }
    EXPECT_FALSE(s_catalogue->model("-"));
    EXPECT_FALSE(s_catalogue->model(""));
    EXPECT_FALSE(s_catalogue->model("llama"));
}

TEST_F(ShippedCatalogue, NamesNoTwoGpusAlike)
{
    std::map<std::string, std::string> cards; // by name without what separates its words
    for (const Gpu &gpu : s_catalogue->gpus) {
        std::vector<std::string> names = gpu.aliases;
        names.push_back(gpu.id);
        for (std::string name : names) {
            name = toLower(name);
            std::erase_if(name, [](char c) { return c == ' ' || c == '-' || c == '_'; });
            EXPECT_EQ(cards.emplace(name, gpu.id).first->second, gpu.id) << name;
        }
    }
}

TEST_F(ShippedCatalogue, ReadsUnitsAsTheyAreMeant)
{
    const Gpu a100 = *s_catalogue->gpu("a100-sxm-80gb");
    EXPECT_EQ(a100.memoryBytes, static_cast<Bytes>(79.15 * static_cast<double>(kGiB)));
    EXPECT_DOUBLE_EQ(a100.memoryBandwidth, 2039e9);
    EXPECT_DOUBLE_EQ(*a100.memoryBandwidthMeasured, 1700e9);
    EXPECT_DOUBLE_EQ(a100.bf16Flops, 312e12);
    EXPECT_DOUBLE_EQ(a100.linkBandwidth, 300e9);
    EXPECT_EQ(a100.contextBytes, 481 * kMiB);
    EXPECT_EQ(a100.multiprocessors, 108);
    EXPECT_EQ(s_catalogue->gpu("h100-pcie-80gb")->memoryBytes, 81559 * kMiB);
    EXPECT_DOUBLE_EQ(s_catalogue->gpu("v100")->bf16Flops, 125e12);
    EXPECT_FALSE(s_catalogue->gpu("l4")->memoryBandwidthMeasured);
}

TEST_F(ShippedCatalogue, GivesEveryRowASourceAndSaneFigures)
{
    for (const Gpu &gpu : s_catalogue->gpus) {
        EXPECT_FALSE(gpu.source.empty()) << gpu.id;
        EXPECT_GT(gpu.memoryBytes, 0) << gpu.id;
        EXPECT_GT(gpu.memoryBandwidth, 1e9) << gpu.id;
        EXPECT_GT(gpu.bf16Flops, 1e9) << gpu.id;
        EXPECT_GT(gpu.fp32Flops, 1e9) << gpu.id;
        EXPECT_GT(gpu.multiprocessors, 0) << gpu.id;
        if (gpu.memoryBandwidthMeasured) {
            EXPECT_LE(*gpu.memoryBandwidthMeasured, gpu.memoryBandwidth) << gpu.id;
        }
    }
    for (const Node &node : s_catalogue->nodes) {
        EXPECT_FALSE(node.source.empty()) << node.id;
        EXPECT_TRUE(node.gpu.empty() || s_catalogue->gpu(node.gpu)) << node.id;
    }
    for (const PriceBook &book : s_catalogue->priceBooks) {
        EXPECT_FALSE(book.prices.empty()) << book.id;
        for (const Price &price : book.prices) {
            EXPECT_TRUE(s_catalogue->gpu(price.gpu)) << book.id << " " << price.gpu;
            EXPECT_GT(price.usdPerGpuHour, 0) << book.id << " " << price.gpu;
            EXPECT_FALSE(price.source.empty());
            EXPECT_FALSE(price.asOf.empty());
        }
    }
}

TEST_F(ShippedCatalogue, KeepsThePapersRatiosApartFromDollars)
{
    const auto paper = s_catalogue->priceBook("paper");
    ASSERT_TRUE(paper);
    EXPECT_TRUE(paper->ratiosOnly);
    ASSERT_EQ(paper->prices.size(), 3u);
    EXPECT_EQ(paper->prices[0].usdPerGpuHour, 1.0);
    EXPECT_EQ(paper->prices[1].usdPerGpuHour, 1.46);
    EXPECT_EQ(paper->prices[2].usdPerGpuHour, 2.53);
    EXPECT_FALSE(s_catalogue->priceBook("")->ratiosOnly);
}

TEST_F(ShippedCatalogue, SeparatesSpotFromListPrices)
{
    for (const PriceBook &book : s_catalogue->priceBooks) {
        for (const Price &price : book.prices)
            EXPECT_EQ(price.spot, book.id.ends_with("spot")) << book.id;
    }
}

TEST_F(ShippedCatalogue, StartsWithTheRefitOfTheScalingLaw)
{
    ASSERT_GE(s_catalogue->scalingLaws.size(), 2u);
    const ScalingLaw &law = s_catalogue->scalingLaws.front();
    EXPECT_EQ(law.id, "chinchilla_besiroglu_refit");
    EXPECT_EQ(law.e, 1.8172);
    EXPECT_EQ(law.a, 482.01);
    EXPECT_EQ(law.b, 2085.43);
    EXPECT_EQ(law.alpha, 0.3478);
    EXPECT_EQ(law.beta, 0.3658);
}

TEST_F(ShippedCatalogue, EndsWithThisMachinesProcessor)
{
    const Gpu &cpu = s_catalogue->gpus.back();
    EXPECT_EQ(cpu.id, "cpu");
    EXPECT_TRUE(cpu.isCpu);
    EXPECT_TRUE(s_catalogue->gpu("CPU"));
}

TEST_F(ShippedCatalogue, NamesTheNearestForAnUnknownName)
{
    const auto gpu = s_catalogue->gpu("h100-sxn-80gb");
    ASSERT_FALSE(gpu);
    EXPECT_EQ(gpu.error().what, "unknown GPU 'h100-sxn-80gb'; did you mean h100-sxm-80gb?");
    EXPECT_EQ(gpu.error().accepted,
        "h100-sxm-80gb, a100-sxm-80gb, h800-sxm-80gb, or another GPU that slipway catalog gpus lists");
    EXPECT_EQ(s_catalogue->gpu("h101").error().accepted,
        "h100-sxm-80gb, h100-pcie-80gb, h100-sxm-96gb, or another GPU that slipway catalog gpus lists");
    EXPECT_EQ(s_catalogue->gpu("pentium").error().accepted, "a GPU that slipway catalog gpus lists");
    EXPECT_EQ(gpu.error().where, "--gpu");
    EXPECT_TRUE(s_catalogue->model("tinylama-1.1b").error().what.ends_with("; did you mean tinyllama-1.1b?"));
    EXPECT_TRUE(s_catalogue->priceBook("lamda").error().what.ends_with("; did you mean lambda?"));
}

TEST(LoadCatalogue, NamesTheFileThatIsMissing)
{
    const auto loaded = loadCatalogue("/nonexistent");
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().where, "/nonexistent/catalogue/gpus.yaml");
}

} // namespace
} // namespace slipway
