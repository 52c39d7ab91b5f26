// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Menus, command palette, guide, first start, drafts and the single window.
#include <QAction>
#include <QDir>
#include <QFile>
#include <QLineEdit>
#include <QListWidget>
#include <QMenuBar>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QScrollBar>
#include <QTableWidget>
#include <QPlainTextEdit>
#include <QTextBlock>
#include <QThread>
#include <QWheelEvent>
#include <atomic>
#include <set>

#include "base/file.h"
#include "config/config_io.h"
#include "ui/plan/calibrate_dialog.h"
#include "ui/plan/offer_table.h"
#include "ui/runs/run_actions.h"
#include "ui/runs/run_exports.h"
#include "ui/user.h"
#include "ui/window/about_dialog.h"
#include "ui/window/command_palette.h"
#include "ui/window/draft.h"
#include "ui/window/guide_window.h"
#include "ui/window/menus.h"
#include "ui/window/single_instance.h"
#include "ui/window/welcome_page.h"
#include "ui/window_fixture.h"

namespace slipway::ui {
namespace {

QAction *commandNamed(const MainWindow &window, const QString &words)
{
    for (const Command &command : window.menus().commands()) {
        if (command.words.contains(words))
            return command.action;
    }
    return nullptr;
}

// On X11, Qt's line edits take Ctrl+E for "to the end of the line".
TEST_F(WindowTest, AFieldThatHasTheFocusDoesNotTakeTheKeysOfTheExport)
{
    struct Taking : QLineEdit {
        using QLineEdit::QLineEdit;
        bool event(QEvent *event) override
        {
            event->setAccepted(event->type() == QEvent::ShortcutOverride);
            return event->isAccepted() || QLineEdit::event(event);
        }
    };
    Taking field(&window);
    const auto taken = [&](Qt::Key key) {
        QKeyEvent event(QEvent::ShortcutOverride, key, Qt::ControlModifier);
        event.ignore();
        QApplication::sendEvent(&field, &event);
        return event.isAccepted();
    };
    EXPECT_FALSE(taken(Qt::Key_E));
    EXPECT_TRUE(taken(Qt::Key_C));
}

TEST_F(WindowTest, EveryShortcutOfTheMenusIsUsedOnce)
{
    using Page = MainWindow::Page;
    for (const Page page : {Page::Plan, Page::Explore, Page::Runs, Page::Hosts, Page::Serve, Page::Welcome}) {
        window.show(page);
        std::set<QString> keys;
        for (const Command &command : window.menus().commands()) {
            const QString text = command.action->shortcut().toString();
            EXPECT_TRUE(text.isEmpty() || keys.insert(text).second) << command.words.toStdString();
            EXPECT_FALSE(command.action->text().isEmpty());
        }
        for (const char *expected : {"Ctrl+O", "Ctrl+S", "Ctrl+Shift+S", "Ctrl+Z", "Ctrl+K", "Ctrl+Q", "F1"})
            EXPECT_TRUE(keys.contains(QString::fromLatin1(expected))) << expected;
    }
}

TEST_F(WindowTest, TheKeysForExportsAndCopyingActOnThePageThatIsShown)
{
    using Page = MainWindow::Page;
    const auto commandOf = [this](const char *keys) {
        for (const Command &command : window.menus().commands()) {
            if (command.action->shortcut() == QKeySequence(QString::fromLatin1(keys)))
                return command.action;
        }
        return static_cast<QAction *>(nullptr);
    };
    const PlanCommands &plan = window.planPage().commands();
    const ExploreCommands &explore = window.explorePage().commands();
    const ServeCommands &serve = window.servePage().commands();
    const RunExports &run = window.runsPage().exports();
    for (const auto &[page, pdf, csv, copy] : std::initializer_list<std::tuple<Page, QAction *, QAction *, QAction *>>{
             {Page::Plan, plan.pdf, plan.csv, plan.copy}, {Page::Explore, explore.pdf, explore.csv, nullptr},
             {Page::Runs, run.pdfCommand(), run.csvCommand(), nullptr}, {Page::Hosts, nullptr, nullptr, nullptr},
             {Page::Serve, serve.pdf, serve.csv, serve.copy}, {Page::Plan, plan.pdf, plan.csv, plan.copy}}) {
        window.show(page);
        EXPECT_EQ(commandOf("Ctrl+P"), pdf) << static_cast<int>(page);
        EXPECT_EQ(commandOf("Ctrl+E"), csv) << static_cast<int>(page);
        EXPECT_EQ(commandOf("Ctrl+Shift+C"), copy) << static_cast<int>(page);
    }
    window.show(Page::Runs);
    EXPECT_FALSE(run.pdfCommand()->isEnabled()) << "there is no run";
}

TEST_F(WindowTest, EveryPageFitsAWindowOfTheLeastSize)
{
    constexpr int kLeastWidth = 960;
    EXPECT_LE(window.minimumWidth(), kLeastWidth);
    EXPECT_LE(window.minimumHeight(), 640);
    for (QWidget *page : std::initializer_list<QWidget *>{&window.planPage(), &window.explorePage(), &window.runsPage(),
             &window.hostsPage(), &window.servePage(), &window.welcomePage()})
        EXPECT_LE(page->minimumSizeHint().width(), kLeastWidth - 80) << page->metaObject()->className();
}

TEST_F(WindowTest, TheWheelOverATableOfThePlanScrollsThePage)
{
    const QTableWidget &table = window.planPage().results().offers().table();
    QScrollBar *below = table.horizontalScrollBar();
    below->setRange(0, 100);
    for (QWidget *target : {table.viewport(), static_cast<QWidget *>(below)}) {
        QWheelEvent wheel({4, 4}, target->mapToGlobal(QPointF(4, 4)), {}, {0, -120}, Qt::NoButton, Qt::NoModifier,
            Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(target, &wheel);
        EXPECT_FALSE(wheel.isAccepted()) << "the page behind it would not hear of it";
    }
    EXPECT_EQ(below->value(), 0) << "the table does not move to the side under the pointer";
}

TEST_F(WindowTest, TheShortcutsOpenThePages)
{
    static_cast<QWidget &>(window).show();
    QApplication::setActiveWindow(&window);
    QTest::keyClick(&window, Qt::Key_3, Qt::ControlModifier);
    EXPECT_EQ(window.page(), MainWindow::Page::Runs);
    QTest::keyClick(&window, Qt::Key_4, Qt::ControlModifier);
    EXPECT_EQ(window.page(), MainWindow::Page::Hosts);
    QTest::keyClick(&window, Qt::Key_1, Qt::ControlModifier);
    EXPECT_EQ(window.page(), MainWindow::Page::Plan);
}

TEST_F(WindowTest, ThePaletteFindsACommandBySomeLettersAndRunsIt)
{
    static_cast<QWidget &>(window).show();
    CommandPalette *palette = window.menus().showPalette();
    EXPECT_GT(palette->list().count(), 25);
    QTest::keyClicks(&palette->searchField(), QStringLiteral("view hos"));
    ASSERT_GE(palette->list().count(), 1);
    EXPECT_THAT(palette->list().item(0)->text().toStdString(), ::testing::HasSubstr("Hosts"));
    QTest::keyClick(&palette->searchField(), Qt::Key_Return);
    ASSERT_TRUE(QTest::qWaitFor([this] { return window.page() == MainWindow::Page::Hosts; }, kLimitMs));
}

TEST_F(WindowTest, ThePaletteRunsNoDisabledCommandAndSaysWhenNothingMatches)
{
    CommandPalette *palette = window.menus().showPalette();
    QTest::keyClicks(&palette->searchField(), QStringLiteral("undo"));
    ASSERT_EQ(palette->list().count(), 1);
    EXPECT_FALSE(palette->list().item(0)->flags() & Qt::ItemIsEnabled) << "nothing was changed yet";
    QTest::keyClick(&palette->searchField(), Qt::Key_Return);
    EXPECT_TRUE(palette->isVisible());
    palette->searchField().setText(QStringLiteral("qqqq"));
    ASSERT_EQ(palette->list().count(), 1);
    EXPECT_EQ(palette->list().item(0)->text().toStdString(), "No command, setting or GPU has these words.");
    EXPECT_FALSE(palette->list().item(0)->flags() & Qt::ItemIsEnabled);
    for (const char *language : {"de", "en"}) {
        const Speaking speaking(language);
        CommandPalette translated(window.menus().commands());
        translated.show();
        translated.searchField().setText(QStringLiteral("qqqq"));
        QCoreApplication::processEvents();
        EXPECT_EQ(translated.list().horizontalScrollBar()->maximum(), 0) << "nothing is cut: " << language;
    }
    QTest::keyClick(&palette->searchField(), Qt::Key_Return);
    EXPECT_TRUE(palette->isVisible());
}

TEST_F(WindowTest, ThePaletteFindsGermanEntriesByEnglishWordsAndKeysToo)
{
    const Speaking german("de");
    MainWindow translated{{document, examplePlanner(), catalogue, registry, host, theme}};
    CommandPalette palette(translated.menus().paletteEntries());
    const auto first = [&palette](const char *words) {
        palette.searchField().setText(QString::fromUtf8(words));
        return palette.list().item(0)->text().toStdString();
    };
    EXPECT_THAT(first("command palette"), ::testing::StartsWith("Ansicht › Befehlspalette"));
    EXPECT_THAT(first("befehlspal"), ::testing::StartsWith("Ansicht › Befehlspalette"));
    EXPECT_THAT(first("view hosts"), ::testing::StartsWith("Ansicht › Hosts"));
    for (const char *words : {"grad_accum", "accumul", "akkumul"})
        EXPECT_THAT(first(words), ::testing::HasSubstr("kkumulation")) << words;
    EXPECT_EQ(first("card 80"), "GPU › Card 80GB");
    EXPECT_THAT(first("qqqq"), ::testing::HasSubstr("Kein Befehl"));
}

TEST_F(WindowTest, ThePaletteListsSettingsAndGpusOnlyWhereTheyAreSearched)
{
    const CommandPalette palette(window.menus().paletteEntries());
    EXPECT_EQ(palette.list().count(), static_cast<int>(window.menus().commands().size()));
}

TEST_F(WindowTest, ASettingThatIsChosenInThePaletteHasTheCursorAlsoInAFoldedSection)
{
    static_cast<QWidget &>(window).show();
    QApplication::setActiveWindow(&window);
    window.show(MainWindow::Page::Runs);
    for (const auto &[key, words] :
        {std::pair{"micro_batch", "micro_batch"}, std::pair{"pp", "setting pipeline parallel"}}) {
        CommandPalette *palette = window.menus().showPalette();
        palette->searchField().setText(QString::fromLatin1(words));
        QTest::keyClick(&palette->searchField(), Qt::Key_Return);
        const QWidget *input = window.planPage().form().row(key)->input();
        EXPECT_TRUE(QTest::qWaitFor(
            [this, input] {
                const QWidget *focused = static_cast<QWidget &>(window).focusWidget();
                return focused != nullptr && (focused == input || input->isAncestorOf(focused));
            },
            kLimitMs))
            << key;
        EXPECT_TRUE(input->isVisible()) << key;
    }
}

TEST_F(WindowTest, AGpuThatIsChosenInThePaletteIsPlannedWithAndCanBeUndone)
{
    catalogue.gpus.push_back({.id = "other", .name = "Other 40GB", .aliases = {"o40"}});
    CommandPalette *palette = window.menus().showPalette();
    palette->searchField().setText(QStringLiteral("o40"));
    ASSERT_EQ(palette->list().count(), 1);
    EXPECT_EQ(palette->list().item(0)->text(), QStringLiteral("GPU › Other 40GB"));
    QTest::keyClick(&palette->searchField(), Qt::Key_Return);
    ASSERT_TRUE(QTest::qWaitFor([this] { return document.config().gpu == "other"; }, kLimitMs));
    document.undoStack().undo();
    EXPECT_EQ(document.config().gpu, "card");
}

TEST_F(WindowTest, ALogIsAskedForByACommandToo)
{
    window.show(MainWindow::Page::Runs);
    commandNamed(window, QStringLiteral("Calibrate from a log…"))->trigger();
    EXPECT_EQ(window.page(), MainWindow::Page::Plan);
    EXPECT_NE(opened<LogDialog>(), nullptr);
}

TEST_F(WindowTest, AnInvalidPlanDisablesTheCommandsThatUseIt)
{
    const std::array names{QStringLiteral("Copy as command"), QStringLiteral("Report as PDF"),
        QStringLiteral("Results as CSV"), QStringLiteral("Launch…")};
    for (const QString &name : names)
        EXPECT_TRUE(commandNamed(window, name)->isEnabled()) << name.toStdString();
    ASSERT_TRUE(document.edit("gpus", "3")); // cannot be laid out
    for (const QString &name : names)
        EXPECT_FALSE(commandNamed(window, name)->isEnabled()) << name.toStdString();
    EXPECT_TRUE(commandNamed(window, QStringLiteral("Save plan"))->isEnabled()) << "an unfinished plan can be kept";
}

TEST_F(WindowTest, TheGuideOpensAtThePageAboutWhatIsShown)
{
    window.show(MainWindow::Page::Explore);
    window.menus().showGuide();
    ASSERT_NE(window.menus().guide(), nullptr);
    EXPECT_THAT(
        window.menus().guide()->browser().source().toString().toStdString(), ::testing::HasSubstr("exploring.md"));
    EXPECT_THAT(window.menus().guide()->browser().toPlainText().toStdString(), ::testing::HasSubstr("slipway sweep"));
}

TEST(GuideWindowTest, EveryPageIsThereAndEveryLinkLeadsSomewhere)
{
    GuideWindow guide;
    int links = 0;
    for (const QString &page : GuideWindow::pageNames()) {
        guide.open(page);
        ASSERT_GT(guide.browser().toPlainText().size(), 500) << page.toStdString();
        const QUrl source = guide.browser().source();
        QStringList targets;
        for (QTextBlock block = guide.browser().document()->begin(); block.isValid(); block = block.next()) {
            for (auto part = block.begin(); !part.atEnd(); ++part) {
                if (part.fragment().charFormat().isAnchor())
                    targets << part.fragment().charFormat().anchorHref();
            }
        }
        for (const QString &target : targets) {
            const QUrl url = source.resolved(QUrl(target));
            if (url.scheme() != QStringLiteral("qrc"))
                continue;
            ++links;
            ASSERT_TRUE(QFile::exists(u':' + url.path())) << page.toStdString() << ": " << target.toStdString();
            if (url.hasFragment() && url.path().endsWith(QStringLiteral(".md"))) {
                guide.browser().setSource(url);
                EXPECT_TRUE(guide.browser().showHeading(url.fragment()))
                    << page.toStdString() << ": " << target.toStdString();
            }
        }
    }
    EXPECT_GT(links, 30);
    QStringList files = QDir(QStringLiteral(":/guide/guide")).entryList();
    files.replaceInStrings(QStringLiteral(".md"), QString());
    QStringList pages = GuideWindow::pageNames();
    files.sort();
    pages.sort();
    EXPECT_EQ(files, pages) << "every page of the guide is in its list";
}

TEST(GuideWindowTest, SearchingLeavesThePagesThatContainTheWords)
{
    GuideWindow guide;
    guide.open(QStringLiteral("README"));
    guide.searchField().setText(QStringLiteral("SkyPilot"));
    int shown = 0;
    for (int i = 0; i < guide.pages().count(); ++i)
        shown += guide.pages().item(i)->isHidden() ? 0 : 1;
    EXPECT_GT(shown, 0);
    EXPECT_LT(shown, guide.pages().count());
    guide.searchField().clear();
    for (int i = 0; i < guide.pages().count(); ++i)
        EXPECT_FALSE(guide.pages().item(i)->isHidden());
}

TEST_F(WindowTest, AboutShowsTheLicenseAndTheShortcutsAreListed)
{
    const AboutDialog about;
    const auto *license = about.findChild<QPlainTextEdit *>();
    ASSERT_NE(license, nullptr);
    EXPECT_THAT(license->toPlainText().toStdString(), ::testing::HasSubstr("GNU GENERAL PUBLIC LICENSE"));
    const ShortcutsDialog shortcuts(window.menus().commands());
    EXPECT_GT(shortcuts.findChild<QTableWidget *>()->rowCount(), 15);
}

TEST_F(WindowTest, TheFirstStartBeginsWithAPresetAModelOrALog)
{
    window.show(MainWindow::Page::Welcome);
    WelcomePage &welcome = window.welcomePage();
    welcome.model().setValue(QStringLiteral("tiny"));
    welcome.gpu().setValue(QStringLiteral("card"));
    welcome.planButton()->click();
    EXPECT_EQ(window.page(), MainWindow::Page::Plan);
    EXPECT_EQ(document.config().model.name, "tiny");
    window.show(MainWindow::Page::Welcome);
    Q_EMIT welcome.openRequested(file("train.log", "step 10 | loss: 6.1\n"));
    EXPECT_NE(opened<LogDialog>(), nullptr);
    EXPECT_EQ(window.page(), MainWindow::Page::Plan);
}

TEST_F(WindowTest, ADraftKeepsUnsavedChangesUntilTheyAreSaved)
{
    const auto folder = home.path() / "drafts";
    DraftKeeper keeper(document, folder);
    keeper.update();
    EXPECT_FALSE(std::filesystem::exists(folder)) << "nothing was changed";
    window.openPath(plan("first.yaml", 4));
    ASSERT_TRUE(document.edit("micro_batch", "2"));
    keeper.update();
    const auto files = std::filesystem::directory_iterator(folder);
    ASSERT_NE(files, std::filesystem::directory_iterator());
    const Result<Draft> draft = readDraft(files->path());
    ASSERT_TRUE(draft) << draft.error().message();
    EXPECT_EQ(draft->config, document.config());
    EXPECT_EQ(draft->file, document.file());
    EXPECT_TRUE(keeper.leftBehind().empty()) << "its process, this one, still runs";
    ASSERT_TRUE(window.planPage().saveFile(document.file()));
    keeper.update();
    EXPECT_TRUE(std::filesystem::is_empty(folder));
}

struct CrashTest : WindowTest {
    std::filesystem::path folder = home.path() / "drafts";
    MainWindow next{{document, examplePlanner(), catalogue, registry, host, theme, {}, folder}};
    // Of a process that cannot exist: above the largest number that Linux gives.
    std::filesystem::path left = folder / "2147483646.json";

    CrashTest() { std::filesystem::create_directories(folder); }
    QMessageBox *question() { return next.findChild<QMessageBox *>(); }
    void answer(const char *words)
    {
        for (QAbstractButton *button : question()->buttons()) {
            if (button->text() == QString::fromLatin1(words))
                return button->click();
        }
        ADD_FAILURE() << words;
    }
};

TEST_F(CrashTest, WhatACrashLeftIsOfferedAndRestored)
{
    RunConfig lost{.gpu = "card", .microBatch = 5};
    ASSERT_TRUE(writeDraft(left, {lost, QStringLiteral("/tmp/mine.yaml")}));
    ASSERT_TRUE(next.offerDraft());
    ASSERT_NE(question(), nullptr);
    EXPECT_THAT(question()->text().toStdString(), ::testing::HasSubstr("mine.yaml"));
    answer("Restore");
    EXPECT_EQ(document.config(), lost);
    EXPECT_EQ(document.file(), QStringLiteral("/tmp/mine.yaml"));
    EXPECT_TRUE(document.isModified()) << "the file does not have these changes";
    EXPECT_FALSE(std::filesystem::exists(left));
    EXPECT_FALSE(std::filesystem::is_empty(folder)) << "another crash loses nothing either";
}

TEST_F(CrashTest, ADiscardedDraftIsNotOfferedAgain)
{
    const RunConfig before = document.config();
    ASSERT_TRUE(writeDraft(left, {{.microBatch = 5}, {}}));
    ASSERT_TRUE(next.offerDraft());
    answer("Discard");
    EXPECT_EQ(document.config(), before);
    EXPECT_FALSE(next.offerDraft());
}

TEST_F(CrashTest, ADraftThatCannotBeReadIsToldOnceAndKept)
{
    const RunConfig before = document.config();
    writeText(left, R"({"version": 1, "file": 7, "config": [)");
    EXPECT_FALSE(next.offerDraft());
    EXPECT_EQ(document.config(), before);
    EXPECT_FALSE(std::filesystem::exists(left));
    EXPECT_TRUE(std::filesystem::exists(left.string() + ".unreadable")) << "a newer version may have written it";
}

TEST_F(CrashTest, ADraftOfAnotherVersionIsNotReadAsOneOfThisVersion)
{
    ASSERT_TRUE(writeDraft(left, {{.microBatch = 5}, {}}));
    const std::string text = *readPrivateFile(left, kMiB);
    const auto reading = [&](const std::string &version) {
        std::string other = text;
        other.replace(other.find("\"version\": 1"), 12, "\"version\": " + version);
        writeText(left, other);
        return readDraft(left);
    };
    EXPECT_TRUE(reading("1"));
    for (const char *version : {"2", "0", "-1"})
        EXPECT_EQ(reading(version).error().what, "the draft is from another version of Slipway") << version;
    for (const char *version : {"\"1\"", "null", "1.5", "[]"})
        EXPECT_EQ(reading(version).error().what, "the draft is damaged") << version;
    EXPECT_FALSE(next.offerDraft());
    EXPECT_TRUE(std::filesystem::exists(left.string() + ".unreadable"));
}

TEST_F(WindowTest, ASecondStartHandsItsFilesToTheWindowThatIsOpen)
{
    const QString socket = qs((home.path() / "socket").string());
    const OpenRequest request{.page = QStringLiteral("plan"), .files = {plan("second.yaml", 4)}};
    SingleInstance first(socket);
    EXPECT_FALSE(SingleInstance(socket).sendToRunning(request)) << "nobody listens yet";
    ASSERT_TRUE(first.listen());
    QObject::connect(&first, &SingleInstance::requested, &window, &MainWindow::takeOver);
    window.show(MainWindow::Page::Runs);
    // Another process in reality: its waiting must not keep this one's event loop from answering.
    std::atomic<int> handed = -1;
    QThread *other = QThread::create([&] { handed = SingleInstance(socket).sendToRunning(request) ? 1 : 0; });
    other->start();
    ASSERT_TRUE(QTest::qWaitFor([&] { return handed >= 0; }, kLimitMs));
    other->wait();
    delete other;
    EXPECT_EQ(handed, 1);
    ASSERT_TRUE(QTest::qWaitFor([this] { return document.config().microBatch == 4; }, kLimitMs));
    EXPECT_EQ(window.page(), MainWindow::Page::Plan);
}

TEST_F(WindowTest, ASocketThatACrashLeftDoesNotKeepTheWindowFromStarting)
{
    const QString socket = qs((home.path() / "socket").string());
    writeText(home.path() / "socket", "");
    SingleInstance instance(socket);
    EXPECT_FALSE(instance.sendToRunning({}));
    EXPECT_TRUE(instance.listen());
}

TEST_F(WindowTest, SecondStartsAskOneQuestionAboutUnsavedChanges)
{
    static_cast<QWidget &>(window).show();
    QApplication::setActiveWindow(&window);
    ASSERT_TRUE(document.edit("micro_batch", "4"));
    window.takeOver({.page = {}, .files = {plan("first.yaml", 16)}});
    window.takeOver({.page = {}, .files = {plan("other.yaml", 2)}});
    ASSERT_TRUE(QTest::qWaitFor([] { return QApplication::activeModalWidget() != nullptr; }, kLimitMs));
    auto *question = qobject_cast<QMessageBox *>(QApplication::activeModalWidget());
    ASSERT_NE(question, nullptr);
    question->button(QMessageBox::Discard)->click();
    EXPECT_TRUE(QTest::qWaitFor([this] { return document.config().microBatch == 2; }, kLimitMs));
    EXPECT_TRUE(QTest::qWaitFor([] { return QApplication::activeModalWidget() == nullptr; }, kLimitMs))
        << "the first question is gone";
}

TEST_F(WindowTest, ASecondStartsFileWaitsUntilTheOpenDialogIsClosed)
{
    static_cast<QWidget &>(window).show();
    window.menus().showAbout();
    auto *dialog = opened<AboutDialog>();
    ASSERT_NE(dialog, nullptr);
    ASSERT_TRUE(QTest::qWaitFor([] { return QApplication::activeModalWidget() != nullptr; }, kLimitMs));
    window.takeOver({.page = QStringLiteral("runs"), .files = {plan("first.yaml", 4), plan("second.yaml", 2)}});
    QCoreApplication::processEvents();
    EXPECT_EQ(document.config().microBatch, 8) << "nothing changes behind the dialog";
    EXPECT_EQ(QApplication::activeModalWidget(), dialog) << "which is still the one to answer";
    dialog->close();
    EXPECT_TRUE(QTest::qWaitFor([this] { return document.config().microBatch == 2; }, kLimitMs));
    EXPECT_EQ(window.planPage().recentFiles().size(), 2) << "both were opened";
}

TEST_F(WindowTest, FilesThatCannotBeOpenedAreToldOneAfterTheOther)
{
    static_cast<QWidget &>(window).show();
    window.openPaths(
        {qs((home.path() / "missing-a").string()), qs((home.path() / "missing-b").string()), plan("first.yaml", 4)});
    for (const char *name : {"missing-a", "missing-b"}) {
        ASSERT_TRUE(QTest::qWaitFor([] { return QApplication::activeModalWidget() != nullptr; }, kLimitMs));
        auto *box = qobject_cast<QMessageBox *>(QApplication::activeModalWidget());
        ASSERT_NE(box, nullptr);
        EXPECT_THAT(box->text().toStdString(), ::testing::HasSubstr(name));
        EXPECT_EQ(document.config().microBatch, 8);
        box->button(QMessageBox::Ok)->click();
        ASSERT_TRUE(QTest::qWaitFor([box] { return QApplication::activeModalWidget() != box; }, kLimitMs));
    }
    EXPECT_TRUE(QTest::qWaitFor([this] { return document.config().microBatch == 4; }, kLimitMs));
}

TEST_F(WindowTest, CtrlZUndoesWhatTheShownPageCanUndo)
{
    const std::filesystem::path run = *registry.create("first");
    ASSERT_TRUE(writeRunConfig(RunPaths{run}.config(), RunConfig{}));
    writeText(RunPaths{run}.exitStatus(), "0\n");
    User user(window);
    ASSERT_TRUE(document.edit("micro_batch", "4"));
    window.show(MainWindow::Page::Runs);
    RunActions &actions = window.runsPage().actionsOfRun();
    ASSERT_TRUE(QTest::qWaitFor([&] { return actions.removing()->isEnabled(); }, kLimitMs));
    ASSERT_TRUE(actions.moveToTrash());
    EXPECT_FALSE(std::filesystem::exists(run));
    user.press(Qt::Key_Z, Qt::ControlModifier);
    EXPECT_TRUE(std::filesystem::exists(run / "run.yaml"));
    EXPECT_EQ(document.config().microBatch, 4) << "the plan, which is out of sight, stays";
    user.press(Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(document.config().microBatch, 4);
    window.show(MainWindow::Page::Plan);
    user.press(Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(document.config().microBatch, 8);
}

} // namespace
} // namespace slipway::ui
