// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// launch, watch, stop, resume, runs and report with a few lines of shell in place of the trainer: what the command line
// does when a trainer behaves, dies, hangs or leaves damage.
#include <csignal>
#include <cstdlib>

#include <gmock/gmock.h>

#include "base/csv.h"
#include "base/file.h"
#include "e2e/programs.h"
#include "runs/liveness.h"
#include "support/wait_until.h"

namespace slipway::e2e {
namespace {

class RunCommands : public ProgramTest {
protected:
    RunCommands()
    {
        // Programs look for slipway-train beside themselves first, so this one gets a folder of its own.
        std::filesystem::create_directory(folder() / "bin");
        std::filesystem::copy_file(SLIPWAY_PROGRAM, folder() / "bin" / "slipway");
        file("tokens.bin", "tokens");
        m_yaml = file("tiny.yaml", "model: 100M\ngpu: cpu\nprecision: fp32\ndevice: cpu\nseq_len: 128\nmicro_batch: "
                                   "1\ndata: tokens.bin\nsteps: 5\nname: tiny\n");
        m_run = folder() / "data" / "slipway" / "runs" / "tiny";
    }
    ~RunCommands() override
    {
        const RunPaths paths{m_run};
        if (const auto mark = readProcessIdentity(paths);
            mark && livenessOf(*mark, LocalMachine::current()) == Liveness::Alive) {
            ::kill(static_cast<pid_t>(-mark->processGroup), SIGKILL);
            waitUntil(m_run, [&] { return isTerminal(statusOf(paths).state); });
        }
    }
    // Runs in the run directory; "$2" names it.
    void trainer(const std::string &script)
    {
        file("bin/slipway-train",
            "#!/bin/sh\nstep() { echo "
            "'{\"v\":1,\"attempt\":'$2',\"step\":'$1',\"tokens\":'$1'000,\"time\":\"2026-01-02T00:00:0'$1'.000Z\","
            "\"step_s\":1.0,"
            "\"tokens_per_s\":1000,\"loss\":'$1'.5,\"lr\":1e-3,\"grad_norm\":1}' >> metrics.jsonl; }\n" +
                script + "\n");
        std::filesystem::permissions(folder() / "bin" / "slipway-train", std::filesystem::perms::owner_all);
    }
    ChildResult program(const std::vector<std::string> &arguments)
    {
        std::vector<std::string> argv{(folder() / "bin" / "slipway").string()};
        argv.insert(argv.end(), arguments.begin(), arguments.end());
        const auto result = runChild(argv, std::chrono::minutes(5));
        EXPECT_TRUE(result) << result.error().message();
        return result ? *result : ChildResult{.exitStatus = -1};
    }
    nlohmann::json listed()
    {
        const nlohmann::json json = nlohmann::json::parse(program({"runs", "--json"}).out, nullptr, false);
        return json.is_object() && json["runs"].size() == 1 ? json["runs"][0] : nlohmann::json();
    }
    bool waitForFile(const char *name)
    {
        return waitUntil(m_run, [&] { return std::filesystem::exists(m_run / name); });
    }

    std::string m_yaml;
    std::filesystem::path m_run;
};

TEST_F(RunCommands, ABudgetToEndAtNeedsAPrice)
{
    trainer("exit 0");
    expectRefused(program({"launch", m_yaml, "--stop-at-usd", "5"}), 2,
        {"--stop-at-usd: there is no price per hour for 'cpu'", "slipway catalog prices"});
    file("budget.yaml", readFile(m_yaml).value() + "stop_at_usd: 5\n");
    expectRefused(program({"launch", "budget.yaml", "--dry-run"}), 2,
        {"budget.yaml:10: stop_at_usd: there is no price per hour"});
    EXPECT_FALSE(std::filesystem::exists(m_run));
}

TEST_F(RunCommands, LaunchFollowsARunThatSucceedsToItsEnd)
{
    trainer("for i in 1 2 3 4 5; do step $i 0; done");
    const ChildResult result = program({"launch", m_yaml});
    EXPECT_EQ(result.exitStatus, 0) << result.err;
    EXPECT_NE(result.out.find("succeeded"), std::string::npos) << result.out;
    for (const char *name :
        {"run.yaml", "prediction.json", "metrics.jsonl", "out.log", "err.log", "pgid", "starttime", "boot_id", "rc"})
        EXPECT_TRUE(std::filesystem::exists(m_run / name)) << name;
    const nlohmann::json run = listed();
    EXPECT_EQ(run["state"], "succeeded");
    EXPECT_EQ(run["step"], 5);
    EXPECT_EQ(run["total_steps"], 5);
    EXPECT_EQ(program({"watch", "tiny"}).exitStatus, 0); // of a finished run
}

TEST_F(RunCommands, LaunchEndsWithOneWhereTheRunFailsAndShowsItsLastWords)
{
    trainer("step 1 0; echo 'out of memory: requested 1, in use 2' >&2; exit 3");
    const ChildResult result = program({"launch", m_yaml});
    EXPECT_EQ(result.exitStatus, 1);
    EXPECT_NE(result.err.find("out of memory: requested 1"), std::string::npos) << result.err;
    EXPECT_EQ(listed()["exit_status"], 3);
    EXPECT_EQ(program({"watch", "tiny"}).exitStatus, 1);
}

TEST_F(RunCommands, DetachReturnsAndTheRunGoesOnAndIsStoppedAndResumed)
{
    trainer("if [ \"$3\" = --resume ]; then step 2 1; exit 0; fi; step 1 0; touch ready; until [ -e stop.request ]; do "
            "sleep 0.01; done; exit 143");
    const ChildResult launched = program({"launch", m_yaml, "--detach", "--json"});
    ASSERT_EQ(launched.exitStatus, 0) << launched.err;
    const nlohmann::json json = nlohmann::json::parse(launched.out, nullptr, false);
    EXPECT_EQ(json["directory"], m_run.string());
    ASSERT_TRUE(waitForFile("ready"));
    EXPECT_EQ(listed()["state"], "running");
    EXPECT_EQ(program({"launch", m_yaml, "--run-dir", m_run.string()}).exitStatus, 2); // not twice in one directory

    const ChildResult stopped = program({"stop", "tiny"});
    EXPECT_EQ(stopped.exitStatus, 0) << stopped.err;
    EXPECT_NE(stopped.out.find("cancelled"), std::string::npos) << stopped.out;
    EXPECT_EQ(program({"stop", "tiny"}).exitStatus, 0); // once more is no error

    const ChildResult resumed = program({"resume", "tiny"});
    EXPECT_EQ(resumed.exitStatus, 0) << resumed.err;
    EXPECT_EQ(listed()["state"], "succeeded");
    EXPECT_EQ(listed()["step"], 2);
    EXPECT_EQ(listed()["attempts"], 2);
}

TEST_F(RunCommands, AKilledRunIsFailedAndItsMetricsAreKept)
{
    trainer("step 1 0; step 2 0; printf '{\"v\":1,\"att' >> metrics.jsonl; kill -9 $$");
    EXPECT_EQ(program({"launch", m_yaml}).exitStatus, 1);
    const nlohmann::json run = listed();
    EXPECT_EQ(run["state"], "failed");
    EXPECT_EQ(run["exit_status"], 137);
    EXPECT_EQ(run["step"], 2);
}

TEST_F(RunCommands, ARunWhoseMachineWasRestartedIsLostAndCanBeResumed)
{
    trainer("[ \"$3\" = --resume ] && exit 0; touch ready; until [ -e go ]; do sleep 0.01; done");
    ASSERT_EQ(program({"launch", m_yaml, "--detach"}).exitStatus, 0);
    ASSERT_TRUE(waitForFile("ready"));
    writeText(m_run / "go", "");
    ASSERT_TRUE(waitForFile("rc"));
    std::filesystem::remove(m_run / "rc"); // as if the power had gone
    writeText(m_run / "boot_id", "another boot\n");
    EXPECT_EQ(listed()["state"], "lost");
    EXPECT_EQ(program({"watch", "tiny"}).exitStatus, 1);
    EXPECT_EQ(program({"resume", "tiny"}).exitStatus, 0);
    EXPECT_EQ(listed()["state"], "succeeded");
}

TEST_F(RunCommands, DryRunStartsNothingAndLeavesNothing)
{
    trainer("touch \"$2/started\"");
    const ChildResult result = program({"launch", m_yaml, "--dry-run"});
    EXPECT_EQ(result.exitStatus, 0) << result.err;
    EXPECT_NE(result.out.find("slipway-train' 'run'"), std::string::npos) << result.out;
    EXPECT_FALSE(std::filesystem::exists(folder() / "data"));
}

TEST_F(RunCommands, AGridIsRefusedByAHostThatStartsOneRunAtATimeAlsoInADryRun)
{
    trainer("exit 0");
    const std::string two = file("two.yaml", "micro_batch: [1, 2]\n");
    expectRefused(program({"launch", m_yaml, "--grid", two}), 2, {"local: launches one run at a time, not 2"});
    expectRefused(
        program({"launch", m_yaml, "--grid", two, "--dry-run"}), 2, {"local: launches one run at a time, not 2"});
}

TEST_F(RunCommands, EveryPointOfAGridIsARunWithItsSettings)
{
    trainer("step 1 0");
    const std::string one = file("one.yaml", "micro_batch: [2]\n");
    const ChildResult launched = program({"launch", m_yaml, "--grid", one, "--json"});
    ASSERT_EQ(launched.exitStatus, 0) << launched.err;
    const nlohmann::json runs = nlohmann::json::parse(launched.out, nullptr, false)["runs"];
    ASSERT_EQ(runs.size(), 1U) << launched.out;
    EXPECT_EQ(runs[0]["name"], "tiny-000");
    EXPECT_EQ(runs[0]["settings"], (nlohmann::json{{"micro_batch", "2"}}));
    EXPECT_EQ(program({"watch", "tiny-000"}).exitStatus, 0);
    EXPECT_EQ(listed()["state"], "succeeded");
}

TEST_F(RunCommands, ADirectoryThatCannotBeWrittenIsAFaultOutsideAndStartsNothing)
{
    trainer("exit 0");
    const ChildResult result = program({"launch", m_yaml, "--run-dir", "/proc/nowhere/run"});
    EXPECT_EQ(result.exitStatus, 3);
    EXPECT_NE(result.err.find("/proc"), std::string::npos) << result.err;
    EXPECT_TRUE(listed().is_null());
}

TEST_F(RunCommands, ReportOfARunIsTextOrATable)
{
    trainer("for i in 1 2 3 4 5; do step $i 0; done");
    ASSERT_EQ(program({"launch", m_yaml}).exitStatus, 0);
    EXPECT_NE(program({"report", "tiny"}).out.find("Predicted and measured"), std::string::npos);
    ASSERT_EQ(program({"report", m_run.string(), "--csv", "run.csv"}).exitStatus, 0);
    const auto table = readCsv(folder() / "run.csv");
    ASSERT_TRUE(table) << table.error().message();
    ASSERT_EQ(table->rows.size(), 5U);
    EXPECT_EQ(table->cell(table->rows[2], "loss"), "3.5");
    ASSERT_EQ(program({"report", m_yaml, "--csv", "plan.csv"}).exitStatus, 0);
    EXPECT_TRUE(readCsv(folder() / "plan.csv"));
}

TEST_F(RunCommands, AReportOfAPlanAsHtmlDrawsItsMemoryOverTheStep)
{
    ASSERT_EQ(program({"report", m_yaml, "--html", "plan.html"}).exitStatus, 0);
    EXPECT_NE(readFile(folder() / "plan.html").value().find("Memory over one step"), std::string::npos);
}

TEST_F(RunCommands, ReportsCallARunAsTheListDoesAndOutsideTheListAsItsConfiguration)
{
    using ::testing::HasSubstr;
    using ::testing::StartsWith;
    trainer("for i in 1 2 3 4 5; do step $i 0; done");
    ASSERT_EQ(program({"launch", m_yaml}).exitStatus, 0);
    EXPECT_THAT(program({"report", "tiny"}).out, StartsWith("Run: tiny\n"));
    const std::filesystem::path renamed = m_run.parent_path() / "renamed", elsewhere = folder() / "elsewhere";
    std::filesystem::rename(m_run, renamed);
    EXPECT_THAT(program({"report", "renamed"}).out, StartsWith("Run: renamed\n"));
    EXPECT_THAT(program({"report", renamed.string()}).out, StartsWith("Run: renamed\n"));

    std::filesystem::create_directory(elsewhere);
    for (const char *name : {"run.yaml", "metrics.jsonl"})
        std::filesystem::copy_file(renamed / name, elsewhere / name);
    EXPECT_THAT(program({"report", elsewhere.string()}).out, StartsWith("Run: tiny\n"));
    const ChildResult compared = program({"compare", "renamed", elsewhere.string()});
    EXPECT_THAT(compared.out, HasSubstr("renamed"));
    EXPECT_THAT(compared.out, HasSubstr("tiny"));
    std::filesystem::create_directory_symlink(elsewhere, m_run.parent_path() / "linked");
    EXPECT_THAT(program({"report", "linked"}).out, StartsWith("Run: linked\n"));
}

TEST_F(RunCommands, WithoutADesktopAPdfIsRefusedPlainly)
{
    trainer("exit 0");
    ::setenv("PATH", "/usr/bin:/bin", 1);
    const ChildResult result = program({"report", m_yaml, "--pdf", "plan.pdf"});
    EXPECT_EQ(result.exitStatus, 3);
    EXPECT_NE(result.err.find("slipway-desktop"), std::string::npos) << result.err;
}

} // namespace
} // namespace slipway::e2e
