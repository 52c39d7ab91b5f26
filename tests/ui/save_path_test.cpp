// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <QAbstractButton>
#include <QFileDialog>
#include <QLineEdit>
#include <QMessageBox>
#include <QPointer>
#include <gmock/gmock.h>

#include "support/temporary_directory.h"
#include "ui/user.h"
#include "ui/widgets/save_path.h"

namespace slipway::ui {
namespace {

struct SavePath : ::testing::Test {
    TemporaryDirectory home;
    QWidget window;
    QStringList saved;

    QString at(const char *name) const { return qs((home.path() / name).string()); }
    QPointer<QFileDialog> ask(const QString &typed)
    {
        window.show();
        askSavePath(&window, QStringLiteral("Export"), QStringLiteral("plan.pdf"), QStringLiteral("pdf"),
            [this](const QString &path) { saved << path; });
        auto *dialog = window.findChild<QFileDialog *>();
        auto *name = dialog->findChild<QLineEdit *>(QStringLiteral("fileNameEdit"));
        EXPECT_EQ(name->text(), QStringLiteral("plan.pdf"));
        name->setText(typed);
        QTest::keyClick(name, Qt::Key_Return);
        return dialog;
    }
};

TEST_F(SavePath, ANameWithoutASuffixGetsOne)
{
    ask(at("thesis"));
    EXPECT_EQ(saved, QStringList{at("thesis.pdf")});
}

TEST_F(SavePath, AnotherSuffixStays)
{
    ask(at("thesis.draft"));
    EXPECT_EQ(saved, QStringList{at("thesis.draft")});
}

TEST_F(SavePath, AFileThatExistsIsNotReplacedWithoutAQuestionAlsoWhereTheSuffixWasNotTyped)
{
    writeText(home.path() / "thesis.pdf", "mine");
    bool asked = false;
    User::whenAsked<QMessageBox>([&](QMessageBox &question) {
        asked = true;
        question.button(QMessageBox::No)->click();
    });
    ask(at("thesis"));
    EXPECT_TRUE(asked);
    EXPECT_TRUE(saved.isEmpty());
}

} // namespace
} // namespace slipway::ui
