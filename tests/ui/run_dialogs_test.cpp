// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The dialogs about runs, and that neither they nor the page of a run grow with its name.
#include <QApplication>
#include <QLabel>
#include <QPlainTextEdit>
#include <QTest>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "runs/alerts.h"
#include "runs/labels.h"
#include "ui/measured_run.h"
#include "ui/runs/run_detail.h"
#include "ui/runs/run_dialogs.h"
#include "ui/widgets/fields.h"
#include "ui/widgets/text.h"

namespace slipway::ui {
namespace {

TEST(RunDetailTest, ALongNameDoesNotMakeThePageWider)
{
    RunData run = measuredRun(3);
    RunDetail detail;
    static_cast<QWidget &>(detail).show();
    const auto leastWidth = [&] {
        detail.show(viewOf(run));
        for (int round = 0; round < 8; ++round)
            QApplication::processEvents(); // the layouts hear of the new text
        return detail.minimumSizeHint().width();
    };
    const int usual = leastWidth();
    run.name = std::string(300, 'x');
    EXPECT_EQ(leastWidth(), usual);
    EXPECT_EQ(LabelsDialog(qs(run.name), {}).minimumSizeHint().width(),
        LabelsDialog(QStringLiteral("x"), {}).minimumSizeHint().width());
}

TEST(AlertRulesDialogTest, TakesNumbersAndRefusesWords)
{
    AlertRulesDialog dialog({.off = {AlertKind::Stalled}});
    EXPECT_EQ(dialog.rules()->off, std::vector{AlertKind::Stalled});
    const FieldRow *first = dialog.findChildren<FieldRow *>().first();
    first->input()->setValue(QStringLiteral("soon"));
    EXPECT_FALSE(dialog.rules());
    EXPECT_FALSE(first->error().isEmpty());
    first->input()->setValue(QStringLiteral("4"));
    EXPECT_EQ(dialog.rules()->stallFactor, 4.0);
    first->input()->setValue(QStringLiteral("0")); // what the file would refuse
    EXPECT_FALSE(dialog.rules());
    EXPECT_TRUE(first->error().contains(QStringLiteral("Accepted: 1 to"))) << first->error().toStdString();
}

TEST(AlertRulesDialogTest, GoesBackToTheUsualThresholds)
{
    AlertRulesDialog dialog({.stallFactor = 3, .baselineFor = 5, .off = {AlertKind::Stalled}});
    dialog.restoreDefaults();
    EXPECT_EQ(dialog.rules(), AlertRules());
}

TEST(AlertRulesDialogTest, CutsNoName)
{
    AlertRulesDialog dialog{AlertRules()};
    dialog.setAttribute(Qt::WA_DontShowOnScreen);
    dialog.show();
    for (const QLabel *label : dialog.findChildren<QLabel *>()) {
        EXPECT_TRUE(!label->isVisibleTo(&dialog) || label->width() >= label->sizeHint().width())
            << label->text().toStdString();
    }
}

TEST(LabelsDialogTest, IsLeftByTheKeyboard)
{
    LabelsDialog dialog(QStringLiteral("run"), {});
    dialog.setAttribute(Qt::WA_DontShowOnScreen);
    dialog.show();
    auto *notes = dialog.findChild<QPlainTextEdit *>();
    notes->setFocus();
    QTest::keyClick(notes, Qt::Key_Tab);
    EXPECT_EQ(notes->toPlainText(), QString());
}

TEST(LabelsDialogTest, KeepsTagsAndNotes)
{
    const Labels labels{{"a", "two words"}, "line\n<b>not markup</b>"};
    EXPECT_EQ(LabelsDialog(QStringLiteral("run"), labels).labels(), labels);
}

} // namespace
} // namespace slipway::ui
