// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The window as a whole: files that are opened, dropped and saved, and what it remembers.
#include <QApplication>
#include <QDir>
#include <QDragEnterEvent>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QSplitter>
#include <QTableView>
#include <QTest>
#include <array>
#include <gmock/gmock.h>
#include <memory>

#include "base/file.h"
#include "config/config_io.h"
#include "hosts/local_host.h"
#include "support/temporary_directory.h"
#include "ui/examples.h"
#include "ui/plan/calibrate_dialog.h"
#include "ui/plan/price_dialog.h"
#include "ui/widgets/text.h"
#include "ui/window/command_palette.h"
#include "ui/window/file_kind.h"
#include "ui/window/main_window.h"
#include "ui/window/menus.h"
#include "ui/window/welcome_page.h"
#include "ui/window/window_settings.h"
#include "ui/window_fixture.h"

namespace slipway::ui {
namespace {

TEST_F(WindowTest, TheProgramHasAnIconWhetherInstalledOrNot)
{
    setProgramIdentity();
    EXPECT_EQ(QGuiApplication::desktopFileName(), QStringLiteral("org.slipway.slipway")) << "as in packaging/desktop";
    for (const int size : {16, 64}) {
        const QImage image = window.windowIcon().pixmap(size).toImage();
        ASSERT_FALSE(image.isNull()) << size;
        EXPECT_GT(image.pixelColor(image.width() / 2, image.height() * 7 / 8).alpha(), 200) << size;
    }
}

TEST_F(WindowTest, FilesAreRecognizedByNameAndContent)
{
    EXPECT_EQ(kind("plan.yaml", "micro_batch: 4\n"), FileKind::Configuration);
    EXPECT_EQ(kind("grid.yaml", "micro_batch: [4, 8]\n"), FileKind::Grid);
    EXPECT_EQ(kind("damaged.yaml", "micro_batch: [4, 8\n"), FileKind::Configuration) << "whose error is then shown";
    EXPECT_EQ(kind("config.json", "{}"), FileKind::Model);
    EXPECT_EQ(kind("other.json", R"({"hidden_size": 64})"), FileKind::Model);
    EXPECT_EQ(kind("wandb.csv", "Step,loss\n1,2\n"), FileKind::Metrics);
    EXPECT_EQ(kind("vms.csv", "InstanceType,vCPUs,AcceleratorName,Price\n"), FileKind::PriceList);
    EXPECT_EQ(kind("table.csv", "id,gpu,micro_batch_size\n"), FileKind::Measurements);
    EXPECT_EQ(kind("train.log", "step 10 | loss: 6.1\n"), FileKind::Log);
    EXPECT_EQ(kind("run/metrics.jsonl", "{}\n"), FileKind::Run);
    EXPECT_EQ(recognizeFile(home.path() / "run")->kind, FileKind::Run);
    EXPECT_EQ(kind("model/config.json", "{}"), FileKind::Model);
    EXPECT_EQ(recognizeFile(home.path() / "model")->path, home.path() / "model" / "config.json");
}

TEST_F(WindowTest, WhatCannotBeOpenedIsRefusedWithWhatCan)
{
    for (const auto &path : {home.path() / "missing.yaml", home.path(), std::filesystem::path("/dev/zero"),
             std::filesystem::path(file("picture.png", std::string_view("\x89PNG\0\0", 6)).toStdString()),
             std::filesystem::path(file("zeros.csv", std::string_view("a\0b", 3)).toStdString())}) {
        const Result<RecognizedFile> found = recognizeFile(path);
        ASSERT_FALSE(found) << path;
        EXPECT_THAT(found.error().message(), ::testing::HasSubstr(path.string()));
    }
    window.openPath(qs((home.path() / "missing.yaml").string()));
    EXPECT_NE(opened<QMessageBox>(), nullptr);
}

TEST_F(WindowTest, TheTitleNamesTheFileAndMarksUnsavedChanges)
{
    EXPECT_THAT(window.windowTitle().toStdString(), ::testing::HasSubstr("Untitled plan"));
    EXPECT_FALSE(window.isWindowModified());
    window.openPath(plan("first.yaml", 4));
    EXPECT_EQ(document.config().microBatch, 4);
    EXPECT_THAT(window.windowTitle().toStdString(), ::testing::HasSubstr("first.yaml[*]"));
    EXPECT_FALSE(window.isWindowModified());
    ASSERT_TRUE(document.edit("micro_batch", "2"));
    EXPECT_TRUE(window.isWindowModified());
    document.undoStack().undo();
    EXPECT_FALSE(window.isWindowModified());
}

TEST_F(WindowTest, UndoBringsNoPlanOfAnotherFileIntoTheOpenedOne)
{
    window.openPath(plan("first.yaml", 4));
    const QString second = plan("second.yaml", 2);
    window.openPath(second);
    window.planPage().commands().undo->trigger();
    window.planPage().commands().save->trigger();
    EXPECT_EQ(readRunConfig(home.path() / "second.yaml")->microBatch, 2);
    ASSERT_TRUE(document.edit("micro_batch", "1"));
    document.undoStack().undo();
    document.undoStack().undo();
    EXPECT_EQ(document.config().microBatch, 2) << "changes since it was opened can be undone";
    EXPECT_FALSE(window.isWindowModified());
}

TEST_F(WindowTest, UndoBringsBackAPlanThatWasReplacedWithinItsFile)
{
    const QString first = plan("first.yaml", 4);
    window.openPath(first);
    window.planPage().open({.gpu = "card", .microBatch = 1}, QStringLiteral("Open grid point"));
    document.undoStack().undo();
    EXPECT_EQ(document.config().microBatch, 4);
    plan("first.yaml", 2); // another program changes it
    window.openPath(first);
    EXPECT_EQ(document.config().microBatch, 2);
    document.undoStack().undo();
    EXPECT_EQ(document.config().microBatch, 4) << "it is the same file";
    EXPECT_TRUE(window.isWindowModified());
}

TEST_F(WindowTest, SavingAddsTheSuffixAndRemembersTheFile)
{
    ASSERT_TRUE(document.edit("micro_batch", "2"));
    ASSERT_TRUE(window.planPage().saveFile(qs((home.path() / "mine").string())));
    EXPECT_EQ(readRunConfig(home.path() / "mine.yaml")->microBatch, 2);
    EXPECT_EQ(document.file(), qs((home.path() / "mine.yaml").string()));
    EXPECT_FALSE(window.isWindowModified());
    EXPECT_EQ(window.planPage().recentFiles().front(), document.file());
}

TEST_F(WindowTest, RecentFilesAreOfferedNewestFirstAndOnce)
{
    const QString first = plan("first.yaml", 4), second = plan("second.yaml", 2);
    for (const QString &path : {first, second, first})
        window.openPath(path);
    EXPECT_EQ(window.planPage().recentFiles(), (QStringList{first, second}));
    QStringList many;
    for (int i = 0; i < 30; ++i)
        many << qs("/file-" + std::to_string(i));
    window.planPage().setRecentFiles(many);
    EXPECT_EQ(window.planPage().recentFiles().size(), 10);
}

TEST_F(WindowTest, OpeningAnotherPlanAsksAboutUnsavedChanges)
{
    window.openPath(plan("first.yaml", 4));
    ASSERT_TRUE(document.edit("micro_batch", "2"));
    window.openPath(plan("second.yaml", 1));
    auto *question = opened<QMessageBox>();
    ASSERT_NE(question, nullptr);
    EXPECT_THAT(question->text().toStdString(), ::testing::HasSubstr("first.yaml"));
    EXPECT_EQ(document.config().microBatch, 2) << "nothing is lost meanwhile";
    question->button(QMessageBox::Save)->click();
    EXPECT_EQ(readRunConfig(home.path() / "first.yaml")->microBatch, 2);
    EXPECT_EQ(document.config().microBatch, 1);
    EXPECT_THAT(document.file().toStdString(), ::testing::HasSubstr("second.yaml"));
}

TEST_F(WindowTest, ClosingAsksAboutUnsavedChangesAndCancelKeepsTheWindow)
{
    window.setAttribute(Qt::WA_DontShowOnScreen);
    static_cast<QWidget &>(window).show();
    ASSERT_TRUE(document.edit("micro_batch", "2"));
    window.close();
    EXPECT_TRUE(window.isVisible());
    auto *question = opened<QMessageBox>();
    ASSERT_NE(question, nullptr);
    question->button(QMessageBox::Cancel)->click();
    EXPECT_TRUE(window.isVisible());
    EXPECT_EQ(document.config().microBatch, 2);
    delete question;
    window.close();
    question = opened<QMessageBox>();
    ASSERT_NE(question, nullptr);
    question->button(QMessageBox::Discard)->click();
    EXPECT_FALSE(window.isVisible());
}

TEST_F(WindowTest, AnUnchangedPlanClosesWithoutAQuestion)
{
    window.setAttribute(Qt::WA_DontShowOnScreen);
    static_cast<QWidget &>(window).show();
    window.close();
    EXPECT_FALSE(window.isVisible());
}

TEST_F(WindowTest, AFileDroppedOnATextFieldIsOpenedAndNotTyped)
{
    auto *field = window.planPage().form().row("micro_batch")->input()->findChild<QLineEdit *>();
    const QString path = plan("dropped.yaml", 4);
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    QDragEnterEvent enter({4, 4}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    enter.ignore();
    QCoreApplication::sendEvent(field, &enter);
    EXPECT_TRUE(enter.isAccepted());
    QDropEvent drop({4, 4}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(field, &drop);
    ASSERT_TRUE(QTest::qWaitFor([this] { return document.config().microBatch == 4; }, kLimitMs));
    EXPECT_EQ(field->text(), QStringLiteral("4"));
}

TEST_F(WindowTest, SeveralDroppedFilesAreAllOpened)
{
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(plan("several.yaml", 4)), QUrl(QStringLiteral("https://example.org/a.yaml")),
        QUrl::fromLocalFile(file("grid.yaml", "micro_batch: [4, 8]\n"))});
    auto *field = window.planPage().form().row("micro_batch")->input()->findChild<QLineEdit *>();
    QDragEnterEvent enter({4, 4}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(field, &enter);
    QDropEvent drop({4, 4}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(field, &drop);
    ASSERT_TRUE(QTest::qWaitFor([this] { return window.page() == MainWindow::Page::Explore; }, kLimitMs));
    EXPECT_EQ(document.config().microBatch, 4);
}

TEST_F(WindowTest, EachKindOfFileOpensWhereItBelongs)
{
    window.openPath(file("grid.yaml", "micro_batch: [4, 8]\n"));
    EXPECT_EQ(window.page(), MainWindow::Page::Explore);
    window.openPath(file("wandb.csv", "Step,loss\n1,2\n2,1.5\n"));
    EXPECT_EQ(window.page(), MainWindow::Page::Runs);
    const QString model = file("model/config.json", "{}");
    window.openPath(model);
    EXPECT_EQ(window.page(), MainWindow::Page::Plan);
    EXPECT_EQ(document.config().model.name, model.toStdString());
    window.openPath(file("train.log", "step 10 | loss: 6.1\n"));
    auto *log = opened<LogDialog>();
    ASSERT_NE(log, nullptr);
    EXPECT_EQ(log->text(), "step 10 | loss: 6.1\n");
    window.openPath(file("vms.csv", "InstanceType,AcceleratorName,AcceleratorCount,Price,Region,SpotPrice\n"));
    EXPECT_NE(opened<PriceDialog>(), nullptr);
}

TEST_F(WindowTest, ALogIsAskedForByTheNamesThatThePlanPageShows)
{
    ASSERT_TRUE(document.edit("framework", "pytorch-eager"));
    window.openPath(file("train.log", "step 10 | loss: 6.1\n"));
    auto *log = opened<LogDialog>();
    ASSERT_NE(log, nullptr);
    const QList<QLabel *> labels = log->findChildren<QLabel *>();
    EXPECT_TRUE(std::any_of(labels.begin(), labels.end(), [](const QLabel *label) {
        return label->text().contains(QStringLiteral("on 1 × Card 80GB, PyTorch eager"));
    })) << "neither the id of the GPU nor another software";
}

struct DroppedOnAPage : WindowTest, ::testing::WithParamInterface<MainWindow::Page> {
    void drop(const QString &path)
    {
        const std::array<QWidget *, 6> pages{&window.planPage(), &window.explorePage(), &window.runsPage(),
            &window.hostsPage(), &window.servePage(), &window.welcomePage()};
        window.show(GetParam());
        QWidget *page = pages.at(static_cast<std::size_t>(GetParam()));
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(path)});
        QDragEnterEvent enter({4, 4}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        enter.ignore();
        QCoreApplication::sendEvent(page, &enter);
        EXPECT_TRUE(enter.isAccepted());
        QDropEvent drop({4, 4}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(page, &drop);
    }
    // Drops a file whose dialog opens, and returns the dialog.
    template<typename Dialog>
    std::unique_ptr<Dialog> dialogFor(const QString &path)
    {
        drop(path);
        return std::unique_ptr<Dialog>(opened<Dialog>());
    }
};

TEST_P(DroppedOnAPage, APlanAndAModelGoToThePlan)
{
    drop(plan("dropped.yaml", 4));
    ASSERT_TRUE(QTest::qWaitFor([this] { return document.config().microBatch == 4; }, kLimitMs));
    EXPECT_EQ(window.page(), MainWindow::Page::Plan);
    const QString model = file("model/config.json", "{}");
    drop(model);
    ASSERT_TRUE(QTest::qWaitFor([&] { return document.config().model.name == model.toStdString(); }, kLimitMs));
    EXPECT_EQ(window.page(), MainWindow::Page::Plan);
}

TEST_P(DroppedOnAPage, ARunGoesToTheRunsByItsFolderOrItsMetrics)
{
    const QString metrics = file("byfile/metrics.jsonl", "{}\n");
    (void)file("byfolder/metrics.jsonl", "{}\n");
    for (const auto &[name, path] :
        {std::pair{"byfolder", qs((home.path() / "byfolder").string())}, std::pair{"byfile", metrics}}) {
        drop(path);
        ASSERT_TRUE(QTest::qWaitFor(
            [this, name = name] { return std::filesystem::exists(registry.folder() / name); }, kLimitMs))
            << name;
        EXPECT_EQ(window.page(), MainWindow::Page::Runs);
    }
}

TEST_P(DroppedOnAPage, PricesALogAndMeasurementsOpenTheirDialogs)
{
    EXPECT_NE(dialogFor<PriceDialog>(
                  file("vms.csv", "InstanceType,AcceleratorName,AcceleratorCount,Price,Region,SpotPrice\n")),
        nullptr);
    auto log = dialogFor<LogDialog>(file("train.log", "step 10 | loss: 6.1\n"));
    ASSERT_NE(log, nullptr);
    EXPECT_EQ(log->text(), "step 10 | loss: 6.1\n");
    log.reset(); // the next file waits for its end
    const auto refused = dialogFor<QMessageBox>(file("table.csv", "id,gpu,micro_batch_size\n")); // without a figure
    ASSERT_NE(refused, nullptr);
    EXPECT_EQ(refused->windowTitle(), QStringLiteral("Calibrate"));
}

INSTANTIATE_TEST_SUITE_P(EachPage, DroppedOnAPage,
    ::testing::Values(MainWindow::Page::Plan, MainWindow::Page::Explore, MainWindow::Page::Runs,
        MainWindow::Page::Hosts, MainWindow::Page::Serve, MainWindow::Page::Welcome));

TEST_F(WindowTest, ReturnsToItsPageColumnsAndFilesOnRestart)
{
    const QString store = qs((home.path() / "window.ini").string());
    window.show(MainWindow::Page::Runs);
    window.runsPage().table()->horizontalHeader()->resizeSection(RunsModel::State, 222);
    window.openPath(plan("first.yaml", 4));
    window.show(MainWindow::Page::Runs);
    {
        QSettings settings(store, QSettings::IniFormat);
        saveWindowState(window, theme, settings);
    }
    const QSettings settings(store, QSettings::IniFormat);
    EXPECT_EQ(lastPage(settings), MainWindow::Page::Runs);
    MainWindow next{{document, examplePlanner(), catalogue, registry, host, theme}};
    restoreWindowState(next, settings);
    EXPECT_EQ(next.runsPage().table()->horizontalHeader()->sectionSize(RunsModel::State), 222);
    EXPECT_EQ(next.planPage().recentFiles(), window.planPage().recentFiles());
    EXPECT_FALSE(next.planPage().recentFiles().isEmpty());

    QSettings damaged(qs((home.path() / "damaged.ini").string()), QSettings::IniFormat);
    damaged.setValue(QStringLiteral("window/page"), QStringLiteral("nowhere"));
    damaged.setValue(QStringLiteral("runs/columns"), QByteArray("damaged"));
    EXPECT_EQ(lastPage(damaged), MainWindow::Page::Plan);
    restoreWindowState(next, damaged);
}

TEST_F(WindowTest, WhatItRemembersIsOnDiskBeforeItIsClosed)
{
    const QString store = qs((home.path() / "kept.ini").string());
    const auto onDisk = [&store] { return std::make_unique<QSettings>(store, QSettings::IniFormat); };
    QSettings settings(store, QSettings::IniFormat);
    window.show(MainWindow::Page::Welcome);
    keepWindowState(window, theme, settings);
    EXPECT_FALSE(QFile::exists(store)) << "a first start that did nothing is still one";
    window.show(MainWindow::Page::Runs);
    EXPECT_FALSE(isFirstStart(*onDisk()));
    EXPECT_THAT(readFile(home.path() / "kept.ini").value(), ::testing::HasSubstr("welcomed=true"));
    EXPECT_EQ(lastPage(*onDisk()), MainWindow::Page::Runs);
    const QString file = plan("first.yaml", 4);
    window.openPath(file);
    EXPECT_EQ(onDisk()->value(QStringLiteral("files/recent")).toStringList(), QStringList{file});
    theme.setScheme(Scheme::Dark);
    EXPECT_TRUE(onDisk()->value(QStringLiteral("window/dark")).toBool());
    theme.setScheme(Scheme::Light);
}

TEST_F(WindowTest, AColumnAndTheSplitterAreOnDiskSoonAfterTheirChange)
{
    const QString store = qs((home.path() / "dragged.ini").string());
    window.show(MainWindow::Page::Runs);
    QSettings settings(store, QSettings::IniFormat);
    keepWindowState(window, theme, settings);
    const auto onDisk = [&store](const char *key) {
        return QSettings(store, QSettings::IniFormat).value(QLatin1String(key)).toByteArray();
    };
    window.runsPage().table()->horizontalHeader()->resizeSection(RunsModel::State, 222);
    EXPECT_TRUE(QTest::qWaitFor([&] { return onDisk("runs/columns") == window.runsPage().columnState(); }, kLimitMs));
    auto *parts = window.runsPage().findChild<QSplitter *>();
    ASSERT_NE(parts, nullptr);
    parts->setSizes({300, 200});
    Q_EMIT parts->splitterMoved(300, 1); // as a drag of the mouse does
    EXPECT_TRUE(QTest::qWaitFor([&] { return onDisk("runs/layout") == window.runsPage().layoutState(); }, kLimitMs));
}

TEST_F(WindowTest, AThemeIsChosenAndGivenBackToTheSystem)
{
    const QString store = qs((home.path() / "theme.ini").string());
    const auto choose = [this](const QString &words) {
        for (const Command &command : window.menus().commands()) {
            if (command.words == QStringLiteral("View › Theme › ") + words)
                return command.action->trigger();
        }
        FAIL() << "no command " << words.toStdString();
    };
    QSettings settings(store, QSettings::IniFormat);
    choose(QStringLiteral("Dark"));
    EXPECT_EQ(theme.scheme(), Scheme::Dark);
    saveWindowState(window, theme, settings);
    choose(QStringLiteral("As the system"));
    EXPECT_EQ(theme.scheme(), Scheme::System);
    restoreTheme(theme, settings);
    EXPECT_EQ(theme.scheme(), Scheme::Dark);
    choose(QStringLiteral("As the system"));
    saveWindowState(window, theme, settings);
    choose(QStringLiteral("Light"));
    restoreTheme(theme, settings);
    EXPECT_EQ(theme.scheme(), Scheme::Light) << "the system's theme is not written down as a choice";
}

TEST(PathFrom, ATildeIsTheHomeFolder)
{
    const QString home = QDir::homePath();
    EXPECT_EQ(pathFrom(QStringLiteral("~/a.yaml")), home.toStdString() + "/a.yaml");
    EXPECT_EQ(pathFrom(QStringLiteral("~")), home.toStdString());
    EXPECT_EQ(pathFrom(QStringLiteral("/a/~/b")), "/a/~/b");
    EXPECT_EQ(pathFrom(QStringLiteral("~other/a")), "~other/a");
    EXPECT_EQ(withHome(QStringLiteral("~/a.bin=0.7,~/b.bin,c.bin")),
        QString(home + QStringLiteral("/a.bin=0.7,") + home + QStringLiteral("/b.bin,c.bin")));
}

} // namespace
} // namespace slipway::ui
