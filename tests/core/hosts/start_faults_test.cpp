// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A start that breaks off: at the n-th command of its script, for every n, the command fails as on a full disk, or the
// shell that runs it is killed, or that shell and the one above it. Whatever is left is one of the documented states,
// nothing is started twice, and the run can be started.
#include <csignal>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/text.h"
#include "config/config_io.h"
#include "hosts/local_host.h"
#include "hosts/slurm_host.h"
#include "runs/remote_run.h"
#include "support/processes.h"
#include "support/temporary_directory.h"
#include "support/wait_until.h"

namespace slipway {
namespace {

using namespace std::chrono_literals;

// Puts wrappers of the commands that the scripts call first on PATH. The n-th call meets the fault.
class FaultyCommands {
public:
    explicit FaultyCommands(const std::filesystem::path &folder) : m_folder(folder), m_path(::getenv("PATH"))
    {
        std::filesystem::create_directory(folder);
        for (const char *name : {"cat", "cp", "cut", "find", "mkdir", "mv", "rm", "rmdir", "setsid", "uname"})
            wrap(name);
    }
    ~FaultyCommands() { ::setenv("PATH", m_path.c_str(), 1); }
    void arm(const std::string &fault, int call) const
    {
        writeText(m_folder / "fault", fault + " " + std::to_string(call) + "\n");
        writeText(m_folder / "calls", "");
        ::setenv("PATH", (m_folder.string() + ":" + m_path).c_str(), 1);
    }
    void disarm() const { ::setenv("PATH", m_path.c_str(), 1); }
    [[nodiscard]] bool struck() const { return std::filesystem::exists(m_folder / "struck"); }
    void forget() const { std::filesystem::remove(m_folder / "struck"); }

private:
    void wrap(const std::string &name) const
    {
        const std::string folder = m_folder.string();
        // A call adds a byte; the size of the file is its number. Only shells are killed, never this test.
        const std::string script = R"sh(#!/bin/sh
own=$PATH PATH=OLDPATH
printf x >> FOLDER/calls
read -r fault at < FOLDER/fault
if [ "$(wc -c < FOLDER/calls)" = "$at" ]; then
    touch FOLDER/struck
    above=$(cut -d ' ' -f 4 "/proc/$PPID/stat")
    case $fault in
    fail) echo 'No space left on device' >&2; exit 1 ;;
    kill) kill -9 $PPID; exit 1 ;;
    both) [ "$(cat "/proc/$above/comm")" != sh ] || kill -9 "$above"; kill -9 $PPID; exit 1 ;;
    esac
fi
real=$(command -v NAME) PATH=$own
exec "$real" "$@"
)sh";
        std::string text = script;
        for (const auto &[word, value] :
            {std::pair<std::string, std::string>("OLDPATH", m_path), {"FOLDER", folder}, {"NAME", name}}) {
            for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += value.size())
                text.replace(at, word.size(), value);
        }
        writeText(m_folder / name, text);
        std::filesystem::permissions(m_folder / name, std::filesystem::perms::owner_all);
    }

    std::filesystem::path m_folder;
    std::string m_path;
};

// Nobody is at work in the folder any more.
bool isQuiet(const std::filesystem::path &folder)
{
    for (const Process &process : processes()) {
        std::error_code gone;
        const auto place = std::filesystem::read_symlink("/proc/" + std::to_string(process.pid) + "/cwd", gone);
        if (!gone && process.pid != ::getpid() && place.string().starts_with(folder.string()))
            return false;
    }
    return true;
}

std::size_t linesOf(const std::filesystem::path &path)
{
    const auto text = readFile(path);
    return text ? static_cast<std::size_t>(std::count(text->begin(), text->end(), '\n')) : 0;
}

TEST(BrokenStarts, LeaveADocumentedStateAndARunThatCanBeStartedWhicheverCommandFails)
{
    const TemporaryDirectory folder;
    const FaultyCommands commands(folder.path() / "bin");
    LocalHost host;
    int struck = 0;
    for (const std::string fault : {"fail", "kill", "both"}) {
        for (int call = 1;; ++call) {
            SCOPED_TRACE(fault + " at call " + std::to_string(call));
            const RunPaths paths{folder.path() / (fault + std::to_string(call))};
            std::filesystem::create_directory(paths.directory);
            const StartRequest first{.directory = paths.directory, .command = {"sh", "-c", "echo ran"}, .attempt = 0};
            commands.forget();
            commands.arm(fault, call);
            const auto broken = host.start(first);
            ASSERT_TRUE(waitUntil(paths.directory, [&] { return isQuiet(paths.directory); }));
            commands.disarm();
            const RunStatus status = host.status(paths);
            EXPECT_TRUE(status.state == RunState::Draft || isTerminal(status.state))
                << enumName(status.state) << ": " << status.detail;
            const bool taken = std::filesystem::exists(paths.directory / "attempts" / "0");
            EXPECT_EQ(status.state == RunState::Draft, !taken) << status.detail;
            EXPECT_FALSE(broken && !taken) << "a start was reported, and nothing is there";
            const auto again = host.start(first);
            ASSERT_TRUE(again) << again.error().message();
            EXPECT_EQ(again->already, taken);
            ASSERT_TRUE(waitUntil(paths.directory, [&] { return isQuiet(paths.directory); }));
            EXPECT_TRUE(isTerminal(host.status(paths).state));
            EXPECT_LE(linesOf(paths.outLog()), 1U);
            const auto next =
                host.start({.directory = paths.directory, .command = {"sh", "-c", "echo ran"}, .attempt = 1});
            ASSERT_TRUE(next) << next.error().message();
            EXPECT_FALSE(next->already);
            ASSERT_TRUE(waitUntil(paths.directory, [&] { return isTerminal(host.status(paths).state); }));
            EXPECT_EQ(host.status(paths).state, RunState::Succeeded);
            EXPECT_LE(linesOf(paths.outLog()), 2U);
            if (!commands.struck())
                break;
            ++struck;
        }
    }
    EXPECT_GT(struck, 30);
}

TEST(BrokenStarts, OfWhichOnlyTheNameIsLeftAreLostAfterAMinuteAndCanBeFollowedByAnother)
{
    const TemporaryDirectory folder;
    const RunPaths paths{folder.path()};
    LocalHost host;
    const std::filesystem::path attempt = folder.path() / "attempts" / "0";
    std::filesystem::create_directories(attempt);
    writeText(attempt / "pgid", ""); // as a power cut leaves it
    EXPECT_EQ(host.status(paths).state, RunState::Queued);
    std::filesystem::last_write_time(attempt, std::filesystem::file_time_type::clock::now() - 61s);
    EXPECT_EQ(host.status(paths).state, RunState::Lost);
    ASSERT_FALSE(host.start({.directory = folder.path(), .command = {"true"}, .attempt = 0}));
    ASSERT_TRUE(host.start({.directory = folder.path(), .command = {"true"}, .attempt = 1}));
    EXPECT_TRUE(waitUntil(folder.path(), [&] { return host.status(paths).state == RunState::Succeeded; }));
}

TEST(BrokenStarts, ThatTookTheirAttemptAndDiedAreLostAtOnceAndAfterANewBoot)
{
    const TemporaryDirectory folder;
    const RunPaths paths{folder.path()};
    LocalHost host;
    const std::filesystem::path attempt = folder.path() / "attempts" / "3";
    std::filesystem::create_directories(attempt);
    const LocalMachine here = LocalMachine::current();
    writeText(attempt / "pgid", "999999999\n");
    writeText(attempt / "starttime", "1\n");
    writeText(attempt / "boot_id", here.bootId + "\n");
    writeText(attempt / "host", here.hostName + "\n");
    EXPECT_EQ(host.status(paths).state, RunState::Lost);
    writeText(attempt / "pgid", std::to_string(::getpid()) + "\n");
    writeText(attempt / "starttime", processStartTime(here, ::getpid()).value_or("") + "\n");
    EXPECT_EQ(host.status(paths).state, RunState::Running);
    writeText(attempt / "boot_id", "another boot\n");
    EXPECT_EQ(host.status(paths).state, RunState::Lost);
}

TEST(Starts, MakeFilesThatOnlyTheirOwnerReads)
{
    const TemporaryDirectory folder;
    const RunPaths paths{folder.path() / "run"};
    std::filesystem::create_directory(paths.directory);
    std::filesystem::permissions(paths.directory, std::filesystem::perms::owner_all);
    const ::mode_t before = ::umask(0);
    LocalHost host;
    const auto started =
        host.start({.directory = paths.directory, .command = {"sh", "-c", "mkdir sub; echo x > sub/file"}});
    ::umask(before);
    ASSERT_TRUE(started) << started.error().message();
    ASSERT_TRUE(waitUntil(paths.directory, [&] { return host.status(paths).state == RunState::Succeeded; }));
    for (std::filesystem::recursive_directory_iterator file(paths.directory), end; file != end; ++file) {
        const auto others = std::filesystem::perms::group_all | std::filesystem::perms::others_all;
        EXPECT_EQ(file->status().permissions() & others, std::filesystem::perms::none) << file->path();
    }
}

TEST(Signals, GoToNoRunWhoseFolderOrProcessBelongsToAnotherUser)
{
    if (::geteuid() != 0)
        GTEST_SKIP() << "only root can give a folder to another user";
    const TemporaryDirectory folder;
    const RunPaths paths{folder.path()};
    LocalHost host;
    const auto started = host.start({.directory = folder.path(), .command = {"sleep", "1000"}});
    ASSERT_TRUE(started) << started.error().message();
    ASSERT_EQ(::chown(folder.path().c_str(), 12345, 12345), 0);
    const auto refused = host.signalGroup(paths, SIGKILL);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message().find("not this user's own"), std::string::npos) << refused.error().message();
    EXPECT_EQ(host.status(paths).state, RunState::Running);
    ASSERT_EQ(::chown(folder.path().c_str(), 0, 0), 0);
    ASSERT_TRUE(host.signalGroup(paths, SIGKILL));
    EXPECT_TRUE(waitUntil(folder.path(), [&] { return isTerminal(host.status(paths).state); }));
    // A process of another user, whose number and start time stand in this user's folder.
    const pid_t other = ::fork();
    if (other == 0) {
        ::setpgid(0, 0);
        (void)!::setuid(12345);
        ::execlp("sleep", "sleep", "1000", nullptr);
        ::_exit(127);
    }
    ASSERT_TRUE(waitUntil(folder.path(), [&] {
        struct stat status{};
        return ::stat(("/proc/" + std::to_string(other)).c_str(), &status) == 0 && status.st_uid == 12345;
    }));
    writeText(paths.processGroup(), std::to_string(other) + "\n");
    writeText(paths.startTime(), processStartTime(LocalMachine::current(), other).value_or("") + "\n");
    EXPECT_FALSE(host.signalGroup(paths, SIGKILL));
    EXPECT_EQ(::waitpid(other, nullptr, WNOHANG), 0);
    ::kill(other, SIGKILL);
    ::waitpid(other, nullptr, 0);
}

// A Slurm that takes jobs and runs none: what is submitted stands in a file.
class BrokenSubmissions : public ::testing::Test {
protected:
    BrokenSubmissions()
    {
        std::filesystem::create_directory(m_bin);
        const std::string queue = (m_folder.path() / "queue").string();
        program("sbatch", "for word; do case $word in --comment=*) echo \"$(($(wc -l < " + queue +
                              ") + 7)) ${word#*=}\" >> " + queue + " ;; esac; done\ncat > /dev/null; tail -n 1 " +
                              queue + " | cut -d ' ' -f 1");
        program("squeue", "cat " + queue);
        program("scontrol", "exit 1");
        writeText(m_folder.path() / "queue", "");
        ::setenv("PATH", (m_bin.string() + ":" + m_path).c_str(), 1);
    }
    ~BrokenSubmissions() override { ::setenv("PATH", m_path.c_str(), 1); }
    void program(const std::string &name, const std::string &script) const
    {
        writeText(m_bin / name, "#!/bin/sh\n" + script + "\n");
        std::filesystem::permissions(m_bin / name, std::filesystem::perms::owner_all);
    }
    [[nodiscard]] RunPaths run(const std::string &name) const
    {
        const RunPaths paths{m_folder.path() / name};
        std::filesystem::create_directory(paths.directory);
        (void)writeRunConfig(paths.config(), RunConfig{});
        (void)writeRemoteRun(
            paths, {.host = "slurm:", .directory = paths.directory.string(), .trainer = {}, .options = {}});
        return paths;
    }
    [[nodiscard]] std::unique_ptr<SlurmHost> host() const
    {
        return std::make_unique<SlurmHost>(
            "slurm:", std::make_unique<LocalShell>(), "", std::vector<std::string>{}, 0ms);
    }

    TemporaryDirectory m_folder;
    std::filesystem::path m_bin = m_folder.path() / "slurm";
    std::string m_path = ::getenv("PATH");
};

TEST_F(BrokenSubmissions, SubmitOneJobWhicheverCommandFails)
{
    const FaultyCommands commands(m_folder.path() / "bin");
    int struck = 0;
    for (const std::string fault : {"fail", "kill"}) {
        for (int call = 1;; ++call) {
            SCOPED_TRACE(fault + " at call " + std::to_string(call));
            const RunPaths paths = run(fault + std::to_string(call));
            writeText(m_folder.path() / "queue", "");
            commands.forget();
            commands.arm(fault, call);
            (void)host()->start({.directory = paths.directory, .command = {"true"}, .attempt = 0});
            commands.disarm();
            const bool hit = commands.struck();
            const auto again = host()->start({.directory = paths.directory, .command = {"true"}, .attempt = 0});
            ASSERT_TRUE(again) << again.error().message();
            EXPECT_EQ(again->job, "7");
            EXPECT_EQ(linesOf(m_folder.path() / "queue"), 1U);
            EXPECT_EQ(readFile(paths.directory / "attempts/0/job").valueOr(""), "7\n");
            if (!hit)
                break;
            ++struck;
        }
    }
    EXPECT_GT(struck, 10);
}

TEST_F(BrokenSubmissions, ThatMadeNoJobAreLostAfterThreeMinutesAndFoundInTheQueueBefore)
{
    const RunPaths paths = run("one");
    program("sbatch", "cat > /dev/null; echo 'Unable to contact slurm controller' >&2; exit 1");
    ASSERT_FALSE(host()->start({.directory = paths.directory, .command = {"true"}, .attempt = 0}));
    const std::filesystem::path attempt = paths.directory / "attempts" / "0";
    EXPECT_EQ(host()->status(paths).state, RunState::Queued);
    const std::string token(trimmed(readFile(attempt / "token").valueOr("")));
    EXPECT_TRUE(token.starts_with("slipway-"));
    std::filesystem::last_write_time(attempt, std::filesystem::file_time_type::clock::now() - 181s);
    EXPECT_EQ(host()->status(paths).state, RunState::Lost);
    writeText(m_folder.path() / "queue", "41 " + token + "\n");
    program("scontrol", "echo 'JobId=41 JobState=PENDING Reason=Priority'");
    (void)writeKnownStatus(paths, {.status = {.state = RunState::Queued}, .seen = utcNow()});
    const RunStatus found = host()->status(paths);
    EXPECT_EQ(found.state, RunState::Queued);
    EXPECT_NE(found.detail.find("job 41"), std::string::npos) << found.detail;
}

TEST_F(BrokenSubmissions, TakeNothingButANumberForAJob)
{
    for (const char *lie : {"--yes", "-1", "all", "7 8", "", "0x7", "\\033[2J"}) {
        program("sbatch", "cat > /dev/null; printf '%b\\n' '" + std::string(lie) + "'");
        const RunPaths paths = run("lie" + std::to_string(lie[0]) + std::to_string(std::string(lie).size()));
        const auto started = host()->start({.directory = paths.directory, .command = {"true"}, .attempt = 0});
        ASSERT_FALSE(started) << lie;
        EXPECT_NE(started.error().message().find("slurm:"), std::string::npos) << started.error().message();
        EXPECT_EQ(started.error().message().find('\033'), std::string::npos);
    }
    const RunPaths paths = run("damaged");
    std::filesystem::create_directories(paths.directory / "attempts" / "0");
    program("scancel", "touch " + (m_folder.path() / "cancelled").string());
    for (const char *job : {"--user=root", "", "_", "1_", "1_2_3", "all", "1 2"}) {
        writeText(paths.directory / "attempts/0/job", job);
        EXPECT_FALSE(host()->signalGroup(paths, SIGKILL)) << job;
    }
    EXPECT_FALSE(std::filesystem::exists(m_folder.path() / "cancelled"));
}

} // namespace
} // namespace slipway
