// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <QApplication>
#include <QLineEdit>
#include <QPushButton>
#include <QScreen>
#include <QSignalSpy>
#include <QTest>
#include <csignal>
#include <future>
#include <gmock/gmock.h>

#include "hosts/local_host.h"
#include "runs/script_rules.h"
#include "support/temporary_directory.h"
#include "ui/examples.h"
#include "ui/runs/launch_dialog.h"
#include "ui/runs/script_warning.h"
#include "ui/widgets/banner.h"
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

// Another machine that answers what a test says, and starts what it is given here.
class Elsewhere : public LocalHost {
public:
    Elsewhere(std::filesystem::path trainer, Preflight answer)
        : LocalHost(std::move(trainer)),
          m_answer(std::move(answer))
    {
    }
    Preflight preflight(const RunConfig &, const std::filesystem::path &, Bytes) override { return m_answer; }
    [[nodiscard]] std::vector<PlannedCommand> plannedCommands(const std::vector<PlannedRun> &) const override
    {
        return {{.what = "start it there", .command = "ssh node7 slipway-train"}};
    }

private:
    Preflight m_answer;
};

struct LaunchDialogTest : ::testing::Test {
    TemporaryDirectory home;
    Registry registry{home.path() / "runs"};
    LocalHost host{sleepingTrainer(home.path())};
    LaunchDialog sheet{RunConfig{.gpu = "cpu"},
        [](const RunConfig &config) -> Result<Prediction> { return examplePrediction(config); }, host, registry,
        LaunchHosts{.names = {"local", "node7", "slurm:cluster"},
            .make = [this](const std::string &name,
                        const std::vector<std::string> &sbatch) -> Result<std::unique_ptr<Host>> {
                asked.push_back(name);
                options = sbatch;
                if (name == "slurm:cluster")
                    return Error{.what = "is not a valid host name", .where = name};
                return std::unique_ptr<Host>(std::make_unique<Elsewhere>(sleepingTrainer(home.path()), answer));
            }}};
    std::vector<std::string> asked, options;
    Preflight answer{
        .checks = {
            {.what = "GPUs", .passed = true, .detail = "1 x H100; GPU 0 runs python (pid 7, bob)", .warning = true}}};

    void type(const char *key, const QString &text) { type(*static_cast<TextInput *>(sheet.row(key)->input()), text); }
    static void type(const TextInput &input, const QString &text)
    {
        input.edit()->selectAll();
        QTest::keyClicks(input.edit(), text);
    }
    void settle()
    {
        ASSERT_TRUE(QTest::qWaitFor([this] { return !sheet.checking(); }, 60'000));
    }
    QString dataFile()
    {
        const std::filesystem::path path = home.path() / "tokens.bin";
        writeText(path, "tokens");
        return qs(path.string());
    }
};

TEST_F(LaunchDialogTest, IsNoHigherThanTheScreenAndItsButtonIsInReach)
{
    sheet.setAttribute(Qt::WA_DontShowOnScreen);
    sheet.setVisible(true);
    QApplication::processEvents();
    EXPECT_LT(sheet.height(), sheet.screen()->availableGeometry().height());
    for (const QPushButton *button : sheet.findChildren<QPushButton *>()) {
        if (button->text().startsWith(QStringLiteral("Launch"))) {
            EXPECT_TRUE(sheet.rect().contains(QRect(button->mapTo(&sheet, QPoint()), button->size())));
        }
    }
}

TEST_F(LaunchDialogTest, WithoutDataNothingCanBeLaunched)
{
    settle();
    EXPECT_FALSE(sheet.launchButton()->isEnabled());
    EXPECT_TRUE(sheet.noteText().startsWith(QStringLiteral("Missing: data"))) << sheet.noteText().toStdString();
    type("data", dataFile());
    settle();
    EXPECT_TRUE(sheet.launchButton()->isEnabled());
    EXPECT_FALSE(sheet.noteText().contains(QStringLiteral("Missing")));
}

// A host whose check takes as long as a test wants, as that of a folder on a file server that is gone.
class SlowHost : public LocalHost {
public:
    SlowHost(std::filesystem::path trainer, std::shared_future<void> until)
        : LocalHost(std::move(trainer)),
          m_until(std::move(until))
    {
    }
    Preflight preflight(const RunConfig &, const std::filesystem::path &, Bytes) override
    {
        m_until.wait();
        return {.checks = {{.what = "disk", .passed = true, .detail = "there"}}, .facts = {}};
    }

private:
    std::shared_future<void> m_until;
};

TEST_F(LaunchDialogTest, ACheckOfThisMachineThatTakesLongDoesNotHoldTheWindowUp)
{
    std::promise<void> answers;
    SlowHost slow(sleepingTrainer(home.path()), answers.get_future().share());
    LaunchDialog waiting(
        RunConfig{.gpu = "cpu"},
        [](const RunConfig &config) -> Result<Prediction> { return examplePrediction(config); }, slow, registry);
    type(*static_cast<TextInput *>(waiting.row("name")->input()), QStringLiteral("typed"));
    EXPECT_EQ(waiting.config().training.name, "typed") << "the window takes what is typed meanwhile";
    EXPECT_TRUE(waiting.checking());
    EXPECT_FALSE(waiting.launchButton()->isEnabled());
    answers.set_value();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !waiting.checking(); }, 60'000));
    EXPECT_TRUE(waiting.launchButton()->isEnabled());
}

TEST_F(LaunchDialogTest, AFieldThatCannotBeReadHoldsTheLaunchBack)
{
    type("data", dataFile());
    type("steps", QStringLiteral("few"));
    settle();
    EXPECT_FALSE(sheet.row("steps")->error().isEmpty());
    EXPECT_FALSE(sheet.launchButton()->isEnabled());
    EXPECT_EQ(sheet.noteText(), QStringLiteral("A field above has an error."));
    type("steps", QStringLiteral("20"));
    settle();
    EXPECT_EQ(sheet.config().training.steps, 20);
    EXPECT_TRUE(sheet.launchButton()->isEnabled());
}

TEST_F(LaunchDialogTest, AnotherHostIsAskedBesideTheWindowAndLaunchesThere)
{
    type("name", QStringLiteral("far"));
    QSignalSpy checked(&sheet, &LaunchDialog::checked);
    sheet.chooseHost("node7");
    EXPECT_FALSE(sheet.launchButton()->isEnabled()); // until it has answered
    ASSERT_TRUE(QTest::qWaitFor([&] { return !checked.isEmpty(); }, 60'000));
    EXPECT_EQ(asked, std::vector<std::string>{"node7"});
    EXPECT_TRUE(sheet.checksText().contains(QStringLiteral("!  GPUs: 1 x H100; GPU 0 runs python (pid 7, bob)")));
    EXPECT_EQ(sheet.commandsText(), QStringLiteral("# start it there\nssh node7 slipway-train"));
    ASSERT_TRUE(sheet.launchButton()->isEnabled());
    type("steps", QStringLiteral("20"));
    EXPECT_FALSE(sheet.launchButton()->isEnabled()); // what it said was of another configuration
    checked.clear();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !checked.isEmpty(); }, 60'000));
    QSignalSpy launched(&sheet, &LaunchDialog::launched);
    sheet.launch();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !launched.isEmpty(); }, 60'000));
    const RunPaths paths{launched[0][0].toString().toStdString()};
    EXPECT_TRUE(registry.find("far"));
    EXPECT_TRUE(host.signalGroup(paths, SIGKILL));
}

TEST_F(LaunchDialogTest, WhatIsOnlyPredictedToFailCanBeLaunchedAllTheSame)
{
    answer.checks = {{.what = "plan", .detail = "is predicted not to fit", .prediction = true}};
    const QSignalSpy checked(&sheet, &LaunchDialog::checked);
    sheet.chooseHost("node7");
    ASSERT_TRUE(QTest::qWaitFor([&] { return !checked.isEmpty(); }, 60'000));
    EXPECT_TRUE(sheet.checksText().startsWith(QStringLiteral("✗  plan")));
    EXPECT_TRUE(sheet.launchButton()->isEnabled());
    EXPECT_EQ(sheet.launchButton()->text(), QStringLiteral("Launch anyway"));
}

TEST_F(LaunchDialogTest, ACommandMakesItARunOfAnotherTrainingScript)
{
    type("name", QStringLiteral("theirs"));
    type("command", QStringLiteral("sleep 600, 0.95"));
    type("framework", QStringLiteral("nanogpt"));
    type("log", QStringLiteral("out"));
    type("workdir", qs(home.path().string()));
    settle();
    EXPECT_EQ(sheet.config().training.command, std::vector<std::string>{"sleep 600, 0.95"}) << "commas and all";
    EXPECT_EQ(sheet.config().software, "nanogpt");
    ASSERT_TRUE(sheet.launchButton()->isEnabled()) << sheet.noteText().toStdString() << "; it needs no token files";
    QSignalSpy launched(&sheet, &LaunchDialog::launched);
    sheet.launch();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !launched.isEmpty(); }, 60'000));
    const RunPaths paths{launched[0][0].toString().toStdString()};
    EXPECT_TRUE(hasScriptRules(paths));
    EXPECT_TRUE(std::filesystem::exists(paths.prediction())) << "the predicted band";
    (void)host.signalGroup(paths, SIGKILL);
}

TEST_F(LaunchDialogTest, AnEmptyNameSaysWhichNameTheRunGets)
{
    const auto hint = [this] {
        return static_cast<TextInput *>(sheet.row("name")->input())->edit()->placeholderText().toStdString();
    };
    const std::string usual = folderName(sheet.config().model.name);
    EXPECT_EQ(hint(), "empty for: " + usual);
    ASSERT_TRUE(registry.create(usual)); // another run has this name
    type("data", dataFile());
    EXPECT_EQ(hint(), "empty for: " + usual + "-2");
    settle();
    EXPECT_TRUE(sheet.row("name")->error().isEmpty());
    EXPECT_THAT(sheet.commandsText().toStdString(), ::testing::HasSubstr(usual + "-2"));
    QSignalSpy launched(&sheet, &LaunchDialog::launched);
    sheet.launch();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !launched.isEmpty(); }, 60'000));
    EXPECT_TRUE(registry.find(usual + "-2"));
    (void)host.signalGroup({launched[0][0].toString().toStdString()}, SIGKILL);
}

TEST_F(LaunchDialogTest, ARunMayGoOnAtAnotherHostWhenItsOwnGoesAway)
{
    QSignalSpy checked(&sheet, &LaunchDialog::checked);
    sheet.chooseHost("node7");
    ASSERT_TRUE(QTest::qWaitFor([&] { return !checked.isEmpty(); }, 60'000));
    EXPECT_FALSE(sheet.moves().any());
    type(*sheet.thenOn(), QStringLiteral("node8, local"));
    EXPECT_EQ(sheet.moves().thenOn, (std::vector<std::string>{"node8", "local"}));
    EXPECT_TRUE(sheet.moves().keepCheckpoints) << "else there were nothing to go on with";
    type("command", QStringLiteral("python3 train.py"));
    checked.clear();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !checked.isEmpty(); }, 60'000));
    EXPECT_FALSE(sheet.launchButton()->isEnabled()) << "a script's checkpoints must be found";
    EXPECT_TRUE(sheet.noteText().contains(QStringLiteral("checkpoints"))) << sheet.noteText().toStdString();
    type(*sheet.checkpointsIn(), QStringLiteral("out"));
    EXPECT_EQ(sheet.moves().checkpointsIn, "out");
}

TEST_F(LaunchDialogTest, AScriptTrainsAsLongAsItWasToldTo)
{
    EXPECT_EQ(sheet.config().training.steps, 1000) << "of a first run";
    type("command", QStringLiteral("python3 train.py"));
    EXPECT_FALSE(sheet.config().training.steps);
    EXPECT_EQ(static_cast<TextInput *>(sheet.row("steps")->input())->value(), QString());
    type("command", QStringLiteral(" "));
    EXPECT_EQ(sheet.config().training.steps, 1000);
    type("steps", QStringLiteral("20"));
    type("command", QStringLiteral("python3 train.py"));
    EXPECT_EQ(sheet.config().training.steps, 20) << "as the user said";
}

TEST_F(LaunchDialogTest, AHostThatCannotBeNamedSaysSo)
{
    sheet.chooseHost("slurm:cluster");
    EXPECT_FALSE(sheet.launchButton()->isEnabled());
    EXPECT_EQ(sheet.findChild<Banner *>()->text(), QStringLiteral("slurm:cluster: is not a valid host name"));
    sheet.chooseHost("local");
    EXPECT_EQ(sheet.findChild<Banner *>()->text(), QString());
    settle();
}

TEST_F(LaunchDialogTest, LaunchStartsARunThatTheRegistryKnowsAndThatOutlivesTheSheet)
{
    type("data", dataFile());
    type("name", QStringLiteral("first"));
    settle();
    QSignalSpy launched(&sheet, &LaunchDialog::launched);
    sheet.launch();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !launched.isEmpty(); }, 60'000));
    const RunPaths paths{launched[0][0].toString().toStdString()};
    EXPECT_TRUE(std::filesystem::exists(paths.config()));
    EXPECT_TRUE(std::filesystem::exists(paths.prediction()));
    EXPECT_TRUE(registry.find("first"));
    EXPECT_EQ(host.status(paths).state, RunState::Running);
    EXPECT_TRUE(host.signalGroup(paths, SIGKILL));
}

TEST_F(LaunchDialogTest, WarnsWhereTheCommandSetsASizeThatThePlanDoesNotAssume)
{
    EXPECT_TRUE(sheet.scriptWarning().text().isEmpty());
    type("command", QStringLiteral("python3 train.py --batch_size 16"));
    const std::int64_t planned = sheet.config().microBatch;
    EXPECT_EQ(sheet.scriptWarning().text(),
        QStringLiteral("Micro-batch: the command sets 16 (--batch_size), but the plan assumes %1.").arg(planned));
    type("command", QStringLiteral("python3 train.py --batch_size %1").arg(planned));
    EXPECT_TRUE(sheet.scriptWarning().text().isEmpty());
    settle();
}

TEST_F(LaunchDialogTest, AFrameworkThatTheTrainerDoesNotRunCannotBeLaunched)
{
    RunConfig config{.gpu = "cpu"};
    config.framework = Framework::PytorchEager;
    config.software = "llama-factory";
    LaunchDialog other{config, [](const RunConfig &plan) -> Result<Prediction> { return examplePrediction(plan); },
        host, registry, LaunchHosts{.names = {"local"}, .make = {}}};
    type(*static_cast<TextInput *>(other.row("data")->input()), dataFile());
    ASSERT_TRUE(QTest::qWaitFor([&other] { return !other.checking(); }, 60'000));
    EXPECT_FALSE(other.launchButton()->isEnabled());
    EXPECT_TRUE(other.noteText().contains(QStringLiteral("LLaMA-Factory is simulated only")))
        << other.noteText().toStdString();
}

} // namespace
} // namespace slipway::ui
