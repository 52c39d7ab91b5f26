// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/plan/plan_comparison.h"

#include <QAction>
#include <QTableWidget>
#include <QTest>
#include <gmock/gmock.h>

#include "ui/examples.h"
#include "ui/plan/plan_page.h"
#include "ui/widgets/text.h"

namespace slipway::ui {
namespace {

// Of half the memory and twice the speed and price.
Prediction changedExample()
{
    Prediction changed = examplePrediction();
    changed.config.microBatch *= 2;
    changed.memory.peak /= 2;
    changed.speed.tokensPerSecond *= 2;
    return changed;
}

const ComparedRow *rowNamed(const std::vector<ComparedRow> &rows, const QString &name)
{
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const ComparedRow &row) { return row.name == name; });
    return found == rows.end() ? nullptr : &*found;
}

TEST(ComparedRows, NameWhatWasChangedAndByHowMuchTheFiguresDiffer)
{
    const std::vector<ComparedRow> rows = comparedRows(examplePrediction(), changedExample(), {});
    ASSERT_FALSE(rows.empty());
    EXPECT_TRUE(rows[0].isSetting);
    EXPECT_EQ(rows[0].name, QStringLiteral("Micro-batch"));
    EXPECT_EQ(rows[0].after.toInt(), 2 * rows[0].before.toInt());
    EXPECT_FALSE(rows[1].isSetting) << "only one setting differs";
    EXPECT_EQ(rowNamed(rows, QStringLiteral("Peak memory"))->difference, QStringLiteral("−50 %"));
    EXPECT_EQ(rowNamed(rows, QStringLiteral("Tokens/s"))->difference, QStringLiteral("+100 %"));
    EXPECT_EQ(rowNamed(rows, QStringLiteral("Step time"))->difference, QStringLiteral("same"));
}

TEST(ComparedRows, AShapeOfItsOwnIsNotNamedAfterTheModelThatItBeganWith)
{
    Prediction before = examplePrediction(), after = before;
    before.config.model.name = "Qwen/Qwen3-0.6B";
    after.config.model = {.name = "1B", .layers = 4};
    after.model.name = "custom, 2.56M";
    const std::vector<ComparedRow> rows = comparedRows(before, after, {});
    const ComparedRow *model = rowNamed(rows, QStringLiteral("Model"));
    ASSERT_NE(model, nullptr);
    EXPECT_EQ(model->before, QStringLiteral("Qwen/Qwen3-0.6B"));
    EXPECT_THAT(model->after.toStdString(), ::testing::StartsWith("Custom shape, "));
}

TEST(ComparedRows, ASizeThatAPlanLeavesToItsModelIsThatOfTheModel)
{
    const Prediction before = examplePrediction();
    Prediction after = before;
    after.config.model.layers = after.model.layers = before.model.layers + 4;
    after.config.model.tied = after.model.head.tied = !before.model.head.tied;
    const std::vector<ComparedRow> rows = comparedRows(before, after, {});
    const ComparedRow *layers = rowNamed(rows, QStringLiteral("Layers"));
    ASSERT_NE(layers, nullptr);
    EXPECT_EQ(layers->before, QString::number(before.model.layers));
    EXPECT_EQ(layers->after, QString::number(before.model.layers + 4));
    const ComparedRow *tied = rowNamed(rows, QStringLiteral("Embeddings"));
    ASSERT_NE(tied, nullptr);
    EXPECT_EQ(tied->before, before.model.head.tied ? QStringLiteral("Tied") : QStringLiteral("Untied"));
}

TEST(ComparedRows, APriceThatIsMissingOnOneSideHasNoDifference)
{
    Prediction before = examplePrediction(), after = before;
    before.cost.usd = std::nullopt;
    after.cost.usd = 10;
    const std::vector<ComparedRow> rows = comparedRows(before, after, {});
    const ComparedRow *cost = rowNamed(rows, QStringLiteral("Training cost"));
    ASSERT_NE(cost, nullptr);
    EXPECT_EQ(cost->before, QStringLiteral("–"));
    EXPECT_TRUE(cost->difference.isEmpty());
}

struct PlanComparisonTest : ::testing::Test {
    Catalogue catalogue{.gpus = {{.id = "card", .name = "Card 80GB", .memoryBytes = 80 * kGiB}},
        .models = {{.spec = examplePrediction().model}}};
    PlanDocument document{examplePlanner(), {.gpu = "card", .microBatch = 8}};
    PlanPage page{document, catalogue};

    PlanComparison &comparison() const { return page.results().comparison(); }
};

TEST_F(PlanComparisonTest, APlanThatIsKeptStaysBesideTheOneThatIsEdited)
{
    EXPECT_TRUE(comparison().isHidden());
    EXPECT_FALSE(page.commands().back->isEnabled());
    page.commands().keep->trigger();
    EXPECT_FALSE(comparison().isHidden());
    EXPECT_EQ(comparison().table().item(0, 0)->text(), QStringLiteral("Verdict")) << "nothing differs yet";

    ASSERT_TRUE(document.edit("micro_batch", "16"));
    const QTableWidget &table = comparison().table();
    EXPECT_EQ(table.item(0, 0)->text(), QStringLiteral("Micro-batch"));
    EXPECT_EQ(table.item(0, 1)->text(), QStringLiteral("8"));
    EXPECT_EQ(table.item(0, 2)->text(), QStringLiteral("16"));
}

TEST_F(PlanComparisonTest, BackToPlanACanBeUndone)
{
    page.commands().keep->trigger();
    ASSERT_TRUE(document.edit("micro_batch", "16"));
    page.commands().back->trigger();
    EXPECT_EQ(document.config().microBatch, 8);
    document.undoStack().undo();
    EXPECT_EQ(document.config().microBatch, 16);
    comparison().forget();
    EXPECT_TRUE(comparison().isHidden());
    EXPECT_FALSE(page.commands().back->isEnabled());
}

} // namespace
} // namespace slipway::ui
