// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <csignal>
#include <gmock/gmock.h>

#include "hosts/local_host.h"
#include "support/temporary_directory.h"
#include "ui/examples.h"
#include "ui/runs/launch_sheet.h"
#include "ui/widgets/text.h"

namespace slipway::ui {
namespace {

// A trainer that takes whatever it is told and sleeps.
std::filesystem::path sleepingTrainer(const std::filesystem::path &folder)
{
    const std::filesystem::path program = folder / "slipway-train";
    writeText(program, "#!/bin/sh\nexec sleep 600\n");
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    return program;
}

struct LaunchSheetTest : testing::Test {
    TemporaryDirectory home;
    Registry registry{home.path() / "runs"};
    LocalHost host{sleepingTrainer(home.path())};
    LaunchSheet sheet{RunConfig{.gpu = "cpu"}, [](const RunConfig &config) -> Result<Prediction> { return examplePrediction(config); }, host, registry};

    void type(const char *key, const QString &text)
    {
        QLineEdit *edit = static_cast<Entry *>(sheet.row(key)->input())->edit();
        edit->selectAll();
        QTest::keyClicks(edit, text);
    }
    QString dataFile()
    {
        const std::filesystem::path path = home.path() / "tokens.bin";
        writeText(path, "tokens");
        return qs(path.string());
    }
};

TEST_F(LaunchSheetTest, WithoutDataNothingCanBeLaunched)
{
    EXPECT_FALSE(sheet.launchButton()->isEnabled());
    type("data", dataFile());
    EXPECT_TRUE(sheet.launchButton()->isEnabled());
}

TEST_F(LaunchSheetTest, AFieldThatCannotBeReadHoldsTheLaunchBack)
{
    type("data", dataFile());
    type("steps", QStringLiteral("few"));
    EXPECT_FALSE(sheet.row("steps")->error().isEmpty());
    EXPECT_FALSE(sheet.launchButton()->isEnabled());
    type("steps", QStringLiteral("20"));
    EXPECT_EQ(sheet.config().training.steps, 20);
    EXPECT_TRUE(sheet.launchButton()->isEnabled());
}

TEST_F(LaunchSheetTest, LaunchStartsARunThatTheRegistryKnowsAndThatOutlivesTheSheet)
{
    type("data", dataFile());
    type("name", QStringLiteral("first"));
    QSignalSpy launched(&sheet, &LaunchSheet::launched);
    sheet.launch();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !launched.isEmpty(); }, 60'000));
    const RunPaths paths{launched[0][0].toString().toStdString()};
    EXPECT_TRUE(std::filesystem::exists(paths.config()));
    EXPECT_TRUE(std::filesystem::exists(paths.prediction()));
    EXPECT_TRUE(registry.find("first"));
    EXPECT_EQ(host.standing(paths).state, RunState::Running);
    EXPECT_TRUE(host.signalGroup(paths, SIGKILL));
}

} // namespace
} // namespace slipway::ui
