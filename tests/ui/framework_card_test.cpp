// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The framework of a plan in the window: found by its title, with what is assumed of it, line by line.
#include "ui/plan/framework_card.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QCompleter>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <gmock/gmock.h>

#include "predict/predict.h"
#include "ui/examples.h"
#include "ui/plan/display_names.h"
#include "ui/plan/plan_page.h"
#include "ui/widgets/text.h"

namespace slipway::ui {
namespace {

using ::testing::ElementsAre;

struct FrameworkCardTest : ::testing::Test {
    Catalogue catalogue = loadCatalogue().value();
    PlanDocument document{planner(), [] {
                              RunConfig config{.gpu = "a100-sxm-40gb"};
                              config.model.name = "1B";
                              return config;
                          }()};
    PlanPage page{document, catalogue};

    Planner planner()
    {
        Planner with = examplePlanner();
        with.predict = [this](const RunConfig &config) { return predict(config, catalogue); };
        return with;
    }
    QComboBox *box() const { return page.form().row("framework")->findChild<QComboBox *>(); }
    FrameworkCard &card() const { return page.results().framework(); }
    // What the card says of an option.
    QString cell(const char *key, FrameworkFieldModel::Column column) const
    {
        const FrameworkFieldModel &model = card().model();
        for (int row = 0; row < model.rowCount(); ++row) {
            if (model.field(row).key == key)
                return model.index(row, column).data().toString();
        }
        return QStringLiteral("no such row");
    }
    void choose(const char *framework) { ASSERT_TRUE(document.edit("framework", framework)); }
};

// The form's field of recomputation, which the user may leave open.
struct OpenChoiceTest : FrameworkCardTest {
    FieldRow &field() const { return *page.form().row("recompute"); }
    QString shown() const { return field().input()->value(); }
    bool notes(const QString &text) const
    {
        const QList<QLabel *> labels = field().findChildren<QLabel *>();
        return std::any_of(labels.begin(), labels.end(), [&](const QLabel *label) { return label->text() == text; });
    }
    const QString ofFramework = QStringLiteral("Default of the framework");
};

TEST_F(OpenChoiceTest, ShowsTheFrameworksDefaultAndSaysSo)
{
    EXPECT_EQ(shown(), QStringLiteral("none"));
    EXPECT_FALSE(notes(ofFramework));
    choose("llama-factory");
    EXPECT_EQ(shown(), QStringLiteral("full"));
    EXPECT_TRUE(notes(ofFramework));
    EXPECT_FALSE(document.config().recompute) << "showing it chooses nothing";
}

TEST_F(OpenChoiceTest, IsAlsoThePrecision)
{
    EXPECT_EQ(page.form().row("precision")->input()->value(), QStringLiteral("bf16-mixed"));
    choose("torchtune");
    EXPECT_EQ(page.form().row("precision")->input()->value(), QStringLiteral("bf16"));
    EXPECT_FALSE(document.config().precision) << "showing it chooses nothing";
}

TEST_F(OpenChoiceTest, IsOpenAgainAfterUndo)
{
    choose("llama-factory");
    ASSERT_TRUE(document.edit("recompute", "none"));
    EXPECT_EQ(shown(), QStringLiteral("none"));
    EXPECT_FALSE(notes(ofFramework));
    document.undoStack().undo();
    EXPECT_EQ(shown(), QStringLiteral("full"));
    EXPECT_TRUE(notes(ofFramework));
}

TEST_F(FrameworkCardTest, ItsModelKeepsItsPromises)
{
    choose("hf-trainer");
    const QAbstractItemModelTester tester(&card().model(), QAbstractItemModelTester::FailureReportingMode::Fatal);
    choose("torchtitan");
    EXPECT_GT(card().model().rowCount(), 0);
}

TEST_F(FrameworkCardTest, AFrameworkIsFoundByAWordOfItsTitle)
{
    box()->lineEdit()->selectAll();
    QTest::keyClicks(box()->lineEdit(), QStringLiteral("accelerate"));
    const QCompleter *completer = box()->completer();
    ASSERT_EQ(completer->completionCount(), 1);
    EXPECT_EQ(completer->currentCompletion(), QStringLiteral("Hugging Face Trainer with Accelerate"));
    box()->lineEdit()->setText(completer->currentCompletion());
    QTest::keyClick(box()->lineEdit(), Qt::Key_Return);
    EXPECT_EQ(document.config().software, "hf-trainer");
}

TEST_F(FrameworkCardTest, TheOnlyChoiceThatContainsTheTypedTextIsTaken)
{
    QLineEdit &edit = *box()->lineEdit();
    const auto enter = [&](const char *text) {
        edit.selectAll();
        QTest::keyClicks(&edit, QString::fromLatin1(text));
        QTest::keyClick(&edit, Qt::Key_Return);
    };
    enter("llama-fac");
    EXPECT_EQ(document.config().software, "llama-factory");
    EXPECT_EQ(edit.text(), QStringLiteral("LLaMA-Factory"));
    document.undoStack().undo();
    EXPECT_EQ(document.config().software, "") << "one step of undo";
    enter("trainer");
    EXPECT_EQ(document.config().software, "trainer") << "several choices contain it";
    const QString error = page.form().row("framework")->error();
    for (const char *name : {"slipway", "pytorch-eager", "megatron", "llama-factory"})
        EXPECT_TRUE(error.contains(QString::fromLatin1(name))) << error.toStdString();
}

TEST_F(FrameworkCardTest, AQuestionInAnErrorEndsWithItsOwnMark)
{
    choose("megatrn");
    ASSERT_FALSE(document.outcome());
    const std::string message = fieldMessage(document.outcome().error()).toStdString();
    EXPECT_THAT(message, ::testing::HasSubstr("did you mean megatron? Accepted: slipway, "));
}

TEST_F(FrameworkCardTest, AModelWithAChangedShapeIsNotCalledByItsName)
{
    const auto shown = [this] { return page.form().row("model")->findChild<QComboBox *>()->currentText(); };
    EXPECT_EQ(shown(), QStringLiteral("1B"));
    ASSERT_TRUE(document.edit("layers", "2"));
    EXPECT_THAT(shown().toStdString(), ::testing::StartsWith("custom, "));
    EXPECT_EQ(document.config().model.name, "1B") << "showing it changes nothing";
    document.undoStack().undo();
    EXPECT_EQ(shown(), QStringLiteral("1B"));
}

TEST_F(FrameworkCardTest, EveryProfileOfTheCatalogueIsOfferedOnce)
{
    for (const FrameworkProfile &profile : catalogue.frameworks.profiles) {
        const auto choices = frameworkChoices(catalogue);
        EXPECT_EQ(std::count_if(choices.begin(), choices.end(),
                      [&](const Choice &choice) { return choice.value == qs(profile.id); }),
            1)
            << profile.id;
    }
}

TEST_F(FrameworkCardTest, AVersionIsKeptAsTyped)
{
    choose("hf-trainer@4.46");
    EXPECT_EQ(box()->currentText(), QStringLiteral("hf-trainer@4.46"));
    EXPECT_EQ(document.config().software, "hf-trainer@4.46");
}

TEST_F(FrameworkCardTest, ShowsWhatIsAssumedOfAProfileAndNothingForAnEngine)
{
    EXPECT_TRUE(card().isHidden());
    choose("hf-trainer");
    EXPECT_FALSE(card().isHidden());
    EXPECT_EQ(cell("engine", FrameworkFieldModel::Value), QStringLiteral("PyTorch eager"));
    EXPECT_EQ(cell("engine", FrameworkFieldModel::KnownBy), QStringLiteral("Documented"));
    choose("slipway");
    EXPECT_TRUE(card().isHidden());
}

TEST_F(FrameworkCardTest, AChangedLineIsAnOptionOfThePlanAndCanBeReset)
{
    choose("hf-trainer");
    FrameworkFieldModel &model = card().model();
    int row = 0;
    while (row < model.rowCount() && model.field(row).key != "loss_path")
        ++row;
    ASSERT_LT(row, model.rowCount());
    const Bytes before = document.lastPrediction()->memory.peakAllocated;
    model.setData(model.index(row, FrameworkFieldModel::Value), QStringLiteral("fused"), Qt::EditRole);
    EXPECT_THAT(document.config().frameworkOptions, ElementsAre("loss_path=fused"));
    EXPECT_LT(document.lastPrediction()->memory.peakAllocated, before);
    EXPECT_EQ(model.field(0).key, "loss_path") << "changes come first";
    EXPECT_EQ(cell("loss_path", FrameworkFieldModel::KnownBy), QStringLiteral("Your choice"));

    card().resetButton().click();
    EXPECT_TRUE(document.config().frameworkOptions.empty());
    EXPECT_EQ(document.lastPrediction()->memory.peakAllocated, before);
    document.undoStack().undo();
    EXPECT_THAT(document.config().frameworkOptions, ElementsAre("loss_path=fused"));
}

TEST_F(FrameworkCardTest, ShowsWhatTheVersionOfPyTorchDoesAndLetsItBeChanged)
{
    choose("hf-trainer@4.46"); // October 2024: PyTorch 2.5
    for (const TorchChange &change : catalogue.frameworks.torchChanges) {
        const std::string key = "torch." + change.key,
                          reference = cell(key.c_str(), FrameworkFieldModel::Reference).toStdString();
        EXPECT_THAT(reference, ::testing::HasSubstr(change.origin.reference)) << key;
        EXPECT_THAT(reference, ::testing::EndsWith("(" + change.origin.asOf + ")")) << key;
        EXPECT_EQ(
            cell(key.c_str(), FrameworkFieldModel::Value), QString::fromLatin1(change.since <= 205 ? "Yes" : "No"))
            << key;
        EXPECT_FALSE(torchChangeName(key).isEmpty()) << key;
    }
    EXPECT_EQ(cell("torch.stops_early", FrameworkFieldModel::Option), QStringLiteral("Recomputation stops early"));
    EXPECT_EQ(cell("torch.stops_early", FrameworkFieldModel::KnownBy), QStringLiteral("Recalled, not checked"));

    FrameworkFieldModel &model = card().model();
    int row = 0;
    while (row < model.rowCount() && model.field(row).key != "torch.half_gelu")
        ++row;
    ASSERT_LT(row, model.rowCount());
    model.setData(model.index(row, FrameworkFieldModel::Value), QStringLiteral("false"), Qt::EditRole);
    EXPECT_THAT(document.config().frameworkOptions, ElementsAre("torch.half_gelu=false"));
    EXPECT_EQ(model.field(0).key, "torch.half_gelu") << "changes come first";
    EXPECT_EQ(cell("torch.half_gelu", FrameworkFieldModel::KnownBy), QStringLiteral("Your choice"));
    card().resetButton().click();
    EXPECT_EQ(cell("torch.half_gelu", FrameworkFieldModel::Value), QStringLiteral("Yes"));
}

TEST_F(FrameworkCardTest, AValueThatIsNotAcceptedChangesNothingAndSaysWhy)
{
    choose("hf-trainer");
    FrameworkFieldModel &model = card().model();
    ASSERT_GT(model.rowCount(), 0);
    model.setData(model.index(0, FrameworkFieldModel::Value), QStringLiteral("nonsense"), Qt::EditRole);
    EXPECT_TRUE(document.config().frameworkOptions.empty());
    bool said = false;
    for (const QLabel *label : card().findChildren<QLabel *>())
        said = said || (!label->isHidden() && label->text().contains(QStringLiteral("nonsense")));
    EXPECT_TRUE(said);
}

} // namespace
} // namespace slipway::ui
