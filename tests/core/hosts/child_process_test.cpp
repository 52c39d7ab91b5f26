// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/child_process.h"

#include <csignal>

#include <gtest/gtest.h>

namespace slipway {
namespace {

using namespace std::chrono_literals;

std::string problemOf(const std::vector<std::string> &argv, const ChildLimits &limits)
{
    const auto done = runChild(argv, limits);
    return done ? "(none)" : done.error().message();
}

TEST(ChildProcesses, GiveTheirOutputErrorsAndExitStatus)
{
    const auto done = runChild({"sh", "-c", "cat; echo trouble >&2; exit 5"}, 30s, "input");
    ASSERT_TRUE(done) << done.error().message();
    EXPECT_EQ(done->out, "input");
    EXPECT_EQ(done->err, "trouble\n");
    EXPECT_EQ(done->exitStatus, 5);
}

// What this program ignores ends a training script's `... | head` as usual.
TEST(ChildProcesses, DieOfTheSignalsOfBrokenPipesAndFullFilesThatThisProgramIgnores)
{
    for (const int signal : {SIGPIPE, SIGXFSZ}) {
        const auto before = std::signal(signal, SIG_IGN);
        const auto done = runChild({"sh", "-c", "kill -s \"$0\" $$; echo survived", std::to_string(signal)}, 30s);
        std::signal(signal, before);
        ASSERT_TRUE(done) << done.error().message();
        EXPECT_EQ(done->out, "");
    }
}

TEST(ChildProcesses, ThatPrintWithoutEndAreEndedAtTheLimitOfEitherOutput)
{
    EXPECT_EQ(problemOf({"yes"}, {60s, kMiB}), "yes: printed more than 1.0 MiB");
    EXPECT_EQ(problemOf({"sh", "-c", "exec yes >&2"}, {60s, kMiB}), "sh: printed more than 1.0 MiB");
    const auto full = runChild({"head", "-c", "1048576", "/dev/zero"}, {60s, kMiB});
    ASSERT_TRUE(full) << full.error().message();
    EXPECT_EQ(full->out.size(), static_cast<std::size_t>(kMiB));
}

TEST(ChildProcesses, ThatTakeTooLongAreEndedThoughTheyIgnoreSigtermOrCloseTheirOutput)
{
    EXPECT_EQ(problemOf({"sleep", "1000"}, 100ms), "sleep: gave no answer within 100.0 ms");
    EXPECT_EQ(problemOf({"sh", "-c", "trap '' TERM; while :; do sleep 0.1; done"}, 100ms),
        "sh: gave no answer within 100.0 ms");
    EXPECT_EQ(
        problemOf({"sh", "-c", "exec sleep 1000 > /dev/null 2>&1"}, 100ms), "sh: closed its output and did not end");
}

TEST(ChildProcesses, AreEndedWhenTheirWatcherGivesAReason)
{
    EXPECT_EQ(problemOf({"sleep", "1000"}, {60s, kMiB, [] { return std::optional<std::string>("sends too much"); }}),
        "sleep: sends too much");
}

} // namespace
} // namespace slipway
