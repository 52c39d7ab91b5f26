// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Fields that hold paths, and the dialogs that ask for them; lists of choices; what tables, tiles and tooltips show.
#include <QAbstractItemView>
#include <QComboBox>
#include <QFileDialog>
#include <QScreen>
#include <QHeaderView>
#include <QHelpEvent>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTableWidget>
#include <QTest>
#include <QToolTip>
#include <QTreeView>
#include <QVBoxLayout>
#include <gmock/gmock.h>

#include "support/temporary_directory.h"
#include "ui/theme/theme.h"
#include "ui/theme/theme_colors.h"
#include "ui/widgets/fields.h"
#include "ui/widgets/metric_tile.h"
#include "ui/widgets/metric_tiles.h"
#include "ui/widgets/path_edit.h"
#include "ui/widgets/plain_table.h"
#include "ui/widgets/text.h"

namespace slipway::ui {
namespace {

const QString kLongPath = QStringLiteral("/data/models/a/very/very/long/path/to/some/weights/config.json");

struct FieldsTest : ::testing::Test {
    QWidget window;
    ComboInput model{{{QStringLiteral("1B"), QStringLiteral("1B"), {}}}, true, &window};
    TextInput other{{}, &window};

    FieldsTest()
    {
        window.resize(300, 100);
        model.setGeometry(10, 10, 200, 30);
        other.setGeometry(10, 50, 200, 30);
        window.show();
        QApplication::setActiveWindow(&window);
        other.setFocus();
        QCoreApplication::processEvents();
    }
};

TEST_F(FieldsTest, ALongPathShowsItsFileAndItsWholeInTheTooltip)
{
    model.setValue(kLongPath);
    auto *edit = model.findChild<PathEdit *>();
    ASSERT_NE(edit, nullptr);
    EXPECT_TRUE(edit->shownText().endsWith(QStringLiteral("config.json"))) << edit->shownText().toStdString();
    EXPECT_TRUE(edit->shownText().startsWith(QStringLiteral("/data")));
    EXPECT_TRUE(edit->shownText().contains(QStringLiteral("…")));
    EXPECT_EQ(model.value(), kLongPath);
    QHelpEvent asks(QEvent::ToolTip, {4, 4}, edit->mapToGlobal(QPoint(4, 4)));
    QCoreApplication::sendEvent(edit, &asks);
    EXPECT_THAT(QToolTip::text().toStdString(), ::testing::HasSubstr(kLongPath.toStdString()));
    QToolTip::hideText();
}

TEST_F(FieldsTest, WhileAPathIsEditedAllOfItsTextIsThere)
{
    model.setValue(kLongPath);
    model.setFocus();
    ASSERT_TRUE(model.findChild<PathEdit *>()->hasFocus());
    EXPECT_EQ(model.findChild<PathEdit *>()->shownText(), kLongPath);
}

TEST_F(FieldsTest, TextsThatFitOrAreNoPathsAreShownAsTheyAre)
{
    const auto *edit = model.findChild<PathEdit *>();
    for (const QString &text : {QStringLiteral("/a/b.json"), QString(100, u'x'), QString()}) {
        model.setValue(text);
        EXPECT_EQ(edit->shownText(), text);
    }
}

TEST_F(FieldsTest, QtsFileDialogCutsNoColumn)
{
    const TemporaryDirectory folder;
    writeText(folder.path() / "plan.yaml", "micro_batch: 4\n");
    const Theme theme(*qApp, Scheme::Light);
    QFileDialog dialog(&window, QString(), qs(folder.path().string()));
    dialog.setOption(QFileDialog::DontUseNativeDialog);
    dialog.setViewMode(QFileDialog::Detail);
    dialog.show();
    auto *list = dialog.findChild<QTreeView *>(QStringLiteral("treeView"));
    ASSERT_NE(list, nullptr);
    ASSERT_TRUE(QTest::qWaitFor([&] { return list->model()->rowCount(list->rootIndex()) > 0; }, 20'000));
    QCoreApplication::processEvents();
    const QHeaderView &header = *list->header();
    const QAbstractItemView &contents = *list;
    for (int column = 0; column < header.count(); ++column) {
        EXPECT_GE(header.sectionSize(column), header.sectionSizeHint(column)) << column;
        EXPECT_GE(header.sectionSize(column), contents.sizeHintForColumn(column)) << column;
    }
    EXPECT_LE(header.length(), list->viewport()->width()) << "and none is out of sight";
    EXPECT_GE(dialog.width(), std::min(900, dialog.screen()->availableGeometry().width() * 9 / 10 - 1))
        << "or long types of files would leave no room for names";
}

TEST(PlainTable, CutsNoRowWithAndWithoutAScrollBarBelowThem)
{
    const Theme theme(*qApp, Scheme::Light); // its style makes rows higher
    QWidget window;
    auto *layout = new QVBoxLayout(&window);
    QTableWidget *table = makePlainTable({QStringLiteral("a"), QStringLiteral("b")}, QStringLiteral("table"));
    layout->addWidget(table);
    layout->addStretch(1);
    table->setRowCount(12);
    for (int row = 0; row < table->rowCount(); ++row)
        setCell(*table, row, 0, QString(60, u'x'));
    fitColumns(*table);
    showRows(*table, 8);
    for (const int width : {900, 200, 900}) {
        window.resize(width, 600);
        window.show();
        for (int round = 0; round < 8; ++round)
            QApplication::processEvents();
        EXPECT_EQ(table->viewport()->height(), table->rowViewportPosition(8)) << width;
    }
}

TEST(PlainTable, ShowsThatItHasTheFocusOnceKeysMoveTheFocus)
{
    const Theme theme(*qApp, Scheme::Light);
    QWidget window;
    QTableWidget *table = makePlainTable({QStringLiteral("a")}, QStringLiteral("table"));
    table->setParent(&window);
    table->setRowCount(2);
    setCell(*table, 0, 0, QStringLiteral("first"));
    table->setCurrentCell(0, 0);
    window.show();
    QApplication::setActiveWindow(&window);
    window.setAttribute(Qt::WA_KeyboardFocusChange);
    table->setFocus();
    ASSERT_TRUE(table->hasFocus());
    const QImage focused = table->grab().toImage();
    table->clearFocus();
    EXPECT_NE(focused, table->grab().toImage());
}

TEST(MetricTilesTest, WrapInsteadOfMakingTheirPageWiderAndStayUntilItsWidthChanges)
{
    QWidget window;
    auto *layout = new QVBoxLayout(&window);
    auto *tiles = new MetricTiles(6);
    tiles->followWidth();
    layout->addWidget(tiles);
    layout->addStretch(1);
    const auto set = [&](const QString &value) {
        tiles->set(std::vector<MetricDisplay>(6, {.label = QStringLiteral("Step"), .value = value}));
        for (int round = 0; round < 4; ++round)
            QApplication::processEvents();
    };
    const auto rows = [&] {
        return tiles->tiles()[5]->y() > tiles->tiles()[3]->y()   ? 3
               : tiles->tiles()[5]->y() > tiles->tiles()[0]->y() ? 2
                                                                 : 1;
    };
    set(QStringLiteral("1"));
    window.resize(700, 400);
    window.show();
    set(QStringLiteral("2"));
    EXPECT_EQ(rows(), 1);
    set(QStringLiteral("1,000,000"));
    EXPECT_EQ(rows(), 2);
    EXPECT_EQ(window.width(), 700);
    set(QStringLiteral("3"));
    EXPECT_EQ(rows(), 2) << "no moving back and forth";
    window.resize(701, 400);
    set(QStringLiteral("4"));
    EXPECT_EQ(rows(), 1);
}

// Shows GPUs, as the form of a plan does.
struct ChoicesTest : ::testing::Test {
    QWidget window;
    ComboInput gpu{{{QStringLiteral("a100"), QStringLiteral("A100 80GB SXM4"), {}},
                       {QStringLiteral("b200"), QStringLiteral("B200 SXM6"), {}},
                       {QStringLiteral("rtx4090"), QStringLiteral("GeForce RTX 4090 PCIe"), {}},
                       {QStringLiteral("a10"), QStringLiteral("A10 PCIe"), {}}},
        false, &window};
    QComboBox &box = *gpu.findChild<QComboBox *>();
    QSignalSpy edited{&gpu, &Input::edited};

    ChoicesTest()
    {
        gpu.setValue(QStringLiteral("a100"));
        window.show();
        QApplication::setActiveWindow(&window);
        gpu.setFocus();
        QCoreApplication::processEvents();
    }
};

TEST_F(ChoicesTest, AreFoundByAnyPartOfTheirName)
{
    QTest::keyClicks(&box, QStringLiteral("4090"));
    EXPECT_EQ(gpu.value(), QStringLiteral("rtx4090"));
    EXPECT_EQ(edited.count(), 1);
    EXPECT_EQ(edited.back().front().toString(), QStringLiteral("rtx4090"));
}

TEST_F(ChoicesTest, AreFoundByTheirValue)
{
    gpu.setChoices({{QStringLiteral("h100"), QStringLiteral("H100 (custom)"), {}},
        {QStringLiteral("cpu"), QStringLiteral("AMD EPYC"), {}}});
    QTest::keyClicks(&box, QStringLiteral("cpu"));
    EXPECT_EQ(gpu.value(), QStringLiteral("cpu"));
}

TEST_F(ChoicesTest, TheFirstThatHasTheWholeTextIsFoundWhereverItsBeginningLed)
{
    gpu.setChoices({{QStringLiteral("4090"), QStringLiteral("RTX 4090"), {}},
        {QStringLiteral("4090d"), QStringLiteral("RTX 4090 D"), {}},
        {QStringLiteral("4000"), QStringLiteral("RTX 4000"), {}}});
    gpu.setValue(QStringLiteral("4090d"));
    QTest::keyClicks(&box, QStringLiteral("4090"));
    EXPECT_EQ(gpu.value(), QStringLiteral("4090"));
}

TEST_F(ChoicesTest, BeginTheSearchAnewAfterAPause)
{
    QTest::keyClicks(&box, QStringLiteral("4090"));
    QApplication::setKeyboardInputInterval(0);
    QTest::keyClicks(&box, QStringLiteral("b"));
    QApplication::setKeyboardInputInterval(400);
    EXPECT_EQ(gpu.value(), QStringLiteral("b200"));
}

TEST_F(ChoicesTest, ThatBeginWithTheTextComeFirstAndTheSameLetterGoesOn)
{
    QTest::keyClicks(&box, QStringLiteral("a"));
    EXPECT_EQ(gpu.value(), QStringLiteral("a10")) << "not GeForce, which has the letter";
    QTest::keyClicks(&box, QStringLiteral("a"));
    EXPECT_EQ(gpu.value(), QStringLiteral("a100"));
    QTest::keyClicks(&box, QStringLiteral("?"));
    EXPECT_EQ(gpu.value(), QStringLiteral("a100")) << "a text that no choice has changes nothing";
}

TEST_F(ChoicesTest, AreFoundInTheOpenListToo)
{
    box.showPopup();
    ASSERT_TRUE(QTest::qWaitFor([this] { return box.view()->isVisible(); }, 20'000));
    QTest::keyClicks(box.view(), QStringLiteral("4090"));
    EXPECT_EQ(edited.count(), 0) << "Return chooses";
    QTest::keyClick(box.view(), Qt::Key_Return);
    EXPECT_EQ(gpu.value(), QStringLiteral("rtx4090"));
    EXPECT_EQ(edited.count(), 1);
}

TEST_F(FieldsTest, AClickIntoAChoiceWithFreeTextSelectsTheText)
{
    model.setValue(QStringLiteral("Slipway"));
    const QLineEdit &edit = *model.findChild<QComboBox *>()->lineEdit();
    const auto click = [&] {
        QTest::mouseClick(window.windowHandle(), Qt::LeftButton, {}, edit.mapTo(&window, edit.rect().center()));
    };
    click();
    EXPECT_EQ(edit.selectedText(), QStringLiteral("Slipway"));
    QTest::mouseClick(window.windowHandle(), Qt::LeftButton, {}, edit.mapTo(&window, QPoint(12, edit.height() / 2)));
    EXPECT_FALSE(edit.hasSelectedText()) << "the next one sets the cursor";
}

TEST_F(FieldsTest, AChoiceThatIsDestroyedWhileTextIsTypedReportsNoEdit)
{
    auto *typed = new ComboInput({}, true, &window);
    typed->show();
    typed->setFocus();
    int edits = 0;
    QObject::connect(typed, &Input::edited, qApp, [&] { ++edits; });
    QTest::keyClicks(typed->findChild<QComboBox *>()->lineEdit(), QStringLiteral("qwen"));
    delete typed;
    EXPECT_EQ(edits, 0);
}

TEST_F(FieldsTest, ATextWithoutAFrameHasNoBorder)
{
    const Theme theme(*qApp, Scheme::Light);
    QPlainTextEdit text(&window);
    text.setFrameShape(QFrame::NoFrame);
    text.setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
    text.resize(200, 90);
    text.show();
    const QImage image = text.grab().toImage();
    for (int row = 0; row < image.height(); ++row)
        EXPECT_NE(image.pixelColor(image.width() - 1, row), themeColor(ThemeColor::Border, false)) << row;
}

TEST(MetricTileTest, ShowsARangeOfTwoAmountsInFull)
{
    MetricTile tile;
    const QString range = QStringLiteral("$37,084 – $79,121");
    tile.set({.label = QStringLiteral("Training cost"), .value = QStringLiteral("$49,445"), .detail = range});
    EXPECT_GT(tile.minimumSizeHint().width(), QFontMetrics(fontOf(TextKind::Muted)).horizontalAdvance(range));
}

TEST(FieldRow, ShowsErrorsAsSentences)
{
    FieldRow row(QStringLiteral("Precision"), new TextInput);
    const auto shown = [&row](const char *what, const char *accepted = "") {
        row.setError(QString::fromUtf8(what), QString::fromUtf8(accepted));
        return row.error().toStdString();
    };
    EXPECT_EQ(shown("training needs fp32", "fp32"), "Training needs fp32.\nAccepted: fp32.");
    EXPECT_EQ(shown("'12x' is not a number"), "'12x' is not a number.");
    EXPECT_EQ(shown("There is no such model."), "There is no such model.");
    EXPECT_EQ(shown("bf16-mixed is not supported"), "bf16-mixed is not supported.") << "a name keeps its letters";
    EXPECT_EQ(shown("micro_batch is missing"), "micro_batch is missing.");
    EXPECT_EQ(shown("config.json is missing"), "config.json is missing.");
    EXPECT_EQ(shown("über die Grenze"), "Über die Grenze.");
    EXPECT_EQ(shown("", "fp32"), "");
}

TEST(Steps, GoToTheNextPowerOfTwo)
{
    EXPECT_EQ(doubledOrHalved(QStringLiteral("12"), 1), QStringLiteral("16"));
    EXPECT_EQ(doubledOrHalved(QStringLiteral("12"), -1), QStringLiteral("8"));
    EXPECT_EQ(doubledOrHalved(QStringLiteral("1"), -1), QStringLiteral("1"));
    EXPECT_EQ(doubledOrHalved(QStringLiteral("x"), 1), QStringLiteral("x"));
}

TEST(TipText, ShowsMarkupAsItIsAndLeavesPlainTextAlone)
{
    EXPECT_EQ(tipText(QStringLiteral("a & b, 1 < 2\nc")), QStringLiteral("a & b, 1 < 2\nc"));
    const QString tip = tipText(QStringLiteral("<img src=x> & <b>no</b>"));
    EXPECT_FALSE(tip.contains(QStringLiteral("<img"))) << tip.toStdString();
    EXPECT_TRUE(tip.contains(QStringLiteral("&lt;b&gt;no&lt;/b&gt;")));
}

} // namespace
} // namespace slipway::ui
