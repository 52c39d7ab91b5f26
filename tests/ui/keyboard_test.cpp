// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The keyboard alone reaches everything: Tab visits every enabled control of every page and comes round again.
#include <QAbstractButton>
#include <QAbstractItemView>
#include <QButtonGroup>
#include <QComboBox>
#include <QLineEdit>
#include <set>

#include "ui/charts/chart_table.h"
#include "ui/controls.h"
#include "ui/plan/suggestion_list.h"
#include "ui/shipped_window.h"
#include "ui/widgets/fields.h"
#include "ui/window/welcome_page.h"

namespace slipway::ui {
namespace {

// Line edits have buttons of their own, such as the one that clears them.
bool isInLineEdit(const QWidget &widget)
{
    for (const QWidget *outer = widget.parentWidget(); outer != nullptr; outer = outer->parentWidget()) {
        if (qobject_cast<const QLineEdit *>(outer) != nullptr)
            return true;
    }
    return false;
}

// Where Tab leads, or Shift+Tab, until it comes round.
std::vector<QWidget *> walk(User &user, Qt::Key key)
{
    std::vector<QWidget *> visited;
    std::set<QWidget *> seen;
    for (int presses = 0; presses < 400; ++presses) {
        user.press(key, key == Qt::Key_Backtab ? Qt::ShiftModifier : Qt::NoModifier);
        QWidget *focused = QApplication::focusWidget();
        if (focused == nullptr || !seen.insert(focused).second)
            break;
        visited.push_back(focused);
    }
    return visited;
}

// Of an exclusive group Tab visits one, and the arrow keys the others. The buttons that step a field do what the arrow
// keys do in it.
bool isReached(const QWidget &control, const std::vector<QWidget *> &visited)
{
    return std::ranges::any_of(visited, [&control](const QWidget *focused) {
        if (focused == &control || control.isAncestorOf(focused) || control.focusProxy() == focused)
            return true;
        if (control.focusPolicy() == Qt::NoFocus && qobject_cast<const TextInput *>(control.parentWidget()) != nullptr)
            return control.parentWidget()->focusProxy() == focused;
        const auto *button = qobject_cast<const QAbstractButton *>(&control);
        const auto *other = qobject_cast<const QAbstractButton *>(focused);
        return button != nullptr && other != nullptr && button->group() != nullptr && button->group()->exclusive() &&
               button->group() == other->group();
    });
}

void expectTabReachesAll(const char *place, MainWindow &window, User &user)
{
    User::pause();
    for (const Qt::Key key : {Qt::Key_Tab, Qt::Key_Backtab}) {
        const std::vector<QWidget *> visited = walk(user, key);
        std::string path;
        for (const QWidget *widget : visited)
            path += "\n    " + User::nameOf(*widget);
        for (const QWidget *control : window.findChildren<QWidget *>()) {
            if (control->window() != &window || !control->isVisible() || !control->isEnabled() ||
                !isControl(*control) || isPartOfAnother(*control) || isInLineEdit(*control))
                continue;
            EXPECT_TRUE(isReached(*control, visited))
                << place << ": " << (key == Qt::Key_Tab ? "Tab" : "Shift+Tab") << " does not reach "
                << User::nameOf(*control) << "; it visits" << path;
        }
    }
}

// The plan does not fit, so that there are suggestions.
struct KeyboardTest : ShippedWindowTest {
    KeyboardTest() : ShippedWindowTest({.gpu = "a100-sxm-40gb", .microBatch = 64}) {}
};

TEST_F(KeyboardTest, TabReachesEveryControlOfThePlan)
{
    window.show(MainWindow::Page::Plan);
    ASSERT_FALSE(window.planPage().results().suggestions().rows().empty());
    expectTabReachesAll("plan", window, user);
}

TEST_F(KeyboardTest, TabReachesEveryControlOfANarrowPlan)
{
    window.show(MainWindow::Page::Plan);
    window.resize(720, 450);
    expectTabReachesAll("the settings", window, user);
    window.planPage().split().bring(FormSplit::Part::Results);
    expectTabReachesAll("the results", window, user);
}

TEST_F(KeyboardTest, SuggestionsStayWithinReachWhenTheyAreReplaced)
{
    ASSERT_TRUE(document.edit("micro_batch", "32"));
    ASSERT_TRUE(document.edit("micro_batch", "64"));
    User::pause();
    const auto rows = [this] { return window.planPage().results().suggestions().rows(); };
    ASSERT_FALSE(rows().empty());
    ASSERT_TRUE(user.tabTo(*rows().front())) << user.visited();
    user.press(Qt::Key_Space);
    ASSERT_TRUE(document.outcome());
    EXPECT_NE(document.outcome()->memory.verdict, Verdict::Oom);
    ASSERT_FALSE(rows().empty());
    EXPECT_TRUE(rows().front()->hasFocus()) << "the next one can be applied at once";
}

TEST_F(KeyboardTest, ReturnPressesTheButtonThatHasTheFocusAsSpaceDoes)
{
    window.show(MainWindow::Page::Welcome);
    ASSERT_TRUE(user.tabTo(*window.welcomePage().planButton())) << user.visited();
    user.press(Qt::Key_Return);
    EXPECT_EQ(window.page(), MainWindow::Page::Plan);
    ASSERT_TRUE(document.edit("model", "2B"));
    ASSERT_TRUE(document.edit("micro_batch", "64"));
    User::pause();
    const auto rows = window.planPage().results().suggestions().rows();
    ASSERT_FALSE(rows.empty());
    ASSERT_TRUE(user.tabTo(*rows.front())) << user.visited();
    const RunConfig before = document.config();
    user.press(Qt::Key_Enter);
    EXPECT_NE(document.config(), before);
}

TEST_F(KeyboardTest, ReturnInTheModelsFieldKeepsAChangedShape)
{
    ASSERT_TRUE(document.edit("layers", "3"));
    window.show(MainWindow::Page::Plan);
    const QWidget &model = *window.planPage().form().row("model")->input()->focusProxy();
    ASSERT_TRUE(user.tabTo(model));
    user.press(Qt::Key_Return);
    ASSERT_TRUE(user.tabTo(*window.planPage().form().row("gpu")->input()->focusProxy()));
    EXPECT_EQ(document.config().model.layers, 3);
}

// Nothing would show that such an area has the focus.
TEST_F(KeyboardTest, TabStopsAtNoAreaThatOnlyScrolls)
{
    using Page = MainWindow::Page;
    for (const Page page : {Page::Plan, Page::Explore, Page::Runs, Page::Hosts, Page::Serve, Page::Welcome}) {
        window.show(page);
        for (const QWidget *stop : walk(user, Qt::Key_Tab))
            EXPECT_STRNE(stop->metaObject()->className(), "QScrollArea") << "page " << static_cast<int>(page);
    }
}

TEST_F(KeyboardTest, TabReachesEveryControlOfTheOtherPages)
{
    using Page = MainWindow::Page;
    for (const auto &[page, name] : {std::pair(Page::Explore, "explore"), std::pair(Page::Runs, "runs"),
             std::pair(Page::Hosts, "hosts"), std::pair(Page::Serve, "serve"), std::pair(Page::Welcome, "welcome")}) {
        window.show(page);
        ASSERT_TRUE(QTest::qWaitFor([this] { return !window.servePage().isComputing(); }, kLimitMs));
        expectTabReachesAll(name, window, user);
    }
}

} // namespace
} // namespace slipway::ui
