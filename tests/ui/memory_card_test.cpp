// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <QAbstractItemModelTester>
#include <QLabel>
#include <QTableView>
#include <QTest>
#include <gmock/gmock.h>

#include "ui/examples.h"
#include "ui/plan/buffer_table.h"
#include "ui/plan/memory_card.h"
#include "ui/plan/plan_results.h"
#include "ui/plan/memory_areas.h"
#include "ui/plan/plan_display.h"
#include "ui/plan/textbook_table.h"

namespace slipway::ui {
namespace {

// Four steps of three ops; Adam's states appear with the last op of the first one.
FirstSteps exampleFirstSteps()
{
    FirstSteps first{.usable = 70 * kGiB};
    for (int step = 1; step <= kFirstSteps; ++step) {
        for (int op = 0; op < 3; ++op) {
            FirstSteps::Point point{.step = step,
                .op = "block/op" + std::to_string(op),
                .layer = op,
                .reserved = (step == 1 ? 30 : 40) * kGiB};
            point.bytes[static_cast<std::size_t>(Role::Parameter)] = 10 * kGiB;
            point.bytes[static_cast<std::size_t>(Role::Activation)] = op * 5 * kGiB;
            point.bytes[static_cast<std::size_t>(Role::OptimizerState)] = step > 1 || op == 2 ? 8 * kGiB : 0;
            point.allocated = (10 + op * 5 + (step > 1 || op == 2 ? 8 : 0)) * kGiB;
            first.points.push_back(point);
        }
    }
    return first;
}

struct MemoryCardTest : ::testing::Test {
    std::vector<std::size_t> stages; // that were asked for
    std::size_t instant = 99;

    Planner planner()
    {
        Planner planner = examplePlanner();
        planner.memoryOverStep = [this](const RunConfig &, std::size_t stage) -> Result<MemoryOverStep> {
            stages.push_back(stage);
            return exampleMemory();
        };
        planner.firstSteps = [](const RunConfig &, std::size_t) -> Result<FirstSteps> { return exampleFirstSteps(); };
        planner.buffersAt = [this](const RunConfig &, std::size_t at, std::size_t) -> Result<std::vector<LiveBuffer>> {
            instant = at;
            return std::vector<LiveBuffer>{
                {.name = "weights", .role = Role::Parameter, .instances = 1, .bytes = 10 * kGiB},
                {.name = "moments", .role = Role::OptimizerState, .instances = 1, .bytes = 8 * kGiB}};
        };
        return planner;
    }
};

TEST_F(MemoryCardTest, SaysHowMuchHostMemoryOffloadingTakes)
{
    Planner with = planner();
    with.predict = [](const RunConfig &config) -> Result<Prediction> {
        Prediction p = examplePrediction(config);
        p.memory.host[static_cast<std::size_t>(Role::OptimizerState)] = 96 * kGiB;
        return p;
    };
    const auto saysHost = [](const MemoryCard &card) {
        for (const QLabel *label : card.findChildren<QLabel *>()) {
            if (!label->isHidden() && label->text().contains(QStringLiteral("96.0 GiB of host memory on each node")))
                return true;
        }
        return false;
    };
    PlanDocument offloading{with, RunConfig{.gpu = "card"}}, plain{planner(), RunConfig{.gpu = "card"}};
    MemoryCard card{offloading}, other{plain};
    card.refresh();
    other.refresh();
    EXPECT_TRUE(saysHost(card));
    EXPECT_FALSE(saysHost(other));
}

TEST_F(MemoryCardTest, DrawsTheFirstFourStepsWithReservedAsALineAndTheLimit)
{
    const AreaData areas = firstStepsAreas(exampleFirstSteps());
    ASSERT_EQ(areas.spans.size(), 4U);
    EXPECT_EQ(areas.spans[1].first, 3U);
    EXPECT_EQ(areas.line.values.front(), 30);
    EXPECT_EQ(areas.line.values.back(), 40);
    EXPECT_EQ(*areas.limit, 70);
    EXPECT_EQ(*areas.mark, 2U) << "the first time that the peak is reached";
    EXPECT_THAT(areas.positions[3].toStdString(), ::testing::HasSubstr("Step 2: block/op0"));
}

TEST_F(MemoryCardTest, NamesTheOpUnderTheCursorInEveryStep)
{
    PlanDocument document(planner(), {});
    MemoryCard card(document);
    card.refresh();
    card.show(MemoryCard::Form::FirstSteps);
    ASSERT_TRUE(card.instant());
    EXPECT_EQ(card.instant()->op, 2U);
    EXPECT_TRUE(card.instant()->statesThere);
    auto &chart = const_cast<AreaChart &>(card.chart());
    QTest::keyClick(&chart, Qt::Key_Left);
    EXPECT_EQ(card.instant()->op, 1U);
    EXPECT_FALSE(card.instant()->statesThere) << "in the first step Adam's states come last";
    for (int i = 0; i < 3; ++i)
        QTest::keyClick(&chart, Qt::Key_Right);
    EXPECT_EQ(card.instant()->op, 1U);
    EXPECT_TRUE(card.instant()->statesThere);
}

TEST_F(MemoryCardTest, AnInstantIsHeldByAClickWhenTheMouseIsGoneAndLetGoByEscape)
{
    PlanDocument document(planner(), {});
    MemoryCard card(document);
    card.refresh();
    auto &chart = const_cast<AreaChart &>(card.chart());
    const std::size_t peak = card.instant()->op;
    QTest::keyClick(&chart, Qt::Key_Home);
    QTest::keyClick(&chart, Qt::Key_Right);
    ASSERT_EQ(card.instant()->op, 1U);
    QTest::keyClick(&chart, Qt::Key_Return);
    QFocusEvent away(QEvent::FocusOut);
    QCoreApplication::sendEvent(&chart, &away);
    EXPECT_EQ(card.instant()->op, 1U) << "the table of buffers is further down: its instant must stay";
    EXPECT_EQ(chart.pinned(), std::optional<std::size_t>(1));
    QTest::keyClick(&chart, Qt::Key_End);
    EXPECT_EQ(card.instant()->op, 5U) << "the cursor comes first while it is there";
    QTest::keyClick(&chart, Qt::Key_Escape);
    EXPECT_EQ(card.instant()->op, peak);
    EXPECT_FALSE(chart.pinned());
}

TEST_F(MemoryCardTest, HoldsTheTextbookAgainstTheSimulation)
{
    PlanDocument document(planner(), {});
    MemoryCard card(document);
    card.show(MemoryCard::Form::Textbook);
    const TextbookModel &model = card.textbook().model();
    const QAbstractItemModelTester tester(const_cast<TextbookModel *>(&model));
    ASSERT_GT(model.rowCount(), 2);
    EXPECT_EQ(model.index(model.rowCount() - 1, TextbookModel::Category).data().toString(), QStringLiteral("Total"));
    ASSERT_TRUE(model.isReason(1)) << "the reason stands below its row";
    EXPECT_FALSE(model.index(1, 0).data().toString().isEmpty());
}

TEST_F(MemoryCardTest, CutsNoWordOfTheTextbooksParts)
{
    PlanDocument document(planner(), {});
    MemoryCard card(document);
    card.show(MemoryCard::Form::Textbook);
    card.resize(420, 320); // as beside the times in a window of 1280
    card.show();
    const TextbookModel &model = card.textbook().model();
    const auto *table = card.textbook().findChild<QTableView *>();
    ASSERT_NE(table, nullptr);
    const QFontMetrics metrics(table->font());
    for (int row = 0; row < model.rowCount(); ++row) {
        if (model.isReason(row))
            continue;
        for (const QString &word : model.index(row, TextbookModel::Category).data().toString().split(u' '))
            EXPECT_GE(table->columnWidth(TextbookModel::Category), metrics.horizontalAdvance(word) + 16)
                << word.toStdString();
    }
}

TEST_F(MemoryCardTest, TabLeavesEveryTableOfTheResults)
{
    PlanDocument document(planner(), {});
    const Catalogue catalogue;
    const PlanResults results(document, catalogue);
    const QList<QTableView *> tables = results.findChildren<QTableView *>();
    EXPECT_GE(tables.size(), 3);
    for (const QTableView *table : tables)
        EXPECT_FALSE(table->tabKeyNavigation()) << table->accessibleName().toStdString();
}

TEST_F(MemoryCardTest, APipelinesStageIsChosenForAllThatShowsOneAndKeptWithinIt)
{
    RunConfig config;
    config.parallel = {.gpus = 4, .pp = 4};
    PlanDocument document(planner(), config);
    const Catalogue catalogue;
    PlanResults results(document, catalogue);
    EXPECT_EQ(results.stage(), 0U);
    results.setStage(2);
    EXPECT_EQ(results.stage(), 2U);
    EXPECT_EQ(stages.back(), 2U);
    config.parallel = {.gpus = 2, .pp = 2};
    document.replace(config, QStringLiteral("two stages"));
    EXPECT_EQ(results.stage(), 1U);
    EXPECT_EQ(stages.back(), 1U);
}

TEST_F(MemoryCardTest, SaysHowManyOfTheMicroBatchesAreShown)
{
    Planner shortened = planner();
    shortened.memoryOverStep = [](const RunConfig &, std::size_t) -> Result<MemoryOverStep> {
        MemoryOverStep memory = exampleMemory();
        memory.shownMicroBatches = 2;
        memory.microBatches = 8;
        return memory;
    };
    PlanDocument document(shortened, {});
    MemoryCard card(document);
    card.refresh();
    const QList<QLabel *> labels = card.findChildren<QLabel *>();
    EXPECT_TRUE(std::any_of(labels.begin(), labels.end(), [](const QLabel *label) {
        return label->text().startsWith(QStringLiteral("2 of 8 micro-batches are shown"));
    }));
}

} // namespace
} // namespace slipway::ui
