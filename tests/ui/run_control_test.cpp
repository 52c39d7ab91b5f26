// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Stopping and resuming runs from the page of runs.
#include <QAbstractButton>
#include <QApplication>
#include <QMessageBox>
#include <QPushButton>
#include <QTest>
#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>

#include "runs/script_rules.h"
#include "ui/runs/run_control.h"
#include "ui/runs/runs_page.h"
#include "ui/runs_page_fixture.h"
#include "ui/user.h"
#include "ui/wait_limit.h"

namespace slipway::ui {
namespace {

TEST_F(RunsPageTest, StopAsksFirstAndForceEndsIt)
{
    startRun();
    const RunsPage page(registry, host);
    ASSERT_TRUE(page.control().stop(directory, false));
    EXPECT_TRUE(std::filesystem::exists(RunPaths{directory}.stopRequest()));
    EXPECT_EQ(host.status({directory}).state, RunState::Stopping);
    ASSERT_TRUE(page.control().stop(directory, true));
    EXPECT_TRUE(QTest::qWaitFor([&] { return isTerminal(host.status({directory}).state); }, kLimitMs));
}

TEST_F(RunsPageTest, StoppingSoonWaitsForTheEnd)
{
    startRun();
    const RunsPage page(registry, host);
    ASSERT_TRUE(page.control().stopNow(directory));
    EXPECT_EQ(host.status({directory}).state, RunState::Cancelled);
}

TEST_F(RunsPageTest, StoppingAnotherTrainingScriptSaysWhatHappensAndEndsIt)
{
    startRun();
    ASSERT_TRUE(writeScriptRules({directory}, {}));
    RunsPage page(registry, host);
    page.show();
    QString question;
    QStringList buttons;
    User::whenAsked<QMessageBox>([&](QMessageBox &box) {
        question = box.text();
        for (const QAbstractButton *button : box.buttons())
            buttons << button->text();
        for (QAbstractButton *button : box.buttons()) {
            if (button->text() == QStringLiteral("Stop"))
                return button->click();
        }
        box.reject();
    });
    page.control().askStop({.directory = directory, .name = QStringLiteral("theirs"), .state = RunState::Running});
    EXPECT_TRUE(question.contains(QStringLiteral("signal"))) << question.toStdString();
    EXPECT_FALSE(buttons.contains(QStringLiteral("Stop after checkpoint"))) << "a script reads no request";
    EXPECT_TRUE(QTest::qWaitFor([&] { return isTerminal(host.status({directory}).state); }, kLimitMs));
}

TEST_F(RunsPageTest, ResumingGoesOnBesideTheWindow)
{
    startRun();
    ASSERT_TRUE(host.signalGroup({directory}, SIGKILL));
    RunsPage page(registry, host);
    ASSERT_TRUE(QTest::qWaitFor([&] { return page.shown() && isTerminal(page.shown()->state); }, kLimitMs));
    EXPECT_TRUE(page.detail().resumeButton()->isEnabled());
    page.detail().resumeButton()->click();
    EXPECT_FALSE(page.detail().resumeButton()->isEnabled()) << "it has been asked, and the window goes on";
    // It answers, if only that there is no trainer: a message box, which is closed here.
    EXPECT_TRUE(QTest::qWaitFor(
        [&] {
            if (QWidget *box = QApplication::activeModalWidget())
                box->close();
            return page.detail().resumeButton()->isEnabled();
        },
        kLimitMs));
}

} // namespace
} // namespace slipway::ui
