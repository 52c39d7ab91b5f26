// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Other training scripts on this machine: real processes, a few lines of shell as the script.
#include <csignal>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "hosts/local_host.h"
#include "hosts/script_command.h"
#include "hosts/stop_run.h"
#include "runs/run_reader.h"
#include "support/log_grammar.h"
#include "support/temporary_directory.h"
#include "support/wait_until.h"

namespace slipway {
namespace {

using ::testing::HasSubstr;

class ScriptRun : public ::testing::Test {
protected:
    ScriptRun() { m_config.training.workdir = m_work.path().string(); }
    ~ScriptRun() override
    {
        [[maybe_unused]] const Result<RunStatus> stopped = stopRun(m_paths.directory, m_host, kStopNow);
    }
    Result<Started> start(const std::string &line, int attempt = 0)
    {
        m_config.training.command = {"sh", "-c", line};
        if (const Result<void> written = writeScriptRules(m_paths, m_rules); !written)
            return written.error();
        return m_host.start({.directory = m_paths.directory,
            .command = m_host.trainerCommand(m_config, m_paths.directory, attempt > 0),
            .attempt = attempt});
    }
    bool waitForExit()
    {
        return waitUntil(m_paths.directory, [this] { return isTerminal(m_host.status(m_paths).state); });
    }
    bool waitForText(const std::string &text)
    {
        return waitUntil(m_paths.directory, [&] { return out().find(text) != std::string::npos; });
    }
    std::string out() { return readFile(m_paths.outLog()).valueOr({}); }
    std::vector<std::int64_t> steps()
    {
        std::vector<std::int64_t> list;
        const RunData run = readRun(m_paths.directory).value();
        for (const StepMetrics &step : run.metrics)
            list.push_back(step.step);
        return list;
    }

    TemporaryDirectory m_folder, m_work;
    RunPaths m_paths{m_folder.path()};
    RunConfig m_config;
    ScriptRules m_rules{.script = testing::shippedScriptInterface(), .log = {}, .tokensPerStep = {}};
    LocalHost m_host;
};

TEST_F(ScriptRun, RunsInItsFolderWithItsEnvironmentAndItsStepsAreRead)
{
    m_config.training.environment = {"MARK=a b'c\""};
    ASSERT_TRUE(start("pwd; echo \"<$MARK>\"; echo trouble >&2; for i in 1 2 3; do echo step $i loss 2.$i; done"));
    ASSERT_TRUE(waitForExit());
    EXPECT_EQ(m_host.status(m_paths).state, RunState::Succeeded);
    EXPECT_THAT(out(), HasSubstr(m_work.path().string() + "\n<a b'c\">\ntrouble\n")) << "both outputs, in their order";
    EXPECT_EQ(steps(), (std::vector<std::int64_t>{1, 2, 3}));
    EXPECT_EQ(steps(), (std::vector<std::int64_t>{1, 2, 3})) << "read again";
}

TEST_F(ScriptRun, IsAskedToStopByItsSignalAndIsCancelledWhateverItReturns)
{
    m_rules.script.stop = {.signal = "INT", .waitSeconds = 30};
    ASSERT_TRUE(start("trap 'echo saved; exit 0' INT; echo ready; while :; do sleep 0.05; done"));
    ASSERT_TRUE(waitForText("ready"));
    const Result<RunStatus> stopped = stopRun(m_paths.directory, m_host);
    ASSERT_TRUE(stopped) << stopped.error().message();
    EXPECT_EQ(stopped->state, RunState::Cancelled);
    EXPECT_THAT(out(), HasSubstr("saved"));
}

TEST_F(ScriptRun, LeavesNoProcessBehindNotEvenInAnotherSession)
{
    ASSERT_TRUE(start("setsid sh -c 'trap \"\" TERM; echo $$ > child; while :; do sleep 1; done' & echo ready; wait"));
    ASSERT_TRUE(waitUntil(m_work.path(), [&] { return std::filesystem::exists(m_work.path() / "child"); }));
    ASSERT_TRUE(waitForText("ready"));
    ASSERT_TRUE(stopRun(m_paths.directory, m_host, kStopNow));
    const std::int64_t child = std::stoll(readFile(m_work.path() / "child").value());
    EXPECT_FALSE(processStartTime(LocalMachine::current(), child)) << "the run has ended only when it is gone";
}

TEST_F(ScriptRun, ThatEndsByItselfLeavesNoChildBehind)
{
    ASSERT_TRUE(start("setsid sh -c 'echo $$ > child; while :; do sleep 1; done' & until [ -s child ]; do sleep 0.02; "
                      "done; echo step 1 loss 2"));
    ASSERT_TRUE(waitForExit());
    EXPECT_EQ(m_host.status(m_paths).state, RunState::Succeeded);
    const std::int64_t child = std::stoll(readFile(m_work.path() / "child").value());
    EXPECT_FALSE(processStartTime(LocalMachine::current(), child)) << "the run has ended only when it is gone";
    EXPECT_EQ(steps(), (std::vector<std::int64_t>{1}));
}

TEST_F(ScriptRun, ThatCannotStartSaysWhatIsMissing)
{
    m_config.training.command = {"no-such-program"};
    ASSERT_TRUE(writeScriptRules(m_paths, m_rules));
    ASSERT_TRUE(m_host.start(
        {.directory = m_paths.directory, .command = m_host.trainerCommand(m_config, m_paths.directory, false)}));
    ASSERT_TRUE(waitForExit());
    EXPECT_EQ(m_host.status(m_paths).exitStatus, 127);
    EXPECT_THAT(out(), HasSubstr("'no-such-program' is not a program"));
    EXPECT_THAT(lastErrors(m_paths, 3), HasSubstr("no-such-program"));
}

TEST_F(ScriptRun, EndsAtItsTimeLimit)
{
    m_rules.limitSeconds = 1;
    m_rules.script.stop = {.signal = "TERM", .waitSeconds = 1};
    ASSERT_TRUE(start("trap '' TERM; while :; do sleep 0.1; done"));
    ASSERT_TRUE(waitForExit());
    EXPECT_EQ(m_host.status(m_paths).state, RunState::TimedOut);
}

TEST_F(ScriptRun, GoesOnWithTheArgumentsOfItsProfile)
{
    m_rules.script.resumeArguments = {"--resume", "it's"};
    m_config.training.command = {"train.py", "--lr", "1"};
    EXPECT_EQ(
        scriptWords(m_config, m_rules, true), (std::vector<std::string>{"train.py", "--lr", "1", "--resume", "it's"}));
    EXPECT_EQ(scriptWords(m_config, m_rules, false), m_config.training.command);
    m_config.training.command = {"train.py --resume now"};
    EXPECT_EQ(
        scriptWords(m_config, m_rules, true), (std::vector<std::string>{"/bin/sh", "-c", "train.py --resume now"}))
        << "it says so itself";
    m_config.training.command = {"cd x && train.py"};
    EXPECT_EQ(scriptWords(m_config, m_rules, true),
        (std::vector<std::string>{"/bin/sh", "-c", "cd x && train.py '--resume' 'it'\\''s'"}));
}

TEST_F(ScriptRun, GoesOnFromTheNewestCheckpointOfTheFolderThatItsCommandNames)
{
    m_rules.script.resumeArguments = {"--from={newest --out_dir=plain/checkpoint-*}"};
    ASSERT_TRUE(start("echo \"<$0>\"", 1));
    ASSERT_TRUE(waitForExit());
    EXPECT_THAT(out(), HasSubstr("<sh>\n")) << "there is none: it begins anew";
    for (const char *name : {"plain/checkpoint-9", "plain/checkpoint-10", "it's/checkpoint-3"})
        std::filesystem::create_directories(m_work.path() / name);
    ASSERT_TRUE(start("echo \"<$0>\"", 2));
    ASSERT_TRUE(waitForExit());
    EXPECT_THAT(out(), HasSubstr("<--from=plain/checkpoint-10>\n"));
    m_config.training.command = {"echo now --out-dir \"it's\""};
    ASSERT_TRUE(m_host.start({.directory = m_paths.directory,
        .command = m_host.trainerCommand(m_config, m_paths.directory, true),
        .attempt = 3}));
    ASSERT_TRUE(waitForExit());
    EXPECT_THAT(out(), HasSubstr("now --out-dir it's --from=it's/checkpoint-3\n"));
    m_config.training.command = {"train", "--from=mine"};
    EXPECT_EQ(scriptWords(m_config, m_rules, true), m_config.training.command) << "it says so itself";
}

TEST_F(ScriptRun, ALogThatItWritesAnewLosesAndDoublesNoStep)
{
    m_rules.log = m_config.training.log = "train.log";
    ASSERT_TRUE(start("echo step 1 loss 3 > train.log; echo step 2 loss 2 >> train.log"));
    ASSERT_TRUE(waitForExit());
    EXPECT_EQ(steps(), (std::vector<std::int64_t>{1, 2}));
    // Longer than before when it is looked at next.
    ASSERT_TRUE(start("(echo step 2 loss 2.5; echo step 3 loss 1; echo step 4 loss 0.5) > train.log", 1));
    ASSERT_TRUE(waitForExit());
    EXPECT_EQ(steps(), (std::vector<std::int64_t>{1, 2, 3, 4}));
    EXPECT_EQ(readRun(m_paths.directory).value().metrics[1].loss, 2.5) << "of the later attempt";
}

TEST_F(ScriptRun, ALogThatItWritesAnewWhileNobodyReadsLosesAndDoublesNoStep)
{
    m_rules.log = m_config.training.log = "train.log";
    // The host looks at the log once per second.
    const std::string seen = "until tail -n 1 '" + (m_paths.directory / "script.times").string() +
                             "' | grep -q \" $(stat -c %s train.log)$\"; do sleep 0.1; done; ";
    ASSERT_TRUE(
        start("printf 'step 1 loss 9\\nstep 2 loss 8\\n' > train.log; " + seen + "echo step 3 loss 7 > train.log; " +
              seen + "printf 'step 4 loss 6\\nstep 5 loss 5\\n' > new; mv new train.log; " + seen +
              "printf 'step 6 loss 4\\nstep 7 loss 3\\n' >> train.log"));
    ASSERT_TRUE(waitForExit());
    ASSERT_TRUE(start("printf 'step 7 loss 2.5\\nstep 8 loss 2\\n' > train.log", 1));
    ASSERT_TRUE(waitForExit());
    EXPECT_EQ(steps(), (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 8})) << out();
    const RunData run = readRun(m_paths.directory).value();
    EXPECT_EQ(run.metrics[6].loss, 2.5) << "of the later attempt";
    ASSERT_EQ(run.superseded.size(), 1U);
    EXPECT_EQ(run.superseded[0].loss, 3);
}

TEST_F(ScriptRun, ALogThatIsWrittenAtOnceIsSeenThoughTheFirstLookIsSlow)
{
    // A machine under load: whoever looks at the log first is held up until it has its first line, or for two seconds.
    const std::filesystem::path slow = m_work.path() / "bin" / "stat";
    std::filesystem::create_directories(slow.parent_path());
    writeText(slow, "#!/bin/sh\ncase $* in *%i*) for i in $(seq 20); do [ -s train.log ] && break; sleep 0.1; done ;; "
                    "esac\nexec /usr/bin/stat \"$@\"\n");
    std::filesystem::permissions(slow, std::filesystem::perms::owner_all);
    m_config.training.environment = {"PATH=" + slow.parent_path().string() + ":" + std::getenv("PATH")};
    m_rules.log = m_config.training.log = "train.log";
    ASSERT_TRUE(start("echo step 1 loss 9 > train.log; for i in $(seq 100); do grep -q ' 14$' '" +
                      (m_paths.directory / "script.times").string() + "' && echo seen && exit; sleep 0.1; done"));
    ASSERT_TRUE(waitForExit());
    EXPECT_THAT(out(), HasSubstr("seen"));
}

TEST_F(ScriptRun, ThatBeginsAgainAtStepZeroHasItsLaterSteps)
{
    ASSERT_TRUE(
        start("for i in $(seq 0 30); do echo step $i loss 3.$i; done; for i in $(seq 0 40); do echo step $i loss "
              "2.$i; done"));
    ASSERT_TRUE(waitForExit());
    std::vector<std::int64_t> all(41);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(steps(), all);
    const RunData run = readRun(m_paths.directory).value();
    EXPECT_EQ(run.metrics[0].loss, 2.0);
    EXPECT_EQ(run.metrics[30].loss, 2.30);
    EXPECT_EQ(run.superseded.size(), 31U);
}

TEST_F(ScriptRun, OfAFolderTheNewestFileWithMetricsIsRead)
{
    m_rules.log = m_config.training.log = "out";
    std::filesystem::create_directories(m_work.path() / "out" / "earlier");
    writeText(m_work.path() / "out" / "earlier" / "metrics.csv", "step,loss\n1,9\n");
    ASSERT_TRUE(start("mkdir out/version_1; printf 'step,loss\\n1,3\\n2,2\\n' > out/version_1/metrics.csv"));
    ASSERT_TRUE(waitForExit());
    EXPECT_EQ(steps(), (std::vector<std::int64_t>{1, 2}));
    EXPECT_EQ(readRun(m_paths.directory).value().metrics[0].loss, 3) << "not of a training before";
}

TEST_F(ScriptRun, ThatNeedsATerminalEndsAndIsNotWaitedFor)
{
    ASSERT_TRUE(start("test -t 0 || echo no terminal; read -r line || echo no input; exit 4"));
    ASSERT_TRUE(waitForExit());
    EXPECT_EQ(m_host.status(m_paths).exitStatus, 4);
    EXPECT_THAT(out(), HasSubstr("no terminal\nno input\n"));
}

TEST_F(ScriptRun, ThatFloodsLosesNoStep)
{
    ASSERT_TRUE(start("awk 'BEGIN { for (i = 1; i <= 50000; ++i) { print \"step\", i, \"loss 2.5\"; print \"noise\"; "
                      "printf \"%d/50000\\r\", i } }'"));
    ASSERT_TRUE(waitForExit());
    const std::vector<std::int64_t> all = steps();
    ASSERT_EQ(all.size(), 50'000U);
    EXPECT_EQ(all.back(), 50'000);
}

// A stand-in for nvidia-smi. It answers as its driver would: with status 2 where it does not know a column.
class ScriptRunWithGpu : public ScriptRun, public ::testing::WithParamInterface<std::pair<const char *, GpuSample>> {
protected:
    ScriptRunWithGpu()
    {
        const std::filesystem::path program = m_work.path() / "bin" / "nvidia-smi";
        std::filesystem::create_directory(program.parent_path());
        writeText(program, "#!/bin/sh\ncase $* in " + std::string(GetParam().first) +
                               " *) echo 'Field is not a valid field to query.'; exit 2 ;; esac\n");
        std::filesystem::permissions(program, std::filesystem::perms::owner_all);
        m_config.training.environment = {"PATH=" + program.parent_path().string() + ":" + std::getenv("PATH")};
    }
};

TEST_P(ScriptRunWithGpu, HasWhatItsDriverSaysBesideItsSteps)
{
    // The log is looked at each second, and the GPU at the first look. The step is printed when both have been.
    ASSERT_TRUE(start("until grep -qs '^g ' '" + (m_paths.directory / "script.times").string() +
                      "'; do sleep 0.1; done; echo step 1 loss 2"));
    ASSERT_TRUE(waitForExit());
    const RunData run = readRun(m_paths.directory).value();
    ASSERT_EQ(run.metrics.size(), 1U);
    EXPECT_THAT(run.metrics[0].gpus, ::testing::ElementsAre(GetParam().second));
}

constexpr GpuSample kPlainSample{.utilisation = 97, .powerWatts = 301.5, .temperatureC = 61, .used = 40000 * kMiB};
constexpr GpuSample kClockedSample{.utilisation = 97,
    .powerWatts = 301.5,
    .temperatureC = 61,
    .used = 40000 * kMiB,
    .clockMhz = 1410,
    .clockMaxMhz = 1980,
    .throttleReasons = 4};
INSTANTIATE_TEST_SUITE_P(Drivers, ScriptRunWithGpu,
    ::testing::Values(
        std::pair("*clocks.max.sm,clocks_event_reasons.active*) echo '0, 97, 301.5, 61, 40000, 1410, 1980, 0x4' ;;",
            kClockedSample),
        std::pair("*_event_*) exit 2 ;; *clocks_throttle_reasons.active*) "
                  "echo '0, 97, 301.5, 61, 40000, 1410, 1980, 0x4' ;;",
            kClockedSample),
        std::pair("*clocks*) exit 2 ;; *memory.used*) echo '0, 97, 301.5, 61, 40000' ;;", kPlainSample)));

TEST_F(ScriptRun, AnAttachedLogIsNotStopped)
{
    writeText(m_work.path() / "their.log", "step 1 loss 2\n");
    m_rules.attached = true;
    m_rules.log = (m_work.path() / "their.log").string();
    ASSERT_TRUE(writeScriptRules(m_paths, m_rules));
    EXPECT_EQ(m_host.status(m_paths).state, RunState::Running);
    EXPECT_EQ(steps(), (std::vector<std::int64_t>{1}));
    const Result<RunStatus> stopped = stopRun(m_paths.directory, m_host);
    ASSERT_FALSE(stopped);
    EXPECT_THAT(stopped.error().message(), HasSubstr("was started without Slipway"));
}

TEST(ScriptCheck, RefusesWhatIsNoVariableAndNoCommand)
{
    RunConfig config;
    config.training.command = {"train"};
    EXPECT_TRUE(checkScript(config));
    config.training.environment = {"A-B=1"};
    EXPECT_THAT(checkScript(config).error().message(), HasSubstr("'A-B=1' does not set a variable"));
    config.training.environment = {};
    config.training.command = {" "};
    EXPECT_FALSE(checkScript(config));
}

} // namespace
} // namespace slipway
