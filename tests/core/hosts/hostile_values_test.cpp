// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Every way by which a name, path or note reaches a shell, a scheduler or another launcher's file, with every hostile
// value.
#include "support/hostile_values.h"

#include <algorithm>
#include <cctype>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/text.h"
#include "base/yaml.h"
#include "core/hosts/remote_run_fixture.h"
#include "hosts/child_process.h"
#include "hosts/export_files.h"
#include "hosts/launch_script.h"
#include "hosts/shell_quote.h"
#include "hosts/slurm_script.h"
#include "hosts/ssh_shell.h"
#include "support/ssh_server.h"

namespace slipway {
namespace {

using namespace std::chrono_literals;

std::string nulJoined(const std::vector<std::string> &values)
{
    std::string text;
    for (const std::string &value : values)
        text += value + '\0';
    return text;
}

// Nothing below the folder, nor here, was made by a value that a shell obeyed.
void expectNothingObeyed(const std::filesystem::path &folder)
{
    EXPECT_FALSE(std::filesystem::exists("pwned"));
    for (std::filesystem::recursive_directory_iterator file(folder), end; file != end; ++file)
        EXPECT_NE(file->path().filename(), "pwned") << file->path();
}

TEST(HostileValues, ComeBackByteForByteFromThisMachinesShell)
{
    LocalShell shell;
    const auto said = shell.run("printf '%s\\0' \"$@\"", hostileValues(), 30s);
    ASSERT_TRUE(said) << said.error().message();
    EXPECT_TRUE(said->out == nulJoined(hostileValues()));
}

TEST(HostileValues, ComeBackByteForByteFromAShellOverSsh)
{
    const SshServer server;
    if (!server.problem().empty())
        GTEST_SKIP() << server.problem();
    const auto shell = SshShell::to("testnode");
    ASSERT_TRUE(shell);
    const auto said = (*shell)->run("printf '%s\\0' \"$@\"", hostileValues(), 30s);
    ASSERT_TRUE(said) << said.error().message();
    EXPECT_TRUE(said->out == nulJoined(hostileValues()));
    expectNothingObeyed(server.path("home"));
}

TEST(HostileValues, ThatNameFilesAreCopiedThereAndBackUnderTheirNames)
{
    const SshServer server;
    if (!server.problem().empty())
        GTEST_SKIP() << server.problem();
    const auto shell = SshShell::to("testnode");
    ASSERT_TRUE(shell);
    const TemporaryDirectory folder;
    for (const char *name : {"here", "there", "back"})
        std::filesystem::create_directory(folder.path() / name);
    for (const std::string &value : hostileValues(200)) {
        if (value.find('/') == std::string::npos && value != "." && value != "..")
            writeText(folder.path() / "here" / value, "it is " + value);
    }
    const std::string odd = "$(touch pwned) '\"; ä\n -x";
    std::filesystem::create_directory(folder.path() / "there" / odd);
    ASSERT_TRUE(
        (*shell)->send((folder.path() / "here").string() + "/", (folder.path() / "there" / odd).string() + "/", 60s));
    ASSERT_TRUE((*shell)->fetch(
        (folder.path() / "there" / odd).string() + "/", (folder.path() / "back").string() + "/", {}, 60s));
    std::size_t files = 0;
    for (const auto &file : std::filesystem::directory_iterator(folder.path() / "here")) {
        const auto back = readFile(folder.path() / "back" / file.path().filename());
        EXPECT_EQ(back ? *back : back.error().message(), "it is " + file.path().filename().string());
        ++files;
    }
    EXPECT_GT(files, 60U);
    expectNothingObeyed(folder.path());
}

TEST(HostileValues, ReachATrainerAsItsArguments)
{
    TemporaryDirectory folder;
    StartRequest request{.directory = folder.path(), .command = {"printf", "%s\\0"}};
    const auto values = hostileValues();
    request.command.insert(request.command.end(), values.begin(), values.end());
    const auto said = runChild(launchArguments(request), 60s);
    ASSERT_TRUE(said && said->exitStatus == 0) << said->err;
    ASSERT_TRUE(waitUntil(folder.path(), [&] { return std::filesystem::exists(folder.path() / "rc"); }));
    EXPECT_TRUE(*readFile(folder.path() / "out.log") == nulJoined(values));
    expectNothingObeyed(folder.path());
}

TEST(HostileValues, InABatchScriptAreDirectoriesAndArgumentsAndNoOrders)
{
    const TemporaryDirectory folder;
    std::vector<StartRequest> tasks;
    std::string name;
    std::vector<std::string> some;
    for (const std::string &value : hostileValues(100)) { // as many in a task as the name of a folder holds
        if (value.find('/') != std::string::npos)
            continue;
        name += value;
        some.push_back(value);
        if (name.size() < 100)
            continue;
        tasks.push_back(
            {.directory = folder.path() / (std::to_string(tasks.size()) + name), .command = {"printf", "%s\\0"}});
        tasks.back().command.insert(tasks.back().command.end(), some.begin(), some.end());
        std::filesystem::create_directory(tasks.back().directory);
        name.clear();
        some.clear();
    }
    ASSERT_GT(tasks.size(), 3U);
    writeText(folder.path() / "batch", slurmBatchScript(tasks));
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        const auto ran = runChild({"env", "SLURM_ARRAY_JOB_ID=7", "SLURM_ARRAY_TASK_ID=" + std::to_string(i), "sh",
                                      (folder.path() / "batch").string()},
            30s);
        ASSERT_TRUE(ran);
        EXPECT_EQ(ran->exitStatus, 0) << ran->err;
        EXPECT_EQ(readFile(tasks[i].directory / "out.log").value(),
            nulJoined({tasks[i].command.begin() + 2, tasks[i].command.end()}));
    }
    expectNothingObeyed(folder.path());
}

TEST(HostileValues, ThatNameARunGiveASchedulerAPlainName)
{
    for (const std::string &value : hostileValues()) {
        RunConfig config;
        config.training.name = value;
        const auto options = sbatchOptions({.name = config.training.name}, 1, {});
        const std::string name = optionValue(options, "job-name", '\0');
        EXPECT_TRUE(std::all_of(name.begin(), name.end(), [](unsigned char c) {
            return std::isalnum(c) || c == '-' || c == '_';
        })) << name;
        EXPECT_LT(name.size(), 100U);
    }
}

TEST(HostileValues, ThatNameARunLeaveEveryExportedFileWhole)
{
    const TemporaryDirectory folder;
    Prediction prediction;
    prediction.gpu.id = "h100-sxm-80gb";
    prediction.cost.hours = 1;
    for (const std::string &value : hostileValues()) {
        RunConfig config;
        config.training.name = config.training.notes = value;
        config.training.tags = {value};
        for (const ExportTarget target :
            {ExportTarget::Slurm, ExportTarget::Skypilot, ExportTarget::Torchrun, ExportTarget::Kubernetes}) {
            const auto file = exportedFile(config, prediction, target);
            ASSERT_TRUE(file) << file.error().message();
            EXPECT_EQ(file->name.find('/'), std::string::npos);
            if (target == ExportTarget::Slurm || target == ExportTarget::Torchrun) {
                writeText(folder.path() / "script", file->text);
                const auto checked = runChild({"sh", "-n", (folder.path() / "script").string()}, 30s);
                EXPECT_TRUE(checked && checked->exitStatus == 0) << checked->err;
                continue;
            }
            const auto yaml = parseYaml(file->text, file->name);
            ASSERT_TRUE(yaml) << yaml.error().message() << "\n" << file->text;
            const YamlNode *name =
                target == ExportTarget::Skypilot ? yaml->find("name") : yaml->find("metadata")->find("name");
            ASSERT_TRUE(name);
            ASSERT_FALSE(name->scalar.empty());
            EXPECT_TRUE(name->quoted) << name->scalar; // null and 1e3 are names, too
            EXPECT_LE(name->scalar.size(), 63U);
            EXPECT_TRUE(std::all_of(name->scalar.begin(), name->scalar.end(), [](unsigned char c) {
                return std::isalnum(c) || c == '-';
            })) << name->scalar;
            EXPECT_TRUE(
                std::isalnum(static_cast<unsigned char>(name->scalar.back())) || target == ExportTarget::Skypilot)
                << name->scalar;
        }
    }
}

TEST(HostileValues, ThatNameDataReachASkypilotTaskAsTheyAre)
{
    const TemporaryDirectory folder;
    Prediction prediction;
    prediction.gpu.id = "h100-sxm-80gb";
    for (const std::string &value : hostileValues()) {
        if (value.find('/') != std::string::npos || value.size() > 200)
            continue;
        const std::string path = (folder.path() / ("x" + value)).string();
        writeText(path, "tokens");
        RunConfig config;
        config.training.data = {{.path = path}};
        const auto file = exportedFile(config, prediction, ExportTarget::Skypilot);
        const auto yaml = parseYaml(file->text, file->name);
        ASSERT_TRUE(yaml) << yaml.error().message() << "\n" << file->text;
        const YamlNode *const mounts = yaml->find("file_mounts");
        if (!isUtf8(value)) {
            EXPECT_EQ(mounts, nullptr) << "YAML could not name it";
            continue;
        }
        ASSERT_TRUE(mounts != nullptr && mounts->find(path) != nullptr) << file->text;
        EXPECT_EQ(mounts->find(path)->scalar, path);
    }
}

TEST(HostileValues, AreNoHosts)
{
    for (const std::string &value : hostileValues()) {
        for (const std::string &name : {value, "slurm:" + value, "ada@" + value, "node7:" + value}) {
            const auto host = makeHost(name);
            if (host) { // then it is a name that ssh takes as a name
                EXPECT_EQ((*host)->name(), name);
                EXPECT_EQ(name.find_first_of(" \t\r\n'\"`$;&|<>*?\\(){}[]!#~%="), std::string::npos) << name;
                EXPECT_FALSE(value.starts_with('-'));
            } else {
                EXPECT_EQ(host.error().fault, Fault::Input);
                EXPECT_FALSE(host.error().accepted.empty());
            }
        }
    }
}

// All of them at once, in every field of a run, over a real sshd.
class HostileRun : public RemoteRunTest {
protected:
    void SetUp() override
    {
        if (!m_server.problem().empty())
            GTEST_SKIP() << m_server.problem();
    }
    SshServer m_server;
};

TEST_F(HostileRun, KeepsEveryByteOfItsNotesAndTagsThere)
{
    trainer("exit 0");
    std::string notes;
    for (const std::string &value : hostileValues())
        notes += value + " ";
    m_order.config.training.notes = notes;
    m_order.config.training.tags = hostileValues();
    m_order.config.training.name = std::string(10'000, '\'') + "$(touch pwned)";
    m_order.prediction = Prediction{};
    const auto node = std::move(*makeHost("testnode:" + m_home.string()));
    const auto run = launchRun(m_order, *node, m_registry);
    ASSERT_TRUE(run) << run.error().message();
    ASSERT_TRUE(waitForState(*run, *node, RunState::Succeeded));
    for (const std::filesystem::path &directory : {run->directory, there(*run)}) {
        const auto config = readRunConfig(directory / "run.yaml");
        ASSERT_TRUE(config) << config.error().message();
        EXPECT_TRUE(config->training.notes == notes);
        EXPECT_EQ(config->training.tags, m_order.config.training.tags);
        EXPECT_EQ(config->training.name, m_order.config.training.name);
    }
    expectNothingObeyed(m_folder.path());
}

} // namespace
} // namespace slipway
