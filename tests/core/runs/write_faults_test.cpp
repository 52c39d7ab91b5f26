// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What is left when a system call fails, or the process is killed at it: labels, alerts, run.yaml, the registry and the
// index, for each call in turn. This program defines the calls itself, so that SQLite's go through here too.
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <dlfcn.h>
#include <fcntl.h>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "run_examples.h"
#include "runs/remote_run.h"
#include "runs/run_index.h"
#include "support/temporary_directory.h"

namespace {

// The n-th call from now on fails with this error, or kills the process; 0: none does.
int callsLeft = 0, errorNumber = 0;
bool kills = false;

bool isDue()
{
    if (callsLeft == 0)
        return false;
    --callsLeft;
    if (callsLeft > 0)
        return false;
    if (kills)
        ::kill(::getpid(), SIGKILL);
    errno = errorNumber;
    return true;
}

template<typename Function>
Function next(const char *name)
{
    return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

mode_t modeOf(int flags, va_list arguments) { return (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0; }

} // namespace

extern "C" {

int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = modeOf(flags, arguments);
    va_end(arguments);
    static const auto real = next<int (*)(const char *, int, ...)>("open");
    return isDue() ? -1 : real(path, flags, mode);
}
int open64(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = modeOf(flags, arguments);
    va_end(arguments);
    static const auto real = next<int (*)(const char *, int, ...)>("open64");
    return isDue() ? -1 : real(path, flags, mode);
}
ssize_t write(int fd, const void *bytes, size_t count)
{
    static const auto real = next<ssize_t (*)(int, const void *, size_t)>("write");
    return isDue() ? -1 : real(fd, bytes, count);
}
ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at)
{
    static const auto real = next<ssize_t (*)(int, const void *, size_t, off_t)>("pwrite");
    return isDue() ? -1 : real(fd, bytes, count, at);
}
ssize_t pwrite64(int fd, const void *bytes, size_t count, off_t at)
{
    static const auto real = next<ssize_t (*)(int, const void *, size_t, off_t)>("pwrite64");
    return isDue() ? -1 : real(fd, bytes, count, at);
}
int fsync(int fd)
{
    static const auto real = next<int (*)(int)>("fsync");
    return isDue() ? -1 : real(fd);
}
int fdatasync(int fd)
{
    static const auto real = next<int (*)(int)>("fdatasync");
    return isDue() ? -1 : real(fd);
}
int rename(const char *from, const char *to) noexcept
{
    static const auto real = next<int (*)(const char *, const char *)>("rename");
    return isDue() ? -1 : real(from, to);
}
int mkdir(const char *path, mode_t mode) noexcept
{
    static const auto real = next<int (*)(const char *, mode_t)>("mkdir");
    return isDue() ? -1 : real(path, mode);
}
}

namespace slipway {
namespace {

using ::testing::AnyOf;
using ::testing::SizeIs;
namespace fs = std::filesystem;

constexpr int kMostCalls = 2000; // an operation that makes more is a loop

// A fresh home with a run for each fault. `act` gives whether it reported success; `check` receives that and judges
// the state, without faults.
struct Home {
    TemporaryDirectory folder;
    Registry registry{folder.path() / "runs"};
    fs::path index = folder.path() / "runs.sqlite";
    RunPaths run;

    Home()
    {
        run = {*registry.create("one")};
        RunConfig config;
        config.training.steps = 10;
        EXPECT_TRUE(writeRunConfig(run, config));
        writeText(run.metrics(), toJsonLine(exampleStep(1)) + "\n");
        writeText(run.exitStatus(), "0\n");
        EXPECT_TRUE(writeLabels(run, {.tags = {"old"}}));
        RunIndex(registry, index).list();
    }
};
using Act = std::function<bool(Home &)>;
using Check = std::function<void(Home &, bool reported)>;

// Each call in turn fails with each error. Gives how many faults were injected.
int failEachCall(const Act &act, const Check &check)
{
    int injected = 0;
    for (const int error : {ENOSPC, EIO, EINTR, EMFILE}) {
        for (int call = 1; call <= kMostCalls; ++call) {
            Home home;
            SCOPED_TRACE("call " + std::to_string(call) + " fails with errno " + std::to_string(error));
            errorNumber = error;
            callsLeft = call;
            const bool reported = act(home);
            const bool happened = callsLeft == 0;
            callsLeft = 0;
            check(home, reported);
            if (!happened)
                break;
            ++injected;
        }
    }
    return injected;
}

// The process is killed at each call in turn.
int killAtEachCall(const Act &act, const Check &check)
{
    int killed = 0;
    for (int call = 1; call <= kMostCalls; ++call) {
        Home home;
        SCOPED_TRACE("killed at call " + std::to_string(call));
        const pid_t child = ::fork();
        if (child == 0) {
            kills = true;
            callsLeft = call;
            ::_exit(act(home) ? 0 : 1);
        }
        int status = 0;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        check(home, WIFEXITED(status) && WEXITSTATUS(status) == 0);
        if (!WIFSIGNALED(status))
            break;
        ++killed;
    }
    return killed;
}

// Whatever happened to it, the run and its index can be read, and hold what they held.
void expectWholeRun(Home &home)
{
    RunIndex index(home.registry, home.index);
    EXPECT_EQ(index.problem(), "");
    const std::vector<RunEntry> list = index.list();
    const auto isOne = [](const RunEntry &entry) { return entry.name == "one" && entry.step == 1; };
    EXPECT_EQ(std::count_if(list.begin(), list.end(), isOne), 1);
    EXPECT_TRUE(readRunConfig(home.run));
}

TEST(WriteFaults, LeaveLabelsAsTheyWereOrAsTheyWereToBe)
{
    const Act act = [](Home &home) { return bool(writeLabels(home.run, {.tags = {"new"}, .notes = "n"})); };
    const Check check = [](Home &home, bool reported) {
        const std::vector<std::string> tags = readLabels(home.run, {}).tags;
        ASSERT_THAT(tags, SizeIs(1));
        EXPECT_THAT(tags[0], AnyOf("old", "new"));
        EXPECT_TRUE(!reported || tags[0] == "new");
        expectWholeRun(home);
        EXPECT_TRUE(writeLabels(home.run, {.tags = {"later"}}));
    };
    EXPECT_GE(failEachCall(act, check), 16);
    EXPECT_GE(killAtEachCall(act, check), 5);
}

TEST(WriteFaults, LeaveTheConfigurationAndTheStatusAsTheyWereOrAsTheyWereToBe)
{
    const Act act = [](Home &home) {
        RunConfig config;
        config.training.steps = 20;
        const bool written = bool(writeRunConfig(home.run, config));
        return bool(writeKnownStatus(home.run, {.status = {.state = RunState::Succeeded}, .seen = "t"})) && written;
    };
    const Check check = [](Home &home, bool reported) {
        const Result<RunConfig> config = readRunConfig(home.run);
        ASSERT_TRUE(config);
        EXPECT_THAT(*config->training.steps, AnyOf(10, 20));
        EXPECT_TRUE(!reported || *config->training.steps == 20);
        EXPECT_TRUE(!reported || readKnownStatus(home.run));
        expectWholeRun(home);
    };
    EXPECT_GE(failEachCall(act, check), 30);
    EXPECT_GE(killAtEachCall(act, check), 10);
}

TEST(WriteFaults, LoseNoAlertThatWasKeptAndNoneWithoutSayingSo)
{
    const Alert first{.kind = AlertKind::Stalled, .message = "no step for 2 min", .step = 1},
        second{.kind = AlertKind::Lost, .message = "gone", .step = 1};
    const Act act = [&](Home &home) {
        AlertHistory history(home.run.directory);
        history.note({first}, "2026-01-02T03:00:00.000Z");
        const bool kept = history.problem().empty();
        history.note({first, second}, "2026-01-02T04:00:00.000Z");
        return kept && history.problem().empty();
    };
    const Check check = [&](Home &home, bool reported) {
        AlertHistory history(home.run.directory);
        const std::vector<AlertRow> rows = history.rows();
        if (reported) {
            ASSERT_THAT(rows, SizeIs(2));
            EXPECT_EQ(rows[0].alert, second);
            EXPECT_EQ(rows[1].alert, first);
        }
        history.note({first, second}, "2026-01-02T05:00:00.000Z");
        EXPECT_THAT(AlertHistory(home.run.directory).rows(), SizeIs(2));
        expectWholeRun(home);
    };
    EXPECT_GE(failEachCall(act, check), 16);
    EXPECT_GE(killAtEachCall(act, check), 5);
}

TEST(WriteFaults, LeaveTheRegistryReadableAndItsFoldersWhole)
{
    const Act act = [](Home &home) { return bool(Registry(home.folder.path() / "other/runs").create("two")); };
    const Check check = [](Home &home, bool reported) {
        const Registry registry(home.folder.path() / "other/runs");
        EXPECT_TRUE(!reported || fs::is_directory(registry.folder() / "two"));
        EXPECT_TRUE(registry.create("two"));
        expectWholeRun(home);
    };
    EXPECT_GE(failEachCall(act, check), 12);
    EXPECT_GE(killAtEachCall(act, check), 3);
}

TEST(WriteFaults, LeaveAnIndexThatListsEveryRun)
{
    const Act list = [](Home &home) {
        RunIndex index(home.registry, home.index);
        index.list();
        return true;
    };
    const Check check = [](Home &home, bool) {
        expectWholeRun(home);
        EXPECT_FALSE(fs::exists(home.index.string() + ".damaged")); // nothing was damaged, so nothing made way
    };
    // A run that is not in the index yet, so that it is written.
    const auto withNewRun = [](const Act &then) {
        return [then](Home &home) {
            const int left = std::exchange(callsLeft, 0);
            const fs::path two = home.registry.folder() / "two";
            fs::copy(home.run.directory, two, fs::copy_options::recursive);
            callsLeft = left;
            return then(home);
        };
    };
    EXPECT_GE(failEachCall(withNewRun(list), check), 30);
    EXPECT_GE(killAtEachCall(withNewRun(list), check), 8);
}

} // namespace
} // namespace slipway
