// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The questions about the user's own script: what they set, and what they are filled in with.
#include "ui/plan/script_dialog.h"

#include <QComboBox>
#include <QPushButton>
#include <QTest>
#include <gmock/gmock.h>

#include "predict/predict.h"
#include "ui/examples.h"
#include "ui/plan/display_names.h"
#include "ui/plan/plan_page.h"

namespace slipway::ui {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

enum Question { Compiled, Weights, Sharding, Loss, AttentionCalled, Torch };

struct ScriptDialogTest : ::testing::Test {
    Catalogue catalogue = loadCatalogue().value();
    PlanDocument document{planner(), start()};

    static RunConfig start()
    {
        RunConfig config{.gpu = "a100-sxm-80gb"};
        config.model.name = "1B";
        config.parallel = {.kind = ParallelKind::Ddp, .gpus = 8};
        return config;
    }
    Planner planner()
    {
        Planner with = examplePlanner();
        with.predict = [this](const RunConfig &config) {
            return predict(config, catalogue, {.suggestions = false, .maxMicroBatch = false});
        };
        return with;
    }
    static QComboBox *box(const ScriptDialog &dialog, Question question)
    {
        return dialog.rows()[question]->findChild<QComboBox *>();
    }
    static void answer(const ScriptDialog &dialog, Question question, const char *value)
    {
        QComboBox *at = box(dialog, question);
        at->setCurrentIndex(at->findData(QString::fromUtf8(value)));
        Q_EMIT at->activated(at->currentIndex());
    }
    // Opens the dialog, gives the answers and applies them.
    void give(const std::vector<std::pair<Question, const char *>> &answers)
    {
        auto *dialog = new ScriptDialog(document, catalogue.frameworks);
        for (const auto &[question, value] : answers)
            answer(*dialog, question, value);
        ASSERT_TRUE(dialog->applyButton().isEnabled()) << dialog->summary().toStdString();
        dialog->applyButton().click();
        delete dialog;
    }
};

TEST_F(ScriptDialogTest, TheAnswersSetTheFrameworkAndItsOptionsInOneUndoStep)
{
    const RunConfig before = document.config();
    give({{Compiled, "true"}, {Weights, "bf16"}, {Sharding, "fsdp2"}, {Loss, "fused"}, {AttentionCalled, "package"},
        {Torch, "2.4"}});
    const RunConfig &config = document.config();
    EXPECT_EQ(config.software, "pytorch-compile@2.4");
    EXPECT_EQ(config.precision, Precision::Bf16);
    EXPECT_EQ(config.parallel.kind, ParallelKind::FsdpFull);
    EXPECT_EQ(config.attention, Attention::Flash);
    EXPECT_THAT(
        config.frameworkOptions, UnorderedElementsAre("sharder=fsdp2", "loss_path=fused", "attention_kernel=flash-2"));
    EXPECT_TRUE(document.outcome());
    document.undoStack().undo();
    EXPECT_EQ(document.config(), before);
}

TEST_F(ScriptDialogTest, AScriptThatIsNotCompiledIsEagerPyTorchOfItsVersion)
{
    give({{Compiled, "false"}, {Torch, "1.13"}, {AttentionCalled, "written"}, {Loss, "upcast"}});
    EXPECT_EQ(document.config().software, "pytorch-eager@1.13");
    EXPECT_EQ(document.config().attention, Attention::Vanilla);
    EXPECT_THAT(document.config().frameworkOptions, UnorderedElementsAre("loss_path=upcast"));
}

TEST_F(ScriptDialogTest, DeepSpeedIsPlannedByItsOwnProfile)
{
    give({{Compiled, "true"}, {Sharding, "zero2"}, {Torch, "2.4"}});
    EXPECT_EQ(document.config().software, "deepspeed");
    EXPECT_EQ(document.config().parallel.kind, ParallelKind::FsdpGradOp);
    EXPECT_THAT(document.config().frameworkOptions, UnorderedElementsAre("compile=true", "torch=2.4"));
}

TEST_F(ScriptDialogTest, AnythingUnknownIsLeftToTheProfile)
{
    give({});
    const RunConfig &config = document.config();
    EXPECT_EQ(config.software, "pytorch");
    EXPECT_FALSE(config.precision);
    EXPECT_FALSE(config.attention);
    EXPECT_TRUE(config.frameworkOptions.empty());
    EXPECT_EQ(config.parallel.kind, ParallelKind::Ddp);

    give({{Compiled, "true"}, {Weights, "bf16"}, {Loss, "chunked"}, {AttentionCalled, "sdpa"}});
    EXPECT_THAT(document.config().frameworkOptions, UnorderedElementsAre("compile=true", "loss_path=chunked"));
    give({{Compiled, ""}, {Weights, ""}, {Loss, ""}, {AttentionCalled, ""}});
    EXPECT_FALSE(document.config().precision) << "open again";
    EXPECT_FALSE(document.config().attention);
    EXPECT_TRUE(document.config().frameworkOptions.empty());
}

TEST_F(ScriptDialogTest, OneGpuIsSetWhereNothingShardsTheModel)
{
    give({{Sharding, "none"}});
    EXPECT_EQ(document.config().parallel.kind, ParallelKind::None);
    EXPECT_EQ(document.config().parallel.gpus, 1);
}

TEST_F(ScriptDialogTest, OpensWithTheAnswersOfThePlanAndThenChangesNothing)
{
    const std::vector<std::pair<Question, const char *>> answers{{Compiled, "true"}, {Weights, "fp16-mixed"},
        {Sharding, "fsdp1"}, {Loss, "bf16"}, {AttentionCalled, "package"}, {Torch, "2.2"}};
    give(answers);
    const ScriptDialog again(document, catalogue.frameworks);
    for (const auto &[question, value] : answers)
        EXPECT_EQ(box(again, question)->currentData().toString(), QString::fromUtf8(value)) << question;
    EXPECT_FALSE(again.applyButton().isEnabled());
    EXPECT_THAT(again.summary().toStdString(), HasSubstr("already"));
}

TEST_F(ScriptDialogTest, KeepsOptionsAboutWhichItDoesNotAsk)
{
    ASSERT_TRUE(document.edit("framework_option", "limit_gathers=false,loss_path=in-place"));
    give({{Compiled, "false"}, {Torch, "2.4"}});
    EXPECT_THAT(document.config().frameworkOptions, UnorderedElementsAre("limit_gathers=false", "loss_path=in-place"));
    const ScriptDialog dialog(document, catalogue.frameworks);
    answer(dialog, Loss, "bf16");
    EXPECT_THAT(dialog.summary().toStdString(), HasSubstr("Loss path"));
    EXPECT_THAT(dialog.summary().toStdString(), Not(HasSubstr(settingName("limit_gathers").toStdString())));
}

TEST_F(ScriptDialogTest, SaysWhatWillBeSetAndWhyItCannotBe)
{
    const ScriptDialog dialog(document, catalogue.frameworks);
    answer(dialog, Weights, "bf16");
    answer(dialog, Loss, "fused");
    EXPECT_THAT(dialog.summary().toStdString(), HasSubstr("Precision: bf16; Loss path: Fused"));
    box(dialog, Torch)->setEditText(QStringLiteral("newest"));
    Q_EMIT dialog.rows()[Torch]->input()->edited(QStringLiteral("newest"));
    EXPECT_FALSE(dialog.applyButton().isEnabled());
    EXPECT_THAT(dialog.summary().toStdString(), HasSubstr("newest"));
}

TEST_F(ScriptDialogTest, IsAnsweredWithTheKeyboard)
{
    auto *dialog = new ScriptDialog(document, catalogue.frameworks);
    dialog->setAttribute(Qt::WA_DontShowOnScreen);
    dialog->show();
    EXPECT_TRUE(box(*dialog, Compiled)->hasFocus() || dialog->focusWidget() == box(*dialog, Compiled));
    QTest::keyClicks(box(*dialog, Compiled), QStringLiteral("Y"));
    EXPECT_EQ(box(*dialog, Compiled)->currentData().toString(), QStringLiteral("true"));
    QTest::keyClick(dialog, Qt::Key_Return);
    EXPECT_EQ(document.config().frameworkOptions, std::vector<std::string>{"compile=true"});
    delete dialog;
}

TEST_F(ScriptDialogTest, OpensFromTheFormOfThePlan)
{
    PlanPage page(document, catalogue);
    for (QPushButton *button : page.form().findChildren<QPushButton *>()) {
        if (button->text() == QStringLiteral("My own script…"))
            button->click();
    }
    auto *dialog = page.findChild<ScriptDialog *>();
    ASSERT_NE(dialog, nullptr);
    for (const FieldRow *row : dialog->rows())
        EXPECT_FALSE(row->findChild<QComboBox *>()->accessibleName().isEmpty());
    dialog->reject();
}

} // namespace
} // namespace slipway::ui
