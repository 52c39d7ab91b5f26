// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hardware/tables.h"

#include <gtest/gtest.h>

namespace slipway {
namespace {

const std::string kGpu = "- id: x\n  name: X\n  nominal_gb: 80\n  bandwidth_gb_s: 1000\n  bf16_tflops: 100\n  "
                         "fp32_tflops: 10\n  multiprocessors: 10\n  source: here\n";

template<typename Read>
std::string failure(Read read, const std::string &text)
{
    const auto tree = parseYaml(text, "t.yaml");
    if (!tree)
        return tree.error().message();
    const auto records = read(*tree, "t.yaml");
    return records ? "" : records.error().message();
}

TEST(GpuTable, ReadsARowAndFallsBackToNominalMemory)
{
    const auto gpus = gpusOf(*parseYaml(kGpu, "t"), "t");
    ASSERT_TRUE(gpus) << gpus.error().message();
    EXPECT_EQ(gpus->front().memoryBytes, 80 * kGiB);
}

TEST(GpuTable, NamesLineAndColumnOfDamage)
{
    EXPECT_EQ(failure(gpusOf, kGpu + "  bandwith_measured_gb_s: 3\n"),
        "t.yaml:9: unknown key 'bandwith_measured_gb_s'; did you mean bandwidth_measured_gb_s?");
    EXPECT_EQ(failure(gpusOf, kGpu + "  tdp_w: warm\n"), "t.yaml:9: 'tdp_w' is 'warm' (accepted: a number)");
    EXPECT_EQ(failure(gpusOf, "- id: x\n"), "t.yaml:1: the key 'name' is missing");
    EXPECT_EQ(failure(gpusOf, "id: x\n"), "t.yaml:1: is not a list (accepted: a list of records (- key: value))");
    EXPECT_EQ(failure(gpusOf, "- 3\n"), "t.yaml:1: is not a record (accepted: key: value lines)");
    EXPECT_NE(failure(gpusOf, kGpu + "  aliases: one\n"), "");
}

TEST(GpuTable, KnowsTheKindOfALinkByItsNameAndInTheWordsOfEarlierVersions)
{
    const auto kindOf = [](const std::string &text) {
        const auto gpus = gpusOf(*parseYaml(kGpu + "  link_kind: " + text + "\n", "t.yaml"), "t.yaml");
        return gpus ? std::string(enumName(gpus->front().linkKind)) : gpus.error().message();
    };
    EXPECT_EQ(kindOf("switch-sharp"), "switch-sharp");
    EXPECT_EQ(kindOf("NVLink4 + NVSwitch (SHARP/NVLS)"), "switch-sharp");
    EXPECT_EQ(kindOf("\"NVLink3 bridge (pairs only); else PCIe\""), "pairs");
    EXPECT_EQ(kindOf("PCIe only"), "pcie");
    EXPECT_EQ(kindOf("NVLink4"), "links");
    EXPECT_EQ(kindOf("string"), "t.yaml:1: 'link_kind' is 'string' (accepted: none, pcie, pairs, bridge, cube-mesh, "
                                "all-to-all, links, switch, switch-sharp)");
}

// One of 8e99 GB made the conversion to bytes undefined.
TEST(GpuTable, RefusesSizesAndRatesThatNoGpuHas)
{
    const std::string accepted = " (accepted: a number from 0 to 1e12)";
    EXPECT_EQ(
        failure(gpusOf, kGpu + "  memory_torch_gib: 8e99\n"), "t.yaml:9: 'memory_torch_gib' is '8e99'" + accepted);
    EXPECT_EQ(failure(gpusOf, kGpu + "  memory_driver_mib: -1\n"), "t.yaml:9: 'memory_driver_mib' is '-1'" + accepted);
    EXPECT_EQ(failure(gpusOf, kGpu + "  l2_mb: 1e13\n"), "t.yaml:9: 'l2_mb' is '1e13'" + accepted);
}

TEST(ModelTable, RefusesAShapeThatIsNotThePublishedOne)
{
    const std::string row = "- name: m\n  layers: 2\n  hidden: 8\n  heads: 4\n  kv_heads: 2\n  head_dim: 2\n  ffn: "
                            "12\n  vocab: 10\n  source: s\n  params: ";
    EXPECT_EQ(failure(modelsOf, row + "1160\n"), "");
    EXPECT_NE(failure(modelsOf, row + "1161\n").find("1160 parameters"), std::string::npos);
}

TEST(PriceTable, ResolvesSourcesAndDatesOfTheBook)
{
    const auto books = priceBooksOf(*parseYaml("books:\n- id: b\n  title: B\n  as_of: \"2026\"\n  prices:\n  - {gpu: "
                                               "x, usd: 2.5, source: s1}\nsources:\n  s1: the list\n",
                                        "t"),
        "t");
    ASSERT_TRUE(books) << books.error().message();
    const Price &price = books->front().prices.at(0);
    EXPECT_EQ(price.source, "the list");
    EXPECT_EQ(price.asOf, "2026");
    EXPECT_EQ(price.usdPerGpuHour, 2.5);
    EXPECT_EQ(failure(priceBooksOf,
                  "books:\n- id: b\n  title: B\n  as_of: x\n  prices:\n  - {gpu: x, usd: cheap, source: s}\n"),
        "t.yaml:6: 'usd' is 'cheap' (accepted: a number)");
}

TEST(PriceTable, KnowsBooksOfMediansByTheirKeyWhateverTheirId)
{
    const auto books = priceBooksOf(*parseYaml("books:\n- {id: b, title: B, as_of: x, medians: true, prices: []}\n- "
                                               "{id: list, title: C, as_of: x, prices: []}\n",
                                        "t"),
        "t");
    ASSERT_TRUE(books) << books.error().message();
    EXPECT_TRUE(books->at(0).medians);
    EXPECT_FALSE(books->at(1).medians);
}

TEST(ScalingLawTable, SkipsLawsOfOtherForms)
{
    const auto laws = scalingLawsOf(
        *parseYaml("- id: a\n  form: B=0.58*D^0.571\n- id: b\n  title: B 2026\n  form: "
                   "\"L(N,D)=E+A/N^alpha+B/D^beta\"\n  E: 1\n  A: 2\n  B: 3\n  alpha: 0.3\n  beta: 0.4\n  source: s\n",
            "t"),
        "t");
    ASSERT_TRUE(laws) << laws.error().message();
    ASSERT_EQ(laws->size(), 1u);
    EXPECT_EQ(laws->front().id, "b");
    EXPECT_EQ(laws->front().title, "B 2026");
}

} // namespace
} // namespace slipway
