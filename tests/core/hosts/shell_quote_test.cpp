// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/shell_quote.h"

#include <gtest/gtest.h>

#include "hosts/child_process.h"
#include "support/hostile_values.h"

namespace slipway {
namespace {

// With words that a shell drops, or joins, where they are not quoted.
std::vector<std::string> words()
{
    std::vector<std::string> values = hostileValues();
    values.insert(values.end(), {"", "plain"});
    return values;
}

TEST(ShellQuoted, ReachesTheCommandByteForByteThroughARealShell)
{
    for (const std::string &word : words()) {
        const auto run = runChild({"/bin/sh", "-c", "printf %s " + shellQuoted(word)}, std::chrono::seconds(30));
        ASSERT_TRUE(run);
        EXPECT_EQ(run->out, word);
        EXPECT_EQ(run->exitStatus, 0);
    }
}

TEST(ShellQuoted, KeepsTheNumberAndOrderOfWords)
{
    std::string expected;
    for (const std::string &word : words())
        expected += "<" + word + ">";
    const auto run = runChild({"/bin/sh", "-c", "printf '<%s>' " + shellQuoted(words())}, std::chrono::seconds(30));
    ASSERT_TRUE(run);
    EXPECT_EQ(run->out, expected);
}

TEST(ShellQuoted, SurvivesASecondShell)
{
    for (const std::string &word : words()) {
        const std::string inner = "printf %s " + shellQuoted(word);
        const auto run = runChild({"/bin/sh", "-c", "sh -c " + shellQuoted(inner)}, std::chrono::seconds(30));
        ASSERT_TRUE(run);
        EXPECT_EQ(run->out, word);
    }
}

TEST(ChildProcess, TellsExitStatusSignalAndBothStreamsApart)
{
    const auto run = runChild({"sh", "-c", "echo out; echo err >&2; exit 7"}, std::chrono::seconds(30));
    ASSERT_TRUE(run);
    EXPECT_EQ(run->out, "out\n");
    EXPECT_EQ(run->err, "err\n");
    EXPECT_EQ(run->exitStatus, 7);
    EXPECT_EQ(runChild({"sh", "-c", "kill -9 $$"}, std::chrono::seconds(30))->exitStatus, 137);
}

TEST(ChildProcess, NamesAProgramThatIsNotThere)
{
    const auto run = runChild({"no-such-program-anywhere"}, std::chrono::seconds(30));
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().where, "no-such-program-anywhere");
    EXPECT_EQ(run.error().fault, Fault::Outside);
}

TEST(ChildProcess, EndsAChildThatGivesNoAnswer)
{
    const auto run = runChild({"sleep", "1000"}, std::chrono::milliseconds(20));
    ASSERT_FALSE(run);
    EXPECT_NE(run.error().what.find("no answer"), std::string::npos);
}

TEST(ChildProcess, TakesMoreOutputThanAPipeHolds)
{
    const auto run =
        runChild({"sh", "-c", "head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2"}, std::chrono::seconds(30));
    ASSERT_TRUE(run);
    EXPECT_EQ(run->out.size(), 1'000'000U);
    EXPECT_EQ(run->err.size(), 1'000'000U);
}

} // namespace
} // namespace slipway
