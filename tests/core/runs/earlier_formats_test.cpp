// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Run folders and index files of earlier formats keep opening (tests/data/run-format-N, index-format-N.sql). A fixture
// is what the programs of that time wrote; a new format gets one beside the old ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "base/file.h"
#include "runs/run_index.h"
#include "support/temporary_directory.h"

namespace slipway {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
namespace fs = std::filesystem;

class EarlierFormats : public ::testing::Test {
protected:
    EarlierFormats()
    {
        fs::create_directories(m_registry.folder());
        fs::copy(m_data / "run-format-1", m_run, fs::copy_options::recursive);
    }

    // The database of the text, in which RUN stands for the folder of the run.
    void makeIndex(const fs::path &text)
    {
        std::string sql = readFile(text).value();
        for (std::size_t at = sql.find("RUN"); at != std::string::npos;
            at = sql.find("RUN", at + m_run.string().size()))
            sql.replace(at, 3, m_run.string());
        sqlite3 *database = nullptr;
        ASSERT_EQ(sqlite3_open(m_index.c_str(), &database), SQLITE_OK);
        EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
        sqlite3_close(database);
    }

    TemporaryDirectory m_home;
    const fs::path m_data = SLIPWAY_TEST_DATA;
    const Registry m_registry{m_home.path() / "runs"};
    const fs::path m_run = m_home.path() / "runs/fixture", m_index = m_home.path() / "runs.sqlite";
};

TEST_F(EarlierFormats, OfRunFoldersAreReadWhole)
{
    const Result<RunData> run = readRun(m_run);
    ASSERT_TRUE(run) << run.error().message();
    EXPECT_THAT(run->problems, IsEmpty());
    EXPECT_EQ(run->name, "fixture");
    EXPECT_EQ(run->state(), RunState::Succeeded);
    ASSERT_TRUE(run->config);
    EXPECT_EQ(run->totalSteps(), 6);
    ASSERT_EQ(run->metrics.size(), 6U);
    EXPECT_EQ(run->metrics[5].loss, 5.721846580505371);
    EXPECT_EQ(run->metrics[5].tokens, 192);
    ASSERT_THAT(run->events, SizeIs(3));
    EXPECT_EQ(run->events[1].kind, "checkpoint");
    ASSERT_TRUE(run->prediction);
    EXPECT_GT(run->prediction->speed.tokensPerSecond, 0);
    EXPECT_THAT(readLabels(run->paths, {}).tags, ElementsAre("fixture", "kept"));
    EXPECT_EQ(readLabels(run->paths, {}).notes, "written by the first format");
    const auto mark = readProcessIdentity(run->paths);
    ASSERT_TRUE(mark);
    EXPECT_EQ(mark->hostName, "node7");
}

TEST_F(EarlierFormats, OfTheIndexAreOpenedAndGiveTheirAlertsToTheirRuns)
{
    makeIndex(m_data / "index-format-1.sql");
    RunIndex index(m_registry, m_index);
    EXPECT_EQ(index.problem(), "");
    const std::vector<RunEntry> list = index.list();
    ASSERT_THAT(list, SizeIs(1));
    EXPECT_EQ(list[0].title, "fixture");
    EXPECT_EQ(list[0].step, 6);
    const std::vector<AlertRow> alerts = index.alerts(m_run);
    ASSERT_THAT(alerts, SizeIs(2));
    EXPECT_EQ(alerts[0].alert.kind, AlertKind::MemoryNearLimit);
    EXPECT_EQ(alerts[0].until, "");
    EXPECT_EQ(alerts[1].alert.message, "no step for 2 min");
    EXPECT_EQ(alerts[1].until, "2026-01-02T03:05:00.000Z");
    EXPECT_TRUE(fs::exists(alertsFile({m_run})));
}

} // namespace
} // namespace slipway
