// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <QLabel>
#include <QScrollBar>
#include <QTableWidget>
#include <fmt/format.h>
#include <future>

#include "ui/plan/buffer_table.h"
#include "ui/plan/offer_table.h"
#include "ui/plan/suggestion_list.h"
#include "ui/plan_page_fixture.h"

namespace slipway::ui {
namespace {

using PlanSuggestionsTest = PlanPageTest;

void showWith(QWidget &widget, int width)
{
    widget.setAttribute(Qt::WA_DontShowOnScreen);
    widget.resize(width, 300);
    widget.show();
    QCoreApplication::processEvents();
}

TEST(NarrowTableTest, OffersHideTheirLastColumnsAndDoNotScrollSideways)
{
    const Catalogue catalogue;
    OfferTable offers(catalogue);
    offers.set({}, false,
        {{.gpuName = "Card", .tokensPerSecond = 1, .step = 1, .hours = 1},
            {.gpuName = "Old", .skipped = "a long reason why this GPU cannot run the plan, which is elided"}});
    const QTableWidget &table = offers.table();
    showWith(offers, 400);
    EXPECT_EQ(table.horizontalScrollBar()->maximum(), 0);
    EXPECT_FALSE(table.isColumnHidden(OfferTable::Cheapest));
    EXPECT_TRUE(table.isColumnHidden(OfferTable::Memory));
    EXPECT_THAT(table.item(0, OfferTable::GpuName)->toolTip().toStdString(), ::testing::HasSubstr("Peak memory: "));
    showWith(offers, 2000);
    for (int column = 0; column < OfferTable::ColumnCount; ++column)
        EXPECT_FALSE(table.isColumnHidden(column)) << column;
    offers.set({}, true, {{.gpuName = "Card", .tokensPerSecond = 1, .step = 1, .hours = 1}});
    EXPECT_TRUE(table.isColumnHidden(OfferTable::AsPlanned)) << "the book has ratios";
}

TEST(NarrowTableTest, BuffersHideTheirLeastImportantColumnsAndDoNotScrollSideways)
{
    BufferTable buffers;
    LiveBuffer buffer{.name = "layers.0.attention_output"};
    buffer.bytes = kGiB;
    buffer.instances = 16;
    buffers.set(QStringLiteral("now"), {buffer});
    const auto &table = *buffers.findChild<QTableView *>();
    showWith(buffers, 360);
    EXPECT_EQ(table.horizontalScrollBar()->maximum(), 0);
    EXPECT_FALSE(table.isColumnHidden(BufferModel::Sum));
    EXPECT_TRUE(table.isColumnHidden(BufferModel::Type));
    EXPECT_THAT(table.model()->index(0, 0).data(Qt::ToolTipRole).toString().toStdString(),
        ::testing::AllOf(::testing::HasSubstr("Count: 16"), ::testing::HasSubstr("Total size: 1.0 GiB")));
    showWith(buffers, 120);
    EXPECT_EQ(table.horizontalScrollBar()->maximum(), 0) << "the name has an ellipsis";
    showWith(buffers, 1200);
    for (int column = 0; column < BufferModel::ColumnCount; ++column)
        EXPECT_FALSE(table.isColumnHidden(column)) << column;
}

TEST(SuggestionListTest, WrapsTheSentenceThatThereIsNoSuggestion)
{
    SuggestionList list;
    list.set({}, {});
    EXPECT_LT(list.minimumSizeHint().width(), 250) << "a narrow window would have to scroll sideways";
}

TEST(SuggestionListTest, ANarrowRowHasItsFiguresBelowItsWords)
{
    SuggestionRow row;
    row.set({.change = QStringLiteral("Price book → Verda spot"),
        .why = QStringLiteral("spot prices: nodes can be preempted, which the goodput includes"),
        .peak = QStringLiteral("23.0 GiB\nsame"),
        .speed = QStringLiteral("80.5K tokens/s\nsame"),
        .cost = QStringLiteral("$3.45/1B tokens\n−67 %")});
    const auto heightAt = [&row](int width) {
        row.resize(width, row.height());
        row.setAttribute(Qt::WA_DontShowOnScreen);
        row.show();
        QCoreApplication::processEvents();
        return row.height();
    };
    const int wide = heightAt(900), line = row.fontMetrics().height();
    EXPECT_LT(heightAt(466), wide + 4 * line) << "the words are not squeezed beside the figures";
    EXPECT_GT(row.height(), wide);
    EXPECT_EQ(heightAt(900), wide);
}

TEST_F(PlanSuggestionsTest, AClickOnASuggestionAppliesItAsOneStepOfUndo)
{
    ASSERT_EQ(page.results().suggestions().rows().size(), 1u);
    QTest::mouseClick(page.results().suggestions().rows()[0], Qt::LeftButton);
    EXPECT_EQ(document.config().recompute, Recompute::Full);
    document.undoStack().undo();
    EXPECT_EQ(document.config(), start);
}

TEST_F(PlanSuggestionsTest, WhatALongerSearchFindsComesFirstAmongTheSuggestions)
{
    Planner planner = examplePlanner();
    int begun = 0;
    planner.searchSettings = [&begun](const RunConfig &config) -> Planner::SettingsWork {
        ++begun;
        return [config](const std::function<bool()> &) -> Result<SettingsSearch> {
            return SettingsSearch{
                .best = {{.change = {{"attention", "vanilla"}}, .why = fmt::format("for {}", config.microBatch)}}};
        };
    };
    PlanDocument searched{planner, start};
    PlanPage shown{searched, catalogue};
    const auto firstIs = [&](const char *why) {
        const std::vector<SuggestionRow *> rows = shown.results().suggestions().rows();
        return !rows.empty() && rows.front()->view().why == QString::fromUtf8(why);
    };
    EXPECT_TRUE(QTest::qWaitFor([&] { return firstIs("for 8"); }));
    EXPECT_GT(searched.outcome()->suggestions.size(), 1U) << "the first suggestions stay";
    ASSERT_TRUE(searched.edit("micro_batch", "4"));
    EXPECT_FALSE(firstIs("for 8")) << "of another plan";
    EXPECT_TRUE(QTest::qWaitFor([&] { return firstIs("for 4"); }));
    EXPECT_EQ(begun, 2);
}

TEST_F(PlanSuggestionsTest, NoChangeIsSaidToBeMissingBeforeTheSearchHasEnded)
{
    Planner planner = examplePlanner();
    planner.predict = [](const RunConfig &config) -> Result<Prediction> {
        Prediction prediction = examplePrediction(config);
        prediction.suggestions.clear();
        return prediction;
    };
    std::promise<void> release;
    planner.searchSettings = [&release](const RunConfig &) -> Planner::SettingsWork {
        return [done = release.get_future().share()](const std::function<bool()> &) -> Result<SettingsSearch> {
            done.wait();
            return SettingsSearch{};
        };
    };
    PlanDocument searched{planner, start};
    PlanPage shown{searched, catalogue};
    const auto says = [&](const char *text) {
        const QList<QLabel *> labels = shown.results().suggestions().findChildren<QLabel *>();
        return std::any_of(labels.begin(), labels.end(),
            [&](const QLabel *label) { return label->text().startsWith(QString::fromUtf8(text)); });
    };
    EXPECT_TRUE(shown.results().isSearching());
    EXPECT_TRUE(says("Searching"));
    EXPECT_FALSE(says("No change was found"));
    release.set_value();
    EXPECT_TRUE(QTest::qWaitFor([&] { return !shown.results().isSearching(); }, kLimitMs));
    EXPECT_TRUE(says("No change was found"));
}

TEST_F(PlanSuggestionsTest, ADoubleClickedOfferIsTakenWithAllThatItTakesToRunThere)
{
    Planner planner = examplePlanner();
    planner.offers = [](const RunConfig &config) -> Result<std::vector<Offer>> {
        const Price price{.book = "book", .gpu = "other", .usdPerGpuHour = 2, .asOf = "2026-01", .source = "provider"};
        const Offer own{.config = config,
            .gpuName = "Card 80GB",
            .peak = 60 * kGiB,
            .capacity = 80 * kGiB,
            .tokensPerSecond = 1e5,
            .step = 0.1,
            .hours = 10,
            .asPlanned = price};
        Offer other{.config = config,
            .gpuName = "Other",
            .verdict = Verdict::Tight,
            .peak = 39 * kGiB,
            .capacity = 40 * kGiB,
            .tokensPerSecond = 5e4,
            .step = 0.2,
            .hours = 20,
            .cheapest = price};
        other.config.gpu = "other";
        other.config.microBatch = 4;
        other.config.gradAccum = 2;
        const Offer small{.config = config,
            .gpuName = "Small",
            .verdict = Verdict::Oom,
            .peak = 60 * kGiB,
            .capacity = 8 * kGiB,
            .cheapest = price};
        const Offer old{.config = config, .gpuName = "Old", .skipped = "no bf16"};
        return std::vector{own, other, small, old};
    };
    PlanDocument priced{planner, start};
    const PlanResults results(priced, catalogue);
    const QTableWidget &table = results.offers().table();
    const auto cell = [&table](int row, int column) { return table.item(row, column)->text().toStdString(); };
    ASSERT_EQ(table.rowCount(), 4);
    EXPECT_EQ(cell(0, OfferTable::AsPlanned), "$20.00");
    EXPECT_THAT(cell(1, OfferTable::Memory), ::testing::HasSubstr("tight"));
    EXPECT_FALSE(table.item(0, OfferTable::Memory)->data(Qt::ForegroundRole).isValid())
        << "in the theme's own color, whichever comes";
    EXPECT_EQ(cell(1, OfferTable::Step), "4 × 2");
    EXPECT_EQ(cell(1, OfferTable::Cheapest), "$40.00  book");
    EXPECT_THAT(cell(2, OfferTable::Memory), ::testing::HasSubstr("out of memory"));
    EXPECT_EQ(cell(2, OfferTable::Cheapest), "–") << "what does not run costs nothing that one could name";
    EXPECT_EQ(cell(3, OfferTable::GpuName + 1), "no bf16") << "across all figures";
    EXPECT_EQ(table.columnSpan(3, OfferTable::GpuName + 1), OfferTable::ColumnCount - 1);
    results.offers().applyOffer(3);
    EXPECT_EQ(priced.config(), start) << "what cannot be planned is not taken";
    results.offers().applyOffer(1);
    EXPECT_EQ(priced.config().gpu, "other");
    EXPECT_EQ(priced.config().microBatch, 4);
    EXPECT_EQ(priced.config().gradAccum, 2);
    EXPECT_EQ(priced.config().prices, "book") << "its price is in another book";
    priced.undoStack().undo();
    EXPECT_EQ(priced.config(), start);
}

} // namespace
} // namespace slipway::ui
