// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "state/hf_weights.h"

#include <gmock/gmock.h>
#include <numeric>
#include <sys/stat.h>

#include "model/hf_config.h"
#include "scratch_folder.h"
#include "state/hf_layout.h"
#include "state/safetensors.h"
#include "support/family_models.h"

namespace slipway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::messageOf;
using testing::ScratchFolder;
using testing::smallModelOf;

// Numbers that bf16 holds as well, and no two neighbors alike.
std::vector<HfWeight> filled(const ModelSpec &model)
{
    std::vector<HfWeight> weights = weightsOf(model);
    int next = 0;
    for (HfWeight &weight : weights) {
        weight.values.resize(static_cast<std::size_t>(std::accumulate(
            weight.shape.begin(), weight.shape.end(), std::int64_t{1}, std::multiplies<std::int64_t>())));
        for (float &value : weight.values)
            value = static_cast<float>(next++ % 251) / 64.0F;
    }
    return weights;
}

TEST(HfWeights, OfEveryFamilyComeBackFromItsFiles)
{
    const ScratchFolder folder;
    for (const ModelFamily &family : modelFamilies()) {
        const ModelSpec model = smallModelOf(family);
        const std::vector<HfWeight> weights = filled(model);
        for (const ExportType type : {ExportType::Fp32, ExportType::Bf16}) {
            const std::filesystem::path at = folder / (std::string(family.type) + std::string(enumName(type)));
            const Result<void> written = writeHfFolder(at, model, weights, type, 64);
            ASSERT_TRUE(written) << family.type << ": " << messageOf(written);
            const Result<ModelSpec> read = readHfConfig(at / "config.json");
            ASSERT_TRUE(read) << messageOf(read);
            const Result<std::vector<HfWeight>> again = readHfWeights(at, *read);
            ASSERT_TRUE(again) << messageOf(again);
            EXPECT_TRUE(*again == weights) << family.type;
        }
    }
}

TEST(HfWeights, AreWrittenUnderTheNamesOfTheFamily)
{
    const ModelSpec model = smallModelOf(*familyOfType("gpt_neox"));
    const std::vector<HfWeight> theirs = asHfTensors(model, filled(model));
    EXPECT_EQ(theirs.front().name, "gpt_neox.embed_in.weight");
    EXPECT_EQ(theirs.back().name, "gpt_neox.final_layer_norm.bias");
}

HfTensor threeOf(std::int64_t rows, std::int64_t columns)
{
    const ModelWeight part{.name = "", .shape = {rows, columns}};
    return {.name = "", .shape = {3 * rows, columns}, .parts = {part, part, part}};
}

TEST(HfLayout, StacksTransposesAndInterleaves)
{
    const std::vector<float> q{1, 2}, k{3, 4}, v{5, 6};
    const std::vector<const float *> parts{q.data(), k.data(), v.data()};
    HfTensor tensor = threeOf(2, 1);
    EXPECT_THAT(joinedParts(tensor, parts), ElementsAre(1, 2, 3, 4, 5, 6));
    tensor.rows = HfRows::HeadByHead; // two heads of one row
    tensor.headDim = 1;
    EXPECT_THAT(joinedParts(tensor, parts), ElementsAre(1, 3, 5, 2, 4, 6));
    HfTensor wide = threeOf(1, 2);
    wide.transposed = true; // [2, 3]
    const std::vector<float> turned = joinedParts(wide, parts);
    EXPECT_THAT(turned, ElementsAre(1, 3, 5, 2, 4, 6));
    std::vector<float> back(6);
    const std::vector<float *> to{back.data(), back.data() + 2, back.data() + 4};
    splitIntoParts(wide, turned, to);
    EXPECT_THAT(back, ElementsAre(1, 2, 3, 4, 5, 6));
}

// A folder of GPT-2 with one tensor changed.
class HfFiles : public ::testing::Test {
protected:
    void SetUp() override { m_tensors = asHfTensors(m_model, filled(m_model)); }

    HfWeight &named(std::string_view name)
    {
        for (HfWeight &tensor : m_tensors) {
            if (tensor.name == name)
                return tensor;
        }
        throw std::logic_error("no such tensor");
    }

    Result<std::vector<HfWeight>> readBack()
    {
        std::vector<TensorToWrite> list;
        for (const HfWeight &tensor : m_tensors)
            list.push_back(
                {.name = tensor.name, .shape = tensor.shape, .data = std::as_bytes(std::span(tensor.values))});
        EXPECT_TRUE(writeSafetensors(m_folder / "model.safetensors", list));
        return readHfWeights(m_folder.path(), m_model);
    }

    ScratchFolder m_folder;
    const ModelSpec m_model = smallModelOf(*familyOfType("gpt2"));
    std::vector<HfWeight> m_tensors;
};

TEST_F(HfFiles, MayHoldMasksAndATiedHead)
{
    m_tensors.push_back({.name = "transformer.h.0.attn.bias", .shape = {1, 1, 2, 2}, .values = {1, 0, 1, 1}});
    m_tensors.push_back(m_tensors.front());
    m_tensors.back().name = "lm_head.weight";
    const auto read = readBack();
    ASSERT_TRUE(read) << messageOf(read);
    EXPECT_TRUE(*read == filled(m_model));
}

TEST_F(HfFiles, MayShortenTheirNames)
{
    for (HfWeight &tensor : m_tensors)
        tensor.name = tensor.name.substr(std::string_view("transformer.").size());
    const auto read = readBack();
    ASSERT_TRUE(read) << messageOf(read);
    EXPECT_TRUE(*read == filled(m_model));
}

TEST_F(HfFiles, WithAnotherShapeAreRefusedWithBothShapes)
{
    named("transformer.h.1.mlp.c_fc.weight").shape = {96, 64};
    EXPECT_THAT(messageOf(readBack()), AllOf(HasSubstr("model.safetensors"),
                                           HasSubstr("weight transformer.h.1.mlp.c_fc.weight has the shape [96, 64], "
                                                     "but config.json says [64, 96]")));
}

TEST_F(HfFiles, WithoutAWeightAreRefusedWithItsName)
{
    named("transformer.h.2.attn.c_attn.weight").name = "transformer.h.0.attn.bias";
    EXPECT_THAT(messageOf(readBack()), HasSubstr("lacks the weight transformer.h.2.attn.c_attn.weight"));
}

TEST_F(HfFiles, WithAnUnknownWeightAreRefusedWithItsName)
{
    named("transformer.ln_f.bias").name = "transformer.ln_g.bias";
    EXPECT_THAT(messageOf(readBack()), HasSubstr("holds the weight transformer.ln_g.bias"));
}

TEST(HfIndex, ThatNamesNoFileIsRefusedWithItsLine)
{
    const ScratchFolder folder;
    const ModelSpec model = smallModelOf(*familyOfType("llama"));
    const std::filesystem::path index = folder / "model.safetensors.index.json";
    testing::writeBytes(index, "{\n \"weight_map\": {\n  \"a\": \"../outside\"}}");
    EXPECT_THAT(messageOf(readHfWeights(folder.path(), model)), HasSubstr("index.json:3: names no file for a"));
    testing::writeBytes(index, "{\n \"weight_map\": 3}");
    EXPECT_THAT(messageOf(readHfWeights(folder.path(), model)), HasSubstr("index.json:2: is not an index of weights"));
}

TEST(HfIndex, MayBeALinkAndNotAPipe)
{
    const ScratchFolder folder;
    const ModelSpec model = smallModelOf(*familyOfType("llama"));
    const std::filesystem::path index = folder / "model.safetensors.index.json";
    testing::writeBytes(folder / "blob", "{}");
    std::filesystem::create_symlink("blob", index); // as in the cache of Hugging Face
    EXPECT_THAT(messageOf(readHfWeights(folder.path(), model)), HasSubstr("is not an index of weights"));
    std::filesystem::remove(index);
    ASSERT_EQ(::mkfifo(index.c_str(), 0600), 0);
    EXPECT_THAT(messageOf(readHfWeights(folder.path(), model)), HasSubstr("a pipe"));
}

} // namespace
} // namespace slipway
