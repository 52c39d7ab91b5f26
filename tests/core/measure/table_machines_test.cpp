// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a table says of the machine and of the software on it.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "measure/validate.h"
#include "table_fixture.h"

namespace slipway {
namespace {

using testing::kGood;
using testing::kHeader;
using testing::replaced;
using testing::Table;

TEST_F(Table, takesRowsOfOneScriptForRecomputedOrNotByTheSmallestMicroBatch)
{
    const auto row = [](const std::string &id, const std::string &source, const std::string &batch) {
        return id + "," + source +
               ",GPT,24,2048,16,16,8192,gelu2,50257,yes,learned,1024,A100-80GB,1,1,none,flash,,bf16_mixed," + batch +
               ",1,,adamw,no,,,,,\n";
    };
    const Validation v = validate(
        read(row("a-1", "lab", "32") + row("a-2", "lab", "2") + row("b-1", "other", "32")).value(), catalogue());
    const auto &rows = v.rows;
    EXPECT_EQ(rows[0].row.resolved.config.recompute, Recompute::None) << "as for the two sequences that fit";
    EXPECT_EQ(rows[0].oom, true);
    EXPECT_EQ(rows[1].oom, false);
    EXPECT_EQ(rows[2].row.resolved.config.recompute, Recompute::Full) << "of that source nothing fits without";
    EXPECT_EQ(rows[2].oom, false);
    EXPECT_EQ(rows[2].row.assumed.back(), "recompute full");
}

TEST_F(Table, takesRowsOfOurOwnBenchForWhatOurTrainerRan)
{
    const MeasuredRow row = read("own-1,slipway,small,2,64,4,4,128,swiglu3,512,no,rope,64,cpu,2,2,\"fsdp_full;tp=1,pp="
                                 "1,cp=1,dp=2\",flash,none,fp32,2,1,256,adamw,kernels,5000,0.01,allocated,0,\n")
                                .value()
                                .front();
    EXPECT_EQ(row.skipped, "");
    EXPECT_EQ(row.framework, "slipway");
    EXPECT_EQ(row.resolved.config.parallel, (Parallelism{.kind = ParallelKind::FsdpFull, .gpus = 2, .gpusPerNode = 2}));
}

TEST_F(Table, takesNvidiasRecipesForThoseWhoseTensorParallelCollectivesMoveBesideGemms)
{
    const auto overlaps = [&](const std::string &source, const std::string &note) {
        return read(replaced(replaced(kGood, ",lab,", "," + source + ","), "torch 1.12.1", note))
            .value()
            .front()
            .resolved.config.simulated.tpOverlap;
    };
    EXPECT_TRUE(overlaps("NVIDIA/dgxc-benchmarking", ""));
    EXPECT_TRUE(overlaps("lab", "NeMo 24.09"));
    EXPECT_TRUE(overlaps("lab", "--tp-comm-overlap"));
    EXPECT_FALSE(overlaps("lab", "Nemotron on Megatron-LM with TransformerEngine")) << "its flag is off";
}

TEST_F(Table, takesBridgesFromCardsWhoseRowNamesTheBusAlone)
{
    const auto links = [&](const std::string &card, const std::string &interconnect) {
        const std::string row = replaced(kGood, "A100-80GB", card);
        std::ofstream(m_path) << replaced(kHeader, ",notes", ",interconnect,notes")
                              << replaced(row, ",torch", "," + interconnect + ",torch");
        return readMeasurements(m_path, catalogue()).value().front().resolved.gpu.linkBandwidth;
    };
    EXPECT_EQ(links("A100-PCIe-80GB", "PCIe 4.0 x16"), 0);
    EXPECT_GT(links("A100-PCIe-80GB", "PCIe with NVLink bridges"), 0);
    EXPECT_GT(links("A100-PCIe-80GB", ""), 0);
    EXPECT_GT(links("A100-80GB", "IB over PCIe"), 0) << "a switch joins these";
}

TEST_F(Table, readsWhatANodesNetworkCarries)
{
    const auto network = [&](const std::string &interconnect) {
        std::ofstream(m_path) << replaced(std::string(kHeader), ",notes", ",interconnect,notes")
                              << replaced(kGood, ",torch", "," + interconnect + ",torch");
        return readMeasurements(m_path, catalogue()).value().front().resolved.config.networkGbps;
    };
    for (const char *node :
        {"8x400Gbps/node", "DGX (8x400Gbps/node; inferred)", "3200Gbps/node", "RDMA 400Gbps/GPU", "EFA 3200 Gb/s",
            "NVLink 600GB/s; 8x400 Gbit/s", "8xNDR", "NVLink; 8x NDR InfiniBand", "16x HDR", "16xNDR200"})
        EXPECT_EQ(network(node), 3200) << node;
    EXPECT_TRUE(
        std::ranges::all_of(std::initializer_list<const char *>{"NVLink 600GB/s; Gbps", "HDR", "xHDR", "0x NDR"},
            [&](const char *uncounted) { return network(uncounted) == network(""); }));
}

TEST_F(Table, takesABareHopperForThePcieCardOnlyWhereMachineAndRowAreSmallAndSilent)
{
    const auto cardOf = [this](const std::string &first, const std::string &others = "") {
        return read(first + others).value().front();
    };
    const std::string row = "a-1,notes,GPT,24,2048,16,16,8192,gelu2,50257,yes,learned,1024,H100-80GB,2,2,ddp,,none,,8,"
                            "1,,adamw,,30000,,,0,by hand\n";
    const MeasuredRow silent = cardOf(row);
    EXPECT_EQ(silent.resolved.gpu.id, "h100-pcie-80gb");
    EXPECT_EQ(silent.gpu, "H100-80GB") << "the summary goes by the table's name";
    EXPECT_NE(std::find(silent.assumed.begin(), silent.assumed.end(),
                  "gpu h100-pcie-80gb, which is usual in machines with up to four GPUs"),
        silent.assumed.end());
    EXPECT_EQ(
        cardOf(row, replaced(replaced(row, "a-1", "a-2"), ",2,2,ddp", ",8,8,ddp")).resolved.gpu.id, "h100-sxm-80gb")
        << "the source has eight";
    EXPECT_EQ(cardOf(replaced(row, "ddp,,", "ddp,flash,")).resolved.gpu.id, "h100-sxm-80gb")
        << "who names the software names the card";
    EXPECT_EQ(cardOf(replaced(row, "by hand", "HGX board")).resolved.gpu.id, "h100-sxm-80gb");
    EXPECT_EQ(cardOf(replaced(row, "H100-80GB", "H100-SXM")).resolved.gpu.id, "h100-sxm-80gb");
    EXPECT_EQ(cardOf(replaced(row, "H100-80GB", "h100-sxm-80gb")).resolved.gpu.id, "h100-sxm-80gb");
    EXPECT_EQ(cardOf(replaced(row, "H100-80GB", "A100-80GB")).resolved.gpu.id, "a100-sxm-80gb");
}

TEST_F(Table, takesHandFusedRowsForPyTorchAroundKernelsWhereFsdpShardsOrTheTrainerIsKnown)
{
    const auto rowOf = [&](const std::string &source, const std::string &mesh) {
        return read("k-1," + source + ",m,22,2048,32,4,5632,swiglu3,32000,no,rope,2048,A100-40GB,16,8,\"" + mesh +
                    "\",flash,none,bf16_mixed,8,1,,adamw,kernels,24000,,,0,\n")
            .value()
            .front()
            .resolved.config;
    };
    for (const auto &[source, mesh] : {std::pair("lab", "fsdp_full;tp=1,pp=1,cp=1,dp=16"),
             std::pair("lab with lit-gpt", "zero1;tp=1,pp=1,cp=1,dp=16")}) {
        EXPECT_EQ(rowOf(source, mesh).framework, Framework::PytorchEager) << source;
        EXPECT_TRUE(rowOf(source, mesh).simulated.fusedKernels) << source;
    }
    for (const auto &[source, mesh] :
        {std::pair("lab", "zero1;dp=16"), std::pair("lab with lit-gpt", "zero1+tp;tp=2,pp=1,cp=1,dp=8")})
        EXPECT_EQ(rowOf(source, mesh).framework, Framework::Megatron) << source;
    EXPECT_EQ(rowOf("huggingface/nanotron", "ddp;dp=16").software, "nanotron");
    EXPECT_EQ(rowOf("InternLM/InternEvo", "zero1;tp=1,pp=1,cp=1,dp=16").software, "internevo");
}

} // namespace
} // namespace slipway
