// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QWheelEvent>
#include <fmt/format.h>

#include "config/settings.h"
#include "ui/plan/offer_table.h"
#include "ui/plan/plan_page.h"
#include "ui/plan/suggestion_list.h"
#include "ui/widgets/banner.h"
#include "ui/window_fixture.h"

namespace slipway::ui {
namespace {

Catalogue smallCatalogue()
{
    Catalogue catalogue = windowCatalogue();
    catalogue.gpus.push_back({.id = "cpu", .name = "This computer", .isCpu = true});
    return catalogue;
}

struct PlanPageTest : testing::Test {
    RunConfig start{.gpu = "card", .microBatch = 8};
    Catalogue catalogue = smallCatalogue();
    PlanDocument document{examplePlanner(), start};
    PlanPage page{document, catalogue};

    QLineEdit *edit(const char *key) { return static_cast<TextInput *>(page.form().row(key)->input())->edit(); }
    void type(const char *key, const char *text)
    {
        edit(key)->selectAll();
        QTest::keyClicks(edit(key), QString::fromUtf8(text));
    }
};

TEST(SuggestionListTest, WrapsTheSentenceThatThereIsNoSuggestion)
{
    SuggestionList list;
    list.set({}, {});
    EXPECT_LT(list.minimumSizeHint().width(), 250) << "a narrow window would have to scroll sideways";
}

TEST_F(PlanPageTest, TypingAnotherMicroBatchChangesTheVerdictAtOnce)
{
    EXPECT_EQ(page.results().verdict().text(), QStringLiteral("Fits"));
    type("micro_batch", "16");
    EXPECT_EQ(document.config().microBatch, 16);
    EXPECT_EQ(page.results().verdict().text(), QStringLiteral("Out of memory"));
}

TEST_F(PlanPageTest, TheHeaderNamesNoPlanWhileTheFormHoldsAnInvalidOne)
{
    const auto named = [this] {
        const QList<QLabel *> labels = page.findChildren<QLabel *>();
        return std::any_of(labels.begin(), labels.end(),
            [](const QLabel *label) { return label->text().contains(QStringLiteral("hidden size")); });
    };
    EXPECT_TRUE(named());
    ASSERT_TRUE(document.edit("gpus", "3")); // cannot be laid out
    EXPECT_FALSE(named());
    ASSERT_TRUE(document.edit("gpus", "1"));
    EXPECT_TRUE(named());
}

TEST_F(PlanPageTest, UndoTakesAllKeystrokesOfAFieldBackAndRedoBringsThemAgain)
{
    type("micro_batch", "16");
    EXPECT_EQ(document.undoStack().count(), 1);
    document.undoStack().undo();
    EXPECT_EQ(document.config(), start);
    EXPECT_EQ(page.results().verdict().text(), QStringLiteral("Fits"));
    EXPECT_EQ(edit("micro_batch")->text(), QStringLiteral("8"));
    document.undoStack().redo();
    EXPECT_EQ(document.config().microBatch, 16);
    EXPECT_EQ(edit("micro_batch")->text(), QStringLiteral("16"));
}

TEST_F(PlanPageTest, TheFirstChangeCanBeUndoneByItsButton)
{
    const auto button = [this](const char *name) {
        for (QPushButton *one : page.findChildren<QPushButton *>()) {
            if (one->accessibleName() == QString::fromUtf8(name))
                return one;
        }
        return static_cast<QPushButton *>(nullptr);
    };
    EXPECT_FALSE(button("Undo")->isEnabled());
    type("micro_batch", "16");
    EXPECT_TRUE(button("Undo")->isEnabled());
    EXPECT_FALSE(button("Redo")->isEnabled());
    button("Undo")->click();
    EXPECT_EQ(document.config(), start);
    EXPECT_FALSE(button("Undo")->isEnabled());
    EXPECT_TRUE(button("Redo")->isEnabled());
}

TEST_F(PlanPageTest, AWheelOverAChoiceScrollsAndChangesNothing)
{
    auto *box = page.form().row("precision")->input()->findChild<QComboBox *>();
    box->setFocus();
    QWheelEvent wheel(
        {4, 4}, box->mapToGlobal(QPointF(4, 4)), {}, {0, -120}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(box, &wheel);
    EXPECT_FALSE(wheel.isAccepted()) << "the form behind it would not hear of it";
    EXPECT_EQ(document.config(), start);
}

TEST_F(PlanPageTest, UndoingByItsKeyLeavesTheFocusAndTheViewWhereTheyAre)
{
    page.resize(1000, 600);
    page.show();
    QApplication::setActiveWindow(&page);
    QScrollBar *vertical =
        static_cast<QScrollArea *>(page.results().parentWidget()->parentWidget())->verticalScrollBar();
    page.open({.gpu = "card", .microBatch = 4}, QStringLiteral("Open grid point"));
    edit("micro_batch")->setFocus();
    QWidget *focused = page.focusWidget();
    for (QPushButton *button : page.findChildren<QPushButton *>()) {
        if (button->accessibleName() == QStringLiteral("Undo"))
            button->animateClick(); // as its key does
    }
    ASSERT_TRUE(QTest::qWaitFor([this] { return document.config() == start; }));
    EXPECT_EQ(page.focusWidget(), focused);
    EXPECT_EQ(vertical->value(), 0);
}

TEST_F(PlanPageTest, AChangeLeavesTheViewWhereItIsThoughASuggestionHadTheFocus)
{
    page.resize(1000, 600);
    page.show();
    QApplication::setActiveWindow(&page);
    QScrollBar *vertical =
        static_cast<QScrollArea *>(page.results().parentWidget()->parentWidget())->verticalScrollBar();
    auto *row = page.findChild<SuggestionRow *>();
    ASSERT_NE(row, nullptr);
    row->setFocus();
    vertical->setValue(0);
    type("micro_batch", "4");
    EXPECT_EQ(vertical->value(), 0);
}

TEST_F(PlanPageTest, TheVerdictStaysInSightWhereItsCardIsScrolledAway)
{
    page.resize(1300, 500);
    page.show();
    QScrollBar *bar = page.findChildren<QScrollArea *>().last()->verticalScrollBar();
    const auto summaries = [this] {
        int count = 0;
        for (const Pill *pill : page.findChildren<Pill *>())
            count += pill->isVisible() && !page.results().isAncestorOf(pill) ? 1 : 0;
        return count;
    };
    EXPECT_EQ(summaries(), 0);
    bar->setValue(bar->maximum());
    EXPECT_EQ(summaries(), 1);
    bar->setValue(0);
    EXPECT_EQ(summaries(), 0);
}

TEST_F(PlanPageTest, AnotherPlanIsSeenFromItsTop)
{
    page.resize(1200, 700);
    page.setAttribute(Qt::WA_DontShowOnScreen);
    page.show();
    QScrollBar *vertical =
        static_cast<QScrollArea *>(page.results().parentWidget()->parentWidget())->verticalScrollBar();
    ASSERT_GT(vertical->maximum(), 0);
    vertical->setValue(vertical->maximum());
    page.open({.gpu = "card", .microBatch = 4}, QStringLiteral("Open grid point"));
    EXPECT_EQ(vertical->value(), 0);
    EXPECT_EQ(document.undoStack().undoText(), QStringLiteral("Open grid point"));
}

TEST_F(PlanPageTest, ASmallWindowPutsCardsBelowOneAnotherInsteadOfCuttingThemOff)
{
    const auto shown = [this](int width) {
        page.resize(width, 700);
        page.show();
        QCoreApplication::processEvents();
        const MetricTile &first = *page.results().tiles().front(), &last = *page.results().tiles().back();
        return std::make_pair(last.y() > first.y(), page.results().width() <= page.results().parentWidget()->width());
    };
    EXPECT_EQ(shown(1600), std::make_pair(false, true));
    EXPECT_EQ(shown(1200), std::make_pair(false, true)) << "the usual window, less its rail";
    EXPECT_EQ(shown(960), std::make_pair(true, true)) << "the smallest window, less its rail";
    EXPECT_EQ(shown(1600), std::make_pair(false, true));
}

TEST_F(PlanPageTest, WhatIsNoNumberIsToldAtItsFieldAndChangesNothing)
{
    type("micro_batch", "many");
    EXPECT_EQ(document.config(), start);
    const QString error = page.form().row("micro_batch")->error();
    EXPECT_THAT(error.toStdString(), testing::HasSubstr("Accepted: " + findSetting("micro_batch")->accepted()));
    type("micro_batch", "4");
    EXPECT_TRUE(page.form().row("micro_batch")->error().isEmpty());
    EXPECT_EQ(document.config().microBatch, 4);
}

TEST_F(PlanPageTest, AnInvalidFieldGreysTheResultsAndDisablesWhatUsesThem)
{
    page.resize(1200, 700);
    page.setAttribute(Qt::WA_DontShowOnScreen);
    page.show();
    const auto enabled = [this](const char *name) {
        for (QPushButton *one : page.findChildren<QPushButton *>()) {
            if (one->accessibleName() == QString::fromUtf8(name))
                return one->isEnabled();
        }
        ADD_FAILURE() << name;
        return false;
    };
    const auto expect = [&](bool valid, const char *when) {
        for (const char *name : {"Launch this run", "Export this plan", "Copy the plan as a slipway command"})
            EXPECT_EQ(enabled(name), valid) << name << when;
        EXPECT_EQ(page.results().suggestions().isEnabled(), valid) << when;
        EXPECT_EQ(page.findChild<Banner *>()->text().isEmpty(), valid) << when;
    };
    expect(true, "at first");
    type("micro_batch", "12x");
    expect(false, "with a text that is no number");
    EXPECT_THAT(page.findChild<Banner *>()->text().toStdString(), testing::HasSubstr("Micro-batch: "));
    document.undoStack().undo();
    expect(true, "after undo");
    type("gpus", "3");
    expect(false, "with a plan that is refused");
    type("gpus", "4");
    expect(true, "once it is right again");
}

TEST_F(PlanPageTest, WhatWasTypedAmissIsGoneOnceThePlanIsAnotherOne)
{
    type("seq_len", "2048");
    type("micro_batch", "12x");
    type("grad_accum", "2");
    EXPECT_EQ(edit("micro_batch")->text(), QStringLiteral("12x")) << "another field's edit leaves it to be corrected";
    document.undoStack().undo();
    EXPECT_EQ(edit("micro_batch")->text(), QStringLiteral("12")) << "of the plan, not of the slip";
    EXPECT_TRUE(page.form().row("micro_batch")->error().isEmpty());
}

TEST_F(PlanPageTest, WhatCannotBePlannedIsToldAtTheFieldThatThePlannerNames)
{
    type("gpus", "3");
    EXPECT_FALSE(document.outcome());
    EXPECT_EQ(page.form().row("gpus")->error(), QStringLiteral("3 ranks cannot be laid out.\nAccepted: 1, 2, 4."));
    EXPECT_EQ(page.results().verdict().text(), QStringLiteral("Fits")) << "the last answer stays in sight";
}

TEST_F(PlanPageTest, SeveralGpusWithoutAStrategyGetOneAndTheFormSaysSo)
{
    const auto note = [this] {
        const QList<QLabel *> labels = page.form().row("parallel")->findChildren<QLabel *>();
        return std::any_of(labels.begin(), labels.end(), [](const QLabel *label) {
            return label->text() == QStringLiteral("Changed from None: 4 GPUs need a strategy.");
        });
    };
    ASSERT_EQ(start.parallel.kind, ParallelKind::None);
    type("gpus", "4");
    EXPECT_EQ(document.config().parallel.kind, ParallelKind::Ddp);
    EXPECT_TRUE(note());
    document.undoStack().undo();
    EXPECT_EQ(document.config(), start) << "one step of undo for both";
    EXPECT_FALSE(note());
    type("micro_batch", "16"); // out of memory, also with DDP
    type("gpus", "4");
    EXPECT_EQ(document.config().parallel.kind, ParallelKind::FsdpFull);
}

TEST_F(PlanPageTest, ChoosingTheCpuChoosesItsPrecisionAndTheFormSaysSo)
{
    Planner planner = examplePlanner();
    planner.predict = [](const RunConfig &config) -> Result<Prediction> {
        if (config.gpu == "cpu" && config.precision != Precision::Fp32)
            return Error{.what = "training on a CPU needs fp32", .where = "--precision", .accepted = "fp32"};
        return examplePrediction(config);
    };
    PlanDocument other{planner, start};
    PlanForm form(other, catalogue);
    const auto note = [&form] {
        const QList<QLabel *> labels = form.row("precision")->findChildren<QLabel *>();
        return std::any_of(labels.begin(), labels.end(), [](const QLabel *label) {
            return label->text() == QStringLiteral("Changed from bf16 mixed: training on a CPU needs fp32.");
        });
    };
    Input *gpu = form.row("gpu")->input();
    gpu->setValue(QStringLiteral("cpu"));
    Q_EMIT gpu->edited(QStringLiteral("cpu"));
    EXPECT_EQ(other.config().gpu, "cpu");
    EXPECT_EQ(other.config().precision, Precision::Fp32);
    EXPECT_TRUE(other.outcome());
    EXPECT_TRUE(note());
    other.undoStack().undo();
    EXPECT_EQ(other.config(), start) << "one step of undo for both";
    EXPECT_FALSE(note());
    ASSERT_TRUE(other.edit("precision", "fp32"));
    Q_EMIT gpu->edited(QStringLiteral("cpu"));
    EXPECT_FALSE(note()) << "nothing was changed";
    ASSERT_TRUE(other.edit("precision", "bf16-mixed")); // by the user, who reads why it cannot be
    EXPECT_EQ(form.row("precision")->error(), QStringLiteral("Training on a CPU needs fp32.\nAccepted: fp32."));
}

TEST_F(PlanPageTest, AnUnknownModelOffersTheThreeNearest)
{
    Planner planner = examplePlanner();
    planner.predict = [this](const RunConfig &config) -> Result<Prediction> {
        const Result<CatalogueModel> model = catalogue.model(config.model.name);
        return model ? Result<Prediction>(examplePrediction(config)) : Result<Prediction>(model.error());
    };
    for (const char *name : {"llama-7b", "llama-8b", "llama-13b", "llama-70b", "gpt2"})
        catalogue.models.push_back({.spec = {.name = name}});
    PlanDocument other{planner, {.model = {.name = "tiny"}}};
    PlanForm form(other, catalogue);
    ASSERT_TRUE(other.edit("model", "llama-6b"));
    const std::string error = form.row("model")->error().toStdString();
    EXPECT_THAT(
        error, testing::StartsWith("There is no model 'llama-6b'.\nAccepted: llama-7b, llama-8b, llama-13b, a size"));
    EXPECT_THAT(error, testing::Not(testing::HasSubstr("gpt2")));
}

TEST_F(PlanPageTest, ArrowKeysStepByPowersOfTwo)
{
    QTest::keyClick(edit("micro_batch"), Qt::Key_Up);
    EXPECT_EQ(document.config().microBatch, 16);
    QTest::keyClick(edit("micro_batch"), Qt::Key_Down);
    QTest::keyClick(edit("micro_batch"), Qt::Key_Down);
    EXPECT_EQ(document.config().microBatch, 4);
}

TEST_F(PlanPageTest, AClickOnASuggestionAppliesItAsOneStepOfUndo)
{
    ASSERT_EQ(page.results().suggestions().rows().size(), 1u);
    QTest::mouseClick(page.results().suggestions().rows()[0], Qt::LeftButton);
    EXPECT_EQ(document.config().recompute, Recompute::Full);
    document.undoStack().undo();
    EXPECT_EQ(document.config(), start);
}

TEST_F(PlanPageTest, WhatALongerSearchFindsComesFirstAmongTheSuggestions)
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

TEST_F(PlanPageTest, ACardsAliasIsShownAsTheCard)
{
    Planner planner = examplePlanner();
    planner.predict = [original = planner.predict](const RunConfig &config) {
        Result<Prediction> p = original(config);
        p->gpu.id = "card";
        return p;
    };
    PlanDocument aliased{planner, {.gpu = "an-alias"}};
    PlanPage shown{aliased, catalogue};
    EXPECT_EQ(shown.form().row("gpu")->input()->value(), QStringLiteral("card"));
    EXPECT_EQ(aliased.config().gpu, "an-alias");
}

TEST_F(PlanPageTest, ChoosingAModelDropsTheSizesOfAnotherOne)
{
    type("layers", "4");
    EXPECT_EQ(document.config().model.layers, 4);
    ASSERT_TRUE(document.edit("model", "other"));
    EXPECT_EQ(document.config().model, ModelChoice{.name = "other"});
    document.undoStack().undo();
    EXPECT_EQ(document.config().model.layers, 4);
}

TEST_F(PlanPageTest, AModelThatCannotBePlannedHasNoNoteOfTheLastOneBelowIt)
{
    Planner planner = examplePlanner();
    planner.predict = [original = planner.predict](const RunConfig &config) {
        return config.model.name == "broken" ? Result<Prediction>(Error{.what = "cannot be read"}) : original(config);
    };
    PlanDocument plan{planner, {}};
    PlanPage shown{plan, catalogue};
    const auto note = [&shown] {
        QString all;
        for (const QLabel *label : shown.form().row("model")->findChildren<QLabel *>())
            all += label->text();
        return all;
    };
    EXPECT_TRUE(note().contains(QStringLiteral("parameters"))) << note().toStdString();
    ASSERT_TRUE(plan.edit("model", "broken"));
    EXPECT_FALSE(note().contains(QStringLiteral("parameters"))) << note().toStdString();
}

TEST_F(PlanPageTest, SavedAndOpenedAgainIsTheSame)
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("plan.yaml"));
    type("micro_batch", "4");
    const RunConfig saved = document.config();
    ASSERT_TRUE(page.saveFile(path));
    type("micro_batch", "2");
    ASSERT_TRUE(page.openFile(path));
    EXPECT_EQ(document.config(), saved);
}

TEST_F(PlanPageTest, AFileThatIsNoConfigurationIsRefusedAndChangesNothing)
{
    const QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("bad.yaml")));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("micro_bacth: 4\n");
    file.close();
    const Result<void> opened = page.openFile(file.fileName());
    ASSERT_FALSE(opened);
    EXPECT_THAT(opened.error().message(), testing::HasSubstr("micro_batch"));
    EXPECT_EQ(document.config(), start);
}

TEST_F(PlanPageTest, ADoubleClickedOfferIsTakenWithAllThatItTakesToRunThere)
{
    Planner planner = examplePlanner();
    planner.offers = [](const RunConfig &config) -> Result<std::vector<Offer>> {
        const Price price{.book = "book", .gpu = "other", .usdPerGpuHour = 2, .asOf = "2026-01", .source = "provider"};
        Offer own{.config = config,
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
        Offer small{.config = config,
            .gpuName = "Small",
            .verdict = Verdict::Oom,
            .peak = 60 * kGiB,
            .capacity = 8 * kGiB,
            .cheapest = price};
        Offer old{.config = config, .gpuName = "Old", .skipped = "no bf16"};
        return std::vector{own, other, small, old};
    };
    PlanDocument priced{planner, start};
    PlanResults results(priced, catalogue);
    const QTableWidget &table = results.offers().table();
    const auto cell = [&table](int row, int column) { return table.item(row, column)->text().toStdString(); };
    ASSERT_EQ(table.rowCount(), 4);
    EXPECT_EQ(cell(0, OfferTable::AsPlanned), "$20.00");
    EXPECT_THAT(cell(1, OfferTable::Memory), testing::HasSubstr("tight"));
    EXPECT_FALSE(table.item(0, OfferTable::Memory)->data(Qt::ForegroundRole).isValid())
        << "in the theme's own color, whichever comes";
    EXPECT_EQ(cell(1, OfferTable::Step), "4 × 2");
    EXPECT_EQ(cell(1, OfferTable::Cheapest), "$40.00  book");
    EXPECT_THAT(cell(2, OfferTable::Memory), testing::HasSubstr("out of memory"));
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

TEST(PlanCommand, NamesWhatDiffersFromTheDefaultsAndNothingElse)
{
    RunConfig config;
    EXPECT_EQ(planCommand(config), "slipway plan");
    config.microBatch = 4;
    config.model.name = "my model.yaml";
    config.training.learningRate = 1.0; // of a run, not of a plan
    const std::string command = planCommand(config);
    EXPECT_THAT(command, testing::HasSubstr("--model 'my model.yaml'"));
    EXPECT_THAT(command, testing::HasSubstr("--micro-batch 4"));
    EXPECT_THAT(command, testing::Not(testing::HasSubstr("learning")));
}

TEST(Steps, GoToTheNextPowerOfTwo)
{
    EXPECT_EQ(doubledOrHalved(QStringLiteral("12"), 1), QStringLiteral("16"));
    EXPECT_EQ(doubledOrHalved(QStringLiteral("12"), -1), QStringLiteral("8"));
    EXPECT_EQ(doubledOrHalved(QStringLiteral("1"), -1), QStringLiteral("1"));
    EXPECT_EQ(doubledOrHalved(QStringLiteral("x"), 1), QStringLiteral("x"));
}

TEST_F(PlanPageTest, TheSearchFindsASettingByNameKeyOrHelpWhereverItIs)
{
    PlanForm &form = page.form();
    page.resize(1280, 800);
    page.show();
    const auto shown = [&](const char *key) { return form.row(key)->isVisible(); };
    EXPECT_FALSE(shown("optimizer")) << "folded away";
    form.searchField()->setText(QStringLiteral("optimiz"));
    EXPECT_TRUE(shown("optimizer"));
    EXPECT_FALSE(shown("model"));
    form.searchField()->setText(QStringLiteral("key-value"));
    EXPECT_TRUE(shown("kv_heads")) << "by its help";
    form.searchField()->setText(QStringLiteral("grad_accum"));
    EXPECT_TRUE(shown("grad_accum")) << "by its key";
    form.searchField()->clear();
    EXPECT_TRUE(shown("model"));
    EXPECT_FALSE(shown("optimizer"));
}

TEST_F(PlanPageTest, EverySettingOfAPlanHasAField)
{
    for (const Setting &setting : settings()) {
        if (!setting.runOnly && !setting.isFrameworkOption() && setting.group != SettingGroup::Framework) {
            EXPECT_NE(page.form().row(std::string(setting.key)), nullptr) << setting.key;
        }
    }
}

} // namespace
} // namespace slipway::ui
