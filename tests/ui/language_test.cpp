// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The window in German: texts, numbers, menus, and files that stay as they are.
#include <QLineEdit>
#include <QLocale>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QTableWidget>
#include <clocale>
#include <gmock/gmock.h>

#include "base/text.h"
#include "config/config_io.h"
#include "ui/charts/ticks.h"
#include "ui/language/language.h"
#include "ui/language/local_text.h"
#include "ui/plan/offer_table.h"
#include "ui/plan/plan_display.h"
#include "ui/widgets/fields.h"
#include "ui/window/window_settings.h"
#include "ui/window_fixture.h"

namespace slipway::ui {
namespace {

// The tests below see the form of Germany wherever they run.
struct SpeakingGerman : Speaking {
    SpeakingGerman() : Speaking("de") { QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany)); }
};

TEST(LanguageTest, EnglishTextsAndNumbersAreThoseOfCore)
{
    for (const char *text : {"1.97B", "72.4 GiB", "2 h 05 min", "3.2 days", "$12.34", "-$1,234", "nan", "$0.0012"})
        EXPECT_EQ(localText(std::string(text)), qs(std::string(text)));
    EXPECT_EQ(grouped(1234567), QStringLiteral("1,234,567"));
    EXPECT_EQ(localDate("2026-11-23"), QStringLiteral("2026-11-23"));
    EXPECT_EQ(localDate("2025-10 to 2026"), QStringLiteral("2025-10 to 2026"));
    EXPECT_EQ(inSentence(QStringLiteral("Selective")), QStringLiteral("selective"));
}

TEST(LanguageTest, TitlesOfTheCatalogueAreGermanInTheWindow)
{
    Prediction prediction = examplePrediction();
    prediction.cost.expectedLoss = 2.5;
    prediction.cost.loss = LossForecast{.law = "law", .lawTitle = "Chinchilla, re-fitted by Besiroglu 2024"};
    EXPECT_THAT(planDisplay(prediction).origin.toStdString(), ::testing::HasSubstr("re-fitted by"));
    Catalogue catalogue;
    catalogue.priceBooks = {{.id = "aws", .title = "AWS on demand"}};
    const SpeakingGerman german;
    EXPECT_THAT(planDisplay(prediction).origin.toStdString(), ::testing::HasSubstr("neu angepasst von Besiroglu 2024"));
    EXPECT_EQ(namedValue("prices", "aws", &catalogue), QStringLiteral("AWS, On-Demand"));
}

TEST(LanguageTest, GermanNumbersHaveCommasAndGermanNamesOfUnits)
{
    const SpeakingGerman german;
    EXPECT_EQ(localText(formatCount(1.97e9)), QStringLiteral("1,97B"));
    EXPECT_EQ(localText(formatBytes(77'738'000'000)), QStringLiteral("72,4 GiB"));
    EXPECT_EQ(localText(formatSeconds(7500)), QStringLiteral("2 h 05 min"));
    EXPECT_EQ(localText(formatSeconds(3.2 * 86400)), QStringLiteral("3,2 Tage"));
    EXPECT_EQ(localText(formatUsd(12.34)), QStringLiteral("12,34 $"));
    EXPECT_EQ(localText(formatUsd(-1234)), QStringLiteral("-1.234 $"));
    EXPECT_EQ(moneyText(610.35, true), QStringLiteral("610,35 Einheiten"));
    EXPECT_EQ(localNumber(41.21, 1), QStringLiteral("41,2"));
    EXPECT_EQ(localNumber(3540, 0), QStringLiteral("3.540"));
    EXPECT_EQ(localDate("2026-11-23"), QStringLiteral("23.11.2026"));
    EXPECT_EQ(localDate("2026-01"), QStringLiteral("2026-01")) << "what is no day stays";
    EXPECT_EQ(localDate("2025-10 to 2026-11-23"), QStringLiteral("2025-10 bis 23.11.2026"));
    EXPECT_EQ(inSentence(QStringLiteral("Neuberechnung")), QStringLiteral("Neuberechnung"));
    EXPECT_EQ(localText(std::string("torchtitan@2025-03, p10.")), QStringLiteral("torchtitan@2025-03, p10."));
}

TEST(LanguageTest, LargeNumbersAndPercentagesHaveThousandsSeparators)
{
    EXPECT_EQ(localNumber(3540, 0), QStringLiteral("3,540"));
    EXPECT_EQ(localNumber(-1234567.5, 1), QStringLiteral("-1,234,567.5"));
    EXPECT_EQ(localNumber(-100, 0), QStringLiteral("-100"));
    EXPECT_EQ(localNumber(999.96, 1), QStringLiteral("1,000.0"));
    EXPECT_EQ(localNumber(0.0001, 4), QStringLiteral("0.0001"));
    EXPECT_EQ(localNumber(std::nan(""), 1), QStringLiteral("nan"));
    EXPECT_EQ(differenceText(36.4, 1), QStringLiteral("+3,540 %"));
    const SpeakingGerman german;
    EXPECT_EQ(differenceText(36.4, 1), QStringLiteral("+3.540 %"));
}

TEST(LanguageTest, ButtonsOfQuestionsAreThoseOfQtInThatLanguage)
{
    const SpeakingGerman german;
    QMessageBox question;
    question.setStandardButtons(QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel);
    EXPECT_EQ(question.button(QMessageBox::Save)->text(), QStringLiteral("Speichern"));
    EXPECT_EQ(question.button(QMessageBox::Discard)->text(), QStringLiteral("Verwerfen"));
    EXPECT_EQ(question.button(QMessageBox::Cancel)->text(), QStringLiteral("Abbrechen"));
}

TEST(LanguageTest, WhatReportsPrintAndFilesHoldDoesNotDependOnIt)
{
    const SpeakingGerman german;
    EXPECT_EQ(formatExact(1.5), "1.5");
    EXPECT_EQ(compactNumber(1.5, 0.5), QStringLiteral("1.5")) << "the figures of reports";
    EXPECT_EQ(formatReading(0.25), QStringLiteral("0.2500"));
    EXPECT_STREQ(std::localeconv()->decimal_point, ".");
}

TEST(LanguageTest, ADecimalCommaIsReadWhereItCanMeanNothingElse)
{
    const auto read = [](const char *text) { return withPoint(QString::fromUtf8(text)).toStdString(); };
    EXPECT_EQ(read("1,5"), "1.5");
    EXPECT_EQ(read("1.5"), "1.5");
    EXPECT_EQ(read("1,5B"), "1.5B");
    EXPECT_EQ(read("-0,25"), "-0.25");
    EXPECT_EQ(read("0,125"), "0.125");
    EXPECT_EQ(read("2,5 h"), "2.5 h");
    EXPECT_EQ(read("1,500"), "1,500") << "one and a half, or fifteen hundred";
    EXPECT_EQ(read("1,2,3"), "1,2,3");
    EXPECT_EQ(read("attention,norm"), "attention,norm");
}

TEST(LanguageTest, VerdictsAndFiguresAreTranslated)
{
    const SpeakingGerman german;
    const PlanDisplay plan = planDisplay(examplePrediction({.gpu = "card", .microBatch = 8}));
    EXPECT_EQ(plan.verdict.word, QStringLiteral("Passt"));
    EXPECT_EQ(plan.verdict.sentence, QStringLiteral("20,0 GiB von 80,0 GiB bleiben an der Speicherspitze frei"));
    EXPECT_EQ(plan.figures.at(1).value, QStringLiteral("41,3"));
    EXPECT_EQ(plan.suggestions.at(0).change, QStringLiteral("Neuberechnung → Vollständig"));
}

TEST(LanguageTest, HowAnOfferIsRentedIsTranslated)
{
    const SpeakingGerman german;
    const Catalogue catalogue;
    OfferTable table(catalogue);
    const Price single{.book = "book", .gpu = "card", .usdPerGpuHour = 2, .gpus = 1};
    const Price node{.book = "book", .gpu = "card", .usdPerGpuHour = 2, .gpus = 8};
    RunConfig config;
    config.parallel = {.kind = ParallelKind::Ddp, .gpus = 4};
    const auto shown = [&](const Price &price) {
        table.set(config, false,
            {{.config = config, .gpuName = "Card", .tokensPerSecond = 1, .step = 1, .hours = 1, .cheapest = price}});
        return table.table().item(0, OfferTable::Cheapest)->text().toStdString();
    };
    EXPECT_THAT(shown(single), ::testing::EndsWith("(als einzelne GPUs angeboten)"));
    EXPECT_THAT(shown(node), ::testing::EndsWith("(mietet 8 für 4)"));
}

TEST_F(WindowTest, AFieldTakesACommaAndThePlanThatIsSavedHasAPoint)
{
    const SpeakingGerman german;
    const PlanForm &form = window.planPage().form();
    auto *field = static_cast<TextInput *>(form.row("tokens")->input());
    Q_EMIT field->edited(QStringLiteral("1,5B"));
    EXPECT_EQ(document.config().tokens, 1'500'000'000);
    EXPECT_TRUE(form.row("tokens")->error().isEmpty());
    ASSERT_TRUE(document.edit("launch_factor", "1.5"));
    ASSERT_TRUE(window.planPage().saveFile(qs((home.path() / "mine.yaml").string())));
    EXPECT_EQ(readRunConfig(home.path() / "mine.yaml")->simulated.launchFactor, 1.5);
}

void expectUniqueMnemonics(const QString &menu, const QList<QAction *> &actions)
{
    QMap<QChar, QString> taken;
    for (const QAction *action : actions) {
        const QString text = QString(action->text()).remove(QStringLiteral("&&"));
        const qsizetype at = text.indexOf(u'&');
        if (at >= 0 && at + 1 < text.size()) {
            const QChar key = text[at + 1].toLower();
            EXPECT_FALSE(taken.contains(key)) << menu.toStdString() << ": " << taken.value(key).toStdString() << " and "
                                              << action->text().toStdString();
            taken[key] = action->text();
        }
        if (action->menu())
            expectUniqueMnemonics(action->text(), action->menu()->actions());
    }
}

TEST_F(WindowTest, MnemonicsAreUniqueWithinEachMenuInEveryLanguage)
{
    for (const char *language : {"en", "de"}) {
        const Speaking speaking(language);
        const MainWindow translated{{document, examplePlanner(), catalogue, registry, host, theme}};
        expectUniqueMnemonics(QString::fromLatin1(language), translated.menuBar()->actions());
    }
}

TEST_F(WindowTest, TheLanguageIsChosenInTheViewMenuAndKeptForTheNextStart)
{
    const QString file = qs((home.path() / "settings.ini").string());
    QSettings settings(file, QSettings::IniFormat);
    EXPECT_EQ(savedLanguage(settings), "system");
    saveLanguage(settings, "de");
    EXPECT_EQ(savedLanguage(settings), "de");
    QStringList names;
    for (const QMenu *menu : window.menuBar()->findChildren<QMenu *>()) {
        for (const QAction *action :
            menu->title() == QStringLiteral("&Language") ? menu->actions() : QList<QAction *>())
            names << action->text();
    }
    EXPECT_EQ(
        names, (QStringList{QStringLiteral("As the &system"), QStringLiteral("&Deutsch"), QStringLiteral("&English")}));
}

} // namespace
} // namespace slipway::ui
