// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The measuring commands of slipway-train: bench, devices and the test of links.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/csv.h"
#include "scratch_folder.h"
#include "train_program.h"

namespace slipway {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace testing;

const std::vector<std::string> kTinyModel{"--layers", "1", "--hidden", "32", "--heads", "2", "--ffn", "64", "--vocab",
    "80", "--seq-len", "32", "--device", "cpu", "--steps", "2", "--warmup", "0"};

Ended bench(std::vector<std::string> arguments)
{
    arguments.insert(arguments.begin(), "bench");
    arguments.insert(arguments.end(), kTinyModel.begin(), kTinyModel.end());
    return trainer(arguments);
}

TEST(Program, TimesEveryOpOfAStep)
{
    const Ended ended = bench({"ops", "--json"});
    ASSERT_EQ(ended.status, 0) << ended.err;
    std::set<std::string> kinds;
    const auto printed = nlohmann::json::parse(ended.out);
    for (const auto &op : printed.at("ops")) {
        kinds.insert(op.at("kind").get<std::string>());
        EXPECT_GE(op.at("calls"), 1);
    }
    for (const char *kind : {"gemm", "flash_attention_backward", "cross_entropy", "adamw"})
        EXPECT_TRUE(kinds.contains(kind)) << kind;
}

TEST(Program, TakesASettingThatIsNamedWithoutAValueAsTrue)
{
    std::vector<std::string> arguments{"bench", "step", "--tied"};
    arguments.insert(arguments.end(), kTinyModel.begin(), kTinyModel.end());
    arguments.insert(arguments.end(), {"--json", "--deterministic"});
    const Ended ended = trainer(arguments);
    ASSERT_EQ(ended.status, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("\"tied\":true"));
}

TEST(Program, HoldsMeasuredMemoryAgainstThePlan)
{
    const Ended ended = bench({"memory", "--json"});
    ASSERT_EQ(ended.status, 0) << ended.err;
    const auto rows = nlohmann::json::parse(ended.out).at("rows");
    EXPECT_EQ(rows.size(), 6);
    for (const auto &row : rows)
        EXPECT_EQ(row.at("peak_allocated_bytes"), row.at("planned_peak_allocated_bytes"));
}

TEST(Program, MeasuresAGridIntoAMeasurementTable)
{
    const ScratchFolder folder;
    const Ended ended = bench({"grid", "--models", "100M", "--micro-batches", "1,2", "--attentions", "flash,vanilla",
        "--repeats", "2", "--csv", folder / "t.csv"});
    ASSERT_EQ(ended.status, 0) << ended.err;
    const std::string table = readBytes(folder / "t.csv");
    EXPECT_THAT(table, StartsWith("id,source_repo_or_paper,"));
    EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 5);
    EXPECT_THAT(table, HasSubstr("2 repeats; standard deviation"));
}

TEST(Program, MeasuresAGridOfTheModelOfItsFile)
{
    const ScratchFolder folder;
    std::ofstream(folder / "tiny.yaml") << "layers: 1\nhidden: 32\nheads: 2\nkv_heads: 2\nffn: 64\nvocab: 96\n"
                                           "gpu: cpu\ndevice: cpu\nprecision: fp32\nseq_len: 16\n";
    const Ended ended = trainer({"bench", "grid", folder / "tiny.yaml", "--micro-batches", "1", "--attentions", "flash",
        "--repeats", "1", "--steps", "1", "--warmup", "0"});
    ASSERT_EQ(ended.status, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr(",1,32,2,2,64,")); // layers, hidden size, heads, key-value heads, MLP width
}

TEST(Program, NamesTheProcessorInMeasurementTablesWhateverGpuAPlanIsFor)
{
    const ScratchFolder folder;
    ASSERT_EQ(bench({"grid", "--gpu", "a100-sxm-80gb", "--micro-batches", "1", "--attentions", "flash", "--csv",
                        folder / "grid.csv"})
                  .status,
        0);
    ASSERT_EQ(bench({"ops", "--gpu", "a100-sxm-80gb", "--products", folder / "products.csv"}).status, 0);
    for (const char *name : {"grid.csv", "products.csv"}) {
        const Result<CsvTable> table = parseCsv(readBytes(folder / name), name);
        ASSERT_TRUE(table);
        ASSERT_FALSE(table->rows.empty());
        for (const auto &row : table->rows)
            EXPECT_EQ(table->cell(row, "gpu"), "cpu") << name;
    }
}

TEST(Program, MeasuresAGridOfSeveralRanksAsThreadsAndAsProcesses)
{
    const ScratchFolder folder;
    for (const auto &[flag, name] : {std::pair("--gpus", "t.csv"), std::pair("-n", "p.csv")}) {
        const Ended ended = bench({"grid", "--models", "100M", "--micro-batches", "1", "--attentions", "flash",
            "--parallels", "ddp,fsdp-grad-op", "--repeats", "2", flag, "2", "--csv", folder / name});
        ASSERT_EQ(ended.status, 0) << ended.err;
        const std::string table = readBytes(folder / name);
        EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 3);
        EXPECT_THAT(
            table, AllOf(HasSubstr("\"ddp;tp=1,pp=1,cp=1,dp=2\""), HasSubstr("\"fsdp_grad_op;tp=1,pp=1,cp=1,dp=2\"")));
        const Result<CsvTable> cells = parseCsv(table, name);
        ASSERT_TRUE(cells);
        for (const auto &row : cells->rows) {
            const double rate = std::stod(std::string(cells->cell(row, "tokens_per_s_per_gpu")));
            const double step = std::stod(std::string(cells->cell(row, "step_ms")));
            EXPECT_NEAR(2 * rate * step / 1e3, 64, 0.01) << "two ranks have a sequence of 32 tokens each";
        }
    }
}

TEST(Program, BenchServeTakesNoLongerSequencesThanTheModel)
{
    const Ended ended = trainer({"bench", "serve", "--model", "gpt2-124m", "--prompts", "16,1024"});
    EXPECT_EQ(ended.status, 2);
    EXPECT_THAT(ended.err, HasSubstr("--prompts: a prompt of 1024 tokens does not fit into the 1024 positions"));
}

TEST(Program, BenchServeLeavesTheTimePerTokenOfAnswersOfOneTokenEmpty)
{
    const ScratchFolder folder;
    const Ended ended = trainer({"bench", "serve", "--layers", "1", "--hidden", "32", "--heads", "2", "--ffn", "64",
        "--vocab", "64", "--batches", "2", "--prompts", "4", "--generate", "1,2", "--csv", folder / "t.csv"});
    ASSERT_EQ(ended.status, 0) << ended.err;
    const Result<CsvTable> table = parseCsv(readBytes(folder / "t.csv"), "t.csv");
    ASSERT_TRUE(table);
    ASSERT_EQ(table->rows.size(), 2);
    EXPECT_EQ(table->cell(table->rows[0], "tpot_ms"), "");
    EXPECT_NE(table->cell(table->rows[1], "tpot_ms"), "");
    for (const CsvRow &row : table->rows)
        EXPECT_NE(table->cell(row, "ttft_ms"), "");
}

TEST(Program, BenchPrintsTheKeysOfTheYardstick)
{
    const Ended ended = trainer({"bench", "step", "--layers", "1", "--hidden", "32", "--heads", "2", "--kv-heads", "2",
        "--ffn", "64", "--vocab", "64", "--micro-batch", "1", "--seq-len", "16", "--steps", "2", "--warmup", "1",
        "--threads", "1", "--json"});
    ASSERT_EQ(ended.status, 0) << ended.err;
    const auto json = nlohmann::json::parse(ended.out);
    for (const char *key : {"version", "what", "device", "config", "params", "step_s_median", "step_s_min",
             "tokens_per_s", "loss_first", "loss_last", "peak_allocated_bytes", "planned_peak_allocated_bytes"})
        EXPECT_TRUE(json.contains(key)) << key;
    EXPECT_EQ(json["what"], "slipway");
    EXPECT_EQ(json["peak_allocated_bytes"], json["planned_peak_allocated_bytes"]);
    EXPECT_EQ(json["params"], 64 * 32 * 2 + 32 + 2 * 32 + 4 * 32 * 32 + 3 * 32 * 64);
}

TEST(Program, ListsItsDevices)
{
    const Ended ended = trainer({"devices", "--json"});
    ASSERT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(nlohmann::json::parse(ended.out)["devices"].back()["device"], "cpu");
}

TEST(Program, TestsTheLinksBetweenProcessesAndBetweenThreads)
{
    for (const auto &[flag, communicator] : {std::pair("-n", "gloo"), std::pair("--threads", "threads")}) {
        const Ended ended = trainer({"devices", "--link", flag, "3", "--mebibytes", "1", "--json"});
        ASSERT_EQ(ended.status, 0) << ended.err;
        const auto link = nlohmann::json::parse(ended.out).at("link");
        EXPECT_EQ(link.at("communicator"), communicator);
        EXPECT_EQ(link.at("ranks"), 3);
        EXPECT_EQ(link.at("collectives").size(), 9);
        EXPECT_EQ(link.at("pairs").size(), 3);
    }
}

} // namespace
} // namespace slipway
