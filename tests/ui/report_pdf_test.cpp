// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <algorithm>
#include <gmock/gmock.h>
#include <set>

#include "support/temporary_directory.h"
#include "ui/examples.h"
#include "ui/report/figure_painter.h"
#include "ui/report/pdf_outline.h"
#include "ui/report/report_pdf.h"
#include "ui/theme/theme_colors.h"
#include "ui/widgets/text.h"

namespace slipway::ui {
namespace {

using ::testing::HasSubstr;

struct ReportPdfTest : ::testing::Test {
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
    std::string inOneLine = text; // the headline may take two
    std::replace(inOneLine.begin(), inOneLine.end(), '\n', ' ');
    EXPECT_THAT(inOneLine, HasSubstr(report.headline));
    EXPECT_THAT(text, HasSubstr("Memory over one step"));
    EXPECT_THAT(text, HasSubstr("Origin of these figures")) << "without the ligature of f and i";
    EXPECT_THAT(text, HasSubstr("2026-01-02 03:04 UTC"));
    EXPECT_THAT(text, HasSubstr("Page 1 of "));
}

TEST(ReportFigures, PartsOfTheMemoryHaveTheColorsOfTheWindow)
{
    const Report report = planReport(examplePrediction());
    const ReportFigure &bar = report.sections.front().figures.front();
    ASSERT_EQ(bar.kind, FigureKind::StackedBars);
    std::set<QRgb> colors;
    for (std::size_t part = 0; part < bar.series.size(); ++part) {
        const QColor color = figureSeriesColor(bar, part);
        if (part < EnumNames<Role>::names.size()) {
            EXPECT_EQ(color, roleColor(static_cast<Role>(part), false)) << bar.series[part].name;
        }
        EXPECT_TRUE(colors.insert(color.rgb()).second) << bar.series[part].name << " looks like another part";
    }
}

TEST(ReportFigures, ComparedRunsHaveTheColorsOfTheWindowWhateverTheyAreCalled)
{
    ReportFigure figure{.title = "Loss"};
    for (const char *name : {"first", "predicted", "measured", "fourth", "fifth"})
        figure.series.push_back({.name = name, .x = {1, 2}, .y = {3, 2}});
    for (std::size_t run = 0; run < figure.series.size(); ++run)
        EXPECT_EQ(figureSeriesColor(figure, run), seriesColor(run, false)) << run;
}

TEST_F(ReportPdfTest, DrawsVectorsAlone)
{
    ASSERT_TRUE(writeReportPdf(planReport(examplePrediction()), path));
    const std::string images = tool(QStringLiteral("pdfimages"), {QStringLiteral("-list"), path});
    if (images.empty())
        GTEST_SKIP() << "poppler-utils are not installed";
    EXPECT_EQ(std::count(images.begin(), images.end(), '\n'), 2) << images; // the head of an empty list
}

TEST_F(ReportPdfTest, HasContentsWhosePagesAreThoseOfItsSections)
{
    const Report report = planReport(examplePrediction(), exampleMemory());
    ASSERT_TRUE(writeReportPdf(report, path));
    const QString text = QString::fromStdString(
        tool(QStringLiteral("pdftotext"), {QStringLiteral("-layout"), path, QStringLiteral("-")}));
    if (text.isEmpty())
        GTEST_SKIP() << "poppler-utils are not installed";
    const QStringList pages = text.split(u'\f');
    for (const ReportSection &section : report.sections) {
        const QRegularExpression line(
            QStringLiteral("^ *%1 +(\\d+) *$").arg(QRegularExpression::escape(qs(section.title))),
            QRegularExpression::MultilineOption);
        const QRegularExpressionMatch found = line.match(pages.front());
        ASSERT_TRUE(found.hasMatch()) << section.title;
        const int page = found.captured(1).toInt();
        ASSERT_TRUE(page >= 1 && page <= pages.size()) << section.title;
        const QRegularExpression title(QStringLiteral("^ *%1 *$").arg(QRegularExpression::escape(qs(section.title))),
            QRegularExpression::MultilineOption);
        EXPECT_TRUE(title.match(pages[page - 1]).hasMatch()) << section.title << " is not on page " << page;
    }
}

TEST_F(ReportPdfTest, HasAnOutlineMetadataAndLinksAndIsSound)
{
    const Report report = planReport(examplePrediction(), exampleMemory());
    ASSERT_TRUE(writeReportPdf(report, path, {.created = QDateTime(QDate(2026, 1, 2), QTime(3, 4), Qt::UTC)}));
    const std::string info = tool(QStringLiteral("pdfinfo"), {QStringLiteral("-rawdates"), path});
    if (info.empty())
        GTEST_SKIP() << "poppler-utils are not installed";
    EXPECT_THAT(info, HasSubstr(report.title));
    EXPECT_THAT(info, HasSubstr(report.headline)) << "the subject";
    EXPECT_THAT(info, HasSubstr("D:20260102030400Z")) << "when it was made, not when it was written";
    const std::string links = tool(QStringLiteral("pdfinfo"), {QStringLiteral("-dests"), path});
    EXPECT_FALSE(links.empty());
    // qpdf reads every object and says what is wrong with the file.
    if (QStandardPaths::findExecutable(QStringLiteral("qpdf")).isEmpty())
        GTEST_SKIP() << "qpdf is not installed";
    EXPECT_THAT(tool(QStringLiteral("qpdf"), {QStringLiteral("--check"), path}), HasSubstr("No syntax"));
    const QJsonObject read = QJsonDocument::fromJson(
        QByteArray::fromStdString(
            tool(QStringLiteral("qpdf"), {QStringLiteral("--json"), QStringLiteral("--json-key=outlines"),
                                             QStringLiteral("--json-key=pages"), path})))
                                 .object();
    const QJsonArray outline = read.value(QStringLiteral("outlines")).toArray();
    ASSERT_EQ(outline.size(), static_cast<qsizetype>(report.sections.size()));
    int before = 1;
    for (qsizetype i = 0; i < outline.size(); ++i) {
        const QJsonObject item = outline[i].toObject();
        EXPECT_EQ(
            item.value(QStringLiteral("title")).toString(), qs(report.sections[static_cast<std::size_t>(i)].title));
        const int page = item.value(QStringLiteral("destpageposfrom1")).toInt();
        EXPECT_GE(page, before);
        before = page;
    }
}

TEST_F(ReportPdfTest, FillsThePaperThatIsChosen)
{
    const Report report = planReport(examplePrediction(), exampleMemory());
    for (const auto &[paper, size] :
        {std::pair(QPageSize::A4, "595 x 842"), std::pair(QPageSize::Letter, "612 x 792")}) {
        ASSERT_TRUE(writeReportPdf(report, path, {.paper = paper}));
        const std::string info = tool(QStringLiteral("pdfinfo"), {path});
        if (info.empty())
            GTEST_SKIP() << "poppler-utils are not installed";
        EXPECT_THAT(info, HasSubstr(size));
    }
    EXPECT_EQ(paperNamed(QStringLiteral("Letter")), QPageSize::Letter);
    EXPECT_EQ(paperNamed(QStringLiteral("a5")), std::nullopt);
}

TEST_F(ReportPdfTest, EmbedsItsFonts)
{
    ASSERT_TRUE(writeReportPdf(planReport(examplePrediction()), path));
    const QString fonts = QString::fromStdString(tool(QStringLiteral("pdffonts"), {path}));
    if (fonts.isEmpty())
        GTEST_SKIP() << "poppler-utils are not installed";
    const QStringList lines = fonts.split(u'\n', Qt::SkipEmptyParts);
    const qsizetype embedded = lines.front().indexOf(QStringLiteral("emb"));
    ASSERT_GT(lines.size(), 2);
    for (qsizetype i = 2; i < lines.size(); ++i)
        EXPECT_EQ(lines[i].mid(embedded, 3), QStringLiteral("yes")) << lines[i].toStdString();
}

TEST(PdfAdditionsTest, LeaveAFileThatTheyDoNotUnderstand)
{
    EXPECT_TRUE(withAdditions("%PDF-1.4\nnothing", {}).isEmpty());
    EXPECT_TRUE(withAdditions({}, {}).isEmpty());
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
