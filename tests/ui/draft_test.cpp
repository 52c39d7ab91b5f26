// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Drafts of unsaved changes, and what the next start does with those that a crash left.
#include <QAbstractButton>
#include <QMessageBox>
#include <filesystem>
#include <gmock/gmock.h>
#include <string>

#include "base/file.h"
#include "support/temporary_directory.h"
#include "ui/examples.h"
#include "ui/window/draft.h"
#include "ui/window/main_window.h"
#include "ui/window_fixture.h"

namespace slipway::ui {
namespace {

TEST_F(WindowTest, ADraftKeepsUnsavedChangesUntilTheyAreSaved)
{
    const auto folder = home.path() / "drafts";
    DraftKeeper keeper(document, folder);
    keeper.update();
    EXPECT_FALSE(std::filesystem::exists(folder)) << "nothing was changed";
    window.openPath(plan("first.yaml", 4));
    ASSERT_TRUE(document.edit("micro_batch", "2"));
    keeper.update();
    const auto files = std::filesystem::directory_iterator(folder);
    ASSERT_NE(files, std::filesystem::directory_iterator());
    const Result<Draft> draft = readDraft(files->path());
    ASSERT_TRUE(draft) << draft.error().message();
    EXPECT_EQ(draft->config, document.config());
    EXPECT_EQ(draft->file, document.file());
    EXPECT_TRUE(keeper.leftBehind().empty()) << "its process, this one, still runs";
    ASSERT_TRUE(window.planPage().saveFile(document.file()));
    keeper.update();
    EXPECT_TRUE(std::filesystem::is_empty(folder));
}

struct CrashTest : WindowTest {
    std::filesystem::path folder = home.path() / "drafts";
    MainWindow next{{document, examplePlanner(), catalogue, registry, host, theme, {}, folder}};
    // Of a process that cannot exist: above the largest number that Linux gives.
    std::filesystem::path left = folder / "2147483646.json";

    CrashTest() { std::filesystem::create_directories(folder); }
    QMessageBox *question() { return next.findChild<QMessageBox *>(); }
    void answer(const char *words)
    {
        for (QAbstractButton *button : question()->buttons()) {
            if (button->text() == QString::fromLatin1(words))
                return button->click();
        }
        ADD_FAILURE() << words;
    }
};

TEST_F(CrashTest, WhatACrashLeftIsOfferedAndRestored)
{
    const RunConfig lost{.gpu = "card", .microBatch = 5};
    ASSERT_TRUE(writeDraft(left, {lost, QStringLiteral("/tmp/mine.yaml")}));
    ASSERT_TRUE(next.offerDraft());
    ASSERT_NE(question(), nullptr);
    EXPECT_THAT(question()->text().toStdString(), ::testing::HasSubstr("mine.yaml"));
    answer("Restore");
    EXPECT_EQ(document.config(), lost);
    EXPECT_EQ(document.file(), QStringLiteral("/tmp/mine.yaml"));
    EXPECT_TRUE(document.isModified()) << "the file does not have these changes";
    EXPECT_FALSE(document.undoStack().canUndo()) << "the plan before it was not of that file";
    EXPECT_FALSE(std::filesystem::exists(left));
    EXPECT_FALSE(std::filesystem::is_empty(folder)) << "another crash loses nothing either";
}

TEST_F(CrashTest, ADiscardedDraftIsNotOfferedAgain)
{
    const RunConfig before = document.config();
    ASSERT_TRUE(writeDraft(left, {{.microBatch = 5}, {}}));
    ASSERT_TRUE(next.offerDraft());
    answer("Discard");
    EXPECT_EQ(document.config(), before);
    EXPECT_FALSE(next.offerDraft());
}

TEST_F(CrashTest, ADraftThatCannotBeReadIsToldOnceAndKept)
{
    const RunConfig before = document.config();
    writeText(left, R"({"version": 1, "file": 7, "config": [)");
    EXPECT_FALSE(next.offerDraft());
    EXPECT_EQ(document.config(), before);
    EXPECT_FALSE(std::filesystem::exists(left));
    EXPECT_TRUE(std::filesystem::exists(left.string() + ".unreadable")) << "a newer version may have written it";
}

TEST_F(CrashTest, ADraftOfAnotherVersionIsNotReadAsOneOfThisVersion)
{
    ASSERT_TRUE(writeDraft(left, {{.microBatch = 5}, {}}));
    const std::string text = *readPrivateFile(left, kMiB);
    const auto reading = [&](const std::string &version) {
        std::string other = text;
        other.replace(other.find("\"version\": 1"), 12, "\"version\": " + version);
        writeText(left, other);
        return readDraft(left);
    };
    EXPECT_TRUE(reading("1"));
    for (const char *version : {"2", "0", "-1"})
        EXPECT_EQ(reading(version).error().what, "the draft is from another version of Slipway") << version;
    for (const char *version : {"\"1\"", "null", "1.5", "[]"})
        EXPECT_EQ(reading(version).error().what, "the draft is damaged") << version;
    EXPECT_FALSE(next.offerDraft());
    EXPECT_TRUE(std::filesystem::exists(left.string() + ".unreadable"));
}

} // namespace
} // namespace slipway::ui
