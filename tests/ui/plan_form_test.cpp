// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <QComboBox>
#include <QLabel>
#include <QWheelEvent>

#include "config/settings.h"
#include "hardware/catalogue.h"
#include "predict/predict.h"
#include "ui/plan_page_fixture.h"

namespace slipway::ui {
namespace {

using PlanFormTest = PlanPageTest;

// Every segment of every picker that a search brings up lies within its field, with its whole text.
void expectWholePickers(const char *language)
{
    const Speaking speaking(language);
    const Catalogue catalogue = loadCatalogue().value();
    Planner planner = examplePlanner();
    planner.predict = [&catalogue](const RunConfig &config) { return predict(config, catalogue); };
    RunConfig config{.gpu = "a100-sxm-80gb"};
    config.model.name = "1B";
    PlanDocument document{planner, config};
    PlanPage page{document, catalogue};
    page.setAttribute(Qt::WA_DontShowOnScreen);
    page.resize(880, 600);
    page.show();
    int seen = 0;
    for (const Setting &setting : settings()) {
        const FieldRow *row = page.form().row(std::string(setting.key));
        const auto *picker = row == nullptr ? nullptr : qobject_cast<SegmentedInput *>(row->input());
        if (picker == nullptr)
            continue;
        page.form().searchField()->setText(qs(std::string(setting.key)));
        for (int round = 0; round < 4; ++round)
            QCoreApplication::processEvents();
        ASSERT_TRUE(picker->isVisible()) << setting.key;
        for (const QAbstractButton *segment : picker->findChildren<QAbstractButton *>()) {
            const std::string name =
                language + (": " + std::string(setting.key)) + ": " + segment->text().toStdString();
            EXPECT_TRUE(picker->rect().contains(segment->geometry())) << name;
            EXPECT_GE(segment->width(), segment->sizeHint().width()) << name;
            ++seen;
        }
    }
    EXPECT_GT(seen, 10);
}

TEST(PickersTest, ShowAllOfTheirChoicesInAllLanguages)
{
    expectWholePickers("en");
    expectWholePickers("de");
}

TEST_F(PlanFormTest, AWheelOverAChoiceScrollsAndChangesNothing)
{
    auto *box = page.form().row("precision")->input()->findChild<QComboBox *>();
    box->setFocus();
    QWheelEvent wheel(
        {4, 4}, box->mapToGlobal(QPointF(4, 4)), {}, {0, -120}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(box, &wheel);
    EXPECT_FALSE(wheel.isAccepted()) << "the form behind it would not hear of it";
    EXPECT_EQ(document.config(), start);
}

TEST_F(PlanFormTest, WhatIsNoNumberIsToldAtItsFieldAndChangesNothing)
{
    type("micro_batch", "many");
    EXPECT_EQ(document.config(), start);
    const QString error = page.form().row("micro_batch")->error();
    EXPECT_THAT(error.toStdString(), ::testing::HasSubstr("Accepted: " + findSetting("micro_batch")->accepted()));
    type("micro_batch", "4");
    EXPECT_TRUE(page.form().row("micro_batch")->error().isEmpty());
    EXPECT_EQ(document.config().microBatch, 4);
}

TEST_F(PlanFormTest, WhatCannotBePlannedIsToldAtTheFieldThatThePlannerNames)
{
    type("gpus", "3");
    EXPECT_FALSE(document.outcome());
    EXPECT_EQ(page.form().row("gpus")->error(), QStringLiteral("3 ranks cannot be laid out.\nAccepted: 1, 2, 4."));
    EXPECT_EQ(page.results().verdict().text(), QStringLiteral("Fits")) << "the last answer stays in sight";
}

TEST_F(PlanFormTest, ASearchWithoutAMatchSaysSo)
{
    const auto says = [this] {
        const QList<QLabel *> labels = page.form().findChildren<QLabel *>();
        return std::any_of(labels.begin(), labels.end(), [this](const QLabel *label) {
            return label->text() == QStringLiteral("No setting matches.") && label->isVisibleTo(&page.form());
        });
    };
    page.form().searchField()->setText(QStringLiteral("micro"));
    EXPECT_FALSE(says());
    page.form().searchField()->setText(QStringLiteral("zebra"));
    EXPECT_TRUE(says());
    page.form().searchField()->clear();
    EXPECT_FALSE(says());
}

TEST_F(PlanFormTest, SeveralGpusWithoutAStrategyGetOneAndTheFormSaysSo)
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

TEST_F(PlanFormTest, ChoosingTheCpuChoosesItsPrecisionAndTheFormSaysSo)
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

TEST_F(PlanFormTest, AnUnknownModelOffersTheThreeNearest)
{
    Planner planner = examplePlanner();
    planner.predict = [this](const RunConfig &config) -> Result<Prediction> {
        const Result<CatalogueModel> model = catalogue.model(config.model.name);
        return model ? Result<Prediction>(examplePrediction(config)) : Result<Prediction>(model.error());
    };
    for (const char *name : {"llama-7b", "llama-8b", "llama-13b", "llama-70b", "gpt2"})
        catalogue.models.push_back({.spec = {.name = name}});
    PlanDocument other{planner, {.model = {.name = "tiny"}}};
    const PlanForm form(other, catalogue);
    ASSERT_TRUE(other.edit("model", "llama-6b"));
    const std::string error = form.row("model")->error().toStdString();
    EXPECT_THAT(
        error, ::testing::StartsWith("There is no model 'llama-6b'.\nAccepted: llama-7b, llama-8b, llama-13b, a size"));
    EXPECT_THAT(error, ::testing::Not(::testing::HasSubstr("gpt2")));
}

TEST_F(PlanFormTest, OpeningAModelsFileAgainReadsItAgain)
{
    bool mended = false;
    Planner planner = examplePlanner();
    planner.predict = [&mended](const RunConfig &config) -> Result<Prediction> {
        if (config.model.name == "/models/config.json" && !mended)
            return Error{.what = "the key 'hidden_size' is missing", .where = "/models/config.json"};
        return examplePrediction(config);
    };
    PlanDocument plan{planner, start};
    const SettingTexts opened{{"model", "/models/config.json"}};
    ASSERT_TRUE(plan.apply(opened, QStringLiteral("Open config.json")));
    ASSERT_FALSE(plan.outcome());
    const int undoable = plan.undoStack().count();
    mended = true;
    ASSERT_TRUE(plan.apply(opened, QStringLiteral("Open config.json")));
    EXPECT_TRUE(plan.outcome());
    EXPECT_EQ(plan.undoStack().count(), undoable) << "no setting has changed";
}

TEST_F(PlanFormTest, ArrowKeysStepByPowersOfTwo)
{
    QTest::keyClick(edit("micro_batch"), Qt::Key_Up);
    EXPECT_EQ(document.config().microBatch, 16);
    QTest::keyClick(edit("micro_batch"), Qt::Key_Down);
    QTest::keyClick(edit("micro_batch"), Qt::Key_Down);
    EXPECT_EQ(document.config().microBatch, 4);
}

TEST_F(PlanFormTest, ACardsAliasIsShownAsTheCard)
{
    Planner planner = examplePlanner();
    planner.predict = [original = planner.predict](const RunConfig &config) {
        Result<Prediction> p = original(config);
        p->gpu.id = "card";
        return p;
    };
    PlanDocument aliased{planner, {.gpu = "an-alias"}};
    const PlanPage shown{aliased, catalogue};
    EXPECT_EQ(shown.form().row("gpu")->input()->value(), QStringLiteral("card"));
    EXPECT_EQ(aliased.config().gpu, "an-alias");
}

TEST_F(PlanFormTest, ChoosingAModelDropsTheSizesOfAnotherOne)
{
    type("layers", "4");
    EXPECT_EQ(document.config().model.layers, 4);
    ASSERT_TRUE(document.edit("model", "other"));
    EXPECT_EQ(document.config().model, ModelChoice{.name = "other"});
    document.undoStack().undo();
    EXPECT_EQ(document.config().model.layers, 4);
}

TEST_F(PlanFormTest, AModelThatCannotBePlannedHasNoNoteOfTheLastOneBelowIt)
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

TEST_F(PlanFormTest, TheSearchFindsASettingByNameKeyOrHelpWhereverItIs)
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

TEST_F(PlanFormTest, EverySettingOfAPlanHasAField)
{
    for (const Setting &setting : settings()) {
        if (!setting.runOnly && !setting.isFrameworkOption() && setting.group != SettingGroup::Framework) {
            EXPECT_NE(page.form().row(std::string(setting.key)), nullptr) << setting.key;
        }
    }
}

} // namespace
} // namespace slipway::ui
