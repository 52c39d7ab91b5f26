// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <QMessageBox>
#include <QProgressDialog>
#include <QSignalSpy>
#include <QTest>
#include <future>
#include <gmock/gmock.h>

#include "base/file.h"
#include "support/temporary_directory.h"
#include "ui/report/report_pdf.h"
#include "ui/wait_limit.h"
#include "ui/widgets/file_export.h"
#include "ui/widgets/text.h"

namespace slipway::ui {
namespace {

struct FileExportTest : ::testing::Test {
    TemporaryDirectory home;
    QWidget page;
    FileExport exporter{&page};
    QSignalSpy ended{&exporter, &FileExport::ended}, said{&exporter, &FileExport::statusMessage};

    QString at(const char *name) const { return qs((home.path() / name).string()); }
    bool wait() { return !ended.isEmpty() || ended.wait(kLimitMs); }
    QString lastSaid() const { return said.isEmpty() ? QString() : said.back()[0].toString(); }
};

TEST_F(FileExportTest, WritesOnAnotherThreadAndSaysWhere)
{
    const QThread *thread = nullptr;
    exporter.start(QStringLiteral("Export"), at("a.txt"), [&](const QString &path, const FileExport::Progress &) {
        thread = QThread::currentThread();
        return writeNamedFile(path.toStdString(), "text");
    });
    ASSERT_TRUE(wait());
    EXPECT_TRUE(ended[0][0].toBool());
    EXPECT_NE(thread, QThread::currentThread());
    EXPECT_EQ(readFile(home.path() / "a.txt").value(), "text");
    EXPECT_EQ(lastSaid(), QStringLiteral("Exported to %1").arg(at("a.txt")));
    EXPECT_TRUE(QTest::qWaitFor([this] { return page.findChild<QProgressDialog *>() == nullptr; }, kLimitMs));
}

TEST_F(FileExportTest, CancelLeavesTheFileAsItWas)
{
    writeText(home.path() / "a.txt", "before");
    std::promise<void> begun, goOn;
    const auto text = [&begun, wait = goOn.get_future().share()]() -> std::string {
        begun.set_value();
        wait.wait();
        return "after";
    };
    exporter.start(QStringLiteral("Export"), at("a.txt"), FileExport::ofText(text));
    begun.get_future().wait();
    auto *dialog = page.findChild<QProgressDialog *>();
    ASSERT_NE(dialog, nullptr);
    Q_EMIT dialog->canceled(); // as its button does
    goOn.set_value();
    ASSERT_TRUE(wait());
    EXPECT_FALSE(ended[0][0].toBool());
    EXPECT_EQ(readFile(home.path() / "a.txt").value(), "before");
    EXPECT_EQ(lastSaid(), QStringLiteral("The export was cancelled"));
    EXPECT_EQ(page.findChild<QMessageBox *>(), nullptr) << "who cancels needs no error message";
}

TEST_F(FileExportTest, AFolderThatIsNotThereIsToldInADialog)
{
    exporter.start(QStringLiteral("Export"), at("no/such/a.txt"), FileExport::ofText([] { return "text"; }));
    ASSERT_TRUE(wait());
    EXPECT_FALSE(ended[0][0].toBool());
    const auto *box = page.findChild<QMessageBox *>();
    ASSERT_NE(box, nullptr);
    EXPECT_THAT(box->text().toStdString(), ::testing::HasSubstr("no/such"));
}

TEST_F(FileExportTest, APageThatClosesCancelsWhatItWrites)
{
    auto other = std::make_unique<FileExport>(&page);
    std::promise<void> begun;
    std::atomic<bool> cancelled = false;
    other->start(QStringLiteral("Export"), at("a.txt"),
        [&](const QString &, const FileExport::Progress &progress) -> Result<void> {
            begun.set_value();
            while (progress(1, 2))
                QThread::yieldCurrentThread();
            cancelled = true;
            return FileExport::cancelled();
        });
    begun.get_future().wait();
    other.reset();
    EXPECT_TRUE(cancelled);
}

TEST_F(FileExportTest, ACancelledReportWritesNoFile)
{
    const Report report{.title = "Report", .subtitle = {}, .headline = "Headline", .sections = {}};
    PdfOptions options;
    options.cancelled = [] { return true; };
    EXPECT_FALSE(writeReportPdf(report, at("a.pdf"), options));
    EXPECT_FALSE(std::filesystem::exists(home.path() / "a.pdf"));
}

} // namespace
} // namespace slipway::ui
