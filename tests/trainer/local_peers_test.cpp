// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/local_peers.h"

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::testing {
namespace {

using ::testing::ElementsAre;

// Whoever writes marks could name any process of this user's as a rank: an editor that was suspended, say. Here it is a
// child, which is no sibling: nobody started it beside this one.
TEST(LocalPeers, EndNoStoppedProcessThatWasNotStartedBesideThem)
{
    int marks[2];
    ASSERT_EQ(::pipe(marks), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        const std::string mark = LocalPeers::ownMark();
        [[maybe_unused]] const ssize_t written = ::write(marks[1], mark.data(), mark.size());
        ::raise(SIGSTOP);
        ::_exit(7);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, WUNTRACED), child);
    ASSERT_TRUE(WIFSTOPPED(status));
    std::string mark(1000, '\0');
    mark.resize(static_cast<std::size_t>(::read(marks[0], mark.data(), mark.size())));
    const LocalPeers peers({LocalPeers::ownMark(), mark}, 0);
    EXPECT_THAT(peers.stopped(), ElementsAre(1));
    peers.endStopped();
    ::kill(child, SIGCONT);
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << "nobody killed it";
    ::signal(SIGTERM, SIG_DFL);
    ::close(marks[0]);
    ::close(marks[1]);
}

} // namespace
} // namespace slipway::testing
