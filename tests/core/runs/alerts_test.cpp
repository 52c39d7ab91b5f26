// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/alerts.h"

#include <cmath>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run_examples.h"
#include "support/edit_steps.h"

namespace slipway {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<AlertKind> kinds(const RunData &run, std::chrono::seconds afterStart)
{
    std::vector<AlertKind> list;
    for (const Alert &alert : alertsOf(run, exampleStart + afterStart))
        list.push_back(alert.kind);
    return list;
}

TEST(Alerts, AreNoneForAHealthyRun)
{
    RunData run = exampleRun(20);
    run.prediction = examplePrediction();
    EXPECT_THAT(kinds(run, std::chrono::seconds(21)), IsEmpty());
    EXPECT_THAT(kinds(exampleRun(0), std::chrono::seconds(999)), IsEmpty());
}

TEST(Alerts, NameTheFirstStepWhoseLossIsNotFinite)
{
    RunData run = exampleRun(20);
    editSteps(run.metrics, [&](auto &rows) { rows[11].loss = std::nan(""); });
    editSteps(run.metrics, [&](auto &rows) { rows[15].loss = INFINITY; });
    const auto alerts = alertsOf(run, exampleStart + std::chrono::seconds(21));
    ASSERT_EQ(alerts.size(), 1U);
    EXPECT_EQ(alerts[0].kind, AlertKind::LossNotFinite);
    EXPECT_EQ(alerts[0].step, 12);
    EXPECT_NE(alerts[0].message.find("step 12"), std::string::npos);
}

TEST(Alerts, WatchTheGradientNormToo)
{
    RunData run = exampleRun(20);
    editSteps(run.metrics, [&](auto &rows) { rows[2].gradNorm = INFINITY; });
    EXPECT_THAT(kinds(run, std::chrono::seconds(21)), ElementsAre(AlertKind::LossNotFinite));
}

TEST(Alerts, CallARunStalledOnlyWhileItRunsAndAfterManySteps)
{
    RunData run = exampleRun(20);
    EXPECT_THAT(kinds(run, std::chrono::seconds(20 + 59)), IsEmpty()); // 59 steps long, but under a minute
    EXPECT_THAT(kinds(run, std::chrono::seconds(20 + 61)), ElementsAre(AlertKind::Stalled));
    editSteps(run.metrics, [](auto &rows) {
        for (StepMetrics &step : rows)
            step.stepSeconds = 30;
    });
    EXPECT_THAT(kinds(run, std::chrono::seconds(20 + 299)), IsEmpty()); // ten such steps
    EXPECT_THAT(kinds(run, std::chrono::seconds(20 + 301)), ElementsAre(AlertKind::Stalled));
    run.status.state = RunState::Succeeded;
    EXPECT_THAT(kinds(run, std::chrono::seconds(9999)), IsEmpty());
}

TEST(Alerts, DoNotCountThePauseOfARunThatIsResumed)
{
    const auto event = [](const char *kind, int second) {
        return RunEvent{.time = toIso8601(exampleStart + std::chrono::seconds(second)),
            .kind = kind,
            .message = {},
            .step = {},
            .reason = {}};
    };
    RunData run = exampleRun(20);
    run.prediction = examplePrediction();
    run.events = {event("started", 0), event("stopping", 20)};
    EXPECT_THAT(kinds(run, std::chrono::seconds(20 + 3600)), IsEmpty()) << "the trainer starts again";
    run.events.push_back(event("resumed", 20 + 3600));
    EXPECT_THAT(kinds(run, std::chrono::seconds(20 + 3600 + 59)), IsEmpty());
    EXPECT_THAT(kinds(run, std::chrono::seconds(20 + 3600 + 61)), ElementsAre(AlertKind::Stalled));
}

TEST(Alerts, CallAScriptStalledThatSaysNoStepForTenMinutes)
{
    RunData run = exampleRun(0);
    run.config->training.command = {"python3", "train.py"};
    run.events = {{.time = toIso8601(exampleStart), .kind = "started", .message = {}, .step = {}, .reason = {}}};
    EXPECT_THAT(kinds(run, std::chrono::seconds(599)), IsEmpty());
    EXPECT_THAT(kinds(run, std::chrono::seconds(601)), ElementsAre(AlertKind::Stalled));
    run.status.state = RunState::Failed;
    EXPECT_THAT(kinds(run, std::chrono::seconds(601)), IsEmpty());
}

TEST(Alerts, CallARunStalledAfterItsVeryFirstStepToo)
{
    EXPECT_THAT(kinds(exampleRun(1), std::chrono::seconds(1 + 61)), ElementsAre(AlertKind::Stalled));
}

// Of a run that is far slower than its plan.
std::string slowMessage(const std::function<void(StepMetrics &)> &change, const std::string &gpu = "a100-sxm-80gb")
{
    RunData run = exampleRun(20);
    run.config->gpu = gpu;
    run.prediction = examplePrediction();
    editSteps(run.metrics, [&](auto &rows) {
        for (StepMetrics &step : rows) {
            step.stepSeconds = 10;
            step.allocatedPeak = run.prediction->memory.peakAllocated;
            step.dataWait = step.communicationExposed = std::nullopt;
            step.gpus.clear();
            change(step);
        }
    });
    const auto alerts = alertsOf(run, exampleStart + std::chrono::seconds(21));
    return alerts.empty() ? std::string() : alerts.front().message;
}

TEST(Alerts, ARunOnAProcessorIsNotAskedForMeasurementsOfGpus)
{
    EXPECT_THAT(slowMessage([](auto &) {}, "cpu"), HasSubstr("other programs may use the processor"));
    EXPECT_THAT(slowMessage([](auto &) {}, "cpu"), Not(HasSubstr("nvidia-smi")));
    EXPECT_THAT(slowMessage([](auto &step) { step.dataWait = 4; }, "cpu"), Not(HasSubstr("the cause is not known")));
}

TEST(Alerts, SayWhichPartOfASlowRunDiffersWithTheEvidence)
{
    const auto gpus = [](StepMetrics &step, std::initializer_list<double> use, double heat) {
        for (const double one : use)
            step.gpus.push_back({.utilisation = one, .temperatureC = heat});
    };
    EXPECT_THAT(slowMessage([](auto &) {}), HasSubstr("the run has no measurements of its GPUs"));
    EXPECT_THAT(slowMessage([](auto &step) { step.dataWait = 4; }), HasSubstr(". A step waits 4.0 s for data, 40 %"));
    EXPECT_THAT(slowMessage([](auto &step) { step.communicationExposed = 2; }), HasSubstr("for communication, 20 %"));
    EXPECT_THAT(slowMessage([&](auto &step) { gpus(step, {40, 42}, 50); }), HasSubstr(". GPU utilization is 42 %"));
    EXPECT_THAT(
        slowMessage([&](auto &step) { gpus(step, {99, 98}, 50); }), HasSubstr("a lower clock or another attention"));
    EXPECT_THAT(slowMessage([&](auto &step) { gpus(step, {99, 60, 98}, 50); }),
        HasSubstr(". One rank differs: the utilization of GPU 1 is 60 %, that of the others 98 %"));
    EXPECT_THAT(slowMessage([&](auto &step) { gpus(step, {99}, 88); }), HasSubstr("GPU 0 is at 88 °C"));
    EXPECT_THAT(
        slowMessage([](auto &step) { step.allocatedPeak = *step.allocatedPeak * 2; }), HasSubstr(". Memory peaks at"));
    EXPECT_THAT(slowMessage([](auto &) {}), ::testing::Not(HasSubstr("emory peaks")))
        << "the peak of allocated memory is as planned";
}

TEST(Alerts, SayThatAClockIsLowAndWhatLowersIt)
{
    const auto message = [](double clock, double heat, std::optional<std::int64_t> reasons) {
        return slowMessage([&](StepMetrics &step) {
            step.gpus = {{.utilisation = 99, .temperatureC = 50, .clockMhz = 1980, .clockMaxMhz = 1980},
                {.utilisation = 99,
                    .temperatureC = heat,
                    .clockMhz = clock,
                    .clockMaxMhz = 1980,
                    .throttleReasons = reasons}};
        });
    };
    EXPECT_THAT(
        message(990, 60, 0x4), HasSubstr("GPU 1 runs at 990 of at most 1980 MHz: throttled by its power limit"));
    EXPECT_THAT(message(990, 90, 0x4 | 0x20), HasSubstr("1980 MHz at 90 °C: throttled because of heat"));
    EXPECT_THAT(message(990, 60, 0x40), HasSubstr(": throttled because of heat"));
    EXPECT_THAT(message(990, 60, 0x80 | 0x8), HasSubstr(": throttled by the node's power supply"));
    EXPECT_THAT(message(990, 60, 0x8), HasSubstr(": throttled by the hardware"));
    EXPECT_THAT(message(990, 60, 0x2), HasSubstr(": limited by a clock setting"));
    EXPECT_THAT(message(990, 60, 0x10), HasSubstr(": it follows the clock of another GPU"));
    EXPECT_THAT(message(990, 60, 0x1), HasSubstr(": it is idle"));
    EXPECT_THAT(message(990, 60, std::nullopt), HasSubstr(": the driver does not state the reason"));
    const std::string high = message(1900, 90, 0x4);
    EXPECT_THAT(high, HasSubstr("slower than planned, for example because of another attention kernel"))
        << "the clock is none of it";
    EXPECT_THAT(high, Not(HasSubstr("clock")));
}

TEST(Alerts, CallARunSlowBeyondThePredictedRange)
{
    RunData run = exampleRun(20);
    run.prediction = examplePrediction();
    editSteps(run.metrics, [](auto &rows) {
        for (StepMetrics &step : rows)
            step.stepSeconds = 1.19;
    });
    EXPECT_THAT(kinds(run, std::chrono::seconds(21)), IsEmpty());
    editSteps(run.metrics, [](auto &rows) {
        for (StepMetrics &step : rows)
            step.stepSeconds = 1.21;
    });
    EXPECT_THAT(kinds(run, std::chrono::seconds(21)), ElementsAre(AlertKind::SlowerThanPredicted));
    run.metrics.truncate(4); // too early to say
    EXPECT_THAT(kinds(run, std::chrono::seconds(5)), IsEmpty());
}

TEST(Alerts, WarnBeforeTheDeviceIsFull)
{
    RunData run = exampleRun(20);
    run.prediction = examplePrediction();
    editSteps(run.metrics, [&](auto &rows) { rows[3].deviceUsed = 91 * kGiB; });
    EXPECT_THAT(kinds(run, std::chrono::seconds(21)), IsEmpty());
    editSteps(run.metrics, [&](auto &rows) { rows[3].deviceUsed = 93 * kGiB; });
    EXPECT_THAT(kinds(run, std::chrono::seconds(21)), ElementsAre(AlertKind::MemoryNearLimit));
}

TEST(Alerts, TellThatALimitWillBePassedBeforeItIs)
{
    RunData run = exampleRun(50); // 50 s of 100 done, a dollar a second
    run.prediction = examplePrediction();
    run.config->training.usdLimit = 101;
    run.config->training.timeLimit = 101;
    EXPECT_THAT(kinds(run, std::chrono::seconds(51)), IsEmpty());
    run.config->training.usdLimit = 99;
    run.config->training.timeLimit = 99;
    EXPECT_THAT(kinds(run, std::chrono::seconds(51)), ElementsAre(AlertKind::OverBudget, AlertKind::OverTime));
    run.status.state = RunState::Cancelled; // stopped in time: 50 were spent
    EXPECT_THAT(kinds(run, std::chrono::seconds(51)), IsEmpty());
}

TEST(Alerts, SeeARunThatHasBecomeSlowerThanItWas)
{
    const auto slowFrom80 = [](double seconds) {
        RunData run = exampleRun(140); // of one step a second
        run.config->training.steps = 1000;
        editSteps(run.metrics, [&](auto &rows) {
            for (std::size_t i = 79; i < rows.size(); ++i)
                rows[i].stepSeconds = seconds;
        });
        return run;
    };
    EXPECT_THAT(kinds(slowFrom80(1), std::chrono::seconds(141)), IsEmpty());
    EXPECT_THAT(kinds(slowFrom80(1.19), std::chrono::seconds(141)), IsEmpty());
    RunData run = slowFrom80(1.25);
    EXPECT_THAT(kinds(run, std::chrono::seconds(141)), ElementsAre(AlertKind::SlowerThanBaseline));
    EXPECT_EQ(alertsOf(run, exampleStart + std::chrono::seconds(141))[0].message,
        "a step has taken 1.2 s since step 80; before, it took 1.0 s");
    EXPECT_THAT(alertsOf(run, exampleStart + std::chrono::seconds(141), {.baselineFactor = 1.3}), IsEmpty());
    EXPECT_THAT(alertsOf(run, exampleStart + std::chrono::seconds(141), {.baselineFor = 90}), IsEmpty());
    run.status.state = RunState::Succeeded;
    EXPECT_THAT(kinds(run, std::chrono::seconds(141)), IsEmpty());
}

TEST(Alerts, CallANodeIdleThatIsBilledWhileItsGpusDoNothing)
{
    RunData run = exampleRun(1000);
    run.config->training.steps = 5000;
    run.prediction = examplePrediction();
    editSteps(run.metrics, [](auto &rows) {
        for (StepMetrics &step : rows)
            step.gpus = {{.utilisation = 95}, {.utilisation = 2}};
    });
    EXPECT_THAT(kinds(run, std::chrono::seconds(1001)), IsEmpty()); // one of them works
    editSteps(run.metrics, [](auto &rows) {
        for (StepMetrics &step : rows)
            step.gpus[0].utilisation = 3;
    });
    EXPECT_THAT(kinds(run, std::chrono::seconds(1001)), ElementsAre(AlertKind::IdleBilled));
    run.prediction->cost.usdPerHour.reset();
    EXPECT_THAT(kinds(run, std::chrono::seconds(1001)), IsEmpty()); // nobody pays
}

TEST(Alerts, CallIdleGpusIdleHoweverLongTheStepsTake)
{
    RunData run = exampleRun(1000);
    run.config->training.steps = 5000;
    run.prediction = examplePrediction();
    editSteps(run.metrics, [](auto &rows) {
        for (StepMetrics &step : rows) {
            step.gpus = {{.utilisation = 2}};
            step.stepSeconds = 1000;
        }
    });
    EXPECT_THAT(kinds(run, std::chrono::seconds(1001)), Contains(AlertKind::IdleBilled));
}

TEST(Alerts, CallANodeIdleThatIsBilledWhileNoStepArrives)
{
    RunData run = exampleRun(20);
    run.prediction = examplePrediction();
    EXPECT_THAT(kinds(run, std::chrono::seconds(20 + 599)), ElementsAre(AlertKind::Stalled));
    EXPECT_THAT(kinds(run, std::chrono::seconds(20 + 601)), ElementsAre(AlertKind::Stalled, AlertKind::IdleBilled));
}

TEST(Alerts, SeeCheckpointsThatFailOrDoNotCome)
{
    RunData run = exampleRun(50);
    run.config->training.checkpointEvery = 20;
    EXPECT_THAT(
        kinds(run, std::chrono::seconds(51)), ElementsAre(AlertKind::CheckpointFailing)); // 40 steps without one
    run.events.push_back({.kind = "checkpoint", .message = "step-00000020", .step = 20});
    EXPECT_THAT(kinds(run, std::chrono::seconds(51)), IsEmpty());
    run.events.push_back(
        {.kind = "alert", .message = "no checkpoint was written, because the weights are not finite", .step = 40});
    EXPECT_THAT(kinds(run, std::chrono::seconds(51)), ElementsAre(AlertKind::CheckpointFailing));
    run.events.push_back({.kind = "checkpoint", .message = "step-00000045", .step = 45});
    EXPECT_THAT(kinds(run, std::chrono::seconds(51)), IsEmpty());
}

TEST(Alerts, AreSilentAboutWhatIsSwitchedOff)
{
    RunData run = exampleRun(20);
    editSteps(run.metrics, [&](auto &rows) { rows[11].loss = std::nan(""); });
    EXPECT_THAT(alertsOf(run, exampleStart + std::chrono::seconds(21), {.off = {AlertKind::LossNotFinite}}), IsEmpty());
}

TEST(Alerts, SayThatARunIsLost)
{
    RunData run = exampleRun(5);
    run.status = {.state = RunState::Lost, .detail = "this machine was restarted while it ran"};
    const auto alerts = alertsOf(run, exampleStart);
    ASSERT_EQ(alerts.size(), 1U);
    EXPECT_EQ(alerts[0].message, run.status.detail);
}

} // namespace
} // namespace slipway
