// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// slipway-train as a user meets it: every wrong input ends with the documented exit status and a message that names the
// cause (docs/guide/trainer.md).
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <set>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/token_file.h"
#include "scratch_folder.h"
#include "train_program.h"

namespace slipway {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using namespace testing;

TEST(Program, TrainsToTheEndWithStatus0)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r");
    const Ended ended = trainerRun(run);
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_THAT(ended.err, IsEmpty());
    EXPECT_THAT(ended.out, AllOf(HasSubstr("step 6/6  loss "), HasSubstr("checkpoint step-00000006")));
    EXPECT_EQ(metricsOf(run).size(), 6);
}

TEST(Program, IsNotHeldUpByAReaderWhoDoesNotRead)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r");
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    while (::write(ends[1], "full ", 5) > 0) {
    }
    ::fcntl(ends[1], F_SETFL, 0);
    const Ended ended = trainerRun(run, {}, [&ends] { ::dup2(ends[1], 1); });
    ::close(ends[0]);
    ::close(ends[1]);
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(metricsOf(run).size(), 6);
}

TEST(Program, ShowsHelpWithAnExampleForEveryCommand)
{
    for (const char *command : {"run", "tokenize", "bench", "devices", "sample", "import-hf", "export-hf"}) {
        const Ended ended = trainer({command, "--help"});
        EXPECT_EQ(ended.status, 0);
        EXPECT_THAT(ended.out, HasSubstr("Example: slipway-train "));
    }
    EXPECT_THAT(trainer({"--help"}).out, HasSubstr("Exit status"));
    EXPECT_THAT(trainer({"--version"}).out, StartsWith("slipway-train "));
}

TEST(Program, RefusesWrongUseWithStatus2)
{
    for (const std::vector<std::string> &arguments :
        std::vector<std::vector<std::string>>{{}, {"fly"}, {"run"}, {"run", "x", "--nonsense"}, {"run", "x", "-n", "0"},
            {"run", "x", "-n", "two"}, {"tokenize"}, {"tokenize", "a.txt"}, {"bench"},
            {"bench", "step", "--steps", "-3"}, {"bench", "step", "--gpus", "3", "-n", "2"}}) {
        const Ended ended = trainer(arguments);
        EXPECT_EQ(ended.status, 2);
        EXPECT_THAT(ended.err, ::testing::Not(IsEmpty()));
    }
}

struct BadConfig {
    const char *name;
    std::vector<std::string> changes;
    const char *message;
};

class BadRunConfig : public ::testing::TestWithParam<BadConfig> {};

TEST_P(BadRunConfig, EndsWithStatus2AndNamesTheCause)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r", GetParam().changes);
    const Ended ended = trainerRun(run);
    EXPECT_EQ(ended.status, 2);
    EXPECT_THAT(ended.err, AllOf(StartsWith("slipway-train: "), HasSubstr(GetParam().message)));
    EXPECT_FALSE(std::filesystem::exists(run.metrics()));
}

INSTANTIATE_TEST_SUITE_P(, BadRunConfig,
    ::testing::Values(BadConfig{"UnknownKey", {"micro_bacth: 4"}, "micro_batch"},
        BadConfig{"NegativeSize", {"micro_batch: -2"}, "micro_batch"},
        BadConfig{"NegativeHidden", {"hidden: -32"}, "hidden"},
        BadConfig{"HiddenNoMultipleOfHeads", {"hidden: 33"}, "heads"}, BadConfig{"NoData", {"data: []"}, "data"},
        BadConfig{"Communicator", {"communicator: nccl"}, "(accepted: gloo, threads, auto)"},
        BadConfig{"NotYaml", {"a: [1"}, "run.yaml:"},
        BadConfig{"Precision", {"precision: bf16-mixed"}, "(accepted: fp32)"}),
    [](const auto &test) { return test.param.name; });

TEST(Program, EndsAfterACheckpointWhereItsBudgetIsSpent)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r", {"steps: 1000000", "stop_at_usd: 0"});
    const Ended unpriced = trainerRun(run);
    EXPECT_EQ(unpriced.status, 2);
    EXPECT_THAT(unpriced.err, HasSubstr("stop_at_usd: prediction.json has no price per hour"));
    nlohmann::json prediction = nlohmann::json::parse(readBytes(run.prediction()));
    prediction["cost"]["usd_per_hour"] = 3600.0;
    writeBytes(run.prediction(), prediction.dump());
    const Ended ended = trainerRun(run);
    EXPECT_EQ(ended.status, 124) << ended.err;
    EXPECT_TRUE(std::filesystem::exists(run.checkpoints() / "latest"));
    EXPECT_THAT(readBytes(run.events()), HasSubstr("the budget of $0.00"));
}

TEST(Program, WithoutARunDirectoryEndsWithStatus2)
{
    const ScratchFolder folder;
    const Ended none = trainer({"run", folder / "none"});
    EXPECT_EQ(none.status, 2);
    EXPECT_THAT(none.err, HasSubstr("none: is not a folder (accepted: a run directory with a run.yaml)"));
    const Ended empty = trainer({"run", folder.path()});
    EXPECT_EQ(empty.status, 2);
    EXPECT_THAT(empty.err, HasSubstr("run.yaml: cannot open"));
}

TEST(Program, WithAMissingTokenFileEndsWithStatus2)
{
    const ScratchFolder folder;
    const Ended ended = trainerRun(makeTinyRun(folder / "r", {"data: none.bin"}));
    EXPECT_EQ(ended.status, 2);
    EXPECT_THAT(ended.err, HasSubstr((folder / "r/none.bin").string() + ": cannot open: No such file"));
}

TEST(Program, WithACutTokenFileEndsWithStatus5)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r");
    std::vector<std::int32_t> header(256);
    header[0] = kLlmCMagic16;
    header[1] = kLlmCVersion16;
    header[2] = 1000;
    writeBytes(run.directory / "tokens.bin", bytesOf(header) + std::string(1998, '\0'));
    const Ended ended = trainerRun(run);
    EXPECT_EQ(ended.status, 5);
    EXPECT_THAT(ended.err, HasSubstr("tokens.bin: its header promises 1000 ids, but 1998 bytes follow it"));
    EXPECT_EQ(kindsOf(run), "fault");
}

TEST(Program, WithAnIdOutsideTheVocabularyEndsWithStatus5)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r", {"vocab: 60"});
    const Ended ended = trainerRun(run);
    EXPECT_EQ(ended.status, 5);
    EXPECT_THAT(
        ended.err, AllOf(HasSubstr("tokens.bin: id 6"), HasSubstr("is outside the vocabulary (accepted: 0 to 59)")));
}

TEST(Program, WithADamagedCheckpointEndsWithStatus5)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r");
    ASSERT_EQ(trainerRun(run).status, 0);
    std::filesystem::resize_file(run.checkpoints() / "step-00000006/optimizer.safetensors", 999);
    const Ended ended = trainerRun(run, {"--resume"});
    EXPECT_EQ(ended.status, 5);
    EXPECT_THAT(ended.err, AllOf(HasSubstr("no checkpoint is complete"), HasSubstr("step-00000006")));
}

TEST(Program, OnAFullDiskEndsWithStatus3)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r");
    const Ended ended = trainerRun(run, {}, [] {
        const rlimit limit{.rlim_cur = 20'000, .rlim_max = 20'000};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    });
    EXPECT_EQ(ended.status, 3);
    EXPECT_THAT(ended.err, HasSubstr("cannot write: File too large"));
    EXPECT_EQ(metricsOf(run).size(), 6);
}

// As where its logs lie on the disk that is full.
TEST(Program, ThatCanSayNothingEndsWithItsStatusAllTheSame)
{
    const ScratchFolder folder;
    const auto intoFull = [] {
        const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
        ::dup2(full, STDOUT_FILENO);
        ::dup2(full, STDERR_FILENO);
    };
    EXPECT_EQ(trainer({"run", (folder / "nowhere").string()}, intoFull).status, 2);
    EXPECT_EQ(trainerRun(makeTinyRun(folder / "r"), {}, intoFull).status, 0);
}

// Root may write anywhere until it gives that up.
void giveUpWritingAnywhere()
{
    constexpr int kCapDacOverride = 1;
    ::prctl(PR_CAPBSET_DROP, kCapDacOverride);
}

TEST(Program, InAnUnwritableDirectoryEndsWithStatus3)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r");
    ::chmod(run.directory.c_str(), 0555);
    const Ended ended = trainerRun(run, {}, giveUpWritingAnywhere);
    ::chmod(run.directory.c_str(), 0755);
    EXPECT_EQ(ended.status, 3);
    EXPECT_THAT(ended.err, HasSubstr(run.directory.string() + "/lock: cannot open: Permission denied"));
}

TEST(Program, WithALossThatIsNotFiniteEndsWithStatus6)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(
        folder / "r", {"warmup_steps: 0", "schedule: constant", "learning_rate: 100", "weight_decay: 10", "steps: 40"});
    const Ended ended = trainerRun(run);
    EXPECT_EQ(ended.status, 6);
    EXPECT_THAT(ended.err, HasSubstr("loss NaN, gradient norm NaN"));
    EXPECT_THAT(ended.out + ended.err, Not(HasSubstr("nan"))); // nor "-nan", as the C library writes it
    EXPECT_TRUE(std::isnan(metricsOf(run).back().loss));
    EXPECT_LT(metricsOf(run).back().step, 40);

    const RunPaths on = makeTinyRun(folder / "on",
        {"warmup_steps: 0", "schedule: constant", "learning_rate: 100", "weight_decay: 10", "steps: 40"});
    EXPECT_EQ(trainerRun(on, {"--no-stop-on-nan"}).status, 6);
    EXPECT_EQ(metricsOf(on).back().step, 40);
}

TEST(Program, WithALossThatIsNotFiniteAndProcessesEndsWithStatus6)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r", {"warmup_steps: 0", "schedule: constant", "learning_rate: 100",
                                                       "weight_decay: 10", "steps: 40", "gpus: 2", "parallel: ddp"});
    EXPECT_EQ(trainerRun(run, {"-n", "2", "--max-restarts", "2"}).status, 6);
    EXPECT_EQ(kindsOf(run), "started alert fault");
    EXPECT_EQ(eventsOf(run).back().reason, kDiverged);
}

class StoppedBySignal : public ::testing::TestWithParam<std::pair<int, int>> {};

TEST_P(StoppedBySignal, FinishesItsStepAndWritesACheckpoint)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r", {"steps: 1000000"});
    RunningProgram program({SLIPWAY_TRAIN, "run", run.directory.string(), "--threads", "1"});
    ASSERT_TRUE(program.waitForLine("step 1/"));
    program.signal(GetParam().first);
    EXPECT_EQ(program.wait(), GetParam().second);
    EXPECT_EQ(kindsOf(run), "started stopping checkpoint");
    const std::int64_t last = metricsOf(run).back().step;
    EXPECT_EQ(eventsOf(run).back().step, last);

    rewriteConfig(run, {"steps: " + std::to_string(last + 2)});
    EXPECT_EQ(trainerRun(run, {"--resume"}).status, 0);
    EXPECT_EQ(metricsOf(run).back().step, last + 2);
    EXPECT_EQ(metricsOf(run)[static_cast<std::size_t>(last)].step, last + 1);
}

INSTANTIATE_TEST_SUITE_P(, StoppedBySignal,
    ::testing::Values(std::pair(SIGTERM, 143), std::pair(SIGINT, 130), std::pair(SIGUSR1, 143)),
    [](const auto &test) { return std::string("Signal") + std::to_string(test.param.first); });

TEST(Program, KilledLeavesARunThatResumes)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r", {"steps: 1000000", "checkpoint_every: 1"});
    {
        RunningProgram program({SLIPWAY_TRAIN, "run", run.directory.string(), "--threads", "1"});
        ASSERT_TRUE(program.waitForLine("checkpoint step-00000003"));
        program.signal(SIGKILL);
        EXPECT_EQ(program.wait(), 128 + SIGKILL);
    }
    const std::string latest = readBytes(run.checkpoints() / "latest");
    rewriteConfig(run, {"steps: " + std::to_string(std::stoll(latest.substr(5)) + 3)});
    const Ended ended = trainerRun(run, {"--resume"});
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("resumed after step "));
}

TEST(Program, RefusesAnotherNumberOfRanksThanTheRunWasPlannedFor)
{
    const ScratchFolder folder;
    const RunPaths run = makeTinyRun(folder / "r", {"gpus: 2", "parallel: ddp"});
    const Ended ended = trainerRun(run, {"-n", "3"});
    EXPECT_EQ(ended.status, 2);
    EXPECT_THAT(ended.err, HasSubstr("-n: is 3, but gpus in run.yaml is 2 (accepted: 2, or --elastic)"));
    EXPECT_EQ(trainerRun(run, {"-n", "2"}).status, 0);
}

TEST(Program, ThatIsOneOfMoreProcessesThanRanksIsRefused)
{
    const ScratchFolder folder;
    const Ended ended = trainerRun(makeTinyRun(folder / "r"), {}, [] {
        ::setenv("RANK", "0", 1);
        ::setenv("WORLD_SIZE", "2", 1);
        ::setenv("MASTER_ADDR", "127.0.0.1", 1);
    });
    EXPECT_EQ(ended.status, 2);
    EXPECT_THAT(ended.err, HasSubstr("WORLD_SIZE: is 2, but gpus in run.yaml is 1 (accepted: 1, or --elastic)"));
}

} // namespace
} // namespace slipway
