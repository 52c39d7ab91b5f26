// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/run_index.h"

#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/file.h"
#include "config/config_io.h"
#include "run_examples.h"
#include "support/temporary_directory.h"

namespace slipway {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
namespace fs = std::filesystem;

struct Index : ::testing::Test {
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
    EXPECT_EQ(list[0].status.state, RunState::Succeeded);
    EXPECT_EQ(list[0].step, 4);
    EXPECT_DOUBLE_EQ(*list[0].loss, 2.5);
    EXPECT_DOUBLE_EQ(*list[0].finalLoss, (10.0 + 5.0 + 10.0 / 3 + 2.5) / 4); // the mean of the last ten, here of all
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

// SQLite's own connection, as another program has one.
class OtherProgram {
public:
    explicit OtherProgram(const fs::path &file) { sqlite3_open(file.c_str(), &m_database); }
    ~OtherProgram() { sqlite3_close(m_database); }
    OtherProgram(const OtherProgram &) = delete;
    OtherProgram &operator=(const OtherProgram &) = delete;
    void run(const char *sql) { EXPECT_EQ(sqlite3_exec(m_database, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sql; }

private:
    sqlite3 *m_database = nullptr;
};

TEST_F(Index, LeavesItsFileToAnotherProgramThatHoldsTheLock)
{
    addRun("one", 4);
    RunIndex(m_registry, m_file).list();
    const std::string before = *readFile(m_file);
    {
        OtherProgram other(m_file);
        other.run("BEGIN EXCLUSIVE");
        RunIndex index(m_registry, m_file, std::chrono::milliseconds(1));
        EXPECT_EQ(index.problem(),
            m_file.string() + ": the index of runs is locked by another program; the list of runs is kept in memory");
        EXPECT_THAT(index.list(), SizeIs(1));
        EXPECT_EQ(*readFile(m_file), before);
    }
    EXPECT_FALSE(RunIndex(m_registry, m_file).inMemory());
}

TEST_F(Index, GoesOnInMemoryWhereAnotherProgramLocksItsFileMeanwhile)
{
    addRun("one", 4);
    RunIndex index(m_registry, m_file, std::chrono::milliseconds(1));
    OtherProgram other(m_file);
    other.run("BEGIN IMMEDIATE");
    EXPECT_THAT(index.list(), SizeIs(1)); // and cannot keep the new run
    EXPECT_TRUE(index.inMemory());
    EXPECT_THAT(index.list(), SizeIs(1));
    other.run("COMMIT");
    EXPECT_THAT(RunIndex(m_registry, m_file).list(), SizeIs(1));
}

TEST_F(Index, PutsADamagedFileAsideAndMakesItAnew)
{
    addRun("one", 4);
    const std::string damage(5000, 'x');
    writeText(m_file, damage);
    RunIndex index(m_registry, m_file);
    EXPECT_EQ(index.problem(), "");
    EXPECT_THAT(index.list(), SizeIs(1));
    EXPECT_EQ(*readFile(m_file.string() + ".damaged"), damage);
}

TEST_F(Index, NoticesDamageThatComesWhileItIsOpen)
{
    addRun("one", 4);
    RunIndex index(m_registry, m_file);
    index.list();
    addRun("two", 4);
    writeText(m_file, std::string(20'000, 'x'));
    EXPECT_THAT(index.list(), SizeIs(2));
    EXPECT_THAT(index.list(), SizeIs(2));
    EXPECT_EQ(index.problem(), "");
    EXPECT_TRUE(fs::exists(m_file.string() + ".damaged"));
    EXPECT_THAT(RunIndex(m_registry, m_file).list(), SizeIs(2));
}

TEST_F(Index, LeavesTheFileOfALaterVersionAlone)
{
    OtherProgram(m_file).run("CREATE TABLE later (x); PRAGMA user_version=99");
    addRun("one", 4);
    const std::string before = *readFile(m_file);
    RunIndex index(m_registry, m_file);
    EXPECT_THAT(index.problem(), ::testing::HasSubstr("was written by a later version of the program"));
    EXPECT_THAT(index.list(), SizeIs(1));
    EXPECT_EQ(*readFile(m_file), before);
}

TEST_F(Index, KeepsItsFileAndWorksInMemoryWhereTheDiskIsFull)
{
    addRun("one", 4);
    RunIndex(m_registry, m_file).list();
    const std::string before = *readFile(m_file);
    RunIndex index(m_registry, m_file);
    for (int i = 0; i < 30; ++i)
        addRun("another-" + std::to_string(i), 4);
    // A limit on file sizes stops the write midway, as a full disk does.
    rlimit usual{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &usual), 0);
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{.rlim_cur = 100, .rlim_max = usual.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const std::size_t listed = index.list().size();
    const std::string problem = index.problem();
    const bool opensInMemory = RunIndex(m_registry, m_home.path() / "new.sqlite").inMemory();
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &usual), 0);
    std::signal(SIGXFSZ, SIG_DFL);
    EXPECT_EQ(listed, 31U);
    EXPECT_THAT(problem, ::testing::HasSubstr("the list of runs is kept in memory"));
    EXPECT_TRUE(opensInMemory);
    EXPECT_EQ(*readFile(m_file), before);
    EXPECT_THAT(RunIndex(m_registry, m_file).list(), SizeIs(31));
}

TEST_F(Index, OpensNoLinkAndKeepsItsFileToItsUser)
{
    const fs::path theirs = m_home.path() / "theirs";
    writeText(theirs, "");
    fs::create_symlink(theirs, m_file);
    EXPECT_TRUE(RunIndex(m_registry, m_file).inMemory());
    EXPECT_EQ(fs::file_size(theirs), 0U);
    fs::remove(m_file);
    const mode_t usual = ::umask(0);
    RunIndex(m_registry, m_file).list();
    const fs::path run = addRun("one", 4);
    ::umask(usual);
    const auto modeOf = [](const fs::path &path) { return static_cast<unsigned>(fs::status(path).permissions()); };
    EXPECT_EQ(modeOf(m_file), 0600U);
    EXPECT_EQ(modeOf(m_registry.folder()), 0700U);
    EXPECT_EQ(modeOf(run), 0700U);
    fs::permissions(m_file, fs::perms(0644)); // of an earlier version
    RunIndex(m_registry, m_file).list();
    EXPECT_EQ(modeOf(m_file), 0600U);
}

TEST_F(Index, KeepsAlertsInTheFolderOfTheRunWhateverBecomesOfItsFile)
{
    const fs::path run = addRun("one", 4, false);
    const Alert stalled{.kind = AlertKind::Stalled, .message = "no step for 2 min", .step = 4};
    RunIndex(m_registry, m_file).noteAlerts(run, {stalled}, "2026-01-02T03:00:00.000Z");
    fs::remove(m_file);
    RunIndex index(m_registry, m_file), other(m_registry, m_file);
    EXPECT_THAT(index.noteAlerts(run, {stalled}, "2026-01-02T03:01:00.000Z"), IsEmpty());
    const AlertRow row{.directory = run, .alert = stalled, .since = "2026-01-02T03:00:00.000Z"};
    EXPECT_THAT(index.alerts(run), ElementsAre(row));
    // What one program notes the other one knows, and neither overwrites the other.
    const Alert lost{.kind = AlertKind::Lost, .message = "gone", .step = 4};
    EXPECT_THAT(other.noteAlerts(run, {stalled, lost}, "2026-01-02T02:00:00.000Z"), ElementsAre(lost));
    EXPECT_THAT(index.noteAlerts(run, {stalled, lost}, "2026-01-02T03:02:00.000Z"), IsEmpty());
    ASSERT_THAT(index.alerts(run), SizeIs(2));
    EXPECT_EQ(index.alerts(run)[0].alert.kind, AlertKind::Lost); // by their numbers, whatever the clock said
}

// The table of the first format: its rows move to the folders of their runs, and nothing is lost on the way.
TEST_F(Index, MovesTheAlertsOfAnEarlierFormatToTheirRuns)
{
    const fs::path run = addRun("one", 4);
    const std::string gone = (m_home.path() / "gone").string();
    OtherProgram(m_file).run(
        ("CREATE TABLE run (directory TEXT PRIMARY KEY, changed INTEGER NOT NULL, entry TEXT NOT NULL) WITHOUT ROWID;"
         "CREATE TABLE alert (directory TEXT NOT NULL, kind TEXT NOT NULL, since TEXT NOT NULL,"
         " until TEXT NOT NULL DEFAULT '', step INTEGER NOT NULL, message TEXT NOT NULL,"
         " PRIMARY KEY (directory, kind, since)) WITHOUT ROWID; PRAGMA user_version=1;"
         "INSERT INTO alert VALUES ('" +
            run.string() +
            "', 'stalled', 't1', 't2', 3, 'no step for 2 min');"
            "INSERT INTO alert VALUES ('" +
            run.string() +
            "', 'lost', 't3', '', 4, 'gone');"
            "INSERT INTO alert VALUES ('" +
            gone + "', 'lost', 't1', '', 1, 'elsewhere');")
            .c_str());
    const AlertRow stalled{.directory = run,
        .alert = {.kind = AlertKind::Stalled, .message = "no step for 2 min", .step = 3},
        .since = "t1",
        .until = "t2"},
        lost{.directory = run, .alert = {.kind = AlertKind::Lost, .message = "gone", .step = 4}, .since = "t3"};
    EXPECT_THAT(RunIndex(m_registry, m_file).alerts(run), ElementsAre(lost, stalled));
    EXPECT_THAT(RunIndex(m_registry, m_file).alerts(run), ElementsAre(lost, stalled));
    EXPECT_THAT(RunIndex(m_registry, m_file).alerts(gone), SizeIs(1)); // its folder may come back
    EXPECT_THAT(RunIndex(m_registry, m_file).alerts(gone), SizeIs(1));
    fs::remove(m_file);
    EXPECT_THAT(RunIndex(m_registry, m_file).alerts(run), ElementsAre(lost, stalled));
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

TEST_F(Index, AnAlertKeepsTheStepAtWhichItWasRaised)
{
    RunIndex index(m_registry, m_file);
    const auto slow = [](std::int64_t step) {
        return Alert{
            .kind = AlertKind::SlowerThanPredicted, .message = "at step " + std::to_string(step), .step = step};
    };
    (void)index.noteAlerts("/r", {slow(12)}, "2026-01-02T03:00:00.000Z");
    (void)index.noteAlerts("/r", {slow(90)}, "2026-01-02T03:01:00.000Z");
    EXPECT_EQ(index.alerts("/r").at(0).alert.step, 12);
    EXPECT_EQ(index.alerts("/r").at(0).alert.message, "at step 90");
    (void)index.noteAlerts("/r", {}, "2026-01-02T03:02:00.000Z");
    EXPECT_EQ(index.alerts("/r").at(0).alert.step, 12);
    (void)index.noteAlerts("/r", {slow(130)}, "2026-01-02T03:05:00.000Z"); // back again: still the same alert
    EXPECT_EQ(index.alerts("/r").at(0).alert.step, 12);
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
    entry.status.state = RunState::Failed;
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
