// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <gmock/gmock.h>

#include "support/temporary_directory.h"
#include "ui/examples.h"
#include "ui/report/report_pdf.h"
#include "ui/widgets/text.h"

namespace slipway::ui {
namespace {

using testing::HasSubstr;

struct ReportPdfTest : testing::Test {
    TemporaryDirectory folder;
    QString path = qs((folder.path() / "report.pdf").string());

    // What the reader's own tools see; empty where poppler-utils are not installed.
    std::string tool(const QString &program, const QStringList &arguments)
    {
        if (QStandardPaths::findExecutable(program).isEmpty())
            return {};
        QProcess process;
        process.start(program, arguments);
        process.waitForFinished();
        return process.readAllStandardOutput().toStdString();
    }
};

TEST_F(ReportPdfTest, HoldsItsWordsAsTextAndItsPagesAreNumbered)
{
    const Report report = planReport(examplePrediction({.microBatch = 8}), exampleMemory());
    ASSERT_TRUE(writeReportPdf(report, path, {.created = QDateTime(QDate(2026, 1, 2), QTime(3, 4), Qt::UTC)}));
    const std::string text = tool(QStringLiteral("pdftotext"), {QStringLiteral("-layout"), path, QStringLiteral("-")});
    if (text.empty())
        GTEST_SKIP() << "poppler-utils are not installed";
    EXPECT_THAT(text, HasSubstr(report.title));
    EXPECT_THAT(text, HasSubstr(report.headline));
    EXPECT_THAT(text, HasSubstr("Memory over one step"));
    EXPECT_THAT(text, HasSubstr("2026-01-02 03:04 UTC"));
    EXPECT_THAT(text, HasSubstr("Page 1 of "));
}

TEST_F(ReportPdfTest, DrawsVectorsAlone)
{
    ASSERT_TRUE(writeReportPdf(planReport(examplePrediction()), path));
    const std::string images = tool(QStringLiteral("pdfimages"), {QStringLiteral("-list"), path});
    if (images.empty())
        GTEST_SKIP() << "poppler-utils are not installed";
    EXPECT_EQ(std::count(images.begin(), images.end(), '\n'), 2) << images; // the head of an empty list
}

TEST_F(ReportPdfTest, DrawsItsPagesSideBySideAsAPicture)
{
    const QImage picture = drawReport(planReport(examplePrediction(), exampleMemory()), QSize(1500, 950));
    ASSERT_EQ(picture.size(), QSize(1500, 950));
    const auto inked = [&](int left, int right) {
        int count = 0;
        for (int y = 0; y < picture.height(); ++y) {
            for (int x = left; x < right; ++x)
                count += qGray(picture.pixel(x, y)) < 128 ? 1 : 0;
        }
        return count;
    };
    EXPECT_EQ(picture.pixelColor(5, 5), QColor(Qt::white));
    EXPECT_GT(inked(0, 671), 5000) << "the first page";
    EXPECT_GT(inked(684, 1355), 1000) << "the second beside it";
}

TEST_F(ReportPdfTest, BreaksALongTableOverPagesAndRepeatsItsHead)
{
    Report report{.title = "Long", .headline = "Many rows."};
    ReportTable table{.title = "Rows", .columns = {"Number", "Word"}, .numeric = {true, false}};
    for (int i = 0; i < 120; ++i)
        table.rows.push_back({std::to_string(i), "word"});
    report.sections = {{.title = "Section", .tables = {table}}};
    ASSERT_TRUE(writeReportPdf(report, path));
    const std::string text = tool(QStringLiteral("pdftotext"), {QStringLiteral("-layout"), path, QStringLiteral("-")});
    const std::string info = tool(QStringLiteral("pdfinfo"), {path});
    if (text.empty() || info.empty())
        GTEST_SKIP() << "poppler-utils are not installed";
    const auto pages =
        QString::fromStdString(info).section(QStringLiteral("Pages:"), 1).section(u'\n', 0, 0).trimmed().toInt();
    EXPECT_GE(pages, 3);
    EXPECT_THAT(text, HasSubstr("Page 1 of " + std::to_string(pages)));
    EXPECT_EQ(QString::fromStdString(text).count(QStringLiteral("Number")), pages);
    EXPECT_THAT(text, HasSubstr("119"));
}

TEST_F(ReportPdfTest, AFolderThatIsNotThereIsAFaultOutsideAndLeavesNothing)
{
    const Result<void> written =
        writeReportPdf(planReport(examplePrediction()), qs((folder.path() / "no" / "report.pdf").string()));
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().fault, Fault::Outside);
}

} // namespace
} // namespace slipway::ui
