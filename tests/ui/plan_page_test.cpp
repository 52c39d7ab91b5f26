// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QTemporaryDir>

#include "ui/plan_page_fixture.h"
#include "ui/widgets/banner.h"

namespace slipway::ui {
namespace {

TEST_F(PlanPageTest, TypingAnotherMicroBatchChangesTheVerdictAtOnce)
{
    EXPECT_EQ(page.results().verdict().text(), QStringLiteral("Fits"));
    type("micro_batch", "16");
    EXPECT_EQ(document.config().microBatch, 16);
    EXPECT_EQ(page.results().verdict().text(), QStringLiteral("Out of memory"));
}

TEST_F(PlanPageTest, TheHeaderNamesNoPlanWhileTheFormHoldsAnInvalidOne)
{
    const auto named = [this] {
        const QList<QLabel *> labels = page.findChildren<QLabel *>();
        return std::any_of(labels.begin(), labels.end(),
            [](const QLabel *label) { return label->text().contains(QStringLiteral("hidden size")); });
    };
    EXPECT_TRUE(named());
    ASSERT_TRUE(document.edit("gpus", "3")); // cannot be laid out
    EXPECT_FALSE(named());
    ASSERT_TRUE(document.edit("gpus", "1"));
    EXPECT_TRUE(named());
}

TEST_F(PlanPageTest, UndoTakesAllKeystrokesOfAFieldBackAndRedoBringsThemAgain)
{
    type("micro_batch", "16");
    EXPECT_EQ(document.undoStack().count(), 1);
    document.undoStack().undo();
    EXPECT_EQ(document.config(), start);
    EXPECT_EQ(page.results().verdict().text(), QStringLiteral("Fits"));
    EXPECT_EQ(edit("micro_batch")->text(), QStringLiteral("8"));
    document.undoStack().redo();
    EXPECT_EQ(document.config().microBatch, 16);
    EXPECT_EQ(edit("micro_batch")->text(), QStringLiteral("16"));
}

TEST_F(PlanPageTest, TheFirstChangeCanBeUndoneByItsButton)
{
    const auto button = [this](const char *name) {
        for (QPushButton *one : page.findChildren<QPushButton *>()) {
            if (one->accessibleName() == QString::fromUtf8(name))
                return one;
        }
        return static_cast<QPushButton *>(nullptr);
    };
    EXPECT_FALSE(button("Undo")->isEnabled());
    type("micro_batch", "16");
    EXPECT_TRUE(button("Undo")->isEnabled());
    EXPECT_FALSE(button("Redo")->isEnabled());
    button("Undo")->click();
    EXPECT_EQ(document.config(), start);
    EXPECT_FALSE(button("Undo")->isEnabled());
    EXPECT_TRUE(button("Redo")->isEnabled());
}

TEST_F(PlanPageTest, UndoingByItsKeyLeavesTheFocusAndTheViewWhereTheyAre)
{
    page.resize(1000, 600);
    page.show();
    QApplication::setActiveWindow(&page);
    const QScrollBar *vertical =
        static_cast<QScrollArea *>(page.results().parentWidget()->parentWidget())->verticalScrollBar();
    page.open({.gpu = "card", .microBatch = 4}, QStringLiteral("Open grid point"));
    edit("micro_batch")->setFocus();
    QWidget *focused = page.focusWidget();
    for (QPushButton *button : page.findChildren<QPushButton *>()) {
        if (button->accessibleName() == QStringLiteral("Undo"))
            button->animateClick(); // as its key does
    }
    ASSERT_TRUE(QTest::qWaitFor([this] { return document.config() == start; }));
    EXPECT_EQ(page.focusWidget(), focused);
    EXPECT_EQ(vertical->value(), 0);
}

TEST_F(PlanPageTest, AChangeLeavesTheViewWhereItIsThoughASuggestionHadTheFocus)
{
    page.resize(1000, 600);
    page.show();
    QApplication::setActiveWindow(&page);
    QScrollBar *vertical =
        static_cast<QScrollArea *>(page.results().parentWidget()->parentWidget())->verticalScrollBar();
    auto *row = page.findChild<SuggestionRow *>();
    ASSERT_NE(row, nullptr);
    row->setFocus();
    vertical->setValue(0);
    type("micro_batch", "4");
    EXPECT_EQ(vertical->value(), 0);
}

TEST_F(PlanPageTest, TheVerdictStaysInSightWhereItsCardIsScrolledAway)
{
    page.resize(1300, 500);
    page.show();
    QScrollBar *bar = page.findChildren<QScrollArea *>().last()->verticalScrollBar();
    const auto summaries = [this] {
        int count = 0;
        for (const Pill *pill : page.findChildren<Pill *>())
            count += pill->isVisible() && !page.results().isAncestorOf(pill) ? 1 : 0;
        return count;
    };
    EXPECT_EQ(summaries(), 0);
    bar->setValue(bar->maximum());
    EXPECT_EQ(summaries(), 1);
    bar->setValue(0);
    EXPECT_EQ(summaries(), 0);
}

TEST_F(PlanPageTest, TheVerdictInTheHeaderKeepsNoWindowFromBecomingNarrow)
{
    constexpr int kNarrow = 900;
    page.resize(1300, 500);
    page.show();
    QScrollBar *bar = page.findChildren<QScrollArea *>().last()->verticalScrollBar();
    bar->setValue(bar->maximum());
    page.resize(kNarrow, 500);
    QCoreApplication::processEvents();
    EXPECT_LE(page.minimumSizeHint().width(), kNarrow);
}

TEST_F(PlanPageTest, AnotherPlanIsSeenFromItsTop)
{
    page.resize(1200, 700);
    page.setAttribute(Qt::WA_DontShowOnScreen);
    page.show();
    QScrollBar *vertical =
        static_cast<QScrollArea *>(page.results().parentWidget()->parentWidget())->verticalScrollBar();
    ASSERT_GT(vertical->maximum(), 0);
    vertical->setValue(vertical->maximum());
    page.open({.gpu = "card", .microBatch = 4}, QStringLiteral("Open grid point"));
    EXPECT_EQ(vertical->value(), 0);
    EXPECT_EQ(document.undoStack().undoText(), QStringLiteral("Open grid point"));
}

TEST_F(PlanPageTest, ASmallWindowPutsCardsBelowOneAnotherInsteadOfCuttingThemOff)
{
    const auto shown = [this](int width) {
        page.resize(width, 700);
        page.show();
        QCoreApplication::processEvents();
        const MetricTile &first = *page.results().tiles().front(), &last = *page.results().tiles().back();
        return std::make_pair(last.y() > first.y(), page.results().width() <= page.results().parentWidget()->width());
    };
    EXPECT_EQ(shown(1600), std::make_pair(false, true));
    EXPECT_EQ(shown(1200), std::make_pair(false, true)) << "the usual window, less its rail";
    EXPECT_EQ(shown(960), std::make_pair(true, true)) << "the smallest window, less its rail";
    EXPECT_EQ(shown(1600), std::make_pair(false, true));
}

TEST_F(PlanPageTest, AnInvalidFieldGreysTheResultsAndDisablesWhatUsesThem)
{
    page.resize(1200, 700);
    page.setAttribute(Qt::WA_DontShowOnScreen);
    page.show();
    const auto enabled = [this](const char *name) {
        for (const QPushButton *one : page.findChildren<QPushButton *>()) {
            if (one->accessibleName() == QString::fromUtf8(name))
                return one->isEnabled();
        }
        ADD_FAILURE() << name;
        return false;
    };
    const auto expect = [&](bool valid, const char *when) {
        for (const char *name : {"Launch this run", "Export this plan", "Copy the plan as a slipway command"})
            EXPECT_EQ(enabled(name), valid) << name << when;
        EXPECT_EQ(page.results().suggestions().isEnabled(), valid) << when;
        EXPECT_EQ(page.findChild<Banner *>()->text().isEmpty(), valid) << when;
    };
    expect(true, "at first");
    type("micro_batch", "12x");
    expect(false, "with a text that is no number");
    EXPECT_THAT(page.findChild<Banner *>()->text().toStdString(), ::testing::HasSubstr("Micro-batch: "));
    document.undoStack().undo();
    expect(true, "after undo");
    type("gpus", "3");
    expect(false, "with a plan that is refused");
    type("gpus", "4");
    expect(true, "once it is right again");
}

TEST_F(PlanPageTest, WhatWasTypedAmissIsGoneOnceThePlanIsAnotherOne)
{
    type("seq_len", "2048");
    type("micro_batch", "12x");
    type("grad_accum", "2");
    EXPECT_EQ(edit("micro_batch")->text(), QStringLiteral("12x")) << "another field's edit leaves it to be corrected";
    document.undoStack().undo();
    EXPECT_EQ(edit("micro_batch")->text(), QStringLiteral("12")) << "of the plan, not of the slip";
    EXPECT_TRUE(page.form().row("micro_batch")->error().isEmpty());
}

TEST_F(PlanPageTest, SavedAndOpenedAgainIsTheSame)
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("plan.yaml"));
    type("micro_batch", "4");
    const RunConfig saved = document.config();
    ASSERT_TRUE(page.saveFile(path));
    type("micro_batch", "2");
    ASSERT_TRUE(page.openFile(path));
    EXPECT_EQ(document.config(), saved);
}

TEST_F(PlanPageTest, AFileThatIsNoConfigurationIsRefusedAndChangesNothing)
{
    const QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("bad.yaml")));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("micro_bacth: 4\n");
    file.close();
    const Result<void> opened = page.openFile(file.fileName());
    ASSERT_FALSE(opened);
    EXPECT_THAT(opened.error().message(), ::testing::HasSubstr("micro_batch"));
    EXPECT_EQ(document.config(), start);
}

} // namespace
} // namespace slipway::ui
