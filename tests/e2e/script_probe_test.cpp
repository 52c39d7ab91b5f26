// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Probes of another training script: a shell script that prints steps as PyTorch loops do.
#include <algorithm>

#include "e2e/programs.h"
#include "runs/run_reader.h"

namespace slipway::e2e {
namespace {

class ScriptProbe : public ProgramTest {
protected:
    // `milliseconds`: what the script prints for a step of one sequence.
    void script(double milliseconds)
    {
        file("train.sh", "steps=1000000 batch=0 every=10 ms=" + std::to_string(milliseconds) + R"script(
while [ $# -gt 0 ]; do
    case $1 in
    --max_steps) steps=$2 ;;
    --batch_size) batch=$2 ;;
    --log_interval) every=$2 ;;
    esac
    shift
done
step=1
while [ "$step" -le "$steps" ]; do
    [ $((step % every)) -ne 0 ] || echo "step $step: loss 2.5, time $(awk "BEGIN { print $batch * $ms }")ms"
    step=$((step + 1))
done
)script");
    }
    static std::vector<std::string> launch(
        const std::vector<std::string> &flags, const std::vector<std::string> &command)
    {
        std::vector<std::string> arguments{"launch", "--probe", "--name", "loop", "--framework", "pytorch", "--model",
            "100M", "--layers", "2", "--hidden", "32", "--heads", "2", "--kv-heads", "2", "--ffn", "80", "--vocab",
            "300", "--gpu", "cpu", "--precision", "fp32", "--seq-len", "32"};
        arguments.insert(arguments.end(), flags.begin(), flags.end());
        arguments.emplace_back("--");
        arguments.insert(arguments.end(), command.begin(), command.end());
        return arguments;
    }
};

const std::vector<std::string> kCommand{
    "sh", "train.sh", "--max_steps", "100000", "--batch_size", "8", "--log_interval", "10"};

TEST_F(ScriptProbe, RunsTheShownCommandAndItsSpeedIsFitted)
{
    script(1);
    const ChildResult shown = slipway(launch({"--dry-run", "--json"}, kCommand));
    ASSERT_EQ(shown.exitStatus, 0) << shown.err;
    const nlohmann::json plan = nlohmann::json::parse(shown.out);
    const nlohmann::json &probe = plan["probe"];
    const std::vector<std::string> command = probe["command"];
    ASSERT_EQ(command.size(), kCommand.size()) << probe.dump(1);
    EXPECT_EQ(command[3], "10");
    EXPECT_EQ(command[7], "1");
    EXPECT_EQ(plan["prediction"]["config"]["micro_batch"].dump(), command[5]);
    const auto steps = std::find_if(
        probe["changes"].begin(), probe["changes"].end(), [](const auto &one) { return one["set"] == "steps"; });
    ASSERT_NE(steps, probe["changes"].end());
    EXPECT_EQ(
        *steps, (nlohmann::json{{"set", "steps"}, {"argument", "--max_steps"}, {"before", "100000"}, {"after", "10"}}));
    const std::vector<std::string> run = plan["command"];
    ASSERT_GE(run.size(), command.size());
    EXPECT_TRUE(std::equal(command.rbegin(), command.rend(), run.rbegin())) << "what is shown is what runs";

    // Somewhat slower than predicted, so that constants explain it.
    script(1500 * plan["prediction"]["speed"]["step_s"].get<double>() / std::stod(command[5]));
    const ChildResult probed = slipway(launch({"--run-dir", "run"}, kCommand));
    EXPECT_EQ(probed.exitStatus, 0) << probed.err << probed.out;
    EXPECT_NE(probed.out.find("10 instead of 100000"), std::string::npos) << probed.out;
    EXPECT_NE(probed.out.find("\nloop-probe "), std::string::npos) << "a row of what was fitted\n" << probed.out;
    const RunData made = readRun(folder() / "run").value();
    EXPECT_EQ(made.state(), RunState::Succeeded);
    EXPECT_EQ(made.metrics.size(), 10U);
    ASSERT_TRUE(made.config);
    EXPECT_EQ(made.config->training.command, command);
    EXPECT_TRUE(std::filesystem::exists(folder() / "data/slipway/calibrations/probe-cpu.yaml"));
}

TEST_F(ScriptProbe, LeavesOutWhatItCannotRewriteAndSaysHowToChangeIt)
{
    script(1);
    const std::vector<std::string> command{"sh", "train.sh", "--max_steps", "100000", "--log_interval", "1"};
    const ChildResult first = slipway(launch({"--micro-batch", "8"}, command));
    EXPECT_NE(first.out.find("Probe: 10 steps as planned"), std::string::npos) << first.out;
    // What has been measured is proposed last, and nothing before it can be rewritten.
    const ChildResult second = slipway(launch({"--micro-batch", "8", "--dry-run"}, command));
    ASSERT_EQ(second.exitStatus, 0) << second.err;
    EXPECT_NE(second.out.find("Probe: 10 steps as planned"), std::string::npos) << second.out;
    EXPECT_NE(second.out.find("Not launched with micro_batch 16: "), std::string::npos) << second.out;
    EXPECT_NE(second.out.find("micro_batch 16 in train.sh, changed by hand"), std::string::npos) << second.out;
}

TEST_F(ScriptProbe, IsRefusedIfTheStepsCannotBeLimited)
{
    script(1);
    expectRefused(slipway(launch({"--run-dir", "run"}, {"sh", "train.sh", "--batch_size", "8"})), 2,
        {"--probe", "steps 10 in train.sh", "slipway calibrate"});
    expectRefused(slipway(launch({"--run-dir", "run"}, {"sh train.sh --batch_size 8 --max_steps 100 | tee log"})), 2,
        {"--probe", "a line for a shell"});
    expectRefused(slipway(launch({"--run-dir", "run"}, {"sh", "train.sh", "--max_steps", "100"})), 2,
        {"--micro-batch", "needs a prediction"});
    EXPECT_FALSE(std::filesystem::exists(folder() / "run"));
}

} // namespace
} // namespace slipway::e2e
