// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/run_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "config/config_io.h"
#include "run_examples.h"
#include "support/temporary_directory.h"

namespace slipway {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
namespace fs = std::filesystem;

struct Index : testing::Test {
    TemporaryDirectory m_home;
    Registry m_registry{m_home.path() / "runs"};
    fs::path m_file = m_home.path() / "runs.sqlite";

    fs::path addRun(const std::string &name, int steps, bool ended = true)
    {
        const fs::path directory = *m_registry.create(name);
        RunConfig config;
        config.training.name = name;
        config.training.steps = 10;
        config.training.tags = {"launched"};
        EXPECT_TRUE(writeRunConfig(RunPaths{directory}.config(), config));
        for (int step = 1; step <= steps; ++step)
            appendText(RunPaths{directory}.metrics(), toJsonLine(exampleStep(step)) + "\n");
        if (ended)
            writeText(RunPaths{directory}.exitStatus(), "0\n");
        return directory;
    }
    std::vector<std::string> names(RunIndex &index)
    {
        std::vector<std::string> list;
        for (const RunEntry &entry : index.list())
            list.push_back(entry.name);
        std::sort(list.begin(), list.end());
        return list;
    }
};

TEST_F(Index, ListsWhatTheRunDirectoriesSay)
{
    addRun("one", 4);
    RunIndex index(m_registry, m_file);
    const std::vector<RunEntry> list = index.list();
    ASSERT_THAT(list, SizeIs(1));
    EXPECT_EQ(list[0].title, "one");
    EXPECT_EQ(list[0].standing.state, RunState::Succeeded);
    EXPECT_EQ(list[0].step, 4);
    EXPECT_DOUBLE_EQ(*list[0].loss, 2.5);
    EXPECT_THAT(list[0].labels.tags, ElementsAre("launched"));
    EXPECT_DOUBLE_EQ(list[0].fraction(), 0.4);
}

TEST_F(Index, GivesTheSameAgainFromItsFile)
{
    addRun("one", 4);
    addRun("a 'quoted'; DROP TABLE run; --\n$(x) \xc3\xa9", 2);
    std::vector<RunEntry> first;
    {
        RunIndex index(m_registry, m_file);
        first = index.list();
    }
    RunIndex again(m_registry, m_file);
    EXPECT_EQ(again.list(), first);
    EXPECT_THAT(first, SizeIs(2));
}

TEST_F(Index, SeesARunThatChangedAndOneThatWent)
{
    const fs::path one = addRun("one", 4), two = addRun("two", 4);
    RunIndex index(m_registry, m_file);
    EXPECT_THAT(names(index), ElementsAre("one", "two"));
    fs::remove_all(two);
    appendText(RunPaths{one}.metrics(), toJsonLine(exampleStep(5)) + "\n");
    fs::last_write_time(RunPaths{one}.metrics(), fs::file_time_type::clock::now() + std::chrono::seconds(5));
    const std::vector<RunEntry> list = index.list();
    ASSERT_THAT(list, SizeIs(1));
    EXPECT_EQ(list[0].step, 5);
}

TEST_F(Index, SeesLabelsThatWereWrittenAfterTheRun)
{
    const fs::path one = addRun("one", 4);
    RunIndex index(m_registry, m_file);
    index.list();
    ASSERT_TRUE(writeLabels({one}, {.tags = {"good", " best "}, .notes = "keep <b>this</b>"}));
    fs::last_write_time(labelsFile({one}), fs::file_time_type::clock::now() + std::chrono::seconds(5));
    const RunEntry entry = index.list().at(0);
    EXPECT_THAT(entry.labels.tags, ElementsAre("best", "good"));
    EXPECT_EQ(entry.labels.notes, "keep <b>this</b>");
}

TEST_F(Index, IsMadeAnewWhereItsFileIsLostOrDamaged)
{
    addRun("one", 4);
    {
        RunIndex index(m_registry, m_file);
        index.list();
    }
    fs::remove(m_file);
    EXPECT_THAT(RunIndex(m_registry, m_file).list(), SizeIs(1));
    writeText(m_file, "this is no database, and longer than a header of one hundred bytes would be, so that it is "
                      "looked at as one is looked at");
    EXPECT_THAT(RunIndex(m_registry, m_file).list(), SizeIs(1));
    std::string bytes = *readFile(m_file);
    for (std::size_t i = 4096; i < bytes.size(); i += 3)
        bytes[i] = static_cast<char>(i);
    writeText(m_file, bytes);
    EXPECT_THAT(RunIndex(m_registry, m_file).list(), SizeIs(1));
}

TEST_F(Index, WorksInMemoryWhereItCannotBeWritten)
{
    addRun("one", 4);
    writeText(m_home.path() / "file", "");
    RunIndex index(m_registry, m_home.path() / "file" / "runs.sqlite");
    EXPECT_TRUE(index.inMemory());
    EXPECT_THAT(index.list(), SizeIs(1));
}

TEST_F(Index, FollowsARunThatGoesOn)
{
    const fs::path one = addRun("one", 4, false);
    RunIndex index(m_registry, m_file);
    EXPECT_EQ(index.list().at(0).step, 4);
    int live = 0;
    index.forEachLive([&](const RunData &run) { live += run.paths.directory == one; });
    EXPECT_EQ(live, 1);
}

TEST_F(Index, TellsAnAlertOnceAndKeepsWhenItWasOver)
{
    RunIndex index(m_registry, m_file);
    const Alert stalled{.kind = AlertKind::Stalled, .message = "no step for 2 min", .step = 7},
        lost{.kind = AlertKind::Lost, .message = "gone", .step = 7};
    EXPECT_THAT(index.noteAlerts("/r", {stalled}, "t1"), ElementsAre(stalled));
    Alert longer = stalled;
    longer.message = "no step for 3 min";
    EXPECT_THAT(index.noteAlerts("/r", {longer}, "t2"), IsEmpty());
    EXPECT_THAT(index.noteAlerts("/r", {lost}, "t3"), ElementsAre(lost));
    EXPECT_THAT(index.alerts("/r"), ElementsAre(AlertRow{.directory = "/r", .alert = lost, .since = "t3"},
                                        AlertRow{.directory = "/r", .alert = longer, .since = "t1", .until = "t3"}));
    EXPECT_THAT(index.noteAlerts("/r", {stalled}, "t4"), ElementsAre(stalled)); // again
    EXPECT_THAT(index.alerts("/other"), IsEmpty());
}

TEST_F(Index, TellsAnAlertThatComesAndGoesOnce)
{
    RunIndex index(m_registry, m_file);
    const Alert slow{.kind = AlertKind::SlowerThanBaseline, .message = "a step takes 2 s", .step = 7};
    EXPECT_THAT(index.noteAlerts("/r", {slow}, "2026-01-02T03:00:00.000Z"), ElementsAre(slow));
    EXPECT_THAT(index.noteAlerts("/r", {}, "2026-01-02T03:01:00.000Z"), IsEmpty());
    EXPECT_EQ(index.alerts("/r").at(0).until, "2026-01-02T03:01:00.000Z");
    EXPECT_THAT(index.noteAlerts("/r", {slow}, "2026-01-02T03:10:59.000Z"), IsEmpty());
    EXPECT_THAT(index.alerts("/r"),
        ElementsAre(AlertRow{.directory = "/r", .alert = slow, .since = "2026-01-02T03:00:00.000Z"}));
    EXPECT_THAT(index.noteAlerts("/r", {}, "2026-01-02T03:20:00.000Z"), IsEmpty());
    EXPECT_THAT(index.noteAlerts("/r", {slow}, "2026-01-02T03:30:00.000Z"), ElementsAre(slow)); // another time
    EXPECT_THAT(index.alerts("/r"), SizeIs(2));
}

TEST(RunFilter, TakesWordsStatesAndTags)
{
    RunEntry entry{.name = "folder", .title = "Paper-100M", .gpu = "a100"};
    entry.standing.state = RunState::Failed;
    entry.labels = {{"baseline", "lr"}, "The first try"};
    EXPECT_TRUE(RunFilter{}.matches(entry));
    EXPECT_TRUE((RunFilter{.text = "paper FAILED first"}.matches(entry)));
    EXPECT_FALSE((RunFilter{.text = "paper second"}.matches(entry)));
    EXPECT_TRUE((RunFilter{.states = {RunState::Failed, RunState::Lost}}.matches(entry)));
    EXPECT_FALSE((RunFilter{.states = {RunState::Running}}.matches(entry)));
    EXPECT_TRUE((RunFilter{.tags = {"lr", "baseline"}}.matches(entry)));
    EXPECT_FALSE((RunFilter{.tags = {"lr", "other"}}.matches(entry)));
}

TEST_F(Index, RefusesTagsThatAreNone)
{
    const RunPaths paths{*m_registry.create("x")};
    EXPECT_FALSE(writeLabels(paths, {.tags = {"two\nlines"}}));
    EXPECT_FALSE(writeLabels(paths, {.tags = {"  "}}));
    writeText(labelsFile(paths), "{broken");
    EXPECT_THAT(readLabels(paths, {.tags = {"b", "a"}}).tags, ElementsAre("a", "b"));
}

} // namespace
} // namespace slipway
