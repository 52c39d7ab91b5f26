// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <QImage>
#include <QPainter>
#include <QPicture>
#include <QStringEncoder>
#include <QTest>
#include <cmath>
#include <gmock/gmock.h>
#include <limits>
#include <numeric>

#include "ui/charts/area_chart.h"
#include "ui/charts/column_chart.h"
#include "ui/charts/lane_chart.h"
#include "ui/charts/line_chart.h"
#include "ui/charts/chart_tooltip.h"
#include "ui/charts/stacked_bar.h"
#include "ui/charts/ticks.h"
#include "ui/theme/theme_colors.h"

namespace slipway::ui {
namespace {

using ::testing::ElementsAre;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(StackedEdges, AreRunningSumsThatLeaveOutWhatIsNoLength)
{
    EXPECT_THAT(stackedEdges({{.value = 1.5}, {.value = -2.0}, {.value = kNan}, {.value = 2.5}}),
        ElementsAre(0.0, 1.5, 1.5, 1.5, 4.0));
    EXPECT_THAT(stackedEdges({}), ElementsAre(0.0));
}

TEST(NiceTicks, AreRoundNumbersInsideTheRange)
{
    EXPECT_THAT(niceTicks(0, 80, 5), ElementsAre(0, 20, 40, 60, 80));
    EXPECT_THAT(niceTicks(-0.3, 0.9, 3), ElementsAre(0.0, 0.5));
    EXPECT_TRUE(niceTicks(1, 1, 5).empty());
    EXPECT_TRUE(niceTicks(0, kNan, 5).empty());
}

TEST(WholeTicks, AreNeverBetweenTwoSteps)
{
    EXPECT_THAT(wholeTicks(1, 4, 9), ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(wholeTicks(0.5, 3.5, 9), ElementsAre(1, 2, 3));
    EXPECT_THAT(wholeTicks(0, 12, 9), ElementsAre(0, 2, 4, 6, 8, 10, 12));
    EXPECT_THAT(wholeTicks(0, 80, 5), ElementsAre(0, 20, 40, 60, 80));
    EXPECT_TRUE(wholeTicks(2.2, 2.8, 5).empty());
    EXPECT_TRUE(wholeTicks(1, 1, 5).empty());
}

TEST(Numbers, AreShortOnAxesAndExactEnoughInReadings)
{
    EXPECT_EQ(compactNumber(0, 20), QStringLiteral("0"));
    EXPECT_EQ(compactNumber(250, 50), QStringLiteral("250"));
    EXPECT_EQ(compactNumber(12400, 200), QStringLiteral("12.4K"));
    EXPECT_EQ(compactNumber(0.05, 0.05), QStringLiteral("0.05"));
    EXPECT_EQ(formatReading(3.14159), QStringLiteral("3.142"));
    EXPECT_EQ(formatReading(123456), QStringLiteral("123.5K"));
    EXPECT_EQ(formatReading(kNan), QStringLiteral("NaN"));
}

TEST(HalfLife, GrowsWithTheRunInPowersOfTwo)
{
    EXPECT_EQ(halfLifeFor(10), 2.0);
    EXPECT_EQ(halfLifeFor(1600), 8.0);
    EXPECT_EQ(halfLifeFor(1'000'000), 128.0);
}

TEST(TimeTicks, AreRoundStretchesOfTime)
{
    EXPECT_THAT(timeTicks(0, 3600, 5), ElementsAre(0, 900, 1800, 2700, 3600));
    EXPECT_EQ(timeLabel(5400, 900), QStringLiteral("1:30 h"));
    EXPECT_EQ(timeLabel(90, 30), QStringLiteral("1:30"));
    EXPECT_EQ(timeLabel(2 * 86400.0 + 6 * 3600, 3600), QStringLiteral("2 d 6 h"));
}

TEST(LogTicks, ArePowersOfTenAndRoundValuesBetween)
{
    EXPECT_THAT(logTicks(0, 3, 4), ElementsAre(0, 1, 2, 3));
    EXPECT_EQ(logTicks(std::log10(2.0), std::log10(4.0), 4).front(), std::log10(2.0));
    EXPECT_TRUE(logTicks(1, 1, 4).empty());
    for (const auto &[value, label] : {std::pair{8.0, "8"}, {1.5, "1.5"}, {1.0, "1"}, {20'000.0, "20K"},
             {0.002, "0.002"}, {1.25, "1.25"}, {5e-6, "5e-06"}})
        EXPECT_EQ(logLabel(std::log10(value)), QLatin1String(label));
    for (const auto &[power, label] : {std::pair{-1.0, "0.5"}, {0.0, "1"}, {12.0, "4096"}})
        EXPECT_EQ(doublingLabel(power), QLatin1String(label)) << "no two ticks have one label";
}

TEST(RobustRange, LeavesOutASpikeButNeverThePrediction)
{
    std::vector<double> values(1000, 10.0);
    values[7] = 1e9;
    const std::vector<double> predicted{30.0};
    const ShownRange range = robustRange(values, predicted, false);
    EXPECT_LT(range.high, 40.0);
    EXPECT_GT(range.high, 30.0);
    EXPECT_EQ(robustRange(values, predicted, true).low, 0.0);
}

TEST(PeaksKept, HoldTheHighestOfEachRunOfNeighboursAndBothEnds)
{
    AreaLayer layer;
    layer.values.assign(1000, 1.0);
    layer.values[357] = 9.0;
    const std::vector<std::size_t> kept = decimateKeepingPeaks({layer}, 100);
    EXPECT_LE(kept.size(), 102u);
    EXPECT_THAT(kept, ::testing::Contains(357u));
    EXPECT_EQ(kept.front(), 0u);
    EXPECT_EQ(kept.back(), 999u);
    EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
}

struct LineChartTest : ::testing::Test {
    LineChart chart;

    LineChartTest()
    {
        chart.resize(700, 260);
        chart.show();
        std::vector<double> x(100'000), y(100'000);
        std::iota(x.begin(), x.end(), 1.0);
        for (std::size_t i = 0; i < y.size(); ++i)
            y[i] = 5.0 + std::sin(static_cast<double>(i) * 1e-3);
        chart.setPoints(x, y);
    }
};

TEST_F(LineChartTest, DrawsAFewThousandOfAHundredThousandPoints)
{
    EXPECT_EQ(chart.allPoints(), 100'000u);
    EXPECT_GT(chart.drawnPoints(), 200u);
    EXPECT_LT(chart.drawnPoints(), 4000u);
}

TEST_F(LineChartTest, ZoomKeepsThePlaceUnderTheCursorAndShowAllEndsIt)
{
    chart.zoom(0.5, 25'000);
    EXPECT_NEAR(chart.shownTo() - chart.shownFrom(), 50'000, 2);
    EXPECT_LE(chart.shownFrom(), 25'000);
    EXPECT_GE(chart.shownTo(), 25'000);
    QTest::keyClick(&chart, Qt::Key_0);
    EXPECT_EQ(chart.shownFrom(), 1.0);
    EXPECT_EQ(chart.shownTo(), 100'000.0);
}

TEST_F(LineChartTest, AZoomStaysWhereItIsWhenPointsArrive)
{
    chart.zoom(0.1, 50'000);
    const double from = chart.shownFrom();
    chart.setPoints({1, 2, 3, 100'000}, {1, 2, 3, 4});
    EXPECT_EQ(chart.shownFrom(), from);
}

TEST_F(LineChartTest, PaintsTheMeasuredLineAndThePredictedBand)
{
    chart.setPredicted(PredictedBand{.middle = 5.0, .low = 4.0, .high = 6.0, .name = QStringLiteral("predicted")});
    const QImage image = chart.grab().toImage();
    int line = 0, band = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            line += image.pixelColor(x, y) == themeColor(ThemeColor::Measured, false);
            band += image.pixelColor(x, y) == themeColor(ThemeColor::PredictedWash, false);
        }
    }
    EXPECT_GT(line, 50);
    EXPECT_GT(band, 1000);
}

TEST_F(LineChartTest, TheNameOfAMarkerIsNotStruckThroughByACurve)
{
    std::vector<double> x(10'000), y(10'000);
    std::iota(x.begin(), x.end(), 1.0);
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] = i % 2 == 0 ? 5.0 : 6.0; // fills the chart from top to bottom
    chart.setPoints(x, y);
    const auto blank = [this] {
        const QImage image = chart.grab().toImage();
        int count = 0;
        for (int row = 0; row < image.height(); ++row) {
            for (int column = 0; column < image.width(); ++column)
                count += image.pixelColor(column, row) == themeColor(ThemeColor::Surface, false);
        }
        return count;
    };
    chart.setMarkers({{.x = 5000, .name = {}}});
    const int without = blank();
    chart.setMarkers({{.x = 5000, .name = QStringLiteral("resumed")}});
    const int letters = chart.fontMetrics().horizontalAdvance(QStringLiteral("resumed"));
    EXPECT_GT(blank() - without, 3 * letters) << "the name has a ground of its own";
}

TEST_F(LineChartTest, ALogarithmicAxisLeavesOutWhatIsNotAboveZero)
{
    chart.setPoints({1, 2, 3, 4}, {1.0, 0.0, -5.0, 100.0});
    chart.setLogarithmic(true);
    EXPECT_EQ(chart.drawnPoints(), 2u);
    EXPECT_FALSE(chart.grab().isNull());
}

TEST_F(LineChartTest, ChartsBesideEachOtherShareZoomAndCursor)
{
    LineChart other;
    other.resize(700, 260);
    other.setPoints({1, 50'000, 100'000}, {1, 2, 3});
    QObject::connect(&chart, &LineChart::zoomed, &other, &LineChart::follow);
    chart.zoom(0.5, 25'000);
    EXPECT_EQ(other.shownFrom(), chart.shownFrom());
    EXPECT_EQ(other.shownTo(), chart.shownTo());
}

TEST_F(LineChartTest, DrawsTwentyLinesAndTellsThemApart)
{
    std::vector<ChartLine> lines;
    for (std::size_t i = 0; i < 20; ++i) {
        const std::vector<double> y{static_cast<double>(i), static_cast<double>(i) + 1};
        lines.push_back({.name = QString::number(i),
            .light = seriesColor(i, false),
            .dark = seriesColor(i, true),
            .curve = std::make_shared<PlainCurve>(std::vector{0.0, 1.0}, y)});
    }
    chart.setLines(lines);
    EXPECT_EQ(chart.drawnPoints(), 40u);
    chart.setLines({lines[0]});
    EXPECT_EQ(chart.drawnPoints(), 2u);
}

TEST_F(LineChartTest, RawValuesHaveTheColorOfTheirLineAlsoIfItIsTheOnlyOne)
{
    std::vector<double> x(40'000), y(40'000);
    std::iota(x.begin(), x.end(), 1.0);
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] = i % 2 == 0 ? 1.0 : 5.0;
    const QColor own = seriesColor(1, false);
    chart.setLines({{.name = QStringLiteral("second"),
        .light = own,
        .dark = seriesColor(1, true),
        .curve = std::make_shared<PlainCurve>(x, y)}});
    chart.setHalfLife(1000);
    const QImage image = chart.grab().toImage();
    const QColor ofAnother = themeColor(ThemeColor::Raw, false);
    const QColor faint = blended(own, themeColor(ThemeColor::Surface, false), 0.3);
    int another = 0, raw = 0;
    for (int row = 0; row < image.height(); ++row) {
        for (int column = 0; column < image.width(); ++column) {
            another += image.pixelColor(column, row) == ofAnother;
            raw += image.pixel(column, row) == faint.rgb();
        }
    }
    EXPECT_EQ(another, 0) << "this blue is that of the first run";
    EXPECT_GT(raw, 1000);
}

TEST(LineChart, AGapInTheValuesIsAGapInTheLine)
{
    LineChart chart;
    chart.resize(400, 200);
    chart.setPoints({0, 1, 2, 3, 4, 5, 6}, {1, 1, kNan, kNan, kNan, 1, 1});
    const QImage image = chart.grab().toImage();
    const auto isLine = [&](int x, int y) {
        return image.pixelColor(x, y).blue() - image.pixelColor(x, y).red() > 60;
    }; // also its soft edges
    int middle = 0, left = 0;
    for (int y = 0; y < image.height(); ++y) {
        middle += isLine(220, y); // x = 3
        left += isLine(80, y);    // x < 1
    }
    EXPECT_EQ(middle, 0);
    EXPECT_GT(left, 0);
}

// Whether the chart writes `text` somewhere, as a label of an axis or a part of one.
bool writes(LineChart &chart, const QString &text)
{
    chart.grab();     // a widget that was never shown gets its size now
    QPicture picture; // records each text as UTF-16, most significant byte first
    QPainter painter(&picture);
    chart.paintTo(painter, chart.rect());
    painter.end();
    const QByteArray recorded(picture.data(), static_cast<qsizetype>(picture.size()));
    return recorded.contains(QByteArray(QStringEncoder(QStringConverter::Utf16BE).encode(text)));
}

TEST(LineChart, AnAxisOfBytesHasRoundLabelsInTheUnitOfItsLargestValue)
{
    constexpr double kMebi = 1024.0 * 1024, kGibi = 1024 * kMebi;
    LineChart chart;
    chart.resize(700, 260);
    chart.setQuantity(QStringLiteral("Memory"), [](double value) { return QString::number(value); }, true);
    chart.setBytes(true);
    chart.setPoints({1, 2}, {0, 48 * kGibi});
    EXPECT_TRUE(writes(chart, QStringLiteral("40 GiB")));
    EXPECT_FALSE(writes(chart, QStringLiteral("MiB")));
    chart.setPoints({1, 2}, {0, 600 * kMebi});
    EXPECT_TRUE(writes(chart, QStringLiteral("400 MiB")));
    EXPECT_FALSE(writes(chart, QStringLiteral("GiB")));
    chart.setBytes(false);
    chart.setPoints({1, 2}, {0, 600});
    EXPECT_TRUE(writes(chart, QStringLiteral("400")));
    EXPECT_FALSE(writes(chart, QStringLiteral("iB")));
}

TEST(LineChart, AnAxisOfStepsHasNoTicksBetweenSteps)
{
    LineChart chart;
    chart.resize(700, 260);
    chart.setPoints({1, 2, 3, 4}, {50, 100, 150, 200}); // few steps, and no fraction on the other axis
    EXPECT_FALSE(writes(chart, QStringLiteral("2.5")));
    EXPECT_FALSE(writes(chart, QStringLiteral("1.5")));
    chart.setXAxis(QStringLiteral("cost"), XUnit::Usd);
    EXPECT_TRUE(writes(chart, QStringLiteral("$2.5")));
}

// Draws a chart at 150 %, and counts pixels with green in them between the topmost and the lowest colored one of each
// column of pixels. Its areas are red and blue, so that green is the background that shines through.
template<typename Chart>
int seamsOf(Chart &chart)
{
    QImage image(900, 420, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    painter.scale(1.5, 1.5);
    chart.render(&painter, QPoint(), QRegion(), QWidget::DrawChildren);
    painter.end();
    int seams = 0, colored = 0;
    for (int x = 0; x < image.width(); ++x) {
        int first = image.height(), last = -1;
        for (int y = 0; y < image.height(); ++y) {
            if (image.pixelColor(x, y).green() == 0 && image.pixelColor(x, y) != QColor(Qt::black)) {
                first = std::min(first, y);
                last = y;
            }
        }
        for (int y = first; y <= last; ++y)
            seams += image.pixelColor(x, y).green() > 0;
        colored += last - first > 20;
    }
    EXPECT_GT(colored, 200) << "the areas are there";
    return seams;
}

TEST(AreaChart, NothingShinesThroughBetweenTwoAreas)
{
    AreaChart chart;
    chart.resize(600, 280);
    AreaLayer low{.name = {}, .light = QColor(Qt::red), .dark = QColor(Qt::red), .values = {}},
        high{.name = {}, .light = QColor(Qt::blue), .dark = QColor(Qt::blue), .values = {}};
    for (int i = 0; i < 50; ++i) {
        low.values.push_back(10 + 0.37 * i);
        high.values.push_back(40 - 0.19 * i);
    }
    chart.setData({.layers = {low, high}, .line = {}, .spans = {}, .positions = {}});
    EXPECT_EQ(seamsOf(chart), 0);
}

TEST(ColumnChart, NothingShinesThroughBetweenTwoLayers)
{
    ColumnChart chart;
    chart.resize(600, 280);
    chart.setData({.title = {},
        .columns = {QString(), QString(), QString()},
        .layers = {{.name = {}, .light = QColor(Qt::red), .dark = QColor(Qt::red), .values = {3.3, 5.7, 8.1}},
            {.name = {}, .light = QColor(Qt::blue), .dark = QColor(Qt::blue), .values = {2.9, 4.3, 1.7}}}});
    EXPECT_EQ(seamsOf(chart), 0);
}

TEST(LineChart, TakesNoPointsNanAndInfinityWithoutHarm)
{
    LineChart chart;
    chart.resize(300, 200);
    chart.setPoints({}, {});
    EXPECT_FALSE(chart.grab().isNull());
    chart.setPoints({1, 2, 3}, {kNan, std::numeric_limits<double>::infinity(), kNan});
    chart.setHalfLife(LineChart::kAutomatic);
    EXPECT_FALSE(chart.grab().isNull());
}

TEST(ReadingBox, PutsWhatHasNoRoomBeneathEachOtherIntoColumns)
{
    QStringList lines{QStringLiteral("layer forward/up")};
    for (int i = 0; i < 9; ++i)
        lines << QStringLiteral("Micro-batch\tvalue");
    for (const double height : {60.0, 100.0, 130.0}) {
        QImage image(900, 400, QImage::Format_RGB32);
        image.fill(Qt::red);
        QPainter painter(&image);
        painter.setFont(chartFont(painter.font()));
        const QRectF bounds(50, 100, 800, height);
        drawTooltip(painter, bounds, {400, 120}, lines, QPalette());
        painter.end();
        int outside = 0, inside = 0;
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x)
                (bounds.adjusted(-1, -1, 1, 1).contains(x, y) ? inside : outside) +=
                    image.pixelColor(x, y) != QColor(Qt::red);
        }
        EXPECT_EQ(outside, 0) << height;
        EXPECT_GT(inside, 5000) << height;
    }
}

TEST(LaneChart, DrawsEveryItemThatStandsAloneHoweverShort)
{
    LaneChart chart;
    chart.resize(700, 60);
    LaneData data{.lanes = {{.name = QStringLiteral("reduce"), .items = {}}},
        .kinds = {{.name = {}, .light = QColor(Qt::red), .dark = QColor(Qt::red)}},
        .end = 1.0};
    for (int i = 0; i < 40; ++i)
        data.lanes[0].items.push_back({.start = 0.011 + i * 0.0241,
            .end = 0.0114 + i * 0.0241,
            .kind = 0,
            .name = {}}); // a quarter of a pixel each
    chart.setData(std::move(data));
    const QImage image = chart.grab().toImage();
    const int y = static_cast<int>(image.height() * 0.2);
    int drawn = 0;
    for (int x = 1; x < image.width(); ++x)
        drawn += image.pixelColor(x, y) == QColor(Qt::red) && image.pixelColor(x - 1, y) != QColor(Qt::red);
    EXPECT_EQ(drawn, 40);
}

} // namespace
} // namespace slipway::ui
