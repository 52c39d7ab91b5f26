// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <cstdlib>
#include <algorithm>

#include "base/csv.h"
#include "base/file.h"
#include "base/yaml.h"
#include "e2e/programs.h"

namespace slipway::e2e {
namespace {

class CommandLine : public ProgramTest {};

TEST_F(CommandLine, EveryCommandHasHelpWithAnExample)
{
    const std::string help = slipway({"--help"}).out;
    for (const char *command : {"plan", "catalog", "launch", "runs", "watch", "stop", "resume", "label", "compare",
             "import", "report", "export", "bench", "shot"}) {
        EXPECT_NE(help.find(command), std::string::npos) << command;
        const ChildResult result = slipway({command, "--help"});
        EXPECT_EQ(result.exitStatus, 0) << command;
        EXPECT_EQ(result.err, "") << command;
        EXPECT_NE(result.out.find(std::string("slipway ") + command), std::string::npos) << command;
        EXPECT_NE(result.out.find("Examples:"), std::string::npos) << command;
        EXPECT_NE(result.out.find("Exit status: 0 success"), std::string::npos) << command;
    }
}

TEST_F(CommandLine, TheShortFlagOfHelpIsAnsweredWithoutTheDesktop)
{
    EXPECT_EQ(slipway({"shot", "-h"}).out, slipway({"shot", "--help"}).out);
}

TEST_F(CommandLine, VersionNamesTheProgram) { EXPECT_EQ(slipway({"--version"}).out.rfind("slipway ", 0), 0U); }

TEST_F(CommandLine, WithoutACommandAndWithoutAScreenSaysSo)
{
    for (const char *screen : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
        ::unsetenv(screen);
    expectRefused(slipway({}), 3, {"no display", "--help"});
}

TEST_F(CommandLine, CatalogueTablesPrintAsTextAndJson)
{
    for (const char *table : {"gpus", "nodes", "models", "prices"}) {
        const ChildResult text = slipway({"catalog", table});
        EXPECT_EQ(text.exitStatus, 0);
        const nlohmann::json json = slipwayJson({"catalog", table, "--json"});
        EXPECT_EQ(json["version"], 1);
        EXPECT_GT(json[table].size(), 3U) << table;
        EXPECT_EQ(static_cast<std::size_t>(std::count(text.out.begin(), text.out.end(), '\n')), json[table].size() + 1)
            << table;
        for (const nlohmann::json &row : json[table])
            EXPECT_TRUE(row.contains("source")) << row;
    }
    expectRefused(slipway({"catalog", "gpu"}), 2, {"gpus"});
}

TEST_F(CommandLine, RunsOfAnEmptyFolderIsAnEmptyList)
{
    EXPECT_EQ(slipwayJson({"runs", "--json"}), (nlohmann::json{{"version", 1}, {"runs", nlohmann::json::array()}}));
    EXPECT_EQ(slipway({"runs"}).exitStatus, 0);
}

TEST_F(CommandLine, RunsOfAFolderThatCannotBeReadAreNotCalledNone)
{
    const std::filesystem::path runs = std::filesystem::path(std::getenv("XDG_DATA_HOME")) / "slipway/runs";
    std::filesystem::create_directories(runs.parent_path());
    std::filesystem::remove_all(runs);
    std::filesystem::create_directory_symlink(runs, runs); // a loop: also for root, who may read everything
    const auto ended = slipway({"runs"});
    EXPECT_EQ(ended.exitStatus, 3);
    EXPECT_NE(ended.err.find("slipway/runs: cannot be read"), std::string::npos) << ended.err;
    std::filesystem::remove(runs);
    EXPECT_EQ(slipway({"runs"}).exitStatus, 0);
}

TEST_F(CommandLine, TheListOfRunsIsWrittenAsCsvWithTheRunsThatItLists)
{
    const std::string table =
        file("curve.csv", "_step,_timestamp,loss,tokens_per_sec\n1,1700000000,4,1000\n2,1700000001,3,2000\n");
    for (const char *name : {"one", "two"})
        ASSERT_EQ(slipwayJson({"import", table, "--name", name, "--json"})["version"], 1) << name;
    EXPECT_EQ(slipway({"runs", "two", "--csv", "runs.csv"}).exitStatus, 0);
    const Result<CsvTable> runs = readCsv(folder() / "runs.csv");
    ASSERT_TRUE(runs) << runs.error().message();
    ASSERT_EQ(runs->rows.size(), 1U);
    EXPECT_EQ(runs->cell(runs->rows[0], "name"), "two");
    EXPECT_EQ(runs->cell(runs->rows[0], "state"), "succeeded");
    EXPECT_EQ(runs->cell(runs->rows[0], "tokens_per_s"), "1500");
    EXPECT_EQ(slipway({"runs", "none", "--csv", "runs.csv"}).exitStatus, 0);
    EXPECT_TRUE(readCsv(folder() / "runs.csv")->rows.empty()) << "no run matches";
    expectRefused(slipway({"runs", "--csv", "missing/runs.csv"}), 3, {"missing/runs.csv"});
}

// Three runs of another tool, labelled, filtered, compared and written for TensorBoard.
TEST_F(CommandLine, ImportedRunsAreLabelledFilteredComparedAndExported)
{
    const std::string table =
        file("curve.csv", "_step,_timestamp,loss,tokens_per_sec\n1,1700000000,4,1000\n2,1700000001,3,2000\n");
    for (const char *name : {"one", "two", "the 'third' $(x); é"})
        ASSERT_EQ(slipwayJson({"import", table, "--name", name, "--json"})["version"], 1) << name;
    const nlohmann::json all = slipwayJson({"runs", "--json"})["runs"];
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0]["state"], "succeeded");
    EXPECT_EQ(all[0]["loss"], 3);
    EXPECT_EQ(slipwayJson({"label", "one", "--tag", "good,baseline", "--notes", "keep", "--json"})["tags"],
        (nlohmann::json{"baseline", "good", "imported", "wandb"}));
    EXPECT_EQ(slipwayJson({"label", "one", "--untag", "good", "--json"})["notes"], "keep");
    EXPECT_EQ(slipwayJson({"label", "one", "--notes", "", "--json"})["notes"], "");
    EXPECT_EQ(slipwayJson({"runs", "--tag", "baseline", "--json"})["runs"].size(), 1U);
    EXPECT_EQ(slipwayJson({"runs", "THIRD", "--state", "succeeded,failed", "--json"})["runs"].size(), 1U);
    EXPECT_EQ(slipwayJson({"runs", "--state", "running", "--json"})["runs"].size(), 0U);
    EXPECT_EQ(slipwayJson({"runs", "--rebuild", "--sort", "name", "--json"})["runs"].size(), 3U);
    const nlohmann::json compared = slipwayJson({"compare", "one", "two", "--baseline", "two", "--json"});
    EXPECT_EQ(compared["baseline"], 1);
    EXPECT_TRUE(compared["settings"].empty());
    EXPECT_EQ(compared["runs"][0]["settings_known"], false);
    EXPECT_TRUE(all[0]["tokens"].is_null());
    const std::string text = slipway({"compare", "one", "two"}).out, list = slipway({"runs", "one"}).out;
    EXPECT_NE(text.find("The settings of one, two are not known."), std::string::npos) << text;
    EXPECT_NE(list.find("3.5000"), std::string::npos) << "the mean of ten steps, as in the window: " << list;
    // Nothing is printed as if it had succeeded.
    expectRefused(slipway({"compare", "one", "two", "--json", "--csv", "nowhere/t.csv"}), 3, {"nowhere/t.csv"});
    EXPECT_EQ(slipway({"export", "one", "--to", "tensorboard", "--out", "tb"}).exitStatus, 0);
    EXPECT_NE(std::filesystem::directory_iterator(folder() / "tb")->path().filename().string().find("tfevents"),
        std::string::npos);
}

TEST_F(CommandLine, ALabelIsSetWithoutReadingAllMetricsOfTheRun)
{
    slipwayJson({"import", file("curve.csv", "_step,loss\n1,4\n2,3\n"), "--name", "long", "--json"});
    std::error_code refused; // a sparse file, which takes hours to read
    std::filesystem::resize_file(folder() / "data/slipway/runs/long/metrics.jsonl", std::uintmax_t{1} << 40, refused);
    if (refused)
        GTEST_SKIP() << "this file system has no files of 1 TiB: " << refused.message();
    EXPECT_EQ(slipwayJson({"label", "long", "--notes", "kept", "--json"})["notes"], "kept");
}

TEST_F(CommandLine, WrongUseOfTheListOfRunsSaysWhatWouldBeRight)
{
    expectRefused(slipway({"runs", "--state", "gone"}), 2, {"--state", "running"});
    expectRefused(slipway({"runs", "--sort", "age"}), 2, {"--sort", "changed"});
    expectRefused(slipway({"label", "nobody", "--tag", "x"}), 2, {"nobody"});
    expectRefused(slipway({"compare", "nobody", "else"}), 2, {"nobody"});
    expectRefused(slipway({"import", "not-there.csv"}), 2, {"not-there.csv"});
    expectRefused(slipway({"import", file("a.csv", "x,y\n1,2\n")}), 2, {"a.csv:1", "Step"});
}

TEST_F(CommandLine, BenchGivesItsFiguresAsJson)
{
    const nlohmann::json json = slipwayJson({"bench", "--json", "--repeats", "3", "--no-window"});
    for (const char *key :
        {"version", "plan_us", "plan_p99_us", "plans_per_s", "replay_us", "mesh_plan_us", "serve_plan_us",
            "serve_answer_us", "sweep_points_per_s", "decimate_1m_ms", "command_ms", "command_per_process"})
        EXPECT_TRUE(json.contains(key)) << key;
}

TEST_F(CommandLine, ExportForSkypilotTakesTheDataAlongAndCallsCardsAsSkypilotDoes)
{
    const std::string tokens = file("tokens.bin", "some tokens");
    const struct {
        const char *gpu, *called;
    } cards[] = {{"a100-pcie-40gb", "A100:1"}, {"h100-sxm-80gb", "H100:1"}, {"rtx-4090-24gb", "RTX4090:1"},
        {"l40s-48gb", "L40S:1"}, {"rtx-a6000-48gb", "RTXA6000:1"}};
    for (const auto &card : cards) {
        const std::string yaml =
            file("run.yaml", std::string("model: 100M\ngpus: 1\ndata: tokens.bin\nsteps: 10\ngpu: ") + card.gpu + "\n");
        ASSERT_EQ(slipway({"export", yaml, "--to", "skypilot", "--out", card.gpu}).exitStatus, 0);
        const Result<YamlNode> task = readYaml(folder() / card.gpu / "task.yaml");
        ASSERT_TRUE(task) << task.error().message();
        EXPECT_EQ(task->find("resources")->find("accelerators")->scalar, card.called);
        ASSERT_NE(task->find("file_mounts"), nullptr);
        EXPECT_EQ(task->find("file_mounts")->find(tokens)->scalar, tokens);
    }
}

TEST_F(CommandLine, ExportWritesAFolderThatStartsWithoutSlipway)
{
    const std::string yaml =
        file("my run.yaml", "model: 100M\ngpu: a100-sxm-80gb\ngpus: 2\nparallel: ddp\ndata: tokens.bin\nsteps: 10\n");
    const struct {
        const char *target, *name, *holds;
    } cases[] = {{"slurm", "job.sbatch", "#SBATCH --gpus-per-node=2"},
        {"skypilot", "task.yaml", "accelerators: A100-80GB:2"}, {"torchrun", "start.sh", "--nproc-per-node=1"}};
    for (const auto &one : cases) {
        ASSERT_EQ(slipway({"export", yaml, "--to", one.target, "--out", one.target}).exitStatus, 0);
        const std::string text = readFile(folder() / one.target / one.name).value();
        EXPECT_NE(text.find(one.holds), std::string::npos) << text;
        EXPECT_NE(text.find("slipway-train run . -n 2"), std::string::npos) << text;
        EXPECT_TRUE(std::filesystem::exists(folder() / one.target / "run.yaml"));
        EXPECT_TRUE(std::filesystem::exists(folder() / one.target / "prediction.json"));
        expectRefused(slipway({"export", yaml, "--to", one.target, "--out", one.target}), 2, {"exists already"});
    }
    const auto checked = runChild({"sh", "-n", (folder() / "slurm" / "job.sbatch").string()}, std::chrono::minutes(1));
    ASSERT_TRUE(checked);
    EXPECT_EQ(checked->exitStatus, 0) << checked->err;
    expectRefused(slipway({"export", yaml, "--to", "cloud"}), 2, {"slurm", "skypilot", "torchrun"});
    expectRefused(slipway({"export", yaml, "--to", "slurm", "--gpus", "17", "--out", "odd"}), 2,
        {"17 ranks cannot be divided equally over 3 nodes"});
}

TEST_F(CommandLine, ExportForSeveralNodesStartsARankOnEachCard)
{
    const std::string yaml =
        file("run.yaml", "model: 100M\ngpu: a100-sxm-80gb\ngpus: 16\nparallel: ddp\ndata: tokens.bin\nsteps: 10\n");
    const struct {
        const char *target, *name;
        std::vector<std::string> holds;
    } cases[] = {{"slurm", "job.sbatch",
                     {"#SBATCH --nodes=2", "#SBATCH --ntasks-per-node=8", "#SBATCH --gpus-per-node=8",
                         "\nsrun --export=ALL --distribution=block slipway-train run . --resume\n"}},
        {"skypilot", "task.yaml",
            {"num_nodes: 2", "accelerators: A100-80GB:8", "--nnodes=2 --nproc-per-node=8", "$SKYPILOT_NODE_RANK"}},
        {"torchrun", "start.sh", {"--nnodes=2 --nproc-per-node=8", "slipway-train run . --resume"}},
        {"kubernetes", "job.yaml",
            {"nprocPerNode: \"8\"", "Worker:\n      replicas: 1",
                "command: [torchrun, --no-python, slipway-train, run, ., --resume]", "nvidia.com/gpu: 8"}}};
    for (const auto &one : cases) {
        ASSERT_EQ(slipway({"export", yaml, "--to", one.target, "--out", one.target}).exitStatus, 0);
        const std::string text = readFile(folder() / one.target / one.name).value();
        for (const std::string &words : one.holds)
            EXPECT_NE(text.find(words), std::string::npos) << words << " is not in:\n" << text;
        EXPECT_EQ(text.find("-n 16"), std::string::npos) << text;
        if (std::string(one.name).ends_with(".yaml"))
            EXPECT_TRUE(readYaml(folder() / one.target / one.name)) << text;
        else
            EXPECT_EQ(runChild({"sh", "-n", (folder() / one.target / one.name).string()}, std::chrono::minutes(1))
                          ->exitStatus,
                0)
                << text;
    }
}

// More than a pipe holds, so that the program still writes when its reader has gone.
TEST(Answers, EndQuietlyWhenTheirReaderHasSeenEnough)
{
    const auto result = runChild(
        {"sh", "-c", "{ \"$0\" sweep --grid paper --json; echo \"status $?\" >&2; } | head -n 1", SLIPWAY_PROGRAM},
        std::chrono::minutes(1));
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_EQ(result->err, "status 141\n");
}

} // namespace
} // namespace slipway::e2e
