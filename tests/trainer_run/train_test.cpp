// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "run/run_loop.h"

#include <gmock/gmock.h>

#include <cmath>
#include <csignal>
#include <fmt/format.h>
#include <map>
#include <sys/resource.h>

#include "run/run_lock.h"
#include "runs/liveness.h"
#include "runs/progress.h"
#include "scratch_folder.h"
#include "support/shipped_catalogue.h"
#include "tiny_run.h"

namespace slipway {
namespace {

using testing::eventsOf;
using ::testing::HasSubstr;
using testing::kindsOf;
using testing::lossesOf;
using testing::makeTinyRun;
using testing::messageOf;
using testing::metricsOf;
using testing::readBytes;
using testing::rewriteConfig;
using testing::ScratchFolder;
using testing::writeBytes;

Result<int> trainIn(const RunPaths &run, RunOptions options = {})
{
    const Result<RunJob> job = prepareRun(run.directory, catalogue());
    if (!job)
        return job.error();
    options.threads = 1;
    return train(*job, options);
}

void expectStatus(const Result<int> &result, int status)
{
    ASSERT_TRUE(result) << messageOf(result);
    EXPECT_EQ(*result, status);
}

TEST(Train, LearnsAndWritesWhatTheContractPromises)
{
    const ScratchFolder folder;
    const RunPaths run =
        makeTinyRun(folder / "r", {"steps: 60", "eval_every: 20", "checkpoint_every: 25", "keep_checkpoints: 2"});
    expectStatus(trainIn(run), 0);
    const std::vector<StepMetrics> metrics = metricsOf(run);
    ASSERT_EQ(metrics.size(), 60);
    EXPECT_NEAR(metrics.front().loss, std::log(64.0), 0.3); // knows nothing yet
    EXPECT_LT(metrics.back().loss, metrics.front().loss - 1.0);
    EXPECT_EQ(metrics.back().step, 60);
    EXPECT_EQ(metrics.back().tokens, 60 * 2 * 2 * 16);
    for (const StepMetrics &line : metrics) {
        EXPECT_EQ(line.evalLoss.has_value(), line.step % 20 == 0) << line.step;
        EXPECT_GT(line.allocatedPeak.value_or(0), 0);
        EXPECT_GT(line.stepSeconds, 0);
    }
    EXPECT_LT(*metrics.back().evalLoss, *metrics[19].evalLoss);
    EXPECT_EQ(kindsOf(run), "started checkpoint checkpoint checkpoint finished");
    EXPECT_FALSE(std::filesystem::exists(run.checkpoints() / "step-00000025"));
    EXPECT_TRUE(std::filesystem::exists(run.checkpoints() / "step-00000050/manifest.json"));
    EXPECT_TRUE(std::filesystem::exists(run.checkpoints() / "step-00000060/manifest.json"));
    EXPECT_EQ(readBytes(run.checkpoints() / "latest"), "step-00000060\n");
}

TEST(Train, RepeatsBitForBit)
{
    const ScratchFolder folder;
    const RunPaths a = makeTinyRun(folder / "a"), b = makeTinyRun(folder / "b");
    expectStatus(trainIn(a), 0);
    expectStatus(trainIn(b), 0);
    EXPECT_EQ(lossesOf(a), lossesOf(b));
    EXPECT_EQ(readBytes(a.checkpoints() / "step-00000006/model.safetensors"),
        readBytes(b.checkpoints() / "step-00000006/model.safetensors"));
}

TEST(Train, StoppedAndResumedEqualsUninterruptedBitForBit)
{
    for (const std::vector<std::string> &changes :
        std::vector<std::vector<std::string>>{{"gpus: 1"}, {"gpus: 2", "parallel: ddp"}, {"gpus: 2", "parallel: zero1"},
            {"gpus: 2", "parallel: fsdp-grad-op"}, {"gpus: 2", "parallel: fsdp-full", "recompute: full"},
            {"gpus: 4", "parallel: hsdp", "gpus_per_node: 2"}, {"optimizer: muon", "ema: 0.9", "eval_every: 2"},
            {"gpus: 2", "parallel: zero1", "ema: 0.9", "eval_every: 2"},
            {"embedding_learning_rate: 6e-3", "head_learning_rate: 1e-3", "no_decay: [embedding]"}}) {
        const ScratchFolder folder;
        const RunPaths whole = makeTinyRun(folder / "whole", changes), parts = makeTinyRun(folder / "parts", changes);
        expectStatus(trainIn(whole), 0);
        writeBytes(parts.stopRequest(), "");
        expectStatus(trainIn(parts), 143);                   // after step 1
        expectStatus(trainIn(parts, {.resume = true}), 143); // after step 2
        std::filesystem::remove(parts.stopRequest());
        expectStatus(trainIn(parts, {.resume = true}), 0);

        EXPECT_EQ(lossesOf(whole), lossesOf(parts));
        for (const auto &entry : std::filesystem::directory_iterator(whole.checkpoints() / "step-00000006")) {
            if (entry.path().extension() == ".safetensors") {
                const std::string file = entry.path().filename().string();
                EXPECT_EQ(readBytes(entry.path()), readBytes(parts.checkpoints() / "step-00000006" / file)) << file;
            }
        }
        EXPECT_EQ(metricsOf(parts).back().tokens, metricsOf(whole).back().tokens);
        EXPECT_EQ(metricsOf(parts).back().attempt, 2);
        EXPECT_EQ(
            kindsOf(parts), "started stopping checkpoint resumed stopping checkpoint resumed checkpoint finished");
    }
}

TEST(Train, ReportsTheLossOfEachEvaluationSetAndTheirMean)
{
    const ScratchFolder folder;
    const RunPaths one = makeTinyRun(folder / "one", {"eval_every: 3"});
    const RunPaths sets = makeTinyRun(folder / "sets",
        {"eval_every: 3", "eval_data: {wiki: tokens.bin, code: [{path: ../other.bin, weight: 2}, tokens.bin]}"});
    writeBytes(folder / "other.bin", std::string(8000, '\1').replace(1, 7999, std::string(7999, '\0')));
    expectStatus(trainIn(one), 0);
    expectStatus(trainIn(sets), 0);
    const StepMetrics alone = metricsOf(one).back(), both = metricsOf(sets).back();
    EXPECT_TRUE(alone.evalLosses.empty());
    EXPECT_TRUE(metricsOf(sets).front().evalLosses.empty());
    ASSERT_EQ(both.evalLosses.size(), 2U);
    EXPECT_EQ(both.evalLosses.at("wiki"), *alone.evalLoss);
    EXPECT_NE(both.evalLosses.at("code"), both.evalLosses.at("wiki"));
    EXPECT_DOUBLE_EQ(*both.evalLoss, (both.evalLosses.at("wiki") + both.evalLosses.at("code")) / 2);
    const RunData run = readRun(sets.directory).value();
    EXPECT_EQ(run.evalLosses, both.evalLosses);
    EXPECT_EQ(summaryOf(run).finalEvalLosses, both.evalLosses);
}

TEST(Train, EvaluatesTheMovingAverageAndSaysSo)
{
    const ScratchFolder folder;
    const RunPaths plain = makeTinyRun(folder / "plain", {"eval_every: 3"}),
                   average = makeTinyRun(folder / "average", {"eval_every: 3", "ema: 0.5"});
    expectStatus(trainIn(plain), 0);
    expectStatus(trainIn(average), 0);
    EXPECT_EQ(lossesOf(plain), lossesOf(average)) << "training continues with the weights themselves";
    EXPECT_EQ(metricsOf(plain).back().evalWeights, "");
    EXPECT_EQ(metricsOf(average).back().evalWeights, "ema");
    EXPECT_EQ(metricsOf(average).front().evalWeights, "");
    EXPECT_NE(metricsOf(plain).back().evalLoss, metricsOf(average).back().evalLoss);
}

TEST(Train, WritesTheShareOfEachExpert)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r", {"experts: 4", "experts_per_token: 2"});
    expectStatus(trainIn(run), 0);
    for (const StepMetrics &line : metricsOf(run)) {
        ASSERT_EQ(line.expertShares.size(), 4U);
        double sum = 0;
        for (const double share : line.expertShares)
            sum += share;
        EXPECT_NEAR(sum, 1.0, 1e-4);
    }
    EXPECT_THAT(readBytes(run.metrics()), HasSubstr("\"max_over_mean\":"));
}

TEST(Train, DoesNotResumeWithTheStatesOfAnotherOptimizer)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r", {"steps: 2"});
    expectStatus(trainIn(run), 0);
    rewriteConfig(run, {"steps: 4", "optimizer: muon"});
    EXPECT_THAT(messageOf(trainIn(run, {.resume = true})), HasSubstr("optimizer: adamw"));
}

TEST(Train, BeginsAnAverageWithTheWeightsOfACheckpointThatHasNone)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r", {"steps: 2"});
    expectStatus(trainIn(run), 0);
    rewriteConfig(run, {"steps: 4", "ema: 0.9"});
    expectStatus(trainIn(run, {.resume = true}), 0);
}

TEST(Train, OnSeveralRanksSeesTheSamplesOfOne)
{
    const ScratchFolder folder;
    const RunPaths one = makeTinyRun(folder / "one", {"grad_accum: 4"});
    const RunPaths two = makeTinyRun(folder / "two", {"grad_accum: 2", "gpus: 2", "parallel: ddp"});
    const RunPaths four = makeTinyRun(folder / "four", {"grad_accum: 1", "gpus: 4", "parallel: ddp"});
    for (const RunPaths &run : {one, two, four})
        expectStatus(trainIn(run), 0);
    for (const RunPaths &run : {two, four}) {
        for (const auto &[step, loss] : lossesOf(one))
            EXPECT_NEAR(lossesOf(run).at(step), loss, 1e-5 * loss) << step;
    }
}

TEST(Train, ResumesAtAnotherWorldSizeAndStrategy)
{
    const ScratchFolder folder;
    const RunPaths whole = makeTinyRun(folder / "whole", {"grad_accum: 4"});
    expectStatus(trainIn(whole), 0);
    const RunPaths run = makeTinyRun(folder / "run", {"grad_accum: 4", "steps: 6", "time_limit: 1h"});
    writeBytes(run.stopRequest(), "");
    using Changes = std::vector<std::string>;
    for (const Changes &changes :
        {Changes{"gpus: 1", "grad_accum: 4"}, Changes{"gpus: 2", "grad_accum: 2", "parallel: fsdp-full"},
            Changes{"gpus: 4", "grad_accum: 1", "parallel: zero1"},
            Changes{"gpus: 2", "grad_accum: 2", "parallel: ddp"},
            Changes{"gpus: 4", "grad_accum: 1", "parallel: hsdp", "gpus_per_node: 2"}}) {
        rewriteConfig(run, changes);
        expectStatus(trainIn(run, {.resume = true}), 143); // one step each
    }
    std::filesystem::remove(run.stopRequest());
    rewriteConfig(run, {"gpus: 1", "grad_accum: 4", "parallel: none"});
    expectStatus(trainIn(run, {.resume = true}), 0);
    for (const auto &[step, loss] : lossesOf(whole))
        EXPECT_NEAR(lossesOf(run).at(step) / loss, 1.0, 1e-6) << step;
}

TEST(Train, ResumedFromADamagedCheckpointTakesTheOneBeforeAndSaysSo)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r", {"checkpoint_every: 2", "keep_checkpoints: 3"});
    expectStatus(trainIn(run), 0);
    const std::map<std::int64_t, double> before = lossesOf(run);
    std::filesystem::resize_file(run.checkpoints() / "step-00000006/model.safetensors", 100);
    std::string warning;
    expectStatus(trainIn(run, {.resume = true, .warn = [&warning](const std::string &line) { warning += line; }}), 0);
    EXPECT_THAT(warning, HasSubstr("a damaged checkpoint was skipped"));
    EXPECT_THAT(warning, HasSubstr("step-00000006"));
    EXPECT_THAT(kindsOf(run), HasSubstr("alert resumed checkpoint finished"));
    EXPECT_EQ(lossesOf(run), before);
    EXPECT_EQ(metricsOf(run).back().attempt, 1);
}

// The disk was full, or the process was killed, when the checkpoint of step 6 was whole but `latest` did not name it.
TEST(Train, ResumedFromACheckpointThatWasNotRecordedRecordsItAndRemovesTheOldOnes)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r", {"checkpoint_every: 2", "keep_checkpoints: 3"});
    expectStatus(trainIn(run), 0);
    writeBytes(run.checkpoints() / "latest", "step-00000004\n");
    std::string events = readBytes(run.events());
    events.resize(events.rfind('\n', events.find("step-00000006")) + 1);
    writeBytes(run.events(), events);
    rewriteConfig(run, {"keep_checkpoints: 2"});
    expectStatus(trainIn(run, {.resume = true}), 0);
    EXPECT_EQ(kindsOf(run), "started checkpoint checkpoint checkpoint resumed finished");
    EXPECT_EQ(eventsOf(run).at(3).step, 6);
    EXPECT_EQ(readBytes(run.checkpoints() / "latest"), "step-00000006\n");
    EXPECT_FALSE(std::filesystem::exists(run.checkpoints() / "step-00000002"));
    EXPECT_TRUE(std::filesystem::exists(run.checkpoints() / "step-00000004"));
}

TEST(Train, WithoutAnyWholeCheckpointIsRefused)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r");
    expectStatus(trainIn(run), 0);
    std::filesystem::remove(run.checkpoints() / "step-00000006/manifest.json");
    const Result<int> resumed = trainIn(run, {.resume = true});
    ASSERT_FALSE(resumed);
    EXPECT_EQ(resumed.error().fault, Fault::Damaged);
    EXPECT_EQ(eventsOf(run).back().kind, "fault");
}

TEST(Train, ResumedWithAnotherModelIsRefused)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r");
    expectStatus(trainIn(run), 0);
    rewriteConfig(run, {"ffn: 96"});
    const Result<int> resumed = trainIn(run, {.resume = true});
    ASSERT_FALSE(resumed);
    EXPECT_EQ(resumed.error().fault, Fault::Damaged);
    EXPECT_THAT(resumed.error().message(), HasSubstr("another model: ffn is 64, not 96"));
}

TEST(Train, ResumedWithoutACheckpointStartsAnewAndSaysSo)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r");
    std::string warning;
    expectStatus(trainIn(run, {.resume = true, .warn = [&warning](const std::string &line) { warning += line; }}), 0);
    EXPECT_THAT(warning, HasSubstr("no checkpoint to resume from"));
    EXPECT_EQ(metricsOf(run).size(), 6);
}

TEST(Train, ResumedAtItsEndHasNothingLeftToDo)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r");
    expectStatus(trainIn(run), 0);
    expectStatus(trainIn(run, {.resume = true}), 0);
    EXPECT_EQ(metricsOf(run).size(), 6);
}

TEST(Train, DoesNotMixItsStepsWithThoseOfAnEarlierStart)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r");
    expectStatus(trainIn(run), 0);
    const std::string before = readBytes(run.metrics());
    const Result<int> again = trainIn(run);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().fault, Fault::Input);
    EXPECT_THAT(again.error().message(), HasSubstr("(accepted: --resume, or a new directory)"));
    EXPECT_EQ(readBytes(run.metrics()), before);
}

TEST(Train, KeepsOutOfADirectoryWhereAnotherTrainerIsAtWork)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r");
    const auto lock = RunLock::acquire(run.directory);
    ASSERT_TRUE(lock);
    EXPECT_THAT(messageOf(trainIn(run)), HasSubstr("another trainer is running here"));
    EXPECT_FALSE(std::filesystem::exists(run.metrics()));
}

TEST(Train, WithALossThatIsNotFiniteSaysSoAndKeepsTheGoodCheckpoint)
{
    const ScratchFolder folder;
    const RunPaths run =
        makeTinyRun(folder / "r", {"checkpoint_every: 1", "keep_checkpoints: 1", "warmup_steps: 0",
                                      "schedule: constant", "learning_rate: 100", "weight_decay: 10", "steps: 40"});
    expectStatus(trainIn(run), 6);
    ASSERT_FALSE(metricsOf(run).empty());
    const StepMetrics last = metricsOf(run).back();
    EXPECT_FALSE(std::isfinite(last.loss) && std::isfinite(last.gradNorm));
    EXPECT_EQ(eventsOf(run).back().kind, "fault");
    EXPECT_EQ(eventsOf(run).back().reason, kDiverged);
    EXPECT_EQ(readBytes(run.checkpoints() / "latest"), fmt::format("step-{:08}\n", last.step - 1));

    const RunPaths on = makeTinyRun(
        folder / "on", {"checkpoint_every: 1", "keep_checkpoints: 1", "warmup_steps: 0", "schedule: constant",
                           "learning_rate: 100", "weight_decay: 10", "steps: 40", "stop_on_nan: false"});
    expectStatus(trainIn(on), 6);
    EXPECT_EQ(metricsOf(on).size(), 40);
    EXPECT_EQ(eventsOf(on).back().reason, kDiverged);
    EXPECT_THAT(kindsOf(on), HasSubstr("alert"));
    EXPECT_EQ(readBytes(on.checkpoints() / "latest"), readBytes(run.checkpoints() / "latest"));
}

TEST(Train, OnAFullDiskEndsAndLosesNothing)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r", {"checkpoint_every: 2", "steps: 2"});
    expectStatus(trainIn(run), 0);
    rewriteConfig(run, {"steps: 6"});
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const rlimit limit{.rlim_cur = 20'000, .rlim_max = before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const Result<int> full = trainIn(run, {.resume = true});
    ::setrlimit(RLIMIT_FSIZE, &before);
    ASSERT_FALSE(full);
    EXPECT_EQ(full.error().fault, Fault::Outside);
    EXPECT_THAT(full.error().message(), HasSubstr("cannot write"));
    EXPECT_EQ(eventsOf(run).back().kind, "fault");
    EXPECT_EQ(readBytes(run.checkpoints() / "latest"), "step-00000002\n");
    expectStatus(trainIn(run, {.resume = true}), 0);
    EXPECT_EQ(metricsOf(run).back().step, 6);
}

TEST(Train, StartedByHandTellsReadersWhoItIsAndHowItEnded)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r");
    RunState seen = RunState::Unknown;
    expectStatus(trainIn(run, {.print = [&](const std::string &) { seen = statusOf(run).state; }}), 0);
    EXPECT_EQ(seen, RunState::Running);
    EXPECT_EQ(statusOf(run).state, RunState::Succeeded);
    EXPECT_TRUE(std::filesystem::exists(run.prediction()));
    rewriteConfig(run, {"data: none.bin", "steps: 9"});
    EXPECT_FALSE(trainIn(run, {.resume = true}));
    EXPECT_EQ(readBytes(run.exitStatus()), "2\n");
}

TEST(Train, AllocatesWhatThePlanPredicts)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r");
    const Result<RunJob> job = prepareRun(run.directory, catalogue());
    ASSERT_TRUE(job) << messageOf(job);
    ASSERT_TRUE(job->prediction);
    expectStatus(trainIn(run), 0);
    EXPECT_EQ(metricsOf(run).back().allocatedPeak, job->prediction->memory.peakAllocated);
}

TEST(Train, OverItsCapOnMemoryDoesNotStart)
{
    const ScratchFolder folder;
    const Result<int> capped = trainIn(makeTinyRun(folder / "r", {"memory_gib: 0.001", "hidden: 64", "ffn: 256"}));
    ASSERT_FALSE(capped);
    EXPECT_EQ(capped.error().fault, Fault::Outside);
    EXPECT_THAT(capped.error().message(), HasSubstr("out of memory: the step needs"));
}

TEST(Train, ThatRunsOutOfTimeStopsWithACheckpoint)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r", {"steps: 1000000"});
    Result<RunJob> job = prepareRun(run.directory, catalogue());
    ASSERT_TRUE(job) << messageOf(job);
    job->config.training.timeLimit = 1e-6;
    expectStatus(train(*job, {.threads = 1}), 124);
    EXPECT_EQ(kindsOf(run), "started stopping checkpoint");
}

class FormOfRanks : public ::testing::Test {
protected:
    RunJob job(CommunicatorKind communicator, BackendKind backend) const
    {
        RunJob job = *prepareRun(makeTinyRun(folder / "r", {"gpus: 4", "parallel: ddp"}).directory, catalogue());
        job.config.training.communicator = communicator;
        job.backend = backend;
        return job;
    }
    RankMode form(CommunicatorKind communicator, BackendKind backend, int asked, int gpus) const
    {
        const Result<RankMode> form = chooseRankMode(job(communicator, backend), asked, gpus);
        EXPECT_TRUE(form) << messageOf(form);
        return form.valueOr(RankMode::Threads);
    }

    ScratchFolder folder;
};

TEST_F(FormOfRanks, IsAProcessEachWhereSeveralGpusAreUsed)
{
    EXPECT_EQ(form(CommunicatorKind::Auto, BackendKind::Cuda, 0, 4), RankMode::Processes);
    EXPECT_EQ(form(CommunicatorKind::Nccl, BackendKind::Cuda, 0, 4), RankMode::Processes);
    EXPECT_EQ(form(CommunicatorKind::Auto, BackendKind::Cuda, 0, 1), RankMode::Threads) << "which share one GPU";
    EXPECT_EQ(form(CommunicatorKind::Threads, BackendKind::Cuda, 0, 4), RankMode::Threads) << "as run.yaml says";
}

TEST_F(FormOfRanks, IsThreadsOnTheProcessorWithoutN)
{
    EXPECT_EQ(form(CommunicatorKind::Auto, BackendKind::Host, 0, 0), RankMode::Threads);
    EXPECT_EQ(form(CommunicatorKind::Auto, BackendKind::Host, 4, 0), RankMode::Processes);
    EXPECT_EQ(form(CommunicatorKind::Threads, BackendKind::Host, 4, 0), RankMode::Threads);
}

TEST_F(FormOfRanks, OfNcclIsNeverThreads)
{
    const Result<int> status = train(job(CommunicatorKind::Nccl, BackendKind::Host), {});
    EXPECT_THAT(messageOf(status), HasSubstr("communicator: nccl needs one process per rank"));
}

} // namespace
} // namespace slipway
