// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Runs on a real Slurm: submitted once and followed; and what goes wrong on the way.
#include <algorithm>
#include <set>

#include "core/hosts/slurm_fixture.h"
#include "hosts/local_host.h"
#include "hosts/ssh_shell.h"
#include "runs/alerts.h"
#include "support/ssh_server.h"

namespace slipway {
namespace {

using namespace std::chrono_literals;

TEST_F(OnSlurm, AJobLeavesTheFilesOfTheContractAndTakesNoVariableOfOurs)
{
    ::setenv("SLIPWAY_TEST_SECRET", "hunter2", 1);
    trainer("echo '{\"v\":1,\"step\":1,\"loss\":4.5}' >> metrics.jsonl; echo \"args: $*\"; echo \"secret: "
            "$SLIPWAY_TEST_SECRET\"; exit 5");
    const LaunchedRun run = launch();
    EXPECT_FALSE(run.started.job.empty());
    ASSERT_TRUE(waitForState(run, *m_host, RunState::Failed));
    for (const char *name : {"run.yaml", "metrics.jsonl", "out.log", "err.log", "pgid", "starttime", "boot_id", "rc"})
        EXPECT_TRUE(std::filesystem::exists(run.directory / name)) << name;
    EXPECT_EQ(text(run.directory / "out.log"), "args: run " + run.directory.string() + "\nsecret: \n");
    const auto read = readRun(run.directory);
    EXPECT_EQ(read->status.exitStatus, 5);
    EXPECT_EQ(read->metrics.size(), 1U);
    ::unsetenv("SLIPWAY_TEST_SECRET");
}

TEST_F(OnSlurm, AnotherProgramFindsTheRunAgain)
{
    waitingTrainer();
    const LaunchedRun run = launch();
    ASSERT_TRUE(waitForFile(run.directory / "ready"));
    m_host.reset();
    const auto found = hostOfRun(run.directory);
    ASSERT_TRUE(found) << found.error().message();
    EXPECT_EQ((*found)->status({run.directory}).state, RunState::Running);
    EXPECT_FALSE(resumeRun(run.directory, **found)); // it runs
    writeText(run.directory / "go", "");
    EXPECT_TRUE(waitForState(run, **found, RunState::Succeeded));
}

TEST_F(OnSlurm, AJobThatWaitsIsQueuedWithItsReasonAndIsCancelledBeforeItStarts)
{
    m_cluster.takeNodeAway();
    trainer("touch started");
    const LaunchedRun run = launch();
    ASSERT_TRUE(waitUntil(run.directory, [&] {
        const RunStatus status = m_host->status({run.directory});
        return status.state == RunState::Queued && status.detail.find("waits") != std::string::npos;
    })) << m_host->status({run.directory}).detail;
    EXPECT_NE(m_host->status({run.directory}).detail.find("job " + run.started.job), std::string::npos);
    const auto stopped = stopRun(run.directory, *m_host);
    ASSERT_TRUE(stopped) << stopped.error().message();
    EXPECT_EQ(stopped->state, RunState::Cancelled);
    EXPECT_FALSE(std::filesystem::exists(run.directory / "started"));
}

TEST_F(OnSlurm, ASweepIsOneJobArrayOfRunsWithDirectoriesOfTheirOwn)
{
    trainer("echo \"$2\"; [ -e fail ] && exit 5; exit 0");
    std::vector<RunLaunchRequest> orders(3, m_order);
    for (std::size_t i = 0; i < orders.size(); ++i)
        orders[i].config.training.seed = i;
    const auto runs = launchAll(orders, *m_host, m_registry);
    ASSERT_TRUE(runs) << runs.error().message();
    ASSERT_EQ(runs->size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_TRUE((*runs)[i].started.job.ends_with("_" + std::to_string(i))) << (*runs)[i].started.job;
        ASSERT_TRUE(waitForState((*runs)[i], *m_host, RunState::Succeeded));
        EXPECT_EQ(text((*runs)[i].directory / "out.log"), (*runs)[i].directory.string() + "\n");
        EXPECT_EQ(readRunConfig((*runs)[i].directory / "run.yaml")->training.seed, i);
    }
    LocalHost local;
    EXPECT_FALSE(local.startAll({{}, {}})); // no scheduler, so not at once
    const Registry other(m_folder.path() / "other");
    EXPECT_FALSE(launchAll(orders, local, other));
    EXPECT_TRUE(other.list().empty());
}

TEST_F(OnSlurm, ManyRunsAreOneQuestionToTheController)
{
    waitingTrainer();
    const std::vector<RunLaunchRequest> orders(3, m_order);
    const auto runs = launchAll(orders, *m_host, m_registry);
    ASSERT_TRUE(runs) << runs.error().message();
    std::vector<std::filesystem::path> directories;
    for (const LaunchedRun &run : *runs)
        directories.push_back(there(run));
    ASSERT_TRUE(waitForFile(directories[0] / "ready"));
    const std::filesystem::path bin = m_folder.path() / "bin", asked = m_folder.path() / "asked";
    std::filesystem::create_directory(bin);
    for (const char *program : {"squeue", "scontrol"}) {
        writeText(bin / program, std::string("#!/bin/sh\necho ") + program + " >> " + asked.string() +
                                     "\nexec /usr/bin/" + program + " \"$@\"\n");
        std::filesystem::permissions(bin / program, std::filesystem::perms::owner_all);
    }
    const std::string path = ::getenv("PATH");
    ::setenv("PATH", (bin.string() + ":" + path).c_str(), 1);
    const std::vector<Error> errors = m_host->refreshAll(directories);
    ::setenv("PATH", path.c_str(), 1);
    EXPECT_TRUE(errors.empty()) << errors.front().message();
    EXPECT_EQ(text(asked), "squeue\n");
    for (const std::filesystem::path &directory : directories) {
        const auto known = readKnownStatus({directory});
        ASSERT_TRUE(known);
        EXPECT_EQ(known->unreachable, "");
        EXPECT_TRUE(known->status.state == RunState::Running || known->status.detail.find("waits") != std::string::npos)
            << known->status.detail;
        writeText(directory / "go", "");
    }
}

TEST_F(OnSlurm, ThePreflightTellsWhatIsFreeAndHoldsThePlanAgainstTheCard)
{
    trainer("touch ready; until [ -e go ]; do sleep 0.02; done");
    m_order.config.gpu = "a100-sxm-80gb";
    m_order.config.training.device = DeviceKind::Cuda;
    m_order.config.precision = Precision::Bf16Mixed;
    const auto check = [&](const std::string &what) {
        for (const PreflightCheck &one : m_host->preflight(m_order.config, m_folder.path(), 0).checks) {
            if (one.what == what)
                return one;
        }
        return PreflightCheck{};
    };
    EXPECT_NE(check("GPUs").detail.find("1 of 1 free on 1 nodes"), std::string::npos) << check("GPUs").detail;
    EXPECT_TRUE(check("plan").passed) << check("plan").detail;
    const LaunchedRun run = launch();
    ASSERT_TRUE(waitForFile(run.directory / "ready"));
    const PreflightCheck busy = check("GPUs");
    EXPECT_TRUE(busy.warning);
    EXPECT_NE(
        busy.detail.find("0 of 1 free on 1 nodes; none has 1 free now, so the job waits; a job of yours has 1 on"),
        std::string::npos)
        << busy.detail;
    m_order.config.model.name = "2B";
    m_order.config.microBatch = 512;
    const auto refused = launchRun(m_order, *m_host, m_registry);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message().find("is predicted not to fit"), std::string::npos)
        << refused.error().message();
    writeText(run.directory / "go", "");
    EXPECT_TRUE(waitForState(run, *m_host, RunState::Succeeded));
}

TEST_F(OnSlurm, ASubmissionWhoseReplyIsLostMakesOneRun)
{
    waitingTrainer("echo started");
    const std::filesystem::path bin = m_folder.path() / "bin";
    std::filesystem::create_directory(bin);
    // The first sbatch takes the job, and dies before it says so.
    writeText(bin / "sbatch", "#!/bin/sh\nif mkdir " + (bin / "lost").string() +
                                  " 2> /dev/null; then /usr/bin/sbatch \"$@\" > /dev/null; echo 'sbatch: error: Unable "
                                  "to contact slurm controller' >&2; exit 1; fi\nexec /usr/bin/sbatch \"$@\"\n");
    std::filesystem::permissions(bin / "sbatch", std::filesystem::perms::owner_all);
    const std::string path = ::getenv("PATH");
    ::setenv("PATH", (bin.string() + ":" + path).c_str(), 1);
    m_order.directory = m_folder.path() / "mine";
    const auto jobs = [] { // of the tests before, too
        const std::string text = SlurmCluster::ask({"squeue", "-h", "-t", "all", "-o", "%A"});
        return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + (text.empty() ? 0 : 1);
    };
    const std::size_t before = jobs();
    const auto lost = launchRun(m_order, *m_host, m_registry);
    ::setenv("PATH", path.c_str(), 1);
    ASSERT_FALSE(lost);
    EXPECT_NE(lost.error().message().find("not confirmed"), std::string::npos) << lost.error().message();
    const auto again = m_host->start({.directory = *m_order.directory,
        .command = m_host->trainerCommand(m_order.config, *m_order.directory, false)});
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_TRUE(again->already);
    const LaunchedRun run{.directory = *m_order.directory, .started = *again};
    (void)there(run);
    ASSERT_TRUE(waitForFile(run.directory / "ready"));
    writeText(run.directory / "go", "");
    ASSERT_TRUE(waitForState(run, *m_host, RunState::Succeeded));
    EXPECT_EQ(text(run.directory / "out.log"), "started\n");
    EXPECT_EQ(jobs(), before + 1);
}

TEST_F(OnSlurm, ARequeuedJobGoesOnFromItsCheckpoint)
{
    trainer("if [ \"$3\" = --resume ]; then echo resumed; exit 0; fi; echo fresh; touch ready; while :; do sleep 0.02; "
            "done");
    const LaunchedRun run = launch();
    ASSERT_TRUE(waitForFile(run.directory / "ready"));
    (void)SlurmCluster::ask({"scontrol", "requeue", run.started.job});
    bool queued = false; // though it has left an exit status
    ASSERT_TRUE(waitUntil(run.directory,
        [&] {
            const RunState state = stateOf(run, *m_host);
            queued = queued || state == RunState::Queued;
            // Slurm would wait for two minutes; but told so while the node still clears up it fails the job.
            if (SlurmCluster::ask({"sinfo", "-h", "-o", "%T"}) == "idle" &&
                SlurmCluster::ask({"squeue", "-h", "-o", "%T %r"}) == "PENDING BeginTime")
                (void)SlurmCluster::ask({"scontrol", "update", "JobId=" + run.started.job, "StartTime=now"});
            return state == RunState::Succeeded;
        }))
        << m_host->status({run.directory}).detail << SlurmCluster::ask({"scontrol", "show", "job", run.started.job});
    EXPECT_TRUE(queued);
    EXPECT_EQ(text(run.directory / "out.log"), "fresh\nresumed\n");
}

TEST_F(OnSlurm, WhatThePartitionDoesNotAllowIsSaidBeforeAndWhatSlurmRefusesAfter)
{
    trainer("exit 0");
    m_order.config.training.timeLimit = 7200; // an hour is allowed: Slurm would take it and never start it
    const auto tooLong = launchRun(m_order, *m_host, m_registry);
    ASSERT_FALSE(tooLong);
    EXPECT_NE(tooLong.error().message().find("never starts"), std::string::npos) << tooLong.error().message();
    m_order.config.training.timeLimit = 600;
    const auto unknown = launchRun(m_order, *host({"--partition=nowhere"}), m_registry);
    ASSERT_FALSE(unknown);
    EXPECT_NE(unknown.error().message().find("no partition nowhere"), std::string::npos) << unknown.error().message();
    const auto refused = launchRun(m_order, *host({"--qos=none", "--account=none", "--mem=999G"}), m_registry);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message().find("Slurm refused the job"), std::string::npos) << refused.error().message();
    EXPECT_EQ(SlurmCluster::ask({"squeue", "-h", "-o", "%A"}), "");
}

TEST_F(OnSlurm, NamesPathsAndOptionsOfAnyBytesArriveUnharmed)
{
    trainer("pwd");
    m_order.config.training.name = kHostile;
    m_order.config.training.notes = kHostile;
    m_order.directory = m_folder.path() / "-run '%j' $(touch pwned);\nä";
    m_host = host({"--comment=$(touch pwned)", "--licenses="});
    const LaunchedRun run = launch();
    ASSERT_TRUE(waitForState(run, *m_host, RunState::Succeeded));
    EXPECT_EQ(text(run.directory / "out.log"), run.directory.string() + "\n");
    for (std::filesystem::recursive_directory_iterator file(m_folder.path()), end; file != end; ++file)
        EXPECT_NE(file->path().filename(), "pwned") << file->path();
}

TEST_F(OnSlurm, AnArrayThatIsRefusedLeavesNoRunThatLooksStarted)
{
    trainer("exit 0");
    const auto node = host({"--mem=999G"});
    const auto runs = launchAll(std::vector<RunLaunchRequest>(3, m_order), *node, m_registry);
    ASSERT_FALSE(runs);
    EXPECT_NE(runs.error().message().find("Slurm refused the job"), std::string::npos) << runs.error().message();
    const std::vector<KnownRun> left = m_registry.list();
    EXPECT_EQ(left.size(), 3U);
    for (const KnownRun &run : left)
        EXPECT_EQ(node->status({run.directory}).state, RunState::Draft) << run.name;
}

TEST_F(OnSlurm, ManyRunsOverSshAreStartedWithAsManyQuestionsAsFew)
{
    const SshServer server("SLURM_CONF=" + m_cluster.path("slurm.conf"));
    if (!server.problem().empty())
        GTEST_SKIP() << server.problem();
    trainer("exit 0");
    writeText(m_folder.path() / "shape.yaml", "name: mine\nlayers: 2\nhidden: 64\nheads: 2\nvocab: 100\n");
    m_order.config.model.name = (m_folder.path() / "shape.yaml").string();
    m_order.prediction = Prediction{};
    const std::filesystem::path bin = m_folder.path() / "bin", asked = m_folder.path() / "asked";
    std::filesystem::create_directory(bin);
    writeText(bin / "ssh", "#!/bin/sh\necho asked >> " + asked.string() + "\nexec /usr/bin/ssh \"$@\"\n");
    std::filesystem::permissions(bin / "ssh", std::filesystem::perms::owner_all);
    const std::string path = ::getenv("PATH");
    const auto questions = [&](std::size_t count) {
        auto shell = SshShell::to("testnode");
        const auto node = std::make_unique<SlurmHost>(
            "slurm:testnode", std::move(*shell), m_home.string(), std::vector<std::string>{"--hold"}, 0ms);
        std::filesystem::remove(asked);
        ::setenv("PATH", (bin.string() + ":" + path).c_str(), 1);
        const auto runs = launchAll(std::vector<RunLaunchRequest>(count, m_order), *node, m_registry);
        ::setenv("PATH", path.c_str(), 1);
        EXPECT_TRUE(runs) << runs.error().message();
        const std::string lines = text(asked);
        for (std::size_t i = 0; runs && i < count; ++i) {
            const std::filesystem::path directory = there((*runs)[i]);
            EXPECT_EQ(text(directory / "model.yaml"), text(m_folder.path() / "shape.yaml"));
            EXPECT_EQ(readRunConfig(directory / "run.yaml")->model.name, (directory / "model.yaml").string());
            EXPECT_EQ(text(directory / "attempts/0/job"), (*runs)[i].started.job + "\n");
        }
        return std::count(lines.begin(), lines.end(), '\n');
    };
    const auto few = questions(2);
    EXPECT_LE(few, 6);
    EXPECT_EQ(questions(9), few);
}

TEST_F(OnSlurm, AnArrayWhoseReplyIsLostIsSubmittedOnce)
{
    trainer("echo started");
    const std::filesystem::path bin = m_folder.path() / "bin";
    std::filesystem::create_directory(bin);
    // The first sbatch takes the array, and its line breaks before it says so.
    writeText(bin / "sbatch", "#!/bin/sh\n/usr/bin/sbatch \"$@\" || exit\nif mkdir " + (bin / "lost").string() +
                                  " 2> /dev/null; then kill -9 $(ps -o ppid= -p $(ps -o ppid= -p $PPID)); fi\n");
    std::filesystem::permissions(bin / "sbatch", std::filesystem::perms::owner_all);
    const SshServer server("SLURM_CONF=" + m_cluster.path("slurm.conf") + " PATH=" + bin.string() + ":/usr/bin:/bin");
    if (!server.problem().empty())
        GTEST_SKIP() << server.problem();
    auto shell = SshShell::to("testnode");
    const auto node = std::make_unique<SlurmHost>(
        "slurm:testnode", std::move(*shell), m_home.string(), std::vector<std::string>{}, 0ms);
    const auto arrays = [] { // of the tests before, too
        const std::string text = SlurmCluster::ask({"squeue", "-h", "-t", "all", "-o", "%F"});
        std::set<std::string> numbers;
        for (const std::string_view line : split(text, '\n'))
            numbers.emplace(line);
        numbers.erase("");
        return numbers;
    };
    const auto before = arrays();
    const auto runs = launchAll(std::vector<RunLaunchRequest>(3, m_order), *node, m_registry);
    ASSERT_TRUE(runs) << runs.error().message();
    EXPECT_TRUE(std::filesystem::exists(bin / "lost"));
    for (const LaunchedRun &run : *runs) {
        EXPECT_TRUE(run.started.already);
        ASSERT_TRUE(waitForState(run, *node, RunState::Succeeded));
        EXPECT_EQ(text(run.directory / "out.log"), "started\n");
    }
    EXPECT_EQ(arrays().size(), before.size() + 1);
}

TEST_F(OnSlurm, OverSshTheDirectoryIsThereAndTheCopyHere)
{
    SshServer server("SLURM_CONF=" + m_cluster.path("slurm.conf"));
    if (!server.problem().empty())
        GTEST_SKIP() << server.problem();
    auto shell = SshShell::to("testnode");
    ASSERT_TRUE(shell);
    const auto node = std::make_unique<SlurmHost>(
        "slurm:testnode", std::move(*shell), m_home.string(), std::vector<std::string>{}, 0ms);
    waitingTrainer("head -c 100000 /dev/urandom");
    const auto run = launchRun(m_order, *node, m_registry);
    ASSERT_TRUE(run) << run.error().message();
    EXPECT_NE(there(*run), run->directory);
    ASSERT_TRUE(waitForFile(there(*run) / "ready"));
    EXPECT_TRUE(waitForState(*run, *node, RunState::Running));
    server.kill();
    EXPECT_EQ(stateOf(*run, *node), RunState::Unknown);
    server.startAgain();
    writeText(there(*run) / "go", "");
    ASSERT_TRUE(waitForState(*run, *node, RunState::Succeeded));
    expectSameFiles(run->directory, there(*run));
}

TEST_F(OnSlurm, AClockAnHourAheadIsKnownAndNoRunIsTakenForStalledOrLost)
{
    const std::filesystem::path bin = m_folder.path() / "bin";
    std::filesystem::create_directory(bin);
    writeText(bin / "date", "#!/bin/sh\ncase $1 in +%s.%N) echo $(($(/usr/bin/date +%s) + 3600)).5 ;; *) exec "
                            "/usr/bin/date -d '+1 hour' \"$@\" ;; esac\n");
    std::filesystem::permissions(bin / "date", std::filesystem::perms::owner_all);
    waitingTrainer("echo \"{\\\"v\\\":1,\\\"step\\\":1,\\\"loss\\\":1,\\\"step_s\\\":1,\\\"time\\\":\\\"$(date -u -d "
                   "'+1 hour' +%Y-%m-%dT%H:%M:%S.000Z)\\\"}\" >> metrics.jsonl");
    const LaunchedRun run = launch();
    ASSERT_TRUE(waitForFile(run.directory / "ready"));
    const std::string path = ::getenv("PATH");
    ::setenv("PATH", (bin.string() + ":" + path).c_str(), 1);
    EXPECT_EQ(stateOf(run, *m_host), RunState::Running);
    ::setenv("PATH", path.c_str(), 1);
    const auto now = std::chrono::system_clock::now();
    EXPECT_GT(nowOnHostOf({run.directory}, now) - now, 3500s);
    const auto read = readRun(run.directory);
    ASSERT_TRUE(read);
    for (const Alert &alert : alertsOf(*read, now))
        EXPECT_TRUE(alert.kind != AlertKind::Stalled && alert.kind != AlertKind::Lost) << alert.message;
    writeText(run.directory / "go", "");
    EXPECT_TRUE(waitForState(run, *m_host, RunState::Succeeded));
}

TEST_F(OnSlurm, TheControllerDecidesWhateverBootIdARunsNodeLeft)
{
    waitingTrainer();
    const LaunchedRun run = launch();
    ASSERT_TRUE(waitForFile(run.directory / "ready"));
    writeText(run.directory / "boot_id", "another\n");
    EXPECT_EQ(stateOf(run, *m_host), RunState::Running); // of a node that is not this one nothing follows from it
    (void)SlurmCluster::ask({"scancel", "--full", "--signal=KILL", run.started.job});
    EXPECT_TRUE(waitUntil(run.directory, [&] { return isTerminal(stateOf(run, *m_host)); }))
        << m_host->status({run.directory}).detail;
}

// The last one: the others need the controller, and a new one takes seconds to start.
TEST_F(OnSlurm, AControllerThatDoesNotAnswerMakesARunUnknownAndNeverLost)
{
    waitingTrainer();
    const LaunchedRun run = launch();
    ASSERT_TRUE(waitForState(run, *m_host, RunState::Running));
    ASSERT_TRUE(waitForFile(run.directory / "ready"));
    m_cluster.killController();
    const RunStatus status = m_host->status({run.directory});
    EXPECT_EQ(status.state, RunState::Unknown);
    EXPECT_NE(status.detail.find("controller does not answer"), std::string::npos) << status.detail;
    EXPECT_NE(status.detail.find("it was running at"), std::string::npos) << status.detail;
    EXPECT_FALSE(stopRun(run.directory, *m_host));
    (void)m_host->refreshAll({run.directory});
    EXPECT_EQ(statusOfCopy({run.directory}, std::chrono::system_clock::now()).state, RunState::Unknown);
    const auto refused = launchRun(m_order, *m_host, m_registry);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message().find("Slurm: does not answer there: slurm_load_partitions"), std::string::npos)
        << refused.error().message();
    EXPECT_EQ(refused.error().fault, Fault::Outside);
    writeText(run.directory / "go", "");
    EXPECT_TRUE(waitForState(run, *m_host, RunState::Succeeded)); // its directory says so, whoever else is silent
}

} // namespace
} // namespace slipway
