// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <QObject>
#include <QTest>
#include <gmock/gmock.h>

#include <atomic>
#include <string>
#include <thread>

#include "ui/wait_limit.h"
#include "ui/widgets/latest_task.h"

namespace slipway::ui {
namespace {

struct LatestTaskTest : ::testing::Test {
    using Task = LatestTask<std::string>;

    QObject receiver;
    std::vector<std::string> answers;
    Task task{&receiver, [this](const std::string &answer) { answers.push_back(answer); }};

    // Works until it is cancelled, and then answers with what it has.
    static Task::Work untilCancelled(const char *name)
    {
        return [name](const Task::Cancelled &cancelled) {
            while (!cancelled())
                std::this_thread::yield();
            return std::string("part of ") + name;
        };
    }
    static Task::Work whole(const char *name)
    {
        return [name](const Task::Cancelled &cancelled) {
            return std::string(cancelled() ? "part of " : "all of ") + name;
        };
    }
    bool settled()
    {
        return QTest::qWaitFor([this] { return !task.running(); }, kLimitMs);
    }
};

TEST_F(LatestTaskTest, TheAnswerOfATaskThatANewerOneReplacedIsDropped)
{
    task.start(untilCancelled("first"));
    task.start(whole("second"));
    ASSERT_TRUE(settled());
    EXPECT_THAT(answers, ::testing::ElementsAre("all of second"));
}

TEST_F(LatestTaskTest, CancellingDeliversWhatTheTaskHas)
{
    task.start(untilCancelled("first"));
    task.cancel();
    ASSERT_TRUE(settled());
    EXPECT_THAT(answers, ::testing::ElementsAre("part of first"));
}

TEST_F(LatestTaskTest, CancellingWhileATaskWaitsDeliversNothingOfTheReplacedOne)
{
    task.start(untilCancelled("first"));
    task.start(whole("second"));
    task.cancel();
    ASSERT_TRUE(settled());
    EXPECT_THAT(answers, ::testing::ElementsAre("part of second"));
}

TEST_F(LatestTaskTest, ATaskStartedAfterCancellingIsNotCancelled)
{
    task.start(untilCancelled("first"));
    task.start(whole("second"));
    task.cancel();
    task.start(whole("third"));
    ASSERT_TRUE(settled());
    EXPECT_THAT(answers, ::testing::ElementsAre("all of third"));
    task.cancel();
    task.start(whole("fourth"));
    ASSERT_TRUE(settled());
    EXPECT_EQ(answers.back(), "all of fourth");
}

} // namespace
} // namespace slipway::ui
