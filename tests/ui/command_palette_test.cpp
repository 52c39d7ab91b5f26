// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The command palette: which entries it lists, how they are found, and what choosing one does.
#include <QApplication>
#include <QLineEdit>
#include <QListWidget>
#include <QScrollBar>
#include <QTest>
#include <gmock/gmock.h>
#include <utility>

#include "ui/examples.h"
#include "ui/wait_limit.h"
#include "ui/window/command_palette.h"
#include "ui/window/main_window.h"
#include "ui/window/menus.h"
#include "ui/window_fixture.h"

namespace slipway::ui {
namespace {

TEST_F(WindowTest, ThePaletteFindsACommandBySomeLettersAndRunsIt)
{
    static_cast<QWidget &>(window).show();
    const CommandPalette *palette = window.menus().showPalette();
    EXPECT_GT(palette->list().count(), 25);
    QTest::keyClicks(&palette->searchField(), QStringLiteral("view hos"));
    ASSERT_GE(palette->list().count(), 1);
    EXPECT_THAT(palette->list().item(0)->text().toStdString(), ::testing::HasSubstr("Hosts"));
    QTest::keyClick(&palette->searchField(), Qt::Key_Return);
    ASSERT_TRUE(QTest::qWaitFor([this] { return window.page() == MainWindow::Page::Hosts; }, kLimitMs));
}

TEST_F(WindowTest, ThePaletteRunsNoDisabledCommandAndSaysWhenNothingMatches)
{
    const CommandPalette *palette = window.menus().showPalette();
    QTest::keyClicks(&palette->searchField(), QStringLiteral("undo"));
    ASSERT_EQ(palette->list().count(), 1);
    EXPECT_FALSE(palette->list().item(0)->flags() & Qt::ItemIsEnabled) << "nothing was changed yet";
    QTest::keyClick(&palette->searchField(), Qt::Key_Return);
    EXPECT_TRUE(palette->isVisible());
    palette->searchField().setText(QStringLiteral("qqqq"));
    ASSERT_EQ(palette->list().count(), 1);
    EXPECT_EQ(palette->list().item(0)->text().toStdString(), "No command, setting or GPU has these words.");
    EXPECT_FALSE(palette->list().item(0)->flags() & Qt::ItemIsEnabled);
    for (const char *language : {"de", "en"}) {
        const Speaking speaking(language);
        CommandPalette translated(window.menus().commands());
        translated.show();
        translated.searchField().setText(QStringLiteral("qqqq"));
        QCoreApplication::processEvents();
        EXPECT_EQ(translated.list().horizontalScrollBar()->maximum(), 0) << "nothing is cut: " << language;
    }
    QTest::keyClick(&palette->searchField(), Qt::Key_Return);
    EXPECT_TRUE(palette->isVisible());
}

TEST_F(WindowTest, ThePaletteFindsGermanEntriesByEnglishWordsAndKeysToo)
{
    const Speaking german("de");
    const MainWindow translated{{document, examplePlanner(), catalogue, registry, host, theme}};
    CommandPalette palette(translated.menus().paletteEntries());
    const auto first = [&palette](const char *words) {
        palette.searchField().setText(QString::fromUtf8(words));
        return palette.list().item(0)->text().toStdString();
    };
    EXPECT_THAT(first("command palette"), ::testing::StartsWith("Ansicht › Befehlspalette"));
    EXPECT_THAT(first("befehlspal"), ::testing::StartsWith("Ansicht › Befehlspalette"));
    EXPECT_THAT(first("view hosts"), ::testing::StartsWith("Ansicht › Hosts"));
    for (const char *words : {"grad_accum", "accumul", "akkumul"})
        EXPECT_THAT(first(words), ::testing::HasSubstr("kkumulation")) << words;
    EXPECT_EQ(first("card 80"), "GPU › Card 80GB");
    EXPECT_THAT(first("qqqq"), ::testing::HasSubstr("Kein Befehl"));
}

TEST_F(WindowTest, ThePaletteListsSettingsAndGpusOnlyWhereTheyAreSearched)
{
    const CommandPalette palette(window.menus().paletteEntries());
    EXPECT_EQ(palette.list().count(), static_cast<int>(window.menus().commands().size()));
}

TEST_F(WindowTest, ASettingThatIsChosenInThePaletteHasTheCursorAlsoInAFoldedSection)
{
    static_cast<QWidget &>(window).show();
    QApplication::setActiveWindow(&window);
    window.show(MainWindow::Page::Runs);
    for (const auto &[key, words] :
        {std::pair{"micro_batch", "micro_batch"}, std::pair{"pp", "setting pipeline parallel"}}) {
        const CommandPalette *palette = window.menus().showPalette();
        palette->searchField().setText(QString::fromLatin1(words));
        QTest::keyClick(&palette->searchField(), Qt::Key_Return);
        const QWidget *input = window.planPage().form().row(key)->input();
        EXPECT_TRUE(QTest::qWaitFor(
            [this, input] {
                const QWidget *focused = static_cast<QWidget &>(window).focusWidget();
                return focused != nullptr && (focused == input || input->isAncestorOf(focused));
            },
            kLimitMs))
            << key;
        EXPECT_TRUE(input->isVisible()) << key;
    }
}

TEST_F(WindowTest, AGpuThatIsChosenInThePaletteIsPlannedWithAndCanBeUndone)
{
    catalogue.gpus.push_back({.id = "other", .name = "Other 40GB", .aliases = {"o40"}});
    const CommandPalette *palette = window.menus().showPalette();
    palette->searchField().setText(QStringLiteral("o40"));
    ASSERT_EQ(palette->list().count(), 1);
    EXPECT_EQ(palette->list().item(0)->text(), QStringLiteral("GPU › Other 40GB"));
    QTest::keyClick(&palette->searchField(), Qt::Key_Return);
    ASSERT_TRUE(QTest::qWaitFor([this] { return document.config().gpu == "other"; }, kLimitMs));
    document.undoStack().undo();
    EXPECT_EQ(document.config().gpu, "card");
}

} // namespace
} // namespace slipway::ui
