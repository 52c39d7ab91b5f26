// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "config/resolve_model.h"

#include <filesystem>
#include <gtest/gtest.h>

#include "base/text.h"
#include "config/config_io.h"
#include "support/temporary_directory.h"

namespace slipway {
namespace {

class ResolveModel : public ::testing::Test {
protected:
    void SetUp() override
    {
        auto loaded = loadCatalogue();
        ASSERT_TRUE(loaded) << loaded.error().message();
        m_catalogue = *std::move(loaded);
    }
    std::string write(const std::string &name, const std::string &text)
    {
        writeText(m_folder / name, text);
        return (m_folder / name).string();
    }
    TemporaryDirectory m_temporary;
    const std::filesystem::path m_folder = m_temporary.path();
    Catalogue m_catalogue;
};

TEST_F(ResolveModel, FindsPresetsPublicModelsAndHuggingFaceIds)
{
    EXPECT_EQ(parameterCount(*resolveModel({.name = "1B"}, m_catalogue)), 970'458'240);
    EXPECT_EQ(parameterCount(*resolveModel({.name = "TinyLlama-1.1B"}, m_catalogue)), 1'100'048'384);
    EXPECT_EQ(parameterCount(*resolveModel({.name = "meta-llama/Llama-3.2-1B"}, m_catalogue)), 1'235'814'400);
}

TEST_F(ResolveModel, TakesASizeBetweenThePresetsFromTheCurve)
{
    const auto model = resolveModel({.name = "700M"}, m_catalogue);
    ASSERT_TRUE(model) << model.error().message();
    EXPECT_NEAR(static_cast<double>(parameterCount(*model)), 700e6, 30e6);
    EXPECT_EQ(model->name, "700M");
    EXPECT_FALSE(resolveModel({.name = "5T"}, m_catalogue));
    EXPECT_FALSE(resolveModel({.name = "1K"}, m_catalogue));
    EXPECT_FALSE(resolveModel({.name = "900B"}, m_catalogue));
}

TEST_F(ResolveModel, ReadsAShapesFileAndAHuggingFaceFolder)
{
    const std::string shape = write("tiny.yaml", "layers: 2\nhidden: 64\nheads: 4\nffn: 128\nvocab: 100\n");
    const auto model = resolveModel({.name = shape}, m_catalogue);
    ASSERT_TRUE(model) << model.error().message();
    EXPECT_EQ(model->name, "tiny");
    EXPECT_EQ(model->attention.headDim, 16);
    EXPECT_EQ(model->attention.kvHeads, 4);
    write("config.json",
        R"({"model_type": "llama", "num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4,
            "intermediate_size": 128, "vocab_size": 100})");
    EXPECT_EQ(resolveModel({.name = m_folder.string()}, m_catalogue)->mlp.width, 128);
    EXPECT_EQ(resolveModel({.name = (m_folder / "config.json").string()}, m_catalogue)->mlp.width, 128);
}

TEST_F(ResolveModel, NamesFileAndLineOfADamagedShape)
{
    const std::string shape = write("bad.yaml", "layers: 2\nhiden: 64\nheads: 4\nffn: 128\nvocab: 100\n");
    const auto model = resolveModel({.name = shape}, m_catalogue);
    ASSERT_FALSE(model);
    EXPECT_NE(model.error().message().find("bad.yaml:1: the key 'hidden' is missing"), std::string::npos)
        << model.error().message();
    EXPECT_FALSE(resolveModel(
        {.name = write("odd.yaml", "layers: 2\nhidden: 65\nheads: 4\nffn: 128\nvocab: 100\n")}, m_catalogue));
    EXPECT_FALSE(resolveModel({.name = (m_folder / "none.yaml").string()}, m_catalogue));
}

TEST_F(ResolveModel, PutsTheUsersSizesOnTop)
{
    // The quick start's model: every size given.
    const auto model = resolveModel(
        {.name = "1B", .layers = 4, .hidden = 128, .heads = 4, .kvHeads = 4, .ffn = 352, .vocab = 2048, .tied = false},
        m_catalogue);
    ASSERT_TRUE(model) << model.error().message();
    EXPECT_EQ(model->attention.headDim, 32);
    EXPECT_EQ(parameterCount(*model), 2 * 2048 * 128 + 4 * (4 * 128 * 128 + 3 * 128 * 352 + 2 * 128) + 128);
    EXPECT_EQ(model->name,
        "custom, " + formatCount(static_cast<double>(parameterCount(*model)))); // nothing of 1B is left in it
    const auto shallow = resolveModel({.name = "1B", .layers = 4}, m_catalogue);
    EXPECT_EQ(shallow->name, "custom, " + formatCount(static_cast<double>(parameterCount(*shallow))));
}

TEST_F(ResolveModel, AndTheRunOfTheShippedQuickStartAreValid)
{
    const auto config = readRunConfig(resourceDirectory() / "quickstart.yaml");
    ASSERT_TRUE(config) << config.error().message();
    const auto model = resolveModel(config->model, m_catalogue);
    ASSERT_TRUE(model) << model.error().message();
    EXPECT_TRUE(validate(*config, *model));
    EXPECT_TRUE(m_catalogue.gpu(config->gpu)->isCpu);
}

TEST_F(ResolveModel, LetsWidthsFollowWhatTheyDependOn)
{
    const auto narrow = resolveModel({.name = "1B", .hidden = 960, .heads = 15}, m_catalogue);
    ASSERT_TRUE(narrow);
    EXPECT_EQ(narrow->attention.headDim, 64);
    EXPECT_EQ(narrow->attention.kvHeads, 15);
    EXPECT_EQ(narrow->mlp.width, 2592);
    const auto grouped = resolveModel({.name = "llama-3-8b", .layers = 8}, m_catalogue);
    EXPECT_EQ(grouped->attention.kvHeads, 8);
    EXPECT_EQ(grouped->attention.headDim, 128);
    const auto same = resolveModel({.name = "1B", .hidden = 1920}, m_catalogue);
    EXPECT_EQ(same->name, "1B");
}

TEST_F(ResolveModel, KeepsAHeadDimThatIsNotHiddenOverHeads)
{
    const std::string shape =
        write("wide.yaml", "layers: 2\nhidden: 64\nheads: 4\nhead_dim: 32\nffn: 128\nvocab: 100\n");
    EXPECT_EQ(resolveModel({.name = shape, .layers = 3}, m_catalogue)->attention.headDim, 32);
}

TEST_F(ResolveModel, StaysTheSameWithAllItsSizesFilledIn)
{
    std::vector<ModelChoice> choices{{.name = "700M"}, {.name = "1B", .hidden = 960, .heads = 15}};
    choices.push_back(
        {.name = write("wide.yaml", "layers: 2\nhidden: 64\nheads: 4\nhead_dim: 32\nffn: 128\nvocab: 100\n")});
    for (const CatalogueModel &model : m_catalogue.models)
        choices.push_back({.name = model.spec.name});
    for (const ModelChoice &choice : choices) {
        const auto model = resolveModel(choice, m_catalogue);
        ASSERT_TRUE(model) << choice.name;
        RunConfig config;
        config.model = choice;
        const RunConfig filled = withSizesOf(config, *model);
        EXPECT_EQ(*resolveModel(filled.model, m_catalogue), *model) << choice.name;
        EXPECT_EQ(filled.model.layers, model->layers);
    }
}

TEST_F(ResolveModel, RefusesSizesThatDoNotFitTogether)
{
    EXPECT_EQ(resolveModel({.name = "1B", .hidden = 1000}, m_catalogue).error().where, "--hidden");
    EXPECT_EQ(resolveModel({.name = "1B", .kvHeads = 7}, m_catalogue).error().where, "--kv-heads");
    EXPECT_EQ(resolveModel({.name = "1B", .experts = 4}, m_catalogue).error().where, "--experts-per-token");
    EXPECT_EQ(resolveModel({.name = "1B", .layers = -1}, m_catalogue).error().where, "--layers");
    EXPECT_EQ(resolveModel({.name = "1B", .heads = 0}, m_catalogue).error().where, "--hidden");
}

TEST_F(ResolveModel, NamesTheNearestOfAnUnknownModel)
{
    const auto model = resolveModel({.name = "smolm2-135m"}, m_catalogue);
    ASSERT_FALSE(model);
    EXPECT_TRUE(model.error().what.ends_with("; did you mean smollm2-135m?")) << model.error().message();
    EXPECT_FALSE(resolveModel({.name = ""}, m_catalogue));
}

} // namespace
} // namespace slipway
