// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Commands whose calls to the system fail one after the other, and that are killed at each of them. Afterwards the run
// is in a documented state, it can be started or resumed, what was reported as saved is there, and nothing is left
// over.
#include <algorithm>
#include <regex>
#include <set>

#include <gmock/gmock.h>

#include "base/enum_names.h"
#include "base/file.h"
#include "e2e/programs.h"
#include "faults/faulty_run.h"
#include "runs/labels.h"
#include "runs/run_reader.h"
#include "support/processes.h"
#include "support/wait_until.h"

namespace slipway::faults {
namespace {

namespace fs = std::filesystem;

class Faults : public e2e::ProgramTest {
protected:
    Faults()
    {
        fs::create_directories(folder() / "bin");
        fs::copy_file(SLIPWAY_PROGRAM, folder() / "bin/slipway");
        fs::create_directory(m_home);
        file("tokens.bin", "tokens");
        m_yaml = file("tiny.yaml", "model: 100M\ngpu: cpu\nprecision: fp32\ndevice: cpu\nseq_len: 128\nmicro_batch: "
                                   "1\ndata: tokens.bin\nsteps: 2\nname: tiny\n");
        ::setenv("XDG_DATA_HOME", m_home.c_str(), 1);
        writeText(folder() / "bin/slipway-train",
            "#!/bin/sh\ncd \"$2\" || exit 3\nstep() { echo '{\"v\":1,\"attempt\":0,\"step\":'$1',\"tokens\":'$1'000,"
            "\"time\":\"2026-01-02T00:00:0'$1'.000Z\",\"step_s\":1.0,\"tokens_per_s\":1000,\"loss\":'$1'.5,\"lr\":1e-3,"
            "\"grad_norm\":1}'; }\n{ step 1 && step 2; } > metrics.part && mv metrics.part metrics.jsonl || exit 3\n");
        fs::permissions(folder() / "bin/slipway-train", fs::perms::owner_all);
    }
    ~Faults() override
    {
        waitForProcesses();
        for (const auto &[call, count] : m_counts.injected) {
            RecordProperty("injected_" + call, count);
            std::printf("%s: %d faults\n", call.c_str(), count);
        }
        for (const auto &[state, count] : m_counts.states)
            std::printf("reached %s: %d\n", state.c_str(), count);
    }
    [[nodiscard]] std::vector<std::string> command(std::vector<std::string> arguments) const
    {
        arguments.insert(arguments.begin(), (folder() / "bin/slipway").string());
        return arguments;
    }
    // Without a fault.
    [[nodiscard]] ChildResult slipway(std::vector<std::string> arguments) const
    {
        const Result<ChildResult> ended = runChild(command(std::move(arguments)), std::chrono::minutes(2));
        EXPECT_TRUE(ended) << ended.error().message();
        return ended ? *ended : ChildResult{.exitStatus = -1};
    }
    // What an earlier command left running has ended: its supervisor, its trainer, all that stand in the folder.
    void waitForProcesses() const
    {
        waitUntil(m_home, [&] {
            const std::vector<Process> all = processes();
            return std::none_of(all.begin(), all.end(), [&](const Process &p) {
                std::error_code ignored;
                const fs::path where = fs::read_symlink("/proc/" + std::to_string(p.pid) + "/cwd", ignored);
                return p.state != 'Z' && where.string().starts_with(m_home.string());
            });
        });
    }
    void emptyHome() const
    {
        waitForProcesses();
        fs::remove_all(m_home);
        fs::create_directory(m_home);
    }
    void finishedRun() const
    {
        emptyHome();
        const ChildResult launched = slipway({"launch", m_yaml});
        ASSERT_EQ(launched.exitStatus, 0) << launched.err;
    }
    // The run's state as `slipway runs` lists it; empty: it lists none.
    std::string listedState()
    {
        const ChildResult listed = slipway({"runs", "--json"});
        EXPECT_EQ(listed.exitStatus, 0) << listed.err;
        const nlohmann::json json = nlohmann::json::parse(listed.out, nullptr, false);
        if (!json.is_object() || json["runs"].empty())
            return {};
        EXPECT_EQ(json["runs"].size(), 1U) << listed.out;
        m_run = std::string(json["runs"][0]["directory"]);
        const std::string state = json["runs"][0]["state"];
        EXPECT_NE(std::find(EnumNames<RunState>::names.begin(), EnumNames<RunState>::names.end(), state),
            EnumNames<RunState>::names.end())
            << state;
        return state;
    }
    // An attempt without a process counts as lost after a minute; here the minute passes at once.
    void ageAttempts() const
    {
        std::error_code ignored;
        for (const auto &entry : fs::recursive_directory_iterator(m_run, ignored))
            fs::last_write_time(entry.path(), fs::file_time_type::clock::now() - std::chrono::minutes(5), ignored);
    }
    // As a person would: launch where there is no run, resume where it has ended, wait while it runs.
    void recover()
    {
        waitForProcesses();
        std::string state, path;
        for (int tries = 0; tries < 5; ++tries) {
            state = listedState();
            path += (path.empty() ? "" : ", ") + (state.empty() ? "none" : state);
            if (tries == 0)
                ++m_counts.states[state.empty() ? "none" : state];
            if (state == "succeeded")
                return;
            ChildResult done;
            if (state.empty())
                done = slipway({"launch", m_yaml});
            else if (state == "running" || state == "stopping")
                done = slipway({"watch", m_run.string()});
            else if (state == "queued")
                ageAttempts();
            else
                done = slipway({"resume", m_run.string()});
            path += done.exitStatus == 0 ? "" : " (" + std::to_string(done.exitStatus) + ": " + done.err + ")";
        }
        FAIL() << "the run was not brought to its end: " << path;
    }
    // A name that holds a number of its own (a process's, say) counts as one.
    static std::set<std::string> kindsOf(const std::vector<std::string> &files)
    {
        std::set<std::string> kinds;
        for (std::string name : files) {
            for (char &c : name)
                c = c >= '0' && c <= '9' ? '0' : c;
            kinds.insert(name);
        }
        return kinds;
    }
    void expectNoLitter(const std::vector<std::string> &clean) const
    {
        const std::vector<std::string> now = filesBelow(m_home);
        std::vector<std::string> more;
        const std::set<std::string> known = kindsOf(clean);
        for (const std::string &name : now) {
            // A later attempt's mark, and the exit status that is prepared, are part of a run's folder.
            const bool ofRun = name.find("/attempts/") != std::string::npos;
            if (!ofRun && !known.contains(*kindsOf({name}).begin()))
                more.push_back(name);
        }
        EXPECT_THAT(more, ::testing::IsEmpty()) << "left over";
    }

    fs::path m_home = folder() / "home";
    fs::path m_firstRun = m_home / "slipway/runs/tiny", m_run = m_firstRun;
    std::string m_yaml;
    FaultCounts m_counts;
};

TEST_F(Faults, ALaunchLeavesARunThatCanBeBroughtToItsEnd)
{
    finishedRun();
    (void)listedState();
    std::vector<std::string> clean = filesBelow(m_home);
    clean.push_back("slipway/runs/tiny/events.jsonl"); // what a start that failed says
    FaultyCommand launch{.folder = m_home, .argv = command({"launch", m_yaml})};
    launch.reset = [&] {
        emptyHome();
        m_run = m_firstRun;
    };
    launch.check = [&](const FaultyResult &result) {
        waitForProcesses();
        if (result.child.exitStatus == 0) {
            EXPECT_EQ(listedState(), "succeeded") << "it said so";
        }
        recover();
        // A launch that is killed before its folder is a run leaves the folder; the next one takes another name.
        if (m_run != m_firstRun) {
            EXPECT_TRUE(result.killed());
            fs::remove_all(m_firstRun);
            fs::rename(m_run, m_firstRun);
            m_run = m_firstRun;
        }
        const Result<RunData> run = readRun(m_run);
        ASSERT_TRUE(run) << run.error().message();
        EXPECT_EQ(run->metrics.size(), 2U);
        EXPECT_EQ(run->problemCount, 0);
        expectNoLitter(clean);
    };
    m_counts.injected = runWithEveryFault(launch).injected;
}

TEST_F(Faults, LabelsAreTheOldOnesOrTheNewOnes)
{
    finishedRun();
    const RunPaths paths{m_run};
    const std::vector<std::string> clean = filesBelow(m_home);
    const Labels old{.tags = {"old"}, .notes = "before"}, wanted{.tags = {"new", "old"}, .notes = "after"};
    FaultyCommand label{.folder = m_home, .argv = command({"label", "tiny", "--tag", "new", "--notes", "after"})};
    label.reset = [&] { ASSERT_TRUE(writeLabels(paths, old)); };
    label.check = [&](const FaultyResult &result) {
        const Labels now = readLabels(paths, {});
        EXPECT_TRUE(now == old || now == wanted) << now.notes;
        if (result.child.exitStatus == 0) {
            EXPECT_EQ(now, wanted) << "it said so";
        }
        EXPECT_EQ(slipway({"label", "tiny", "--tag", "new", "--notes", "after"}).exitStatus, 0);
        EXPECT_EQ(readLabels(paths, {}), wanted);
        std::vector<std::string> known = clean;
        known.push_back("slipway/runs/tiny/labels.json");
        expectNoLitter(known);
    };
    m_counts = runWithEveryFault(label);
}

TEST_F(Faults, LabelsThatCannotBeReadAreNotWrittenOver)
{
    finishedRun();
    const RunPaths paths{m_run};
    const Labels old{.tags = {"old"}, .notes = "before"};
    ASSERT_TRUE(writeLabels(paths, old));
    for (const char *name : {"labels.json", "run.yaml"}) {
        for (const int error : {EMFILE, ENFILE, EIO}) {
            const FaultyResult result = runWithFault({.call = "open", .error = error, .at = 1}, m_run / name,
                command({"label", "tiny", "--tag", "new", "--notes", "after"}));
            EXPECT_TRUE(result.failed) << name;
            EXPECT_EQ(result.child.exitStatus, 3) << name;
            EXPECT_THAT(result.child.err, ::testing::HasSubstr(std::string(name) + ": cannot open: "));
            EXPECT_EQ(readLabels(paths, {}), old) << name;
        }
    }
}

TEST_F(Faults, AListThatLacksSomethingSaysSoAndIsNotKept)
{
    finishedRun();
    const std::string before = slipway({"runs", "--json"}).out;
    for (const fs::path &file : {m_home / "slipway/runs", m_run / "rc", m_run / "run.yaml", m_run / "prediction.json",
             m_run / "metrics.jsonl", m_run / "events.jsonl"}) {
        const FaultyResult result =
            runWithFault({.call = "open", .error = EMFILE, .at = 1}, file, command({"runs", "--json", "--rebuild"}));
        EXPECT_TRUE(result.failed) << file;
        EXPECT_EQ(result.child.exitStatus, 3) << file;
        EXPECT_THAT(result.child.err, ::testing::HasSubstr("Too many open files"));
        EXPECT_EQ(slipway({"runs", "--json"}).out, before) << file;
    }
}

TEST_F(Faults, AReportIsTheOldOneOrTheNewOne)
{
    finishedRun();
    const fs::path file = m_home / "report.html";
    const std::vector<std::string> argv = command({"report", "tiny", "--html", file.string()});
    ASSERT_EQ(slipway({"report", "tiny", "--html", file.string()}).exitStatus, 0);
    const std::vector<std::string> clean = filesBelow(m_home);
    // It says when it was made.
    static const std::regex kTime("[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2} UTC");
    const auto content = [&] { return std::regex_replace(readFile(file).value(), kTime, "TIME"); };
    const std::string wanted = content();
    FaultyCommand report{.folder = m_home, .argv = argv};
    report.reset = [&] { ASSERT_TRUE(writeNamedFile(file, "old")); };
    report.check = [&](const FaultyResult &result) {
        const std::string now = content();
        EXPECT_TRUE(now == "old" || now == wanted);
        if (result.child.exitStatus == 0) {
            EXPECT_EQ(now, wanted) << "it said so";
        }
        ASSERT_EQ(slipway({"report", "tiny", "--html", file.string()}).exitStatus, 0);
        EXPECT_EQ(content(), wanted);
        expectNoLitter(clean); // a temporary file of a killed one is gone
    };
    m_counts = runWithEveryFault(report);
}

TEST_F(Faults, TheListOfRunsIsTheSameAfterwards)
{
    finishedRun();
    const std::string before = slipway({"runs", "--json"}).out;
    const std::vector<std::string> clean = filesBelow(m_home);
    FaultyCommand runs{.folder = m_home, .argv = command({"runs", "--json", "--rebuild"})};
    runs.reset = [] {};
    runs.check = [&](const FaultyResult &result) {
        if (result.child.exitStatus == 0 && !result.killed()) {
            EXPECT_EQ(result.child.out, before) << "it said that it was done";
        }
        EXPECT_EQ(slipway({"runs", "--json"}).out, before);
        expectNoLitter(clean);
    };
    m_counts = runWithEveryFault(runs);
}

TEST_F(Faults, AReportIsTheOldFileOrTheNewOne)
{
    finishedRun();
    const fs::path table = m_home / "report.csv";
    const std::vector<std::string> arguments{"report", "tiny", "--csv", table.string()};
    ASSERT_EQ(slipway(arguments).exitStatus, 0);
    const std::string whole = readFile(table).value();
    const std::vector<std::string> clean = filesBelow(m_home);
    FaultyCommand report{.folder = m_home, .argv = command(arguments)};
    report.reset = [&] { writeText(table, "old"); };
    report.check = [&](const FaultyResult &result) {
        const std::string now = readFile(table).value();
        EXPECT_TRUE(now == "old" || now == whole) << now;
        if (result.child.exitStatus == 0) {
            EXPECT_EQ(now, whole) << "it said so";
        }
        EXPECT_EQ(slipway(arguments).exitStatus, 0);
        EXPECT_EQ(readFile(table).value(), whole);
        expectNoLitter(clean);
    };
    m_counts = runWithEveryFault(report);
}

} // namespace
} // namespace slipway::faults
