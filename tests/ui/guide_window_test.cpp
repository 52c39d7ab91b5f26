// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What the Help menu opens: the guide, the license and the list of shortcuts.
#include <QDir>
#include <QFile>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QTableWidget>
#include <QTextBlock>
#include <QTextTable>
#include <QUrl>
#include <gmock/gmock.h>

#include "ui/window/about_dialog.h"
#include "ui/window/guide_window.h"
#include "ui/window/main_window.h"
#include "ui/window/menus.h"
#include "ui/window_fixture.h"

namespace slipway::ui {
namespace {

TEST_F(WindowTest, TheGuideOpensAtThePageAboutWhatIsShown)
{
    window.show(MainWindow::Page::Explore);
    window.menus().showGuide();
    ASSERT_NE(window.menus().guide(), nullptr);
    EXPECT_THAT(
        window.menus().guide()->browser().source().toString().toStdString(), ::testing::HasSubstr("exploring.md"));
    EXPECT_THAT(window.menus().guide()->browser().toPlainText().toStdString(), ::testing::HasSubstr("slipway sweep"));
}

TEST(GuideWindowTest, SaysInOtherLanguagesOnItsFirstPageThatItIsInEnglish)
{
    for (const auto &[language, says] : {std::pair("en", ""), std::pair("de", "Das Handbuch ist auf Englisch.")}) {
        const Speaking speaking(language);
        GuideWindow guide;
        guide.setAttribute(Qt::WA_DontShowOnScreen);
        guide.show();
        guide.open(QStringLiteral("README"));
        EXPECT_EQ(guide.notice().isVisible() ? guide.notice().text().toStdString() : std::string(), says);
        guide.open(QStringLiteral("planning"));
        EXPECT_FALSE(guide.notice().isVisible()) << "once is enough";
    }
}

TEST(GuideWindowTest, EveryPageIsThereAndEveryLinkLeadsSomewhere)
{
    GuideWindow guide;
    int links = 0;
    for (const QString &page : GuideWindow::pageNames()) {
        guide.open(page);
        ASSERT_GT(guide.browser().toPlainText().size(), 500) << page.toStdString();
        const QUrl source = guide.browser().source();
        QStringList targets;
        for (QTextBlock block = guide.browser().document()->begin(); block.isValid(); block = block.next()) {
            for (auto part = block.begin(); !part.atEnd(); ++part) {
                if (part.fragment().charFormat().isAnchor())
                    targets << part.fragment().charFormat().anchorHref();
            }
        }
        for (const QString &target : targets) {
            const QUrl url = source.resolved(QUrl(target));
            if (url.scheme() != QStringLiteral("qrc"))
                continue;
            ++links;
            ASSERT_TRUE(QFile::exists(u':' + url.path())) << page.toStdString() << ": " << target.toStdString();
            if (url.hasFragment() && url.path().endsWith(QStringLiteral(".md"))) {
                guide.browser().setSource(url);
                EXPECT_TRUE(guide.browser().showHeading(url.fragment()))
                    << page.toStdString() << ": " << target.toStdString();
            }
        }
    }
    EXPECT_GT(links, 30);
    QStringList files = QDir(QStringLiteral(":/guide/guide")).entryList();
    files.replaceInStrings(QStringLiteral(".md"), QString());
    QStringList pages = GuideWindow::pageNames();
    files.sort();
    pages.sort();
    EXPECT_EQ(files, pages) << "every page of the guide is in its list";
}

TEST(GuideWindowTest, EveryHeaderCellOfATableIsBoldAndInLine)
{
    GuideWindow guide;
    int cells = 0;
    for (const QString &page : GuideWindow::pageNames()) {
        guide.open(page);
        for (const QTextFrame *frame : guide.browser().document()->rootFrame()->childFrames()) {
            const auto *table = qobject_cast<const QTextTable *>(frame);
            for (int column = 0; table != nullptr && column < table->columns(); ++column) {
                const QTextBlock block = table->cellAt(0, column).firstCursorPosition().block();
                const std::string where = page.toStdString() + ": " + block.text().toStdString();
                EXPECT_FALSE(block.blockFormat().nonBreakableLines()) << where;
                EXPECT_EQ(block.blockFormat().topMargin(), 0) << where;
                for (auto part = block.begin(); !part.atEnd(); ++part)
                    EXPECT_EQ(part.fragment().charFormat().fontWeight(), QFont::Bold) << where;
                ++cells;
            }
        }
    }
    EXPECT_GT(cells, 30);
}

TEST(GuideWindowTest, SearchingLeavesThePagesThatContainTheWords)
{
    GuideWindow guide;
    guide.open(QStringLiteral("README"));
    guide.searchField().setText(QStringLiteral("SkyPilot"));
    int shown = 0;
    for (int i = 0; i < guide.pages().count(); ++i)
        shown += guide.pages().item(i)->isHidden() ? 0 : 1;
    EXPECT_GT(shown, 0);
    EXPECT_LT(shown, guide.pages().count());
    guide.searchField().clear();
    for (int i = 0; i < guide.pages().count(); ++i)
        EXPECT_FALSE(guide.pages().item(i)->isHidden());
}

TEST_F(WindowTest, AboutShowsTheLicenseAndTheShortcutsAreListed)
{
    const AboutDialog about;
    const auto *license = about.findChild<QPlainTextEdit *>();
    ASSERT_NE(license, nullptr);
    EXPECT_THAT(license->toPlainText().toStdString(), ::testing::HasSubstr("GNU GENERAL PUBLIC LICENSE"));
    const ShortcutsDialog shortcuts(window.menus().commands());
    EXPECT_GT(shortcuts.findChild<QTableWidget *>()->rowCount(), 15);
}

} // namespace
} // namespace slipway::ui
