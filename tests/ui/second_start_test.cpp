// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// One window for all starts: what a second start hands to it, and how the files are opened there.
#include <QApplication>
#include <QMessageBox>
#include <QPushButton>
#include <QTest>
#include <QThread>
#include <atomic>
#include <gmock/gmock.h>

#include "support/temporary_directory.h"
#include "ui/wait_limit.h"
#include "ui/widgets/text.h"
#include "ui/window/about_dialog.h"
#include "ui/window/main_window.h"
#include "ui/window/menus.h"
#include "ui/window/single_instance.h"
#include "ui/window_fixture.h"

namespace slipway::ui {
namespace {

TEST_F(WindowTest, ASecondStartHandsItsFilesToTheWindowThatIsOpen)
{
    const QString socket = qs((home.path() / "socket").string());
    const OpenRequest request{.page = QStringLiteral("plan"), .files = {plan("second.yaml", 4)}};
    SingleInstance first(socket);
    EXPECT_FALSE(SingleInstance(socket).sendToRunning(request)) << "nobody listens yet";
    ASSERT_TRUE(first.listen());
    QObject::connect(&first, &SingleInstance::requested, &window, &MainWindow::takeOver);
    window.show(MainWindow::Page::Runs);
    // Another process in reality: its waiting must not keep this one's event loop from answering.
    std::atomic<int> handed = -1;
    QThread *other = QThread::create([&] { handed = SingleInstance(socket).sendToRunning(request) ? 1 : 0; });
    other->start();
    ASSERT_TRUE(QTest::qWaitFor([&] { return handed >= 0; }, kLimitMs));
    other->wait();
    delete other;
    EXPECT_EQ(handed, 1);
    ASSERT_TRUE(QTest::qWaitFor([this] { return document.config().microBatch == 4; }, kLimitMs));
    EXPECT_EQ(window.page(), MainWindow::Page::Plan);
}

TEST_F(WindowTest, ASocketThatACrashLeftDoesNotKeepTheWindowFromStarting)
{
    const QString socket = qs((home.path() / "socket").string());
    writeText(home.path() / "socket", "");
    SingleInstance instance(socket);
    EXPECT_FALSE(instance.sendToRunning({}));
    EXPECT_TRUE(instance.listen());
}

TEST_F(WindowTest, SecondStartsAskOneQuestionAboutUnsavedChanges)
{
    static_cast<QWidget &>(window).show();
    QApplication::setActiveWindow(&window);
    ASSERT_TRUE(document.edit("micro_batch", "4"));
    window.takeOver({.page = {}, .files = {plan("first.yaml", 16)}});
    window.takeOver({.page = {}, .files = {plan("other.yaml", 2)}});
    ASSERT_TRUE(QTest::qWaitFor([] { return QApplication::activeModalWidget() != nullptr; }, kLimitMs));
    auto *question = qobject_cast<QMessageBox *>(QApplication::activeModalWidget());
    ASSERT_NE(question, nullptr);
    question->button(QMessageBox::Discard)->click();
    EXPECT_TRUE(QTest::qWaitFor([this] { return document.config().microBatch == 2; }, kLimitMs));
    EXPECT_TRUE(QTest::qWaitFor([] { return QApplication::activeModalWidget() == nullptr; }, kLimitMs))
        << "the first question is gone";
}

TEST_F(WindowTest, ASecondStartsFileWaitsUntilTheOpenDialogIsClosed)
{
    static_cast<QWidget &>(window).show();
    window.menus().showAbout();
    auto *dialog = opened<AboutDialog>();
    ASSERT_NE(dialog, nullptr);
    ASSERT_TRUE(QTest::qWaitFor([] { return QApplication::activeModalWidget() != nullptr; }, kLimitMs));
    window.takeOver({.page = QStringLiteral("runs"), .files = {plan("first.yaml", 4), plan("second.yaml", 2)}});
    QCoreApplication::processEvents();
    EXPECT_EQ(document.config().microBatch, 8) << "nothing changes behind the dialog";
    EXPECT_EQ(QApplication::activeModalWidget(), dialog) << "which is still the one to answer";
    dialog->close();
    EXPECT_TRUE(QTest::qWaitFor([this] { return document.config().microBatch == 2; }, kLimitMs));
    EXPECT_EQ(window.planPage().recentFiles().size(), 2) << "both were opened";
}

TEST_F(WindowTest, FilesThatCannotBeOpenedAreToldOneAfterTheOther)
{
    static_cast<QWidget &>(window).show();
    window.openPaths(
        {qs((home.path() / "missing-a").string()), qs((home.path() / "missing-b").string()), plan("first.yaml", 4)});
    for (const char *name : {"missing-a", "missing-b"}) {
        ASSERT_TRUE(QTest::qWaitFor([] { return QApplication::activeModalWidget() != nullptr; }, kLimitMs));
        auto *box = qobject_cast<QMessageBox *>(QApplication::activeModalWidget());
        ASSERT_NE(box, nullptr);
        EXPECT_THAT(box->text().toStdString(), ::testing::HasSubstr(name));
        EXPECT_EQ(document.config().microBatch, 8);
        box->button(QMessageBox::Ok)->click();
        ASSERT_TRUE(QTest::qWaitFor([box] { return QApplication::activeModalWidget() != box; }, kLimitMs));
    }
    EXPECT_TRUE(QTest::qWaitFor([this] { return document.config().microBatch == 4; }, kLimitMs));
}

} // namespace
} // namespace slipway::ui
