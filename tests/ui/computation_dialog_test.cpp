// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/plan/computation_dialog.h"

#include <QTableWidget>
#include <gmock/gmock.h>

#include "ui/examples.h"
#include "ui/widgets/text.h"

namespace slipway::ui {
namespace {

// 1,000 tokens a step in 2 s on one GPU at $3.60 an hour, for 900,000 tokens: half an hour.
Prediction plan()
{
    Prediction p = examplePrediction();
    p.config.parallel = {};
    p.config.microBatch = 2;
    p.config.gradAccum = 1;
    p.config.seqLen = 500;
    p.speed.step = 2;
    p.speed.tokensPerSecond = p.speed.tokensPerSecondPerGpu = 500;
    p.cost.tokens = 900'000;
    p.cost.hours = 0.5;
    p.cost.usdPerHour = 3.6;
    p.cost.usd = 1.8;
    p.cost.usdPerBillionTokens = 2000;
    p.cost.relative = false;
    return p;
}

QString numbersOf(const QString &figure, const Prediction &p)
{
    for (const Computation &one : computationsOf(p)) {
        if (one.figure == figure)
            return one.numbers;
    }
    return {};
}

TEST(Computations, HaveTheNumbersOfThePlanInTheFormula)
{
    EXPECT_EQ(numbersOf(QStringLiteral("Throughput"), plan()), QStringLiteral("1.00K tokens ÷ 2.0 s = 500 tokens/s"));
    EXPECT_EQ(numbersOf(QStringLiteral("Training time"), plan()),
        QStringLiteral("900.0K tokens ÷ 500 tokens/s = 30 min 00 s"));
    EXPECT_EQ(numbersOf(QStringLiteral("Training cost"), plan()), QStringLiteral("30 min 00 s × $3.60 = $1.80"));
    EXPECT_EQ(numbersOf(QStringLiteral("Per 1B tokens"), plan()), QStringLiteral("$3.60 ÷ 1.80M tokens × 1B = $2,000"));
}

TEST(Computations, APlanWithoutAPriceHasNoCost)
{
    Prediction free = plan();
    free.cost.usdPerHour = free.cost.usd = free.cost.usdPerBillionTokens = std::nullopt;
    EXPECT_TRUE(numbersOf(QStringLiteral("Training cost"), free).isEmpty());
    EXPECT_FALSE(numbersOf(QStringLiteral("Training time"), free).isEmpty());
}

TEST(Computations, NameTheHostMemoryOfOffloadedTensorsOnly)
{
    Prediction p = plan();
    EXPECT_TRUE(numbersOf(QStringLiteral("Host memory per node"), p).isEmpty());
    p.memory.host[static_cast<std::size_t>(Role::MasterWeight)] = Bytes{4} << 30;
    p.memory.host[static_cast<std::size_t>(Role::OptimizerState)] = Bytes{8} << 30;
    EXPECT_EQ(numbersOf(QStringLiteral("Host memory per node"), p),
        QStringLiteral("4.0 GiB master weights + 8.0 GiB optimizer states = 12.0 GiB"));
}

TEST(Computations, ThePeakOfAProcessorComesFromNoDataSheet)
{
    Prediction here = plan();
    const auto inputs = [](const Prediction &p) {
        std::string all;
        for (const Computation &one : computationsOf(p))
            all += one.inputs.toStdString() + "\n";
        return all;
    };
    EXPECT_THAT(inputs(here), ::testing::HasSubstr("dense bf16 rate"));
    here.config.gpu = "cpu";
    EXPECT_THAT(inputs(here), ::testing::HasSubstr("fp32 rate of this CPU"));
    EXPECT_THAT(inputs(here), ::testing::Not(::testing::HasSubstr("bf16")));
}

TEST(Computations, TheDialogHasARowForEachFigure)
{
    const ComputationDialog dialog(plan());
    EXPECT_EQ(dialog.table().rowCount(), std::ssize(computationsOf(plan())));
    EXPECT_EQ(dialog.table().item(0, 0)->text(), QStringLiteral("Peak memory"));
}

TEST(Computations, SayTheFormulaOfMfuThatIsUsed)
{
    const auto formula = [](const Prediction &p) {
        for (const Computation &one : computationsOf(p)) {
            if (one.figure == QStringLiteral("MFU"))
                return one.formula;
        }
        return QString();
    };
    Prediction p = plan();
    EXPECT_TRUE(formula(p).startsWith(QStringLiteral("(6 × matmul parameters")));
    p.config.loraRank = 8;
    EXPECT_TRUE(formula(p).startsWith(QStringLiteral("(4 × frozen matmul parameters + 6 × adapter parameters")));
}

} // namespace
} // namespace slipway::ui
