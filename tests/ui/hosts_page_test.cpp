// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <QApplication>
#include <QLabel>
#include <QListWidget>
#include <QMessageBox>
#include <QPushButton>
#include <QTableWidget>
#include <QTest>
#include <gmock/gmock.h>

#include "support/temporary_directory.h"
#include "ui/hosts/hosts_page.h"
#include "ui/theme/theme_colors.h"
#include "ui/wait_limit.h"
#include "ui/widgets/banner.h"

namespace slipway::ui {
namespace {

using ::testing::ElementsAre;
// A host that answers what it is told to.
struct FakeHost : Host {
    Preflight answer;
    std::string name() const override { return "fake"; }
    std::chrono::milliseconds refreshInterval() const override { return {}; }
    Result<HostFacts> facts() override
    {
        return answer.facts ? Result<HostFacts>(*answer.facts)
                            : Result<HostFacts>(Error{.what = "no answer", .fault = Fault::Outside});
    }
    Preflight preflight(const RunConfig &, const std::filesystem::path &, Bytes) override { return answer; }
    std::vector<std::string> trainerCommand(const RunConfig &, const std::filesystem::path &, bool) const override
    {
        return {};
    }
    std::vector<PlannedCommand> plannedCommands(const std::vector<PlannedRun> &) const override { return {}; }
    Result<void> prepare(const std::vector<PlannedRun> &) override { return {}; }
    Result<Started> start(const StartRequest &) override { return Started{}; }
    Result<void> refresh(const RunPaths &) override { return {}; }
    RunStatus status(const RunPaths &) override { return {}; }
    Result<void> requestStop(const RunPaths &) override { return {}; }
    Result<void> signalGroup(const RunPaths &, int) override { return {}; }
    Result<void> fetch(const RunPaths &, FetchScope) override { return {}; }
    Result<Bytes> fetchBytes(const RunPaths &, FetchScope) override { return Bytes{0}; }
};

TEST(SshAliases, AreThoseWithoutPatternsAlsoOfIncludedFiles)
{
    const TemporaryDirectory home;
    writeText(home.path() / "config", "# mine\nHost node7 node8\n  HostName 10.0.0.7\nHost *\n  User ada\nhost=\"lab "
                                      "box\"\nHost !bad -oProxyCommand=x gpu?\nInclude more/*\nHost node7\n");
    std::filesystem::create_directory(home.path() / "more");
    writeText(home.path() / "more" / "a", "Host inner\n");
    EXPECT_THAT(sshAliases(home.path() / "config"), ElementsAre("node7", "node8", "lab box", "inner"));
    EXPECT_TRUE(sshAliases(home.path() / "none").empty());
}

TEST(SshAliases, EndWhereFilesIncludeEachOther)
{
    const TemporaryDirectory home;
    writeText(home.path() / "config", "Host a\nInclude config\n");
    EXPECT_THAT(sshAliases(home.path() / "config"), ElementsAre("a"));
}

TEST(HostListTest, KeepsWhatTheUserAddsAndRefusesWhatSshWouldMisread)
{
    const TemporaryDirectory home;
    writeText(home.path() / "config", "Host node7\n");
    HostList list(home.path() / "sub" / "hosts", home.path() / "config", false);
    ASSERT_TRUE(list.add("ada@gpu1"));
    ASSERT_TRUE(list.add("ada@gpu1"));
    ASSERT_TRUE(list.add("node7"));
    EXPECT_FALSE(list.add("-oProxyCommand=touch /tmp/x"));
    EXPECT_FALSE(list.add("two words"));
    EXPECT_FALSE(list.add("  "));
    std::vector<std::string> names;
    for (const ListedHost &host : list.hosts())
        names.push_back(host.name);
    EXPECT_THAT(names, ElementsAre("local", "node7", "ada@gpu1"));
    ASSERT_TRUE(list.remove("ada@gpu1"));
    EXPECT_EQ(list.hosts().size(), 2u);
}

struct HostsPageTest : ::testing::Test {
    TemporaryDirectory home;
    Preflight answer;
    bool reachable = true;

    HostsPage::MakeHost maker()
    {
        return [this](const std::string &) -> Result<std::unique_ptr<Host>> {
            if (!reachable)
                return Error{.what = "node7 does not answer: connection timed out", .fault = Fault::Outside};
            auto host = std::make_unique<FakeHost>();
            host->answer = answer;
            return std::unique_ptr<Host>(std::move(host));
        };
    }
    HostList list() { return HostList(home.path() / "hosts", home.path() / "config", false); }
    void test(HostsPage &page)
    {
        page.test();
        ASSERT_TRUE(QTest::qWaitFor([&] { return !page.testing(); }, kLimitMs));
    }
};

TEST_F(HostsPageTest, ShowsGpusWhoComputesOnThemAndWhatALaunchWouldMiss)
{
    answer.facts = HostFacts{.hostName = "node7",
        .user = "ada",
        .cores = 64,
        .memory = 512 * kGiB,
        .diskFree = kGiB,
        .gpus = {{.name = "H100",
                     .memory = 80 * kGiB,
                     .used = 12 * kGiB,
                     .utilisation = 93,
                     .processes = {{.pid = 7, .user = "bob", .name = "python", .used = 12 * kGiB},
                         {.pid = 8, .user = "ada", .name = "x", .ours = true}}},
            {.index = 1, .name = "H100", .memory = 80 * kGiB}}};
    answer.checks = {{.what = "trainer", .passed = false, .detail = "not there"},
        {.what = "gpus", .passed = true, .detail = "2, one in use", .warning = true},
        {.what = "disk", .passed = true, .detail = "1 GiB"}};
    HostsPage page(list(), maker(), [] { return HostsPage::PreflightRequest{}; });
    page.resize(1100, 700);
    test(page);
    ASSERT_EQ(page.gpuTable()->rowCount(), 2);
    EXPECT_EQ(page.gpuTable()->item(0, 6)->text(), QStringLiteral("bob: python 12.0 GiB; 1 process of yours"));
    EXPECT_EQ(page.gpuTable()->item(1, 6)->text(), QStringLiteral("none"));
    EXPECT_EQ(page.gpuTable()->item(0, 3)->text(), QStringLiteral("93 %"));
    EXPECT_EQ(page.checkTable()->item(0, 1)->text(), QStringLiteral("✗ Failed"));
    EXPECT_EQ(page.checkTable()->item(1, 1)->text(), QStringLiteral("! Warning"));
    EXPECT_EQ(page.checkTable()->item(2, 1)->text(), QStringLiteral("✓ Passed"));
}

TEST_F(HostsPageTest, ChecksSpeakOfFieldsNotOfFlags)
{
    answer.facts = HostFacts{.hostName = "node7", .user = "ada"};
    answer.checks = {{.what = "nodes", .passed = false, .detail = "2 needed, 1 found; --gpus-per-node 8"}};
    HostsPage page(list(), maker(), [] { return HostsPage::PreflightRequest{}; });
    page.resize(1100, 700);
    test(page);
    EXPECT_THAT(page.checkTable()->item(0, 2)->text().toStdString(),
        ::testing::AllOf(::testing::HasSubstr("GPUs per node"), ::testing::Not(::testing::HasSubstr("--"))));
}

TEST_F(HostsPageTest, ALongDetailTakesSeveralLinesInsteadOfBeingCut)
{
    answer.facts = HostFacts{.hostName = "node7", .user = "ada"};
    answer.checks = {{.what = "disk", .passed = true, .detail = "ample"},
        {.what = "data",
            .passed = false,
            .detail = "no token file " + std::string(40, 'x') + " is given. " +
                      std::string(300, 'y').replace(100, 1, " ").replace(200, 1, " ")}};
    HostsPage page(list(), maker(), [] { return HostsPage::PreflightRequest{}; });
    page.setAttribute(Qt::WA_DontShowOnScreen);
    page.resize(1100, 700);
    page.show();
    test(page);
    QApplication::processEvents();
    EXPECT_GT(page.checkTable()->rowHeight(1), page.checkTable()->rowHeight(0));
    EXPECT_TRUE(page.checkTable()->item(1, 2)->text().startsWith(QStringLiteral("No token file")));
}

TEST_F(HostsPageTest, AnotherThemeChangesTheColorsOfTheResults)
{
    answer.facts = HostFacts{.hostName = "node7", .user = "ada"};
    answer.checks = {{.what = "disk", .passed = true, .detail = "ample"}};
    HostsPage page(list(), maker(), [] { return HostsPage::PreflightRequest{}; });
    test(page);
    for (const QColor &ground : {QColor(Qt::black), QColor(Qt::white)}) {
        page.setPalette(QPalette(ground));
        EXPECT_EQ(page.checkTable()->item(0, 1)->foreground().color(), themeColor(ThemeColor::Good, page.palette()));
    }
}

TEST_F(HostsPageTest, RemovingAHostAsksFirst)
{
    ASSERT_TRUE(list().add("ada@gpu1"));
    HostsPage page(list(), maker(), [] { return HostsPage::PreflightRequest{}; });
    page.select("ada@gpu1");
    const auto press = [](const QWidget &where, const QString &words) {
        for (QPushButton *button : where.findChildren<QPushButton *>()) {
            if (button->text() == words)
                return button->click();
        }
        FAIL() << "no button " << words.toStdString();
    };
    press(page, QStringLiteral("Remove"));
    auto *question = page.findChild<QMessageBox *>();
    ASSERT_NE(question, nullptr);
    EXPECT_EQ(list().hosts().size(), 2u) << "nothing is removed by the first click";
    press(*question, QStringLiteral("Remove"));
    EXPECT_EQ(list().hosts().size(), 1u);
}

TEST_F(HostsPageTest, SaysWhyAHostGaveNoAnswer)
{
    reachable = false;
    HostsPage page(list(), maker(), [] { return HostsPage::PreflightRequest{}; });
    page.resize(1100, 700);
    test(page);
    bool said = false;
    for (const QLabel *label : page.findChildren<QLabel *>())
        said = said || label->text().contains(QStringLiteral("connection timed out"));
    EXPECT_TRUE(said);
    EXPECT_EQ(page.gpuTable()->rowCount(), 0);
    page.setAttribute(Qt::WA_DontShowOnScreen);
    page.show();
    QApplication::processEvents();
    const auto *banner = page.findChild<Banner *>();
    ASSERT_NE(banner, nullptr);
    EXPECT_LE(banner->height(), 2 * banner->sizeHint().height()) << "as high as its text, not as the page";
}

TEST_F(HostsPageTest, GoingWhileAHostIsAskedWaitsForItsAnswer)
{
    auto page = std::make_unique<HostsPage>(list(), maker(), [] { return HostsPage::PreflightRequest{}; });
    page->test();
    page.reset();
    SUCCEED();
}

} // namespace
} // namespace slipway::ui
