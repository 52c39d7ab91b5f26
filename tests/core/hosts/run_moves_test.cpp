// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Runs that outlive their machines: two real sshds, of which the first is taken away.
#include "hosts/run_moves.h"

#include <csignal>

#include <gmock/gmock.h>

#include "core/hosts/remote_run_fixture.h"
#include "hosts/kept_folder.h"
#include "runs/append_event.h"
#include "support/log_grammar.h"
#include "support/two_ssh_servers.h"

namespace slipway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class MovesOverTwoSsh : public RemoteRunTest {
protected:
    MovesOverTwoSsh()
    {
        if (!m_servers.problem().empty())
            return;
        m_order.moves = {.keepCheckpoints = true, .checkpointsIn = {}, .thenOn = {second()}, .moves = {}};
    }
    void SetUp() override
    {
        if (!m_servers.problem().empty())
            GTEST_SKIP() << m_servers.problem();
    }
    [[nodiscard]] std::string first() const { return "node1:" + m_home.string(); }
    [[nodiscard]] std::string second() const { return "node2:" + (m_folder.path() / "other").string(); }
    void trainerOnBoth(const std::string &script)
    {
        trainer(script);
        std::filesystem::create_directories(m_folder.path() / "other");
        std::filesystem::copy(
            m_home / "bundle", m_folder.path() / "other" / "bundle", std::filesystem::copy_options::recursive);
    }
    // A trainer of whole steps: each attempt goes on behind its checkpoint, and waits for the file "go" after two.
    static std::string trainerScript()
    {
        return "step=0; [ -e checkpoints/latest ] && step=$(cat checkpoints/$(cat checkpoints/latest)/step)\n"
               "attempt=$(ls attempts | sort -n | tail -n 1)\n"
               "echo \"$*\" >> commands\n"
               "for i in 1 2; do step=$((step + 1)); now=$(date -u +%Y-%m-%dT%H:%M:%S.000Z)\n"
               "echo '{\"v\":1,\"attempt\":'$attempt',\"step\":'$step',\"tokens\":'$step'0,\"time\":\"'$now'\","
               "\"step_s\":1.0,\"tokens_per_s\":10,\"loss\":2.5}' >> metrics.jsonl\n"
               "name=step-$step; mkdir -p checkpoints/$name; echo $step > checkpoints/$name/step\n"
               "echo $name > checkpoints/latest\n"
               "echo '{\"v\":1,\"time\":\"'$now'\",\"attempt\":'$attempt',\"kind\":\"checkpoint\",\"message\":"
               "\"'$name'\",\"step\":'$step'}' >> events.jsonl\n"
               "done; touch ready; until [ -e go ]; do sleep 0.02; done\n";
    }
    Result<LaunchedRun> launched(Host &host)
    {
        Result<LaunchedRun> run = launchRun(m_order, host, m_registry);
        if (run) {
            EXPECT_TRUE(waitForFile(there(*run) / "ready"));
            EXPECT_TRUE(waitForState(*run, host, RunState::Running));
        }
        return run;
    }
    // As if nothing had been heard of the host for an hour.
    static void lookBack(const LaunchedRun &run)
    {
        KnownStatus known = readKnownStatus({run.directory}).value();
        known.seen = toIso8601(std::chrono::system_clock::now() - std::chrono::hours(1));
        known.unreachable = "node1: cannot be reached";
        ASSERT_TRUE(writeKnownStatus({run.directory}, known));
    }
    static std::vector<std::int64_t> stepsOf(const LaunchedRun &run)
    {
        std::vector<std::int64_t> list;
        const RunData data = readRun(run.directory).value();
        for (const StepMetrics &step : data.metrics)
            list.push_back(step.step);
        return list;
    }

    TwoSshServers m_servers;
};

TEST_F(MovesOverTwoSsh, ARunWhoseHostIsGoneGoesOnAtTheNextOneFromTheNewestCheckpointHere)
{
    trainerOnBoth(trainerScript());
    m_order.config.training.keepCheckpoints = 1;
    auto node = *makeHost(first());
    const auto run = launched(*node);
    ASSERT_TRUE(run) << run.error().message();
    RunKeeper keeper(std::chrono::seconds(0));
    EXPECT_EQ(keeper.update(run->directory).movedTo, "");
    EXPECT_EQ(keeper.finish(), "");
    EXPECT_EQ(text(run->directory / "checkpoints/latest"), "step-2\n") << "copied while the run goes on";
    EXPECT_EQ(text(run->directory / "checkpoints/step-2/step"), "2\n");

    // A newer one comes, and of the older ones as many stay as the run keeps.
    std::filesystem::create_directories(m_there.back() / "checkpoints/step-3");
    writeText(m_there.back() / "checkpoints/step-3/step", "2\n");
    writeText(m_there.back() / "checkpoints/latest", "step-3\n");
    appendEvent({m_there.back()}, {.time = utcNow(), .kind = "checkpoint", .message = "step-3", .step = 3});
    ASSERT_TRUE(node->refresh({run->directory}));
    (void)keeper.update(run->directory);
    EXPECT_EQ(keeper.finish(), "");
    EXPECT_TRUE(std::filesystem::exists(run->directory / "checkpoints/step-3/step"));
    EXPECT_FALSE(std::filesystem::exists(run->directory / "checkpoints/step-2"));

    m_servers.first().kill();
    killGroup(m_there.back());
    EXPECT_TRUE(node->refresh({run->directory}));
    EXPECT_EQ(keeper.update(run->directory).movedTo, "") << "a host that is silent for a moment is not gone";
    lookBack(*run);
    const RunKeeper::Outcome outcome = keeper.update(run->directory);
    ASSERT_EQ(outcome.movedTo, second()) << outcome.problem;
    const auto next = hostOfRun(run->directory);
    ASSERT_TRUE(next);
    EXPECT_EQ((*next)->name(), second());
    const std::filesystem::path there = this->there(*run);
    ASSERT_TRUE(waitForFile(there / "ready"));
    EXPECT_THAT(text(there / "commands"), HasSubstr("--resume"));
    writeText(there / "go", "");
    EXPECT_TRUE(waitForState(*run, **next, RunState::Succeeded));
    EXPECT_THAT(stepsOf(*run), ElementsAre(1, 2, 3, 4)) << "no step is lost, and none is there twice";
    EXPECT_THAT(text(run->directory / "events.jsonl"), HasSubstr("it continues on " + second() + " from step-3"));
    const RunMoves moves = readRunMoves({run->directory}).value();
    ASSERT_EQ(moves.moves.size(), 1U);
    EXPECT_EQ(moves.moves[0].from, first());
    EXPECT_THAT(moves.moves[0].why, HasSubstr("no answer for"));
    EXPECT_TRUE(moves.thenOn.empty()) << "a host takes a run once";
}

TEST_F(MovesOverTwoSsh, AHostThatDoesNotTakeTheRunIsPassedOverAndOneWhereNoneDoesIsSaid)
{
    trainerOnBoth(trainerScript());
    m_order.moves.thenOn = {"node2:/proc/none", second()};
    auto node = *makeHost(first());
    const auto run = launched(*node);
    ASSERT_TRUE(run) << run.error().message();
    m_servers.first().kill();
    killGroup(m_there.back());
    m_servers.second().kill();
    lookBack(*run);
    RunKeeper keeper;
    const RunKeeper::Outcome none = keeper.update(run->directory);
    EXPECT_TRUE(none.waits);
    EXPECT_THAT(none.problem, HasSubstr("no host could continue the run"));
    EXPECT_EQ(readRemoteRun({run->directory})->host, first()) << "nothing has changed";
    m_servers.second().startAgain();
    const RunKeeper::Outcome moved = RunKeeper().update(run->directory);
    EXPECT_EQ(moved.movedTo, second()) << moved.problem;
    EXPECT_THAT(text(run->directory / "events.jsonl"), HasSubstr("from its first step, as no checkpoint is here"));
    (void)there(*run);
}

TEST_F(MovesOverTwoSsh, ARunThatFailedOrIsStoppedStaysWhereItIs)
{
    trainerOnBoth("exit 1");
    auto node = *makeHost(first());
    const auto run = launchRun(m_order, *node, m_registry);
    ASSERT_TRUE(run) << run.error().message();
    ASSERT_TRUE(waitForState(*run, *node, RunState::Failed));
    EXPECT_EQ(hostLostReason({run->directory}, std::chrono::system_clock::now()), std::nullopt);
    const RunKeeper::Outcome outcome = RunKeeper().update(run->directory);
    EXPECT_EQ(outcome.movedTo, "");
    EXPECT_FALSE(outcome.waits);
}

TEST_F(MovesOverTwoSsh, AScriptsWholeCheckpointsAreCopiedAndItGoesOnWithThem)
{
    const std::filesystem::path work = m_folder.path() / "work";
    std::filesystem::create_directories(work / "out");
    m_order.config.training.workdir = work.string();
    m_order.config.training.command = {"sh", "-c",
        "step=0; [ -e out/checkpoint-2/inner/step ] && step=$(cat out/checkpoint-2/inner/step); "
        "for i in 1 2; do step=$((step + 1)); echo step $step loss 2.$step; done; "
        "mkdir -p out/checkpoint-$step/inner; echo $step > out/checkpoint-$step/inner/step; echo name > out/latest; "
        "touch -d '1 minute ago' out/latest out/checkpoint-$step/inner/step; mkdir -p out/half; echo x > out/half/x; "
        "touch ready; until [ -e go ]; do sleep 0.02; done"};
    m_order.moves.checkpointsIn = "out";
    auto node = *makeHost(first());
    const auto run = launchRun(m_order, *node, m_registry);
    ASSERT_TRUE(run) << run.error().message();
    (void)there(*run);
    ASSERT_TRUE(waitForFile(work / "ready"));
    ASSERT_TRUE(waitForState(*run, *node, RunState::Running));
    const Result<bool> came = keepCheckpoint({run->directory}, m_order.moves, *node);
    ASSERT_TRUE(came) << came.error().message();
    EXPECT_TRUE(*came);
    const std::filesystem::path kept = run->directory / "script-checkpoints";
    EXPECT_EQ(text(kept / "checkpoint-2/inner/step"), "2\n");
    EXPECT_EQ(text(kept / "latest"), "name\n");
    EXPECT_FALSE(std::filesystem::exists(kept / "half")) << "it may still be written";
    EXPECT_FALSE(*keepCheckpoint({run->directory}, m_order.moves, *node)) << "nothing is copied twice";

    killGroup(m_there.back());
    m_servers.first().kill();
    std::filesystem::remove_all(work / "out"); // of another machine
    std::filesystem::remove(work / "ready");
    lookBack(*run);
    const RunKeeper::Outcome outcome = RunKeeper().update(run->directory);
    ASSERT_EQ(outcome.movedTo, second()) << outcome.problem;
    ASSERT_TRUE(waitForFile(work / "ready"));
    writeText(work / "go", "");
    auto next = *hostOfRun(run->directory);
    (void)there(*run);
    EXPECT_TRUE(waitForState(*run, *next, RunState::Succeeded));
    EXPECT_THAT(stepsOf(*run), ElementsAre(1, 2, 3, 4));
}

TEST_F(MovesOverTwoSsh, ARunMayEndHere)
{
    m_order.config.training.workdir = m_folder.path().string();
    m_order.config.training.command = {"sh", "-c",
        "echo step $(($(ls out 2> /dev/null | wc -l) * 5 + 1)) loss 2; "
        "touch ready; until [ -e go ]; do sleep 0.02; done"};
    m_order.moves.checkpointsIn = "out";
    m_order.moves.thenOn = {"local"};
    auto node = *makeHost(first());
    const auto run = launchRun(m_order, *node, m_registry);
    ASSERT_TRUE(run) << run.error().message();
    (void)there(*run);
    ASSERT_TRUE(waitForFile(m_folder.path() / "ready"));
    ASSERT_TRUE(waitForState(*run, *node, RunState::Running));
    killGroup(m_there.back());
    m_servers.first().kill();
    std::filesystem::create_directories(run->directory / "script-checkpoints");
    writeText(run->directory / "script-checkpoints/one", "");
    lookBack(*run);
    writeText(m_folder.path() / "go", "");
    const RunKeeper::Outcome outcome = RunKeeper().update(run->directory);
    ASSERT_EQ(outcome.movedTo, "local") << outcome.problem;
    EXPECT_FALSE(isRemoteRun({run->directory}));
    auto here = *hostOfRun(run->directory);
    EXPECT_TRUE(waitForState(*run, *here, RunState::Succeeded));
    EXPECT_THAT(stepsOf(*run), ElementsAre(1, 6));
}

TEST(RunMovesOrder, SaysWhatIsMissingOrCannotBe)
{
    RunConfig config;
    EXPECT_TRUE(checkRunMoves({}, "node1,node2", config)) << "nothing is asked for";
    EXPECT_TRUE(checkRunMoves({.keepCheckpoints = true, .thenOn = {"node2", "local"}}, "node1", config));
    EXPECT_THAT(checkRunMoves({.keepCheckpoints = true}, "node1,node2", config).error().message(),
        HasSubstr("--keep-checkpoints-here: is not valid for a run on several machines"));
    EXPECT_THAT(
        checkRunMoves({.thenOn = {"node 2"}}, "node1", config).error().message(), HasSubstr("--then-on node 2"));
    config.training.command = {"train.sh"};
    EXPECT_THAT(checkRunMoves({.thenOn = {"node2"}}, "node1", config).error().message(), HasSubstr("--checkpoints-in"));
}

TEST(KeptFolder, TakesEntriesThatHaveSettledAndLeavesNamesThatLeadElsewhere)
{
    using namespace std::string_literals;
    const auto folder = parseFolder("/out\0"
                                    "100.5 3 ckpt.pt\0"
                                    "195 7 new/model.pt\0"
                                    "100 7 old/a/model.pt\0"
                                    "100 7 ../escape\0"
                                    "100 7 .hidden/x\0"
                                    "200\0"s,
        "node1");
    ASSERT_TRUE(folder) << folder.error().message();
    EXPECT_EQ(folder->entries.size(), 3U);
    std::vector<std::string> names;
    for (const FolderEntry &entry : entriesToTake(*folder, {}, kEntrySettles))
        names.push_back(entry.name);
    EXPECT_THAT(names, ElementsAre("ckpt.pt", "old"));
    EXPECT_EQ(entriesToTake(*folder, {}, 0).size(), 3U) << "after the script's own end";
    EXPECT_EQ(entriesToTake(*folder, {{"old", folder->entries.at("old").stamp}}, kEntrySettles).size(), 1U);
    for (const std::string &bad : {""s, "/out\0"s,
             "out\0"
             "200\0"s,
             "/out\0x 3 ckpt\0"
             "200\0"s,
             "/out\0"
             "1 -3 ckpt\0"
             "200\0"s})
        EXPECT_FALSE(parseFolder(bad, "node1"));
}

} // namespace
} // namespace slipway
