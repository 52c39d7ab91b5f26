// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <gmock/gmock.h>

#include "config/settings.h"
#include "ui/examples.h"
#include "ui/plan/gpu_choices.h"
#include "ui/plan/memory_areas.h"
#include "ui/plan/plan_display.h"
#include "ui/plan/display_names.h"

namespace slipway::ui {
namespace {

QString text(const char *utf8) { return QString::fromUtf8(utf8); }

TEST(PlanDisplay, SaysWhatFitsAndHowMuchStaysFree)
{
    const PlanDisplay view = planDisplay(examplePrediction({.microBatch = 8}));
    EXPECT_EQ(view.verdict.word, text("Fits"));
    EXPECT_EQ(view.verdict.tone, Pill::Tone::Good);
    EXPECT_EQ(view.verdict.sentence, text("20.0 GiB of 80.0 GiB remains free at peak"));
    EXPECT_EQ(view.verdict.detail, text("Peak memory is 60.0 GiB (P10–P90: 58.0 GiB – 63.0 GiB), reached in the "
                                        "backward phase (loss/logits). The largest micro-batch that fits is 10."));
}

TEST(PlanDisplay, GroupsTheDigitsOfTheLargestMicroBatch)
{
    Prediction prediction = examplePrediction();
    prediction.memory.maxMicroBatch = 41'618;
    EXPECT_TRUE(planDisplay(prediction).verdict.detail.endsWith(text("fits is 41,618.")));
}

TEST(PlanDisplay, SaysTheSizeOfACustomModelOnce)
{
    Prediction prediction = examplePrediction();
    prediction.model.name = "custom, 2.56M";
    const QString model = planDisplay(prediction).model;
    EXPECT_TRUE(model.startsWith(text("Custom shape · "))) << model.toStdString();
    EXPECT_EQ(model.count(text("2.56M")), 0) << "only what the shape has";
}

TEST(PlanDisplay, SaysByHowMuchItDoesNotFit)
{
    const PlanDisplay view = planDisplay(examplePrediction({.microBatch = 16}));
    EXPECT_EQ(view.verdict.word, text("Out of memory"));
    EXPECT_EQ(view.verdict.tone, Pill::Tone::Bad);
    EXPECT_EQ(view.verdict.sentence, text("Peak memory exceeds the available 80.0 GiB by 40.0 GiB"));
    for (const MetricDisplay &figure : view.figures)
        EXPECT_TRUE(figure.label.endsWith(text("if it fitted"))) << figure.label.toStdString();
}

TEST(PlanDisplay, GivesEachFigureItsUnitRangeAndSource)
{
    // 8 x 1024 tokens in 0.5 s; between 0.8 s and 0.4 s.
    const std::vector<MetricDisplay> figures = planDisplay(examplePrediction({.microBatch = 8})).figures;
    ASSERT_EQ(figures.size(), 6u);
    EXPECT_EQ(figures[0].value, text("16.4K"));
    EXPECT_EQ(figures[0].unit, text("tokens/s"));
    EXPECT_EQ(figures[0].detail, text("10.2K – 20.5K"));
    EXPECT_EQ(figures[0].source, Source::Predicted);
    EXPECT_EQ(figures[1].value, text("41.3"));
    EXPECT_EQ(figures[1].detail, text("HFU 52.0 %"));
    EXPECT_EQ(figures[2].value, text("500.0 ms"));
    EXPECT_EQ(figures[2].detail, text("400 – 800 ms"));
    EXPECT_EQ(figures[3].label, text("Training time"));
    EXPECT_EQ(figures[3].value, text("10 h 00 min"));
    EXPECT_EQ(figures[3].detail, text("8.0 – 16.0 h"));
    EXPECT_EQ(figures[4].value, text("$610.35"));
    EXPECT_EQ(figures[4].source, Source::Quoted);
    EXPECT_EQ(figures[4].detail, text("at $36.00/h"));
    EXPECT_EQ(figures[5].value, text("$360.00"));
    EXPECT_EQ(figures[5].detail, text("$288 – $576"));
}

TEST(PlanDisplay, LeavesADashWhereTheBookHasNoPrice)
{
    Prediction p = examplePrediction();
    p.cost.usdPerHour.reset();
    p.cost.usdPerBillionTokens.reset();
    p.cost.usd.reset();
    const std::vector<MetricDisplay> figures = planDisplay(p).figures;
    EXPECT_EQ(figures[4].value, text("–"));
    EXPECT_EQ(figures[4].detail, text("no price"));
    EXPECT_EQ(figures[5].value, text("–"));
}

TEST(PlanDisplay, CountsABookOfRatiosInUnitsNotDollars)
{
    Prediction p = examplePrediction();
    p.cost.relative = true;
    EXPECT_EQ(planDisplay(p).figures[4].value, text("610.35 units"));
}

TEST(PlanDisplay, MemoryPartsSumToThePeak)
{
    const Prediction p = examplePrediction({.microBatch = 8});
    const BarData bar = memoryBar(p);
    EXPECT_DOUBLE_EQ(stackedEdges(bar.parts).back(), 60.0);
    EXPECT_DOUBLE_EQ(*bar.limit, 80.0);
    const std::vector<LegendEntry> parts = partsOf(bar);
    ASSERT_EQ(parts.size(), 4u); // parameters, activations, reserved, outside
    EXPECT_EQ(parts[0].value, text("10.0 GiB"));
    EXPECT_EQ(parts[0].share, text("17 %"));
    EXPECT_EQ(parts[1].value, text("47.0 GiB"));
    EXPECT_EQ(parts[2].name, text("Reserved, unallocated"));
    EXPECT_EQ(parts[2].value, text("2.0 GiB"));
}

TEST(PlanDisplay, MemoryOfATinyPlanHasASmallUnit)
{
    Prediction p = examplePrediction();
    p.memory.capacity = 100 * kMiB;
    p.memory.outsideAllocator = 0;
    p.memory.peak = 20 * kMiB;
    EXPECT_EQ(memoryBar(p).axisTitle, text("MiB"));
    EXPECT_EQ(memoryBar(p).limit, 100);
    MemoryOverStep over;
    over.points.resize(2);
    over.points[0].bytes.front() = 3 * kMiB;
    const AreaData areas = memoryAreas(over, p);
    EXPECT_EQ(areas.layers.front().values.front(), 3);
    EXPECT_EQ(areas.tick(5, 5), text("5 MiB"));
    EXPECT_EQ(areas.text(5), text("5.0 MiB"));
}

TEST(PlanDisplay, TimeCountsOnlyTheExposedPartOfCommunication)
{
    // 0.3 + 0.05 + 0.05 + 0.02 + 0.03 + 0.05 exposed of 0.2.
    EXPECT_NEAR(stackedEdges(timeBar(examplePrediction()).parts).back(), 0.5, 1e-12);
}

TEST(PlanDisplay, TellsWhatASuggestionGivesAndCosts)
{
    const SuggestionDisplay row = planDisplay(examplePrediction({.microBatch = 8})).suggestions.at(0);
    EXPECT_EQ(row.change, text("Recomputation → Full"));
    EXPECT_EQ(row.peak, text("30.0 GiB\n−50 %"));
    EXPECT_EQ(row.speed, text("13.1K tokens/s\n−20 %"));
    EXPECT_EQ(row.cost, text("$762.94/1B tokens\n+25 %"));
    EXPECT_THAT(row.settings, ::testing::ElementsAre(std::pair<std::string, std::string>{"recompute", "full"}));
}

TEST(PlanDisplay, SuggestsCardsAndPriceBooksByTheirNames)
{
    Prediction prediction = examplePrediction({.microBatch = 8});
    prediction.suggestions.at(0).change = {{"gpu", "card"}, {"prices", "book"}};
    Catalogue catalogue;
    catalogue.gpus = {{.id = "card", .name = "Card 80GB"}};
    catalogue.priceBooks = {{.id = "book", .title = "The book"}};
    EXPECT_EQ(
        planDisplay(prediction, &catalogue).suggestions[0].change, text("GPU → Card 80GB, Price book → The book"));
    EXPECT_EQ(planDisplay(prediction).suggestions[0].change, text("GPU → card, Price book → book"));
}

TEST(PlanDisplay, AreasMarkThePeakAndNameThePhases)
{
    const AreaData areas = memoryAreas(exampleMemory(), examplePrediction());
    ASSERT_EQ(areas.spans.size(), 3u);
    EXPECT_EQ(areas.spans[1].name, text("Backward"));
    EXPECT_EQ(areas.spans[1].first, 3u);
    EXPECT_EQ(areas.mark, 2u); // 10 + 40 GiB, the first of two
    EXPECT_EQ(areas.markName, text("peak 50.0 GiB"));
    EXPECT_DOUBLE_EQ(*areas.limit, 79.0);
    EXPECT_EQ(areas.positions[0], text("block/op0, layer 0"));
    EXPECT_EQ(areas.positions[5], text("block/op5"));
}

TEST(DisplayNames, NameSettingsAndValuesAsPeopleDo)
{
    EXPECT_EQ(settingName("micro_batch"), text("Micro-batch"));
    EXPECT_EQ(settingName("layers"), text("Layers"));
    EXPECT_EQ(withFieldNames(text("Set --data to a file")), text("Set Token files to a file"));
    EXPECT_EQ(valueName("parallel", text("fsdp-full")), text("FSDP, full shard"));
    EXPECT_EQ(valueName("model", text("none")), text("none")) << "a model may be called anything";
}

TEST(DisplayNames, CallOnlyTheEmbeddingsTiedAndOtherBooleansOnOrOff)
{
    EXPECT_EQ(valueName("tied", text("true")), text("Tied"));
    EXPECT_EQ(valueName("tied", text("false")), text("Untied"));
    for (const Setting &setting : settings()) {
        if (setting.type == SettingType::Bool && setting.key != "tied") {
            EXPECT_EQ(valueName(setting.key, text("true")), text("On")) << setting.key;
            EXPECT_EQ(valueName(setting.key, text("false")), text("Off")) << setting.key;
        }
    }
}

TEST(DisplayNames, PutFieldsInPlaceOfFlagsInMessages)
{
    EXPECT_EQ(withFieldNames(text("a multiple of --gpus-per-node")), text("a multiple of GPUs per node"));
    EXPECT_EQ(withFieldNames(text("use --parallel fsdp-full, or --help")),
        text("use Parallelism 'FSDP, full shard', or --help"));
    EXPECT_EQ(fieldMessage({.what = "3 ranks cannot be laid out", .where = "--gpus", .accepted = "1, 2, 4"}),
        text("GPUs: 3 ranks cannot be laid out. Accepted: 1, 2, 4."));
    EXPECT_EQ(fieldMessage({.what = "the disk is full"}), text("The disk is full."));
}

TEST(GpuChoices, AreInAlphabeticalOrderWithNumbersAsNumbersAndTheProcessorLast)
{
    Catalogue catalogue;
    for (const auto &[id, name] :
        {std::pair("cpu", "A processor"), std::pair("c", "L4"), std::pair("b", "A100 80GB"), std::pair("d", "a10"),
            std::pair("e", "L40"), std::pair("f", "RTX 4090 48GB (modified)"), std::pair("g", "RTX 4090 PCIe")}) {
        Gpu gpu;
        gpu.id = id;
        gpu.name = name;
        catalogue.gpus.push_back(gpu);
    }
    QStringList names;
    for (const Choice &choice : gpuChoices(catalogue))
        names << choice.shown;
    EXPECT_EQ(
        names.join(u'|'), QStringLiteral("a10|A100 80GB|L4|L40|RTX 4090 PCIe|RTX 4090 48GB (modified)|A processor"));
}

TEST(PlanDisplay, WhatComesNearestToAFitIsNamedAsTheFormNamesIt)
{
    Prediction prediction = examplePrediction();
    EXPECT_EQ(planDisplay(prediction).nothingFits, QString());
    prediction.memory.capacity = 12 * kGiB;
    prediction.leastFound = Suggestion{.change = {{"gpus", "8"}, {"micro_batch", "1"}, {"recompute", "full"}}};
    prediction.leastFound->peak = 14 * kGiB;
    EXPECT_EQ(planDisplay(prediction).nothingFits,
        QStringLiteral("No configuration was found that fits in 12.0 GiB. The lowest peak found is 14.0 GiB, with "
                       "GPUs → 8, Micro-batch → 1, Recomputation → Full."));
    prediction.leastFound->change.clear();
    EXPECT_TRUE(planDisplay(prediction).nothingFits.endsWith(QStringLiteral("that of this plan.")));
}

TEST(PlanDisplay, SaysTheFormulaOfMfuThatIsUsed)
{
    RunConfig config;
    EXPECT_TRUE(planDisplay(examplePrediction(config)).figures[1].tip.contains(text("(6 × matmul parameters")));
    config.loraRank = 8;
    EXPECT_TRUE(planDisplay(examplePrediction(config))
            .figures[1]
            .tip.contains(text("(4 × frozen matmul parameters + 6 × adapter parameters")));
}

} // namespace
} // namespace slipway::ui
