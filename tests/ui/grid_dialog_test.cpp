// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <QPushButton>
#include <QTableWidget>
#include <QTemporaryDir>
#include <gmock/gmock.h>

#include "ui/explore/grid_dialog.h"

namespace slipway::ui {
namespace {

struct GridDialogTest : ::testing::Test {
    GridDialog dialog{
        {.name = "small", .axes = {{"model", {"100M", "1B"}}, {"micro_batch", {"4", "8", "16"}}}}, RunConfig(), 0.01};
    void setValues(int row, const char *text) { dialog.table().item(row, 1)->setText(QString::fromLatin1(text)); }
};

TEST_F(GridDialogTest, SaysHowManyPointsThereAreAndHowLongTheyTake)
{
    EXPECT_EQ(dialog.status(), QStringLiteral("6 points, about 60.0 ms"));
    setValues(1, "4, 8, 16, 32");
    EXPECT_EQ(dialog.status(), QStringLiteral("8 points, about 80.0 ms"));
    dialog.addAxis(QStringLiteral("attention"));
    EXPECT_EQ(dialog.table().item(2, 1)->text(), QStringLiteral("flash, vanilla"));
    EXPECT_EQ(dialog.status(), QStringLiteral("16 points, about 160.0 ms"));
    dialog.removeAxis();
    EXPECT_EQ(dialog.grid()->size(), 8u);
}

TEST_F(GridDialogTest, AValueThatIsNotAcceptedIsNamedAndCannotBeExplored)
{
    setValues(1, "4, many");
    EXPECT_THAT(dialog.status().toStdString(), ::testing::HasSubstr("Micro-batch"));
    EXPECT_FALSE(dialog.exploreButton().isEnabled());
    setValues(1, "");
    EXPECT_FALSE(dialog.exploreButton().isEnabled());
    setValues(1, "4");
    EXPECT_TRUE(dialog.exploreButton().isEnabled());
}

TEST_F(GridDialogTest, WhatIsSavedReadsBackAsTheSameGrid)
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("grid.yaml"));
    ASSERT_TRUE(dialog.save(path));
    const Result<Grid> read = readGrid(path.toStdString());
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(read->axes, dialog.grid()->axes);
}

} // namespace
} // namespace slipway::ui
