// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Every page and dialog in German, and in a language whose texts are in brackets and 40 % longer: a text without
// brackets was forgotten, and one that does not fit its place is cut.
#include <QAbstractButton>
#include <QAction>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QProcess>
#include <QRegularExpression>
#include <QScrollArea>
#include <QScrollBar>
#include <QStyle>
#include <QTabBar>
#include <gmock/gmock.h>

#include "runs/alerts.h"
#include "ui/explore/grid_dialog.h"
#include "ui/language/language.h"
#include "ui/plan/calibrate_dialog.h"
#include "ui/plan/computation_dialog.h"
#include "ui/plan/memory_card.h"
#include "ui/plan/price_dialog.h"
#include "ui/plan/script_dialog.h"
#include "ui/runs/launch_dialog.h"
#include "ui/runs/run_dialogs.h"
#include "ui/window/about_dialog.h"
#include "ui/window/command_palette.h"
#include "ui/window/menus.h"
#include "ui/window_fixture.h"

namespace slipway::ui {
namespace {

constexpr QSize kLeastSize(720, 450); // what 1440x900 pixels show at 200 %

// What is no text of the window: numbers with their units, keys, paths, and the names of the example.
bool isData(const QString &text)
{
    static const QRegularExpression kData(
        QStringLiteral("^(?:[^A-Za-z]|\\b(?:[KMGT]iB|[KMBTsh]|ms|µs|min|W)\\b|(?<=[0-9])[KMBT]\\b|[/~].*)*$"));
    static const QStringList kNames{QStringLiteral("&Deutsch"), QStringLiteral("&English"), QStringLiteral("Card 80GB"),
        QStringLiteral("Book"), QStringLiteral("book"), QStringLiteral("card"), QStringLiteral("GiB"),
        QStringLiteral("ms"), QStringLiteral("run"), QStringLiteral("tiny"), QStringLiteral("Deutsch"),
        QStringLiteral("English"), QStringLiteral("bf16"), QStringLiteral("fp8"), QStringLiteral("fp32"),
        QStringLiteral("1B · 1 × Card 80GB · vLLM")};
    return kData.match(text).hasMatch() || kNames.contains(text) || text.startsWith(u'#') || // of a script
           text.startsWith(QStringLiteral("vLLM: ")); // core's sentence on what a profile knows
}

class Inspector {
public:
    // `texts` that core writes, or that the caller knows as data.
    Inspector(QString place, bool pseudo, QStringList known = {})
        : m_place(std::move(place)),
          m_pseudo(pseudo),
          m_known(std::move(known))
    {
    }

    void inspect(QWidget &top)
    {
        for (QWidget *widget : top.findChildren<QWidget *>()) {
            if (widget->isVisibleTo(&top))
                look(*widget);
        }
    }
    void inspect(const QMenu &menu)
    {
        for (const QAction *action : menu.actions()) {
            text(*action->parent(), action->text());
            text(*action->parent(), action->toolTip());
        }
    }

private:
    void text(const QObject &object, const QString &shown)
    {
        if (m_pseudo && !shown.contains(u'[') && !isData(shown) && !m_known.contains(shown))
            ADD_FAILURE() << m_place.toStdString() << ", " << object.metaObject()->className()
                          << ": not translated: " << shown.toStdString();
    }
    void fits(const QObject &object, const QString &shown, QSize wanted, QSize there)
    {
        if (wanted.width() > there.width() + 1 || wanted.height() > there.height() + 1)
            ADD_FAILURE() << m_place.toStdString() << ", " << object.metaObject()->className()
                          << ": cut: " << shown.toStdString() << " needs " << wanted.width() << "x" << wanted.height()
                          << " of " << there.width() << "x" << there.height();
    }
    void look(QWidget &widget)
    {
        text(widget, widget.toolTip());
        text(widget, widget.accessibleName());
        if (const auto *label = qobject_cast<QLabel *>(&widget))
            lookAt(*label);
        else if (const auto *button = qobject_cast<QAbstractButton *>(&widget))
            lookAt(*button);
        else if (const auto *header = qobject_cast<QHeaderView *>(&widget))
            lookAt(*header);
        else if (const auto *box = qobject_cast<QComboBox *>(&widget))
            text(*box, box->currentText());
        else if (const auto *edit = qobject_cast<QLineEdit *>(&widget))
            text(*edit, edit->placeholderText());
        else if (const auto *tabs = qobject_cast<QTabBar *>(&widget)) {
            for (int i = 0; i < tabs->count(); ++i)
                text(*tabs, tabs->tabText(i));
        }
    }
    void lookAt(const QLabel &label)
    {
        text(label, label.text());
        // A label that may shrink to nothing draws an ellipsis and shows the whole text as its tooltip.
        if (label.minimumSizeHint().width() == 0 || label.text().isEmpty())
            return;
        const QSize there = label.contentsRect().size();
        if (label.wordWrap())
            fits(label, label.text(), {0, label.heightForWidth(label.width())}, label.size());
        else
            fits(label, label.text(), label.fontMetrics().size(0, label.text()), there);
    }
    void lookAt(const QAbstractButton &button)
    {
        text(button, button.text());
        if (!button.text().isEmpty())
            fits(button, button.text(), {button.fontMetrics().size(Qt::TextShowMnemonic, button.text()).width(), 0},
                button.size());
    }
    void lookAt(const QHeaderView &header)
    {
        for (int i = 0; header.orientation() == Qt::Horizontal && header.model() && i < header.count(); ++i) {
            if (header.isSectionHidden(i))
                continue;
            const QString name = header.model()->headerData(i, Qt::Horizontal).toString();
            text(header, name);
            fits(header, name, {header.fontMetrics().horizontalAdvance(name), 0}, {header.sectionSize(i), 0});
        }
    }

    QString m_place;
    bool m_pseudo;
    QStringList m_known;
};

struct EveryLanguageTest : WindowTest, ::testing::WithParamInterface<const char *> {
    Speaking speaking{GetParam()};
    MainWindow translated{{document, examplePlanner(), catalogue, registry, host, theme}};

    static void settle(QWidget &widget)
    {
        widget.setAttribute(Qt::WA_DontShowOnScreen);
        widget.show();
        for (int round = 0; round < 20; ++round)
            QApplication::processEvents();
    }
    static bool pseudo() { return std::string_view(GetParam()) == kPseudoLanguage; }
    static void inspectDialog(const char *place, QDialog &dialog, const QStringList &known = {})
    {
        settle(dialog);
        constexpr int kFrame = 40; // title bar and borders
        EXPECT_LE(dialog.minimumSizeHint().width(), kLeastSize.width()) << place;
        EXPECT_LE(dialog.minimumSizeHint().height(), kLeastSize.height() - kFrame) << place;
        Inspector(QString::fromLatin1(place), pseudo(), known).inspect(dialog);
        EXPECT_TRUE(!pseudo() || dialog.windowTitle().contains(u'['))
            << place << ": " << dialog.windowTitle().toStdString();
    }
};

// Which widgets of `content` are wider than `width`, from the outer to the inner ones.
std::string widerThan(int width, const QWidget &content)
{
    std::string names;
    for (const QWidget *widget : content.findChildren<QWidget *>()) {
        if (const int least = widget->minimumSizeHint().width(); least > width / 2)
            names += std::string("\n  ") + widget->metaObject()->className() + ' ' + std::to_string(least) + ' ' +
                     widget->accessibleName().toStdString();
    }
    return names;
}

// Whether a page can be read without scrolling sideways.
void expectNoSidewaysScrolling(const std::string &place, QWidget &top)
{
    for (const QScrollArea *area : top.findChildren<QScrollArea *>()) {
        if (area->isVisibleTo(&top)) {
            EXPECT_EQ(area->horizontalScrollBar()->maximum(), 0)
                << place << " scrolls sideways" << widerThan(area->viewport()->width(), *area->widget());
        }
    }
}

TEST_P(EveryLanguageTest, TextsOfThePagesAreTranslatedAndFit)
{
    using Page = MainWindow::Page;
    for (const auto &[size, scheme] : {std::pair(kLeastSize, Scheme::Light), std::pair(kLeastSize, Scheme::Dark),
             std::pair(QSize(1280, 720), Scheme::Light), std::pair(QSize(960, 640), Scheme::Dark),
             std::pair(QSize(1440, 900), Scheme::Light), std::pair(QSize(2560, 1440), Scheme::Dark)}) {
        theme.setScheme(scheme);
        for (const auto &[page, name] : {std::pair(Page::Plan, "plan"), std::pair(Page::Explore, "explore"),
                 std::pair(Page::Runs, "runs"), std::pair(Page::Hosts, "hosts"), std::pair(Page::Serve, "serve"),
                 std::pair(Page::Welcome, "welcome")}) {
            translated.resize(size);
            translated.show(page);
            for (const auto part : {FormSplit::Part::Form, FormSplit::Part::Results}) {
                translated.planPage().split().bring(part);
                translated.servePage().split().bring(part);
                settle(translated);
                EXPECT_LE(translated.width(), size.width()) << name;
                EXPECT_LE(translated.height(), size.height()) << name;
                const QString place = QStringLiteral("%1 at %2").arg(qs(std::string(name))).arg(size.width());
                Inspector(place, pseudo()).inspect(translated);
                // 40 % more is more than any language that is spoken. The least window has space for it nevertheless.
                if (!pseudo() || size == kLeastSize)
                    expectNoSidewaysScrolling(place.toStdString(), translated);
            }
        }
    }
    theme.setScheme(Scheme::Light);
}

TEST_P(EveryLanguageTest, EveryFormOfTheMemoryChartFitsTheNarrowestWindow)
{
    translated.planPage().split().bring(FormSplit::Part::Results);
    for (const QSize &size : {kLeastSize, QSize(960, 640)}) {
        translated.resize(size);
        for (const auto form : {MemoryCard::Form::Step, MemoryCard::Form::FirstSteps, MemoryCard::Form::Textbook}) {
            translated.planPage().results().memory().show(form);
            settle(translated);
            if (!pseudo() || size == kLeastSize)
                expectNoSidewaysScrolling("form " + std::to_string(static_cast<int>(form)), translated);
        }
    }
}

// Sizes round otherwise on a magnified screen, which a process can be told only at its start.
TEST(EveryScale, TextsFitOnAMagnifiedScreen)
{
    for (const char *scale : {"1.5", "2"}) {
        QProcess again;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("QT_SCALE_FACTOR"), QString::fromLatin1(scale));
        again.setProcessEnvironment(environment);
        again.setProcessChannelMode(QProcess::MergedChannels);
        again.start(
            QCoreApplication::applicationFilePath(), {QStringLiteral("--gtest_filter=*EveryLanguageTest.*Fit/*")});
        ASSERT_TRUE(again.waitForFinished(300'000)) << scale;
        EXPECT_EQ(again.exitCode(), 0) << scale << ": " << again.readAll().toStdString();
    }
}

TEST_P(EveryLanguageTest, TextsOfTheMenusAreTranslated)
{
    for (const QMenu *menu : translated.menuBar()->findChildren<QMenu *>())
        Inspector(menu->title(), pseudo()).inspect(*menu);
}

TEST_P(EveryLanguageTest, TextsOfTheDialogsAreTranslatedAndFit)
{
    AboutDialog about;
    inspectDialog("about", about);
    ShortcutsDialog shortcuts(translated.menus().commands(), nullptr);
    inspectDialog("shortcuts", shortcuts);
    CommandPalette palette(translated.menus().commands(), nullptr);
    inspectDialog("palette", palette);
    LabelsDialog labels(QStringLiteral("run"), {});
    inspectDialog("labels", labels);
    AlertRulesDialog rules{AlertRules()};
    inspectDialog("alert thresholds", rules);
    PriceDialog prices(catalogue, home.path());
    inspectDialog("prices", prices);
    ComputationDialog computation(examplePrediction());
    inspectDialog("computation", computation, {QStringLiteral("tiny")});
    ScriptDialog script(document, catalogue.frameworks);
    inspectDialog("my own script", script);
    GridDialog grid(paperGrid(), RunConfig(), 0.001);
    inspectDialog("grid", grid);
    LogDialog log(QStringLiteral("[1B]"));
    inspectDialog("log", log);
    LaunchDialog launch(
        RunConfig{.gpu = "card"},
        [](const RunConfig &config) -> Result<Prediction> { return examplePrediction(config); }, host, registry);
    inspectDialog("launch", launch);
}

INSTANTIATE_TEST_SUITE_P(Languages, EveryLanguageTest, ::testing::Values("en", "de", kPseudoLanguage));

} // namespace
} // namespace slipway::ui
