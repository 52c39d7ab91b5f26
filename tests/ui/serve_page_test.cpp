// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <QAction>
#include <QClipboard>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QMouseEvent>
#include <QSettings>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTableWidget>
#include <QTemporaryDir>
#include <algorithm>

#include "base/csv.h"
#include "base/file.h"
#include "base/text.h"
#include "ui/plan/suggestion_list.h"
#include "ui/report/report_pdf.h"
#include "ui/serve/serve_display.h"
#include "ui/serve/serve_page.h"
#include "ui/serve/serve_results.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/metric_tile.h"
#include "ui/window/guide_window.h"
#include "ui/window/menus.h"
#include "ui/window_fixture.h"
#include "ui/written_export.h"

namespace slipway::ui {
namespace {

struct ServePageTest : ::testing::Test {
    Catalogue catalogue = loadCatalogue().value();
    RunConfig plan;
    ServePage page{catalogue, [this] { return plan; }};

    ServePageTest()
    {
        plan.model.name = "llama-3.1-8b";
        plan.gpu = "h100-sxm-80gb";
    }
    bool settled()
    {
        return QTest::qWaitFor([this] { return !page.isComputing(); }, kLimitMs);
    }
    bool open(const ServeConfig &config)
    {
        QSignalSpy predicted(&page, &ServePage::predicted);
        page.open(config);
        return (!predicted.isEmpty() || predicted.wait(kLimitMs)) && settled();
    }
    // Of the page's own settings, with these changes.
    ServeConfig with(std::initializer_list<std::pair<const char *, const char *>> changes)
    {
        ServeConfig config = page.configOfPlan();
        for (const auto &[key, value] : changes)
            EXPECT_TRUE(setServeSetting(config, key, value)) << key;
        return config;
    }
    bool draw(ServeChart chart)
    {
        QSignalSpy drawn(&page, &ServePage::drawn);
        page.show(chart);
        return (!drawn.isEmpty() || drawn.wait(kLimitMs)) && settled();
    }
    QLineEdit &field(const char *key) { return *static_cast<TextInput *>(page.form().row(key)->input())->edit(); }
    void type(const char *key, const char *text)
    {
        field(key).selectAll();
        QTest::keyClicks(&field(key), QString::fromLatin1(text));
        QTest::keyClick(&field(key), Qt::Key_Return);
    }
};

TEST_F(ServePageTest, BeginsWithThePlansModelAndGpuWhenItIsFirstShown)
{
    EXPECT_FALSE(page.isComputing());
    QSignalSpy predicted(&page, &ServePage::predicted);
    page.QWidget::show();
    ASSERT_TRUE(predicted.wait(kLimitMs));
    EXPECT_EQ(page.form().config().run.model.name, "llama-3.1-8b");
    EXPECT_EQ(page.results().verdict(), QStringLiteral("Fits"));
    ASSERT_TRUE(settled());
}

TEST_F(ServePageTest, ShowsTheNumbersOfThePrediction)
{
    const ServeConfig config = with({{"batch", "16"}, {"requests_per_s", "2"}, {"requests", "200"}});
    ASSERT_TRUE(open(config));
    const ServePrediction p = predictServing(config, catalogue, loadServingFrameworks().value()).value();
    EXPECT_EQ(page.results().tiles()[1]->figure().value + u' ' + page.results().tiles()[1]->figure().unit,
        qs(formatSeconds(p.speed.tpot)));
    EXPECT_EQ(page.results().tiles()[2]->figure().value, qs(formatCount(p.speed.tokensPerSecond)));
    EXPECT_EQ(page.results().tiles()[4]->figure().value, grouped(p.maxSequences));
    ASSERT_EQ(page.results().load().rowCount(), 3);
    EXPECT_EQ(page.results().load().item(0, 2)->text(), qs(formatSeconds(p.load->result.ttft.p99)));
    ASSERT_EQ(page.results().prices().rowCount(), static_cast<int>(p.prices.size()));
    const auto book = std::find_if(catalogue.priceBooks.begin(), catalogue.priceBooks.end(),
        [&p](const PriceBook &one) { return one.id == p.prices[0].price.book; });
    ASSERT_NE(book, catalogue.priceBooks.end());
    EXPECT_EQ(page.results().prices().item(0, 0)->text(), qs(book->title)) << "not its id";
}

TEST_F(ServePageTest, AChangedShapeOfThePlanIsCalledSo)
{
    plan.model = {.name = "1B"};
    plan.model.layers = 2;
    ASSERT_TRUE(open(page.configOfPlan()));
    QStringList texts;
    for (const QLabel *label : page.form().row("model")->findChildren<QLabel *>())
        texts << label->text();
    EXPECT_THAT(texts.join(u'\n').toStdString(), ::testing::HasSubstr("Custom shape:"));
}

TEST(ServeResultsTest, AProblemWithoutResultsIsNoHigherThanItsText)
{
    const Catalogue catalogue;
    ServeResults results(catalogue);
    results.resize(600, 600);
    results.show();
    results.show(Error{.what = "a prompt of 512 tokens does not fit"});
    QApplication::processEvents();
    const auto banners = results.findChildren<Banner *>();
    const auto shown = std::ranges::find_if(banners, [](const Banner *banner) { return banner->isVisible(); });
    ASSERT_NE(shown, banners.end());
    EXPECT_LT((*shown)->height(), 100);
    EXPECT_LT((*shown)->y(), 20);
}

TEST_F(ServePageTest, AWindowOfTheLeastWidthNeedsNotScrollItsResultsSideways)
{
    ASSERT_TRUE(open(with({{"tpot", "0.1"}})));
    page.setAttribute(Qt::WA_DontShowOnScreen);
    constexpr int kRail = 80;
    // What 1600 pixels show at 200 %, the least window, which 1920 pixels show at 200 %, and the usual one.
    for (const int width : {800, 960, 1280}) {
        page.resize(width - kRail, 600);
        page.QWidget::show();
        for (const ServeChart chart : {ServeChart::Models, ServeChart::Heads, ServeChart::Cache}) {
            ASSERT_TRUE(draw(chart));
            QCoreApplication::processEvents();
            for (const QScrollArea *area : page.findChildren<QScrollArea *>())
                EXPECT_EQ(area->horizontalScrollBar()->maximum(), 0) << width << " " << enumName(chart);
        }
    }
}

TEST_F(ServePageTest, TypingPlansAnew)
{
    ASSERT_TRUE(open(page.configOfPlan()));
    QSignalSpy predicted(&page, &ServePage::predicted);
    type("batch", "64");
    ASSERT_TRUE(predicted.wait(kLimitMs));
    EXPECT_EQ(page.form().config().batch, 64);
    EXPECT_THAT(page.results().tiles()[2]->figure().detail.toStdString(), ::testing::HasSubstr("batch 64"));
    ASSERT_TRUE(settled());
}

TEST_F(ServePageTest, AWrongValueIsToldAtItsFieldAndChangesNothing)
{
    ASSERT_TRUE(open(page.configOfPlan()));
    const ServeConfig before = page.form().config();
    type("block", "0");
    EXPECT_THAT(page.form().row("block")->error().toStdString(), ::testing::HasSubstr("1 to 65536"));
    EXPECT_EQ(page.form().config(), before);
    type("block", "32");
    EXPECT_TRUE(page.form().row("block")->error().isEmpty());
    EXPECT_EQ(page.form().config().block, 32);
    ASSERT_TRUE(QTest::qWaitFor([this] { return page.isComputing(); }, kLimitMs));
    ASSERT_TRUE(settled());
}

TEST_F(ServePageTest, WhatNeverFitsIsToldAtItsFieldWithTheLastResultsGreyed)
{
    ASSERT_TRUE(open(page.configOfPlan()));
    ASSERT_TRUE(open(with({{"model", "gpt2-124m"}, {"prompt", "1000"}, {"generate", "100"}})));
    EXPECT_THAT(page.form().row("generate")->error().toStdString(), ::testing::HasSubstr("1024 positions"));
    EXPECT_THAT(page.results().problem().toStdString(), ::testing::HasSubstr("cannot be planned"));
    EXPECT_THAT(page.results().problem().toStdString(), ::testing::Not(::testing::HasSubstr("--")));
    EXPECT_FALSE(page.commands().pdf->isEnabled());
    ASSERT_TRUE(open(page.configOfPlan()));
    EXPECT_TRUE(page.results().problem().isEmpty());
    EXPECT_TRUE(page.commands().pdf->isEnabled());
}

TEST_F(ServePageTest, AClickOnASuggestionMakesTheBatchFit)
{
    page.resize(1200, 2400);
    page.QWidget::show();
    ASSERT_TRUE(open(with({{"gpu", "l4-24gb"}, {"batch", "64"}})));
    EXPECT_EQ(page.results().verdict(), QStringLiteral("Out of memory"));
    ASSERT_FALSE(page.results().suggestions().rows().empty());
    QSignalSpy predicted(&page, &ServePage::predicted);
    QTest::mouseClick(page.results().suggestions().rows().front(), Qt::LeftButton);
    ASSERT_TRUE(predicted.wait(kLimitMs));
    EXPECT_NE(page.results().verdict(), QStringLiteral("Out of memory"));
    ASSERT_TRUE(settled());
}

TEST_F(ServePageTest, WantedTimesListGpusWithTheLowestCostFirst)
{
    ASSERT_TRUE(open(with({{"model", "1B"}, {"tpot", "0.02"}})));
    EXPECT_GT(page.results().gpus().rowCount(), 1);
}

TEST_F(ServePageTest, EveryChartHasATableOfTheSameNumbers)
{
    const ServeConfig config = with({{"requests", "100"}, {"generate", "32"}});
    ASSERT_TRUE(open(config));
    for (std::size_t i = 0; i < EnumNames<ServeChart>::names.size(); ++i) {
        ASSERT_TRUE(draw(static_cast<ServeChart>(i)));
        const ServeFigure &figure = page.results().figures().figure();
        EXPECT_EQ(figure.chart, static_cast<ServeChart>(i));
        const QTableWidget &table = page.results().figures().table();
        int lines = 0;
        for (const ServePanel &panel : figure.panels)
            lines += static_cast<int>(panel.lines.size());
        EXPECT_EQ(table.columnCount(), lines + (figure.joined ? 1 : 2)) << figure.title;
        EXPECT_GT(table.rowCount(), 4) << figure.title;
        ASSERT_EQ(page.results().figures().panels().size(), figure.panels.size());
        for (const ScatterChart *chart : page.results().figures().panels())
            EXPECT_FALSE(chart->accessibleName().isEmpty());
    }
}

TEST_F(ServePageTest, ADotIsPlannedByAClickOrByArrowsAndEnter)
{
    page.resize(1200, 2000);
    page.QWidget::show();
    ASSERT_TRUE(settled());
    ASSERT_TRUE(draw(ServeChart::Heads));
    ScatterChart &chart = *page.results().figures().panels().front();
    const ScatterPoint dot = chart.data().series[0].dots[3];
    const QPoint at = chart.placeOf(dot).toPoint();
    QMouseEvent move(QEvent::MouseMove, at, chart.mapToGlobal(at), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&chart, &move);
    QTest::mouseClick(&chart, Qt::LeftButton, {}, at);
    EXPECT_EQ(page.form().config().batch, 8);
    ASSERT_TRUE(QTest::qWaitFor([this] { return page.isComputing(); }, kLimitMs));
    ASSERT_TRUE(settled());
    QTest::keyClick(&chart, Qt::Key_Right);
    QTest::keyClick(&chart, Qt::Key_Right);
    QTest::keyClick(&chart, Qt::Key_Return);
    EXPECT_EQ(page.form().config().batch, 2) << "the second of the first line";
    ASSERT_TRUE(QTest::qWaitFor([this] { return page.isComputing(); }, kLimitMs));
    ASSERT_TRUE(settled());
}

TEST_F(ServePageTest, AComparisonCanBeCancelledAndComputedAgain)
{
    ASSERT_TRUE(open(page.configOfPlan()));
    QSignalSpy drawn(&page, &ServePage::drawn);
    page.show(ServeChart::Load);
    EXPECT_TRUE(page.commands().cancel->isEnabled());
    page.commands().cancel->trigger();
    ASSERT_TRUE(!drawn.isEmpty() || drawn.wait(kLimitMs));
    EXPECT_LT(page.results().figures().figure().panels.front().lines.front().dots.size(), 11U);
    EXPECT_FALSE(page.commands().cancel->isEnabled());
}

TEST_F(ServePageTest, APageThatClosesWhileItComputesWaitsForNoAnswer)
{
    auto *other = new ServePage(catalogue, [this] { return plan; });
    other->open(other->configOfPlan());
    other->show(ServeChart::Load);
    delete other;
    QCoreApplication::processEvents();
}

TEST_F(ServePageTest, ExportsWhatItShows)
{
    ASSERT_TRUE(open(with({{"requests", "100"}, {"generate", "32"}})));
    const QTemporaryDir folder;
    const QString row = folder.filePath(QStringLiteral("row.csv"));
    ASSERT_TRUE(written(page.csv(), row));
    EXPECT_EQ(readCsv(row.toStdString())->rows.size(), 1U);
    const QString figures = folder.filePath(QStringLiteral("figures.csv"));
    ASSERT_TRUE(written(page.figuresCsv(), figures));
    const Result<CsvTable> table = readCsv(figures.toStdString());
    ASSERT_TRUE(table);
    std::set<std::string> charts;
    for (const CsvRow &each : table->rows)
        charts.insert(each.cells[0]);
    EXPECT_EQ(charts.size(), EnumNames<ServeChart>::names.size());
    const QString pdf = folder.filePath(QStringLiteral("serving.pdf"));
    ASSERT_TRUE(written(page.pdf(), pdf));
    EXPECT_GT(QFile(pdf).size(), 10'000);
    EXPECT_FALSE(written(page.csv(), folder.filePath(QStringLiteral("no/such/row.csv"))));
}

TEST_F(ServePageTest, ThePdfHasTheChosenPaperSize)
{
    const QTemporaryDir folder;
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, folder.path());
    ASSERT_TRUE(open(with({{"requests", "100"}, {"generate", "32"}})));
    for (const auto &[paper, box] :
        {std::pair("letter", "/MediaBox [0 0 612."), std::pair("a4", "/MediaBox [0 0 595.")}) {
        QSettings().setValue(QString::fromLatin1(kPaperSetting), QString::fromLatin1(paper));
        const std::filesystem::path pdf = folder.filePath(QStringLiteral("serving.pdf")).toStdString();
        ASSERT_TRUE(written(page.pdf(), qs(pdf.string())));
        EXPECT_NE(readFile(pdf).value().find(box), std::string::npos) << paper;
    }
    QSettings().remove(QString::fromLatin1(kPaperSetting));
}

TEST_F(ServePageTest, TheCopiedCommandNamesWhatDiffersFromTheDefaults)
{
    ASSERT_TRUE(open(with({{"kv", "fp8"}, {"contiguous", "true"}, {"batch", "8"}})));
    page.commands().copy->trigger();
    const std::string copied = QApplication::clipboard()->text().toStdString();
    EXPECT_THAT(copied, ::testing::StartsWith("slipway serve-plan --model 'llama-3.1-8b'"));
    EXPECT_THAT(copied, ::testing::EndsWith(" --kv 'fp8' --batch '8' --contiguous"));
    EXPECT_THAT(copied, ::testing::Not(::testing::HasSubstr("--prompt")));
}

TEST_F(ServePageTest, EveryFieldHasANameAndSaysItsOption)
{
    for (const char *key : {"model", "gpu", "tp", "framework", "prompt", "generate", "batch", "requests_per_s",
             "weights", "kv", "contiguous", "block", "max_length", "ttft", "tpot", "prices"}) {
        const FieldRow *row = page.form().row(key);
        ASSERT_NE(row, nullptr) << key;
        EXPECT_FALSE(row->input()->accessibleName().isEmpty()) << key;
        EXPECT_THAT(row->toolTip().toStdString(), ::testing::HasSubstr("--")) << key;
    }
}

TEST_F(WindowTest, TheServePageHasAShortcutAMenuAndAPageOfTheGuide)
{
    static_cast<QWidget &>(window).show();
    QApplication::setActiveWindow(&window);
    QTest::keyClick(&window, Qt::Key_5, Qt::ControlModifier);
    EXPECT_EQ(window.page(), MainWindow::Page::Serve);
    bool found = false;
    for (const Command &command : window.menus().commands())
        found = found || command.action == window.servePage().commands().pdf;
    EXPECT_TRUE(found) << "the palette lists what menus have";
    window.menus().showGuide();
    EXPECT_THAT(
        window.menus().guide()->browser().source().toString().toStdString(), ::testing::HasSubstr("serving.md"));
    EXPECT_TRUE(QTest::qWaitFor([this] { return !window.servePage().isComputing(); }, kLimitMs));
}

} // namespace
} // namespace slipway::ui
