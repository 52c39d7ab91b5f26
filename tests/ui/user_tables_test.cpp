// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a person adds to the shipped tables: calibrations and price books.
#include <QAbstractButton>
#include <QAbstractItemModelTester>
#include <QApplication>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTableWidget>
#include <gmock/gmock.h>

#include "cost/price_import.h"
#include "support/temporary_directory.h"
#include "ui/language/core_texts.h"
#include "ui/language/language.h"
#include "ui/plan/calibrate_dialog.h"
#include "ui/plan/price_dialog.h"
#include "ui/theme/theme.h"
#include "ui/widgets/text.h"
#include "ui/window/calibration_flow.h"
#include "ui/window_fixture.h"

namespace slipway::ui {
namespace {

using ::testing::HasSubstr;

CalibrationOutcome exampleOutcome()
{
    DeviceCalibration device{.gpu = "card", .framework = "slipway"};
    device.set(Constant::Gemm, 0.8, 0.02);
    CalibrationOutcome outcome{.calibration = {.id = "card", .asOf = "2026-01-02", .devices = {device}}};
    outcome.rows = {{.id = "my-run",
        .gpu = "card",
        .framework = "slipway",
        .tokensPerSecondPerGpu = BeforeAfter{1000, 1250, 1000},
        .peak = BeforeAfter{1e9, 1e9, 1e9},
        .peakKind = MemoryKind::Device}};
    outcome.refused = {{"card", "slipway", Constant::Launch, "one run supports only one constant"}};
    outcome.speed = {0.25, 0, 1};
    return outcome;
}

const Catalogue catalogue = [] {
    Catalogue made;
    made.gpus.emplace_back();
    made.gpus.back().id = "card";
    made.gpus.back().name = "The Card";
    return made;
}();

const CalibrateDialog::Keep keepNothing = [](const Calibration &) -> Result<void> { return {}; };
const CalibrateDialog::SavedOn nothingSaved = [](const std::string &) -> std::optional<std::string> { return {}; };

TEST(CalibrateDialogTest, ShowsBeforeAndAfterAndKeepsUnderTheNameThatIsTyped)
{
    Calibration kept;
    const auto keep = [&kept](const Calibration &calibration) -> Result<void> {
        kept = calibration;
        return {};
    };
    CalibrateDialog dialog(catalogue, exampleOutcome(), keep, nothingSaved);
    EXPECT_FALSE(dialog.table()->tabKeyNavigation()) << "Tab leaves it";
    EXPECT_EQ(dialog.table()->item(0, 2)->text(), QStringLiteral("+25.0 %"));
    EXPECT_EQ(dialog.table()->item(0, 3)->text(), QStringLiteral("+0.0 %"));
    QSignalSpy told(&dialog, &CalibrateDialog::kept);
    dialog.setName(QStringLiteral(" mine "));
    dialog.keepButton()->click();
    EXPECT_EQ(kept.id, "mine");
    EXPECT_EQ(kept.devices, exampleOutcome().calibration.devices);
    ASSERT_EQ(told.count(), 1);
    EXPECT_EQ(told[0][0].toString(), QStringLiteral("mine"));
}

TEST(CalibrateDialogTest, ProposesANameThatReplacesNoOtherCalibration)
{
    std::string kept;
    const auto keep = [&kept](const Calibration &calibration) -> Result<void> {
        kept = calibration.id;
        return {};
    };
    const CalibrateDialog dialog(catalogue, exampleOutcome(), keep, [](const std::string &name) {
        return name == "card" || name == "card-2" ? std::optional<std::string>("2026-01-02") : std::nullopt;
    });
    dialog.keepButton()->click();
    EXPECT_EQ(kept, "card-3");
}

TEST(CalibrateDialogTest, AsksBeforeItReplacesAnotherCalibrationAndKeepsItOnCancel)
{
    int kept = 0;
    const auto keep = [&kept](const Calibration &calibration) -> Result<void> {
        EXPECT_EQ(calibration.id, "mine");
        ++kept;
        return {};
    };
    CalibrateDialog dialog(catalogue, exampleOutcome(), keep, [](const std::string &name) {
        return name == "mine" ? std::optional<std::string>("2026-01-02") : std::nullopt;
    });
    dialog.show();
    dialog.setName(QStringLiteral(" mine"));
    dialog.keepButton()->click();
    EXPECT_EQ(kept, 0);
    EXPECT_TRUE(dialog.isVisible());
    auto *question = dialog.findChild<QMessageBox *>();
    ASSERT_NE(question, nullptr);
    EXPECT_EQ(question->text(), QStringLiteral("Replace the calibration 'mine' of 2026-01-02?"));
    EXPECT_THAT(question->informativeText().toStdString(), HasSubstr("cannot be undone"));
    EXPECT_EQ(question->defaultButton(), question->button(QMessageBox::Cancel));
    question->button(QMessageBox::Cancel)->click();
    EXPECT_EQ(kept, 0);
    EXPECT_TRUE(dialog.isVisible()) << "for another name";
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);

    dialog.keepButton()->click();
    question = dialog.findChild<QMessageBox *>();
    ASSERT_NE(question, nullptr);
    for (QAbstractButton *button : question->buttons()) {
        if (question->buttonRole(button) == QMessageBox::DestructiveRole)
            button->click();
    }
    EXPECT_EQ(kept, 1);
    EXPECT_FALSE(dialog.isVisible());
}

TEST(CalibrateDialogTest, AlsoAsksBeforeItReplacesAFileThatCannotBeRead)
{
    CalibrateDialog dialog(catalogue, exampleOutcome(), keepNothing, [](const std::string &name) {
        return name == "mine" ? std::optional<std::string>(std::string()) : std::nullopt;
    });
    dialog.show();
    dialog.setName(QStringLiteral("mine"));
    dialog.keepButton()->click();
    const auto *question = dialog.findChild<QMessageBox *>();
    ASSERT_NE(question, nullptr);
    EXPECT_EQ(question->text(), QStringLiteral("Replace the calibration 'mine'?"));
}

TEST(CalibrateDialogTest, CutsNoHeadingInGerman)
{
    const Theme theme(*qApp, Scheme::Light); // its style makes headings wider
    useLanguage("de");
    CalibrateDialog dialog(catalogue, exampleOutcome(), keepNothing, nothingSaved);
    useLanguage("en");
    dialog.show();
    const QHeaderView &header = *dialog.table()->horizontalHeader();
    ASSERT_EQ(dialog.table()->horizontalHeaderItem(3)->text(), QStringLiteral("Fehler nachher"));
    for (int column = 0; column < header.count(); ++column)
        EXPECT_GE(header.sectionSize(column), header.sectionSizeHint(column)) << column;
}

TEST(CalibrateDialogTest, TellsWhyItCouldNotBeKeptAndStaysOpen)
{
    const CalibrateDialog dialog(
        catalogue, exampleOutcome(),
        [](const Calibration &) -> Result<void> { return Error{.what = "the disk is full"}; }, nothingSaved);
    const QSignalSpy told(&dialog, &CalibrateDialog::kept);
    dialog.keepButton()->click();
    EXPECT_EQ(told.count(), 0);
    EXPECT_EQ(dialog.problem(), QStringLiteral("the disk is full"));
}

TEST(CalibrateDialogTest, SaysWhichRowsAreLeftOutAndWhy)
{
    CalibrationOutcome outcome = exampleOutcome();
    outcome.rows.push_back({.id = "typo", .skipped = "mine.csv:3: gpu 'H9000' is not in the catalogue"});
    const CalibrateDialog dialog(catalogue, outcome, keepNothing, nothingSaved);
    EXPECT_EQ(dialog.table()->item(1, 0)->text(), QStringLiteral("typo"));
    EXPECT_EQ(
        dialog.table()->item(1, 1)->text(), QStringLiteral("Skipped: mine.csv:3: gpu 'H9000' is not in the catalogue"));
    EXPECT_EQ(dialog.table()->columnSpan(1, 1), 6) << "the reason has room";
    QStringList texts;
    for (const QLabel *label : dialog.findChildren<QLabel *>())
        texts << label->text();
    EXPECT_THAT(texts.join(u'|').toStdString(), HasSubstr("1 of 2 rows are left out"));
    EXPECT_THAT(texts, ::testing::Contains(QStringLiteral("Fitted: The Card · slipway"))) << "the name, not the id";
}

TEST(CalibrateDialogTest, KeepsNothingWhereNothingIsFitted)
{
    CalibrationOutcome outcome = exampleOutcome();
    outcome.calibration.devices.clear();
    const CalibrateDialog dialog(catalogue, outcome, keepNothing, nothingSaved);
    EXPECT_FALSE(dialog.keepButton()->isEnabled());
}

TEST(LogDialogTest, StaysOpenWithItsTextUntilTheLogTellsSomething)
{
    LogDialog dialog(QStringLiteral("1B on 8 x H100"));
    QObject::connect(&dialog, &LogDialog::calibrationRequested, &dialog, [&dialog] {
        if (dialog.text() == "garbage")
            dialog.setProblem(QStringLiteral("no usable line"));
        else
            dialog.accept();
    });
    dialog.show();
    dialog.setText(QStringLiteral("garbage"));
    QAbstractButton *calibrate = nullptr;
    const auto *box = dialog.findChild<QDialogButtonBox *>();
    for (QAbstractButton *button : box->buttons())
        calibrate = box->buttonRole(button) == QDialogButtonBox::AcceptRole ? button : calibrate;
    ASSERT_NE(calibrate, nullptr);
    calibrate->click();
    EXPECT_TRUE(dialog.isVisible());
    EXPECT_EQ(dialog.problem(), QStringLiteral("no usable line"));
    EXPECT_EQ(dialog.text(), "garbage");
    dialog.setText(QStringLiteral("step 1"));
    EXPECT_EQ(dialog.problem(), QString()) << "it was about the other text";
    calibrate->click();
    EXPECT_FALSE(dialog.isVisible());
}

// The plan of kLogged has 8,192 tokens per step.
const RunConfig kLogged{.gpu = "a100-sxm-80gb", .framework = Framework::PytorchEager};

QString logWith(const char *batch, const char *stepTime)
{
    QString log = QString::fromLatin1(batch) + u'\n';
    for (int step = 0; step < 8; ++step)
        log += QStringLiteral("step %1 | loss: 4.2 | step time: %2 s\n").arg(step).arg(QLatin1String(stepTime));
    return log;
}

struct LogCalibrationTest : WindowHomeTest {
    QWidget window;
    CalibrationFlow flow{window, ::slipway::ui::catalogue};

    // Pastes the log and presses "Calibrate".
    void calibrate(const QString &log)
    {
        flow.ofLog(kLogged, QStringLiteral("1B"), log);
        Q_EMIT window.findChild<LogDialog *>()->calibrationRequested();
    }
};

TEST_F(LogCalibrationTest, WarnsWithBothFiguresWhereTheLogStatesAnotherBatchThanThePlan)
{
    calibrate(logWith("tokens per iteration will be: 491,520", "0.6"));
    const auto *dialog = window.findChild<CalibrateDialog *>();
    ASSERT_NE(dialog, nullptr) << window.findChild<LogDialog *>()->problem().toStdString();
    EXPECT_THAT(dialog->warning().toStdString(),
        ::testing::StartsWith("The log says 491,520 tokens per step, but the plan has 8,192. Cancel, set micro-batch"));
}

TEST_F(LogCalibrationTest, WarnsInTheLanguageOfTheWindow)
{
    const Speaking german("de");
    calibrate(logWith("global batch size: 2048 |", "0.6"));
    const auto *dialog = window.findChild<CalibrateDialog *>();
    ASSERT_NE(dialog, nullptr);
    EXPECT_THAT(dialog->warning().toStdString(),
        ::testing::StartsWith("Laut Log hat ein Schritt 2.048 Sequenzen, laut Plan 8."));
}

TEST_F(LogCalibrationTest, WarnsOfNothingWhereTheLogStatesTheBatchOfThePlanOrNone)
{
    for (const char *batch : {"tokens per iteration will be: 8,192", "starting"}) {
        calibrate(logWith(batch, "0.6"));
        const std::unique_ptr<CalibrateDialog> dialog(window.findChild<CalibrateDialog *>());
        ASSERT_NE(dialog, nullptr) << batch;
        EXPECT_EQ(dialog->warning(), QString()) << batch;
        delete window.findChild<LogDialog *>();
    }
}

TEST_F(LogCalibrationTest, NamesTheBatchAsThePossibleReasonWhereTheFitFails)
{
    calibrate(logWith("tokens per iteration will be: 512", "0.002"));
    EXPECT_EQ(window.findChild<CalibrateDialog *>(), nullptr);
    EXPECT_THAT(window.findChild<LogDialog *>()->problem().toStdString(),
        ::testing::AllOf(HasSubstr("implies an MFU of"), HasSubstr("512 tokens per step, but the plan has 8,192")));
}

struct PriceDialogTest : ::testing::Test {
    TemporaryDirectory home;
    std::filesystem::path folder = home.path() / "prices";
    Catalogue catalogue;

    PriceDialogTest()
    {
        catalogue.gpus = {{.id = "card", .name = "Card 80GB"}, {.id = "other", .name = "Other"}};
        catalogue.priceBooks = {{.id = "list",
            .title = "List prices",
            .asOf = "2025-01-01",
            .prices = {{.book = "list",
                .gpu = "card",
                .usdPerGpuHour = 2.5,
                .gpus = 8,
                .asOf = "2025-02-03",
                .source = "provider"}}}};
    }
    static bool set(PriceModel &model, int row, int column, const char *text)
    {
        return model.setData(model.index(row, column), QString::fromUtf8(text), Qt::EditRole);
    }
};

TEST_F(PriceDialogTest, AShippedBookCannotBeChangedButCopied)
{
    PriceDialog dialog(catalogue, folder);
    EXPECT_FALSE(dialog.findChild<QTableView *>()->tabKeyNavigation()) << "Tab leaves it";
    const QAbstractItemModelTester tester(&dialog.model());
    EXPECT_FALSE(set(dialog.model(), 0, PriceModel::Usd, "1"));
    dialog.copyAs(QStringLiteral("mine"));
    EXPECT_TRUE(set(dialog.model(), 0, PriceModel::Usd, "1.75"));
    dialog.model().addRow(QStringLiteral("other"));
    EXPECT_TRUE(set(dialog.model(), 1, PriceModel::Usd, "0.5"));
    const QSignalSpy saved(&dialog, &PriceDialog::saved);
    dialog.save();
    ASSERT_EQ(saved.count(), 1) << dialog.problem().toStdString();
    ASSERT_TRUE(addPriceBooks(catalogue, folder));
    const PriceBook book = *catalogue.priceBook("mine");
    ASSERT_EQ(book.prices.size(), 2U);
    EXPECT_EQ(book.prices[0].usdPerGpuHour, 1.75);
    EXPECT_NE(book.prices[0].asOf, "2025-02-03") << "what is changed is of today";
    EXPECT_EQ(book.prices[1].source, "own entry");
    EXPECT_EQ(catalogue.priceBook("list")->prices[0].usdPerGpuHour, 2.5);

    PriceDialog again(catalogue, folder);
    again.showBook(QStringLiteral("mine"));
    EXPECT_TRUE(set(again.model(), 0, PriceModel::Region, "here")) << "an own book is edited in place";
    again.save();
    EXPECT_TRUE(again.problem().isEmpty());
}

TEST_F(PriceDialogTest, ShowsAndReadsNumbersAsTheLanguageOfTheWindowWritesThem)
{
    const Speaking german("de");
    PriceDialog dialog(catalogue, folder);
    dialog.copyAs(QStringLiteral("mine"));
    PriceModel &model = dialog.model();
    const auto shown = [&model](int column, int role = Qt::DisplayRole) {
        return model.index(0, column).data(role).toString();
    };
    EXPECT_EQ(shown(PriceModel::Usd), QStringLiteral("2,5"));
    for (const auto &[typed, price] : {std::pair{"1,495", "1.495"}, std::pair{"1.234,5", "1234.5"},
             std::pair{"0,75", "0.75"}, std::pair{"3.25", "3.25"}}) {
        EXPECT_TRUE(set(model, 0, PriceModel::Usd, typed));
        EXPECT_EQ(model.edits()[0].usdPerGpuHour, price) << typed;
        EXPECT_EQ(shown(PriceModel::Usd, Qt::EditRole), QString::fromLatin1(price).replace(u'.', u',')) << typed;
    }
    EXPECT_TRUE(set(model, 0, PriceModel::Usd, "1,495"));
    EXPECT_TRUE(set(model, 0, PriceModel::Usd, shown(PriceModel::Usd, Qt::EditRole).toUtf8().constData()));
    EXPECT_EQ(model.edits()[0].usdPerGpuHour, "1.495") << "what is shown is what is read";
    EXPECT_TRUE(set(model, 0, PriceModel::Source, "median of verda 0.72, lambda 1.29"));
    EXPECT_EQ(shown(PriceModel::Source), QStringLiteral("Median von verda 0,72; lambda 1,29"));
    EXPECT_EQ(shown(PriceModel::Source, Qt::EditRole), QStringLiteral("median of verda 0.72, lambda 1.29"));
}

TEST_F(PriceDialogTest, EveryNoteAndSourceOfTheShippedBooksIsTranslated)
{
    const Catalogue shipped = loadCatalogue().value();
    const Speaking german("de");
    PriceModel model;
    for (const PriceBook &book : shipped.priceBooks) {
        EXPECT_TRUE(book.notes.empty() || coreText(book.notes).toStdString() != book.notes) << book.notes;
        model.set(book, false);
        for (int row = 0; row < model.rowCount(); ++row) {
            const PriceEdit &price = model.edits()[static_cast<std::size_t>(row)];
            EXPECT_TRUE(price.notes.empty() || coreText(price.notes).toStdString() != price.notes) << price.notes;
            const QString source = model.index(row, PriceModel::Source).data().toString();
            EXPECT_FALSE(source.startsWith(QStringLiteral("median")) || source.startsWith(QStringLiteral("only")))
                << source.toStdString();
        }
    }
}

TEST_F(PriceDialogTest, RefusesWhatIsNoPriceWithItsRowAndWritesNothing)
{
    PriceDialog dialog(catalogue, folder);
    dialog.copyAs(QStringLiteral("mine"));
    for (const char *price : {"-1", "dear", "", "0", "1e9"}) {
        set(dialog.model(), 0, PriceModel::Usd, price);
        dialog.save();
        EXPECT_THAT(dialog.problem().toStdString(), HasSubstr("row 1, USD")) << price;
    }
    set(dialog.model(), 0, PriceModel::Usd, "1");
    set(dialog.model(), 0, PriceModel::GpuName, "abacus");
    dialog.save();
    EXPECT_THAT(dialog.problem().toStdString(), HasSubstr("row 1, GPU"));
    set(dialog.model(), 0, PriceModel::GpuName, "card");
    dialog.model().addRow(QStringLiteral("card"));
    set(dialog.model(), 1, PriceModel::Usd, "1");
    set(dialog.model(), 1, PriceModel::Gpus, "8");
    dialog.save();
    EXPECT_THAT(dialog.problem().toStdString(), HasSubstr("row 2, GPU"));
    EXPECT_FALSE(std::filesystem::exists(folder / "mine.yaml"));
}

TEST_F(PriceDialogTest, ImportsAListAsABookOfTheUsersAndSaysWhatWasLeftOut)
{
    PriceDialog dialog(catalogue, folder);
    QObject::connect(
        &dialog, &PriceDialog::saved, [this] { ASSERT_TRUE(addPriceBooks(catalogue, folder)); }); // as the window does
    const std::filesystem::path list = home.path() / "theirs.csv";
    writeText(list, "InstanceType,AcceleratorName,AcceleratorCount,Price,Region\na,card,2,4,here\nb,card,2,dear,"
                    "here\nc,abacus,1,1,here\n");
    EXPECT_EQ(priceBookNameFor(list), "theirs-imported");
    dialog.importList(list, priceBookNameFor(list));
    const std::string told = dialog.problem().toStdString();
    EXPECT_THAT(told, HasSubstr("Imported theirs-imported: 1 price\n"));
    EXPECT_THAT(told, HasSubstr("1 of 3 rows"));
    EXPECT_THAT(told, HasSubstr("theirs.csv:3: Price is 'dear'"));
    EXPECT_THAT(told, HasSubstr("abacus"));
    ASSERT_EQ(dialog.model().edits().size(), 1U) << "the imported book is shown";
    EXPECT_EQ(dialog.model().edits()[0].usdPerGpuHour, "2");

    dialog.importList(list, "list");
    EXPECT_THAT(dialog.problem().toStdString(), HasSubstr("shipped"));
    dialog.importList(home.path() / "none.csv", "none");
    EXPECT_THAT(dialog.problem().toStdString(), HasSubstr("none.csv"));
    EXPECT_FALSE(std::filesystem::exists(folder / "list.yaml"));
}

TEST_F(PriceDialogTest, AsksBeforeItLeavesWhatIsNotSaved)
{
    PriceDialog dialog(catalogue, folder);
    dialog.show();
    dialog.copyAs(QStringLiteral("mine"));
    EXPECT_TRUE(set(dialog.model(), 0, PriceModel::Usd, "1.75"));
    dialog.reject();
    EXPECT_TRUE(dialog.isVisible());
    auto *question = dialog.findChild<QMessageBox *>();
    ASSERT_NE(question, nullptr);
    EXPECT_THAT(question->text().toStdString(), HasSubstr("'mine'"));
    question->button(QMessageBox::Cancel)->click();
    EXPECT_TRUE(dialog.isVisible());
    EXPECT_EQ(dialog.model().edits()[0].usdPerGpuHour, "1.75");
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);

    dialog.reject();
    question = dialog.findChild<QMessageBox *>();
    ASSERT_NE(question, nullptr);
    for (QAbstractButton *button : question->buttons()) {
        if (question->buttonRole(button) == QMessageBox::DestructiveRole)
            button->click();
    }
    EXPECT_FALSE(dialog.isVisible());

    PriceDialog untouched(catalogue, folder);
    untouched.show();
    untouched.reject();
    EXPECT_FALSE(untouched.isVisible()) << "nothing was typed";
}

TEST_F(PriceDialogTest, NeverHidesAShippedBook)
{
    PriceDialog dialog(catalogue, folder);
    for (const char *name : {"list", "../x", ""}) {
        dialog.copyAs(QString::fromUtf8(*name ? name : " "));
        dialog.save();
        EXPECT_FALSE(dialog.problem().isEmpty()) << name;
    }
    EXPECT_FALSE(std::filesystem::exists(folder / "list.yaml"));
}

} // namespace
} // namespace slipway::ui
