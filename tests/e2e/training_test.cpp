// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The real trainer behind the real command line: a tiny model on the CPU.
#include <csignal>

#include "base/file.h"
#include "e2e/programs.h"
#include "runs/run_reader.h"
#include "support/wait_until.h"

namespace slipway::e2e {
namespace {

class Training : public ProgramTest {
protected:
    Training()
    {
        std::string text;
        for (int i = 0; i < 3000; ++i)
            text += "the slipway carries ship number " + std::to_string(i % 97) +
                    " to the water, and the water carries it away.\n";
        file("text.txt", text);
        const auto tokenized =
            runChild({SLIPWAY_TRAIN_PROGRAM, "tokenize", "text.txt", "--out", "tokens", "--vocab-size", "300"},
                std::chrono::minutes(2));
        EXPECT_TRUE(tokenized && tokenized->exitStatus == 0) << (tokenized ? tokenized->err : "");
    }
    ~Training() override
    {
        const RunPaths paths{folder() / "run"};
        if (!isTerminal(statusOf(paths).state))
            slipway({"stop", paths.directory.string()});
    }
    std::string config(int steps)
    {
        return file("tiny.yaml", "name: tiny\nmodel: 100M\nlayers: 2\nhidden: 32\nheads: 2\nkv_heads: 2\nffn: "
                                 "80\nvocab: 300\ngpu: cpu\nprecision: fp32\ndevice: cpu\n"
                                 "micro_batch: 2\nseq_len: 32\ndata: tokens/tokens.bin\nlearning_rate: "
                                 "1e-2\nmin_learning_rate: 1e-3\nwarmup_steps: 5\nsteps: " +
                                     std::to_string(steps) + "\n");
    }
    // Until the metrics hold this text; false where the run ends before.
    bool waitForMetrics(const std::string &text)
    {
        const RunPaths paths{folder() / "run"};
        bool found = false;
        waitUntil(paths.directory, [&] {
            const auto metrics = readFile(paths.metrics());
            found = metrics && metrics->find(text) != std::string::npos;
            return found || isTerminal(statusOf(paths).state);
        });
        return found;
    }
    RunData run() { return readRun(folder() / "run").value(); }
};

TEST_F(Training, ARunLearnsAndItsDirectoryHoldsTheContract)
{
    const ChildResult launched = slipway({"launch", config(60), "--run-dir", "run"});
    ASSERT_EQ(launched.exitStatus, 0) << launched.err << launched.out;
    const RunData data = run();
    EXPECT_EQ(data.state(), RunState::Succeeded);
    ASSERT_EQ(data.metrics.size(), 60U);
    EXPECT_EQ(data.problemCount, 0);
    EXPECT_LT(data.metrics.back().loss, 0.8 * data.metrics.front().loss);
    ASSERT_TRUE(data.prediction);
    ASSERT_TRUE(data.metrics.back().allocatedPeak);
    EXPECT_EQ(*data.metrics.back().allocatedPeak, data.prediction->memory.peakAllocated); // the plan is what was run
    EXPECT_EQ(slipway({"report", "run", "--csv", "run.csv"}).exitStatus, 0);
}

TEST_F(Training, AProbeIsAShortRunWhoseSpeedIsFitted)
{
    const std::string planned = config(5000);
    const nlohmann::json shown = slipwayJson({"launch", planned, "--probe", "--dry-run", "--json"});
    EXPECT_EQ(shown["prediction"]["config"]["steps"], 10);
    ASSERT_GT(shown["probe"]["probes"].size(), 2U);
    EXPECT_LT(shown["probe"]["probes"][0]["relative_deviation"], shown["probe"]["relative_deviation"]);

    const ChildResult probed = slipway({"launch", planned, "--probe", "--run-dir", "run"});
    EXPECT_NE(probed.out.find("Probe: 10 steps "), std::string::npos) << probed.out;
    const RunData made = run();
    EXPECT_EQ(made.state(), RunState::Succeeded) << probed.err;
    EXPECT_EQ(made.metrics.size(), 10U);
    ASSERT_TRUE(made.config);
    EXPECT_EQ(made.config->training.tags, std::vector<std::string>{"probe"});
    EXPECT_NE(probed.out.find("\ntiny-probe "), std::string::npos) << "a row of what was fitted\n" << probed.out;
    // Other work on this machine may make a step so slow that no constant of the CPU explains it.
    const bool kept = std::filesystem::exists(folder() / "data/slipway/calibrations/probe-cpu.yaml");
    EXPECT_EQ(probed.exitStatus, kept ? 0 : 1) << probed.err;
    EXPECT_EQ(kept, probed.err.find("no constant was fitted") == std::string::npos) << probed.err;
    if (kept) {
        EXPECT_EQ(
            slipwayJson({"plan", planned, "--calibration", "probe-cpu", "--json"})["origin"]["speed"], "calibrated");
    }

    const nlohmann::json next = slipwayJson({"launch", planned, "--probe", "--dry-run", "--json"})["probe"];
    EXPECT_LT(next["relative_deviation"], shown["probe"]["relative_deviation"]) << "the first one counts";
    EXPECT_NE(next["probes"][0]["settings"], shown["probe"]["probes"][0]["settings"]);
}

TEST_F(Training, AProbeWaitsForOneRun)
{
    const std::string planned = config(60);
    expectRefused(slipway({"launch", planned, "--probe", "--detach"}), 2, {"--detach", "--probe"});
    expectRefused(slipway({"launch", planned, "--probe", "--grid", "grid.yaml"}), 2, {"--grid", "--probe"});
    expectRefused(slipway({"launch", planned, "--probe", "--json"}), 2, {"--json", "--dry-run"});
    expectRefused(slipway({"launch", planned, "--probe", "--", "true"}), 2, {"--probe", "slipway calibrate"});
    EXPECT_FALSE(std::filesystem::exists(folder() / "run"));
}

TEST_F(Training, AStoppedRunGoesOnWhereItStopped)
{
    ASSERT_EQ(slipway({"launch", config(3000), "--run-dir", "run", "--detach"}).exitStatus, 0);
    ASSERT_TRUE(waitForMetrics("\"step\":20,"));
    const ChildResult stopped = slipway({"stop", "run"});
    ASSERT_EQ(stopped.exitStatus, 0) << stopped.err;
    EXPECT_EQ(run().state(), RunState::Cancelled);
    const std::int64_t last = run().metrics.back().step;
    ASSERT_LT(last, 3000);
    ASSERT_EQ(slipway({"resume", "run", "--detach"}).exitStatus, 0);
    EXPECT_TRUE(waitForMetrics("\"attempt\":1,\"step\":" + std::to_string(last + 1) + ","));
}

TEST_F(Training, AKilledRunIsFailedAndItsTrainerIsGone)
{
    ASSERT_EQ(slipway({"launch", config(100'000), "--run-dir", "run", "--detach"}).exitStatus, 0);
    const RunPaths paths{folder() / "run"};
    ASSERT_TRUE(waitForMetrics("\"step\":1,"));
    const auto mark = readProcessIdentity(paths);
    ASSERT_TRUE(mark);
    ASSERT_EQ(::kill(static_cast<pid_t>(mark->processGroup), SIGKILL), 0);
    ASSERT_TRUE(waitUntil(paths.directory, [&] { return isTerminal(statusOf(paths).state); }));
    EXPECT_EQ(run().state(), RunState::Failed);
    EXPECT_EQ(slipway({"watch", "run"}).exitStatus, 1);
}

TEST_F(Training, ADamagedTokenFileEndsWithItsNameAndTheTrainersExitStatus)
{
    const std::string yaml = config(5);
    file("tokens/tokens.bin", "cut");
    const ChildResult launched = slipway({"launch", yaml, "--run-dir", "run"});
    EXPECT_EQ(launched.exitStatus, 1);
    EXPECT_NE(launched.err.find("tokens.bin"), std::string::npos) << launched.err;
    EXPECT_EQ(run().status.exitStatus, 5);
}

TEST_F(Training, MeasuredProductsOfThisMachineReachAPlan)
{
    const std::vector<std::string> shape{"--layers", "2", "--hidden", "128", "--heads", "2", "--ffn", "320", "--vocab",
        "512", "--micro-batch", "2", "--seq-len", "64", "--precision", "fp32", "--gpu", "cpu"};
    std::vector<std::string> bench{
        SLIPWAY_TRAIN_PROGRAM, "bench", "ops", "--steps", "2", "--warmup", "1", "--products", "products.csv"},
        plan{"plan", "--json"};
    bench.insert(bench.end(), shape.begin(), shape.end());
    plan.insert(plan.end(), shape.begin(), shape.end());
    const auto benched = runChild(bench, std::chrono::minutes(2));
    ASSERT_TRUE(benched && benched->exitStatus == 0) << (benched ? benched->err : "");
    const nlohmann::json kept = slipwayJson({"calibrate", "products.csv", "--as", "here", "--json"});
    EXPECT_GE(kept["products"][0]["errors"]["rows"], 5) << "the shapes of a layer and of the head differ";

    const double before = slipwayJson(plan)["speed"]["seconds"]["gemm"].get<double>();
    plan.insert(plan.end(), {"--calibration", "here"});
    const nlohmann::json after = slipwayJson(plan);
    EXPECT_EQ(after["origin"]["speed"], "calibrated");
    EXPECT_NE(after["speed"]["seconds"]["gemm"].get<double>(), before);
}

TEST(TrainersAnswers, ThatCannotBeWrittenAreAFaultOutside)
{
    const auto endOf = [](const std::string &rest) {
        return runChild({"sh", "-c", "\"$0\" devices " + rest + "; echo \"status $?\" >&2", SLIPWAY_TRAIN_PROGRAM},
            std::chrono::minutes(1))
            .value()
            .err;
    };
    EXPECT_EQ(
        endOf("> /dev/full"), "slipway-train: standard output cannot be written: No space left on device\nstatus 3\n");
    EXPECT_EQ(endOf("> /dev/null"), "status 0\n");
}

TEST(TrainCommandLine, AMisspeltFlagOrCommandNamesTheNearestOne)
{
    for (const auto &[arguments, nearest] : {std::pair{std::vector<std::string>{"tokenise"}, "tokenize"},
             {{"tokenize", "a.txt", "--vocab-siz", "3"}, "--vocab-size"}, {{"bench", "opz"}, "ops"}}) {
        std::vector<std::string> command{SLIPWAY_TRAIN_PROGRAM};
        command.insert(command.end(), arguments.begin(), arguments.end());
        const auto result = runChild(command, std::chrono::minutes(1));
        ASSERT_TRUE(result);
        EXPECT_EQ(result->exitStatus, 2);
        EXPECT_NE(result->err.find(std::string("did you mean ") + nearest + "?"), std::string::npos) << result->err;
    }
}

} // namespace
} // namespace slipway::e2e
