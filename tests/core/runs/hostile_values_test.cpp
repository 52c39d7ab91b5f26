// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Names, tags, notes and messages of any bytes through every file of a run, the index in SQLite, comparisons and
// imports.
#include "support/hostile_values.h"

#include <array>
#include <map>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/csv.h"
#include "base/file.h"
#include "config/config_io.h"
#include "run_examples.h"
#include "runs/compare.h"
#include "runs/imported_run.h"
#include "runs/remote_run.h"
#include "runs/run_index.h"
#include "runs/tensorboard.h"
#include "support/temporary_directory.h"

namespace slipway {
namespace {

namespace fs = std::filesystem;

// What is no UTF-8 JSON cannot hold: it is replaced there, and never a fault.
void expectKept(const std::string &kept, const std::string &value)
{
    if (isUtf8(value))
        EXPECT_EQ(kept, value);
    else
        EXPECT_NE(kept.find("\ufffd"), std::string::npos) << kept;
}

struct HostileRuns : ::testing::Test {
    // A run with this text in every field that takes one.
    fs::path addRun(const std::string &text)
    {
        const fs::path directory = *m_registry.create(text);
        RunConfig config;
        config.training.name = config.training.notes = text;
        config.training.tags = {text};
        config.training.data = {{.path = "/data/" + text}};
        config.training.steps = 10;
        EXPECT_TRUE(writeRunConfig(RunPaths{directory}.config(), config));
        appendText(RunPaths{directory}.metrics(), toJsonLine(exampleStep(1)) + "\n");
        appendText(RunPaths{directory}.events(),
            toJsonLine(RunEvent{.time = "2026-01-02T00:00:00.000Z", .kind = "fault", .message = text}) + "\n");
        writeText(RunPaths{directory}.exitStatus(), "0\n");
        return directory;
    }

    TemporaryDirectory m_folder;
    Registry m_registry{m_folder.path() / "runs"};
};

TEST_F(HostileRuns, AreReadBackFromTheirFilesAndTheIndexAsTheyWereWritten)
{
    std::map<fs::path, std::string> texts;
    for (const std::string &value : hostileValues())
        texts[addRun(value)] = value;
    for (const bool fromTable : {false, true}) { // the second list comes from SQLite alone
        RunIndex index(m_registry);
        const std::vector<RunEntry> entries = index.list();
        ASSERT_EQ(entries.size(), texts.size());
        for (const RunEntry &entry : entries) {
            const std::string &text = texts.at(entry.directory);
            if (fromTable) {
                expectKept(entry.title, text);
                expectKept(entry.labels.notes, text);
                ASSERT_EQ(entry.labels.tags.size(), 1U);
                expectKept(entry.labels.tags[0], text);
            } else {
                EXPECT_EQ(entry.title, text);
                EXPECT_EQ(entry.labels.tags, std::vector<std::string>{text});
            }
            EXPECT_EQ(*m_registry.find(entry.name), entry.directory);
        }
    }
    for (const auto &[directory, text] : texts) {
        const auto run = readRun(directory);
        ASSERT_TRUE(run) << run.error().message();
        EXPECT_EQ(run->problemCount, 0) << run->problems.front().what;
        EXPECT_EQ(run->config->training.notes, text);
        EXPECT_EQ(run->config->training.data[0].path, "/data/" + text);
        ASSERT_EQ(run->events.size(), 1U);
        expectKept(run->events[0].message, text);
        EXPECT_TRUE(writeTensorboard(*run, m_folder.path() / "board" / directory.filename()));
    }
}

TEST_F(HostileRuns, HaveAlertsThatTheIndexKeeps)
{
    RunIndex index(m_registry);
    for (const std::string &value : hostileValues()) {
        if (value.find('/') != std::string::npos)
            continue;
        const fs::path directory = m_folder.path() / value;
        EXPECT_EQ(index.noteAlerts(directory, {{.kind = AlertKind::Stalled, .message = value}}, value).size(), 1U);
        EXPECT_TRUE(index.noteAlerts(directory, {{.kind = AlertKind::Stalled, .message = value}}, "later").empty());
        const auto rows = index.alerts(directory);
        ASSERT_EQ(rows.size(), 1U) << value;
        EXPECT_EQ(rows[0].alert.message, value);
        EXPECT_EQ(rows[0].since, value);
    }
}

TEST_F(HostileRuns, TakeLabelsAndKeepThemOrSayWhyNot)
{
    const RunPaths run{addRun("plain")};
    for (const std::string &value : hostileValues()) {
        ASSERT_TRUE(writeLabels(run, {.tags = {}, .notes = value}));
        expectKept(readLabels(run, {}).notes, value);
        const Labels before = readLabels(run, {});
        if (const auto written = writeLabels(run, {.tags = {value}, .notes = "n"}); !written) {
            EXPECT_FALSE(written.error().accepted.empty());
            EXPECT_EQ(readLabels(run, {}), before); // nothing was lost
        }
    }
}

TEST_F(HostileRuns, AreComparedByTheirSettings)
{
    const RunData one = exampleRun(2);
    RunData other = exampleRun(2);
    for (const std::string &value : hostileValues()) {
        other.config->training.data = {{.path = value}};
        other.name = value;
        const auto comparison = compareRuns(std::array<const RunData *, 2>{&one, &other});
        ASSERT_TRUE(comparison);
        EXPECT_EQ(comparison->names[1], value);
        ASSERT_EQ(comparison->settings.size(), 1U) << value;
        EXPECT_EQ(comparison->settings[0].key, "data");
    }
}

TEST_F(HostileRuns, OfOtherToolsKeepTheNamesOfTheirColumns)
{
    const std::vector<std::string> values = hostileValues();
    std::vector<std::string> header{"Step", "train/loss"}, row{"1", "4.5"};
    nlohmann::json history = {{"_step", 1}, {"train/loss", 4.5}};
    for (std::size_t i = 0; i < values.size(); ++i) {
        header.push_back("x" + std::to_string(i) + values[i]);
        row.push_back("1");
        if (isUtf8(values[i]))
            history["x" + std::to_string(i) + values[i]] = 1;
    }
    writeText(m_folder.path() / "w.csv", csvRecord(header) + csvRecord(row));
    writeText(m_folder.path() / "w.json", history.dump() + "\n");
    for (const char *file : {"w.csv", "w.json"}) {
        const auto read = readExports({m_folder.path() / file});
        ASSERT_TRUE(read) << read.error().message();
        ASSERT_EQ(read->metrics.size(), 1U);
        EXPECT_EQ(read->metrics[0].loss, 4.5);
        EXPECT_GT(read->ignored.size(), 60U);
    }
    for (const std::string &value : hostileValues(200)) {
        if (value.find('/') != std::string::npos)
            continue;
        const fs::path file = m_folder.path() / ("export" + value + ".csv");
        writeText(file, "Step,train/loss\n1,4.5\n");
        const auto made = importRun(value, {file}, m_registry);
        ASSERT_TRUE(made) << made.error().message();
        EXPECT_EQ(made->parent_path(), m_registry.folder());
        EXPECT_EQ(readRun(*made)->metrics.size(), 1U);
    }
}

TEST_F(HostileRuns, WithOwnFilesThatNestVeryDeepOrAreNoFilesAreRead)
{
    const RunPaths run{addRun("plain")};
    const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
    for (const char *name : {"labels.json", "standing.json", "remote.json"}) {
        writeText(run.directory / name, R"({"tags":)" + deep + R"(,"state":)" + deep + R"(,"host":)" + deep + "}");
    }
    EXPECT_EQ(readLabels(run, {.tags = {"launched"}}).tags, std::vector<std::string>{"launched"});
    EXPECT_FALSE(readKnownStatus(run));
    const auto remote = readRemoteRun(run);
    ASSERT_FALSE(remote);
    EXPECT_EQ(remote.error().message(),
        (run.directory / "remote.json").string() + ": is damaged: it has arrays and objects more than 32 deep");
}

// A fetched folder once held such a link, and the next state was written through it.
TEST_F(HostileRuns, WithLinksInThePlaceOfOwnFilesLoseTheLinksAndLeaveTheirTargets)
{
    const RunPaths run{addRun("plain")};
    const fs::path theirs = m_folder.path() / "bashrc";
    writeText(theirs, "alias ls=ls\n");
    for (const char *name : {"labels.json", "standing.json", "remote.json"})
        fs::create_symlink(theirs, run.directory / name);
    ASSERT_TRUE(writeLabels(run, {.tags = {"a"}}));
    ASSERT_TRUE(writeKnownStatus(run, {.status = {.state = RunState::Running}, .seen = "t"}));
    ASSERT_TRUE(writeRemoteRun(run, {.host = "node7"}));
    EXPECT_EQ(*readFile(theirs), "alias ls=ls\n");
    EXPECT_EQ(readRemoteRun(run)->host, "node7");
    EXPECT_EQ(readKnownStatus(run)->status.state, RunState::Running);
    for (const char *name : {"labels.json", "standing.json", "remote.json"}) {
        struct stat status{};
        ASSERT_EQ(::lstat((run.directory / name).c_str(), &status), 0);
        EXPECT_TRUE(S_ISREG(status.st_mode));
        EXPECT_EQ(status.st_mode & 0777U, 0600U) << name;
    }
}

TEST_F(HostileRuns, ElsewhereAreFoundByTheExactBytesOfTheirDirectory)
{
    const RunPaths run{addRun("plain")};
    for (const std::string &value : hostileValues()) {
        const RemoteRun remote{.host = "slurm:",
            .directory = "/scratch/" + value,
            .trainer = value,
            .options = {isUtf8(value) ? value : ""}};
        ASSERT_TRUE(writeRemoteRun(run, remote));
        EXPECT_EQ(*readRemoteRun(run), remote);
    }
}

} // namespace
} // namespace slipway
