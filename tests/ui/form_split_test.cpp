// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Pages in a window of 720x450, which 1440x900 pixels show at 200 %.
#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <gmock/gmock.h>

#include "ui/plan/suggestion_list.h"
#include "ui/shipped_window.h"
#include "ui/widgets/action_button.h"
#include "ui/widgets/action_row.h"
#include "ui/widgets/fields.h"
#include "ui/window/menus.h"

namespace slipway::ui {
namespace {

constexpr QSize kNarrow(720, 450), kWide(1280, 800);

// The plan does not fit, so that there are suggestions.
struct FormSplitTest : ShippedWindowTest {
    FormSplitTest() : ShippedWindowTest({.gpu = "a100-sxm-40gb", .microBatch = 64})
    {
        window.show(MainWindow::Page::Plan);
    }
    FormSplit &split() const { return window.planPage().split(); }
    PlanResults &results() const { return window.planPage().results(); }
    void resizeTo(const QSize &size)
    {
        window.resize(size);
        User::pause();
    }
    // The verdicts in sight besides that in the results.
    std::vector<QString> verdicts() const
    {
        std::vector<QString> shown;
        for (const Pill *pill : split().findChildren<Pill *>()) {
            if (pill->isVisible() && !results().isAncestorOf(pill))
                shown.push_back(pill->text());
        }
        return shown;
    }
    QAbstractButton *segment(const char *words) const
    {
        for (QAbstractButton *button : split().findChildren<QAbstractButton *>()) {
            if (button->text() == QString::fromUtf8(words))
                return button;
        }
        return nullptr;
    }
};

TEST_F(FormSplitTest, ANarrowPlanShowsTheFormOrTheResultsAndAlwaysTheVerdict)
{
    resizeTo(kWide);
    EXPECT_TRUE(window.planPage().form().isVisible());
    EXPECT_TRUE(results().isVisible());
    EXPECT_TRUE(verdicts().empty()) << "the results show it";
    resizeTo(kNarrow);
    EXPECT_EQ(window.size(), kNarrow);
    EXPECT_TRUE(window.planPage().form().isVisible());
    EXPECT_FALSE(results().isVisible());
    EXPECT_THAT(verdicts(), ::testing::ElementsAre(results().verdict().text()));
    ASSERT_NE(segment("Results"), nullptr);
    user.click(*segment("Results"));
    EXPECT_FALSE(window.planPage().form().isVisible());
    EXPECT_TRUE(results().isVisible());
    EXPECT_THAT(verdicts(), ::testing::ElementsAre(results().verdict().text()));
    resizeTo(kWide);
    EXPECT_TRUE(window.planPage().form().isVisible());
    EXPECT_TRUE(results().isVisible());
}

TEST_F(FormSplitTest, TheVerdictFollowsTheForm)
{
    resizeTo(kNarrow);
    EXPECT_THAT(verdicts(), ::testing::ElementsAre(QStringLiteral("Out of memory")));
    ASSERT_TRUE(document.edit("micro_batch", "1"));
    User::pause();
    EXPECT_THAT(verdicts(), ::testing::ElementsAre(QStringLiteral("Fits")));
    EXPECT_TRUE(window.planPage().form().isVisible()) << "a change keeps the form in sight";
    static_cast<void>(document.edit("gpus", "3"));
    static_cast<void>(document.edit("tp", "2"));
    User::pause();
    EXPECT_THAT(verdicts(), ::testing::ElementsAre(QStringLiteral("Invalid")));
}

TEST_F(FormSplitTest, WhatHasTheFocusStaysInSightWhereTheWindowBecomesNarrow)
{
    resizeTo(kWide);
    ASSERT_FALSE(results().suggestions().rows().empty());
    QWidget *row = results().suggestions().rows().front();
    row->setFocus();
    resizeTo(kNarrow);
    EXPECT_TRUE(row->isVisible());
    EXPECT_TRUE(row->hasFocus());
}

TEST_F(FormSplitTest, TheKeyForItMovesBetweenSettingsAndResults)
{
    const auto focusIn = [](const QWidget &part) { return part.isAncestorOf(QApplication::focusWidget()); };
    for (const QSize &size : {kNarrow, kWide}) {
        resizeTo(size);
        window.planPage().focusSetting("micro_batch");
        QWidget *field = QApplication::focusWidget();
        ASSERT_TRUE(focusIn(window.planPage().form()));
        user.press(Qt::Key_F6);
        EXPECT_TRUE(results().isVisible());
        EXPECT_TRUE(focusIn(results())) << size.width();
        user.press(Qt::Key_F6);
        EXPECT_TRUE(window.planPage().form().isVisible());
        EXPECT_EQ(QApplication::focusWidget(), field) << size.width();
    }
}

TEST_F(FormSplitTest, AChosenSettingAndAnOpenedPlanComeIntoSight)
{
    resizeTo(kNarrow);
    window.planPage().open({.gpu = "a100-sxm-40gb"}, QStringLiteral("Open grid point"));
    EXPECT_TRUE(results().isVisible());
    window.planPage().focusSetting("grad_accum");
    User::pause();
    EXPECT_TRUE(window.planPage().form().row("grad_accum")->input()->isVisible());
}

TEST(ActionRow, PutsButtonsThatDoNotFitIntoAMenu)
{
    QWidget owner;
    int done = 0;
    QAction *copy = makeAction(&owner, QStringLiteral("&Copy as command"), {}, {}, [&done] { ++done; });
    QAction *launch = makeAction(&owner, QStringLiteral("&Launch"), {}, {}, [] {});
    QPushButton *copies = makeActionButton(copy, QStringLiteral("Copy"), {});
    QPushButton *launches = makeActionButton(launch, QStringLiteral("Launch"), {});
    launches->setProperty("primary", true);
    ActionRow row({copies, launches});
    row.setAttribute(Qt::WA_DontShowOnScreen);
    row.show();
    row.resize(row.sizeHint());
    EXPECT_TRUE(copies->isVisible());
    row.resize(row.sizeHint() - QSize(1, 0));
    EXPECT_FALSE(copies->isVisible());
    EXPECT_TRUE(launches->isVisible());
    const QMenu *menu = row.findChild<QMenu *>();
    ASSERT_NE(menu, nullptr);
    ASSERT_THAT(menu->actions(), ::testing::ElementsAre(copy));
    menu->actions().front()->trigger();
    EXPECT_EQ(done, 1);
    EXPECT_LE(row.minimumSizeHint().width(), row.width());
    for (const QPushButton *button : row.findChildren<QPushButton *>())
        EXPECT_TRUE(!button->isVisible() || row.rect().contains(button->geometry()));
    row.resize(row.sizeHint());
    EXPECT_TRUE(copies->isVisible());
}

TEST(ActionRow, LeavesTheSpaceOfAHiddenButtonToWhatIsBeside)
{
    QWidget page;
    page.setAttribute(Qt::WA_DontShowOnScreen);
    auto *layout = new QHBoxLayout(&page);
    auto *beside = new QLabel;
    auto *stop = new QPushButton(QStringLiteral("Stop the run now")),
         *other = new QPushButton(QStringLiteral("Export"));
    layout->addWidget(beside, 1);
    auto *row = new ActionRow({stop, other});
    layout->addWidget(row);
    page.resize(600, 60);
    layout->activate();
    stop->hide(); // before the page is shown
    page.show();
    User::pause();
    EXPECT_EQ(row->width(), other->sizeHint().width());
    EXPECT_EQ(other->x(), 0);
}

} // namespace
} // namespace slipway::ui
