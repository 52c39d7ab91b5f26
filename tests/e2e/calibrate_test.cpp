// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>
#include <fstream>

#include <gmock/gmock.h>

#include "base/file.h"
#include "e2e/programs.h"

namespace slipway::e2e {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Calibrate : public ProgramTest {
protected:
    // A log of a step that takes `factor` times what is predicted.
    std::string logOf(const std::string &config, double factor)
    {
        const double step = slipwayJson({"plan", config, "--json"})["speed"]["step_s"].get<double>() * factor;
        std::string text;
        for (int i = 0; i < 8; ++i)
            text += "step " + std::to_string(i) + " | loss: 4.2 | step time: " + std::to_string(step) +
                    " s | max_memory_allocated: 12.5 GiB\n";
        return file("train.log", text);
    }
    const std::string kRun = "model: 1B\ngpu: a100-sxm-80gb\nmicro_batch: 8\nframework: pytorch-eager\n";
};

TEST_F(Calibrate, KeepsWhatALogTellsAndAPlanTakesItByName)
{
    const std::string config = file("run.yaml", kRun);
    const nlohmann::json before = slipwayJson({"plan", config, "--json"});
    const nlohmann::json fitted =
        slipwayJson({"calibrate", "--log", logOf(config, 1.3), "--config", config, "--as", "mine", "--json"});
    EXPECT_TRUE(fs::exists(fitted["file"].get<std::string>()));
    EXPECT_GT(fitted["summary"]["tokens_per_s_per_gpu"]["before"], 0.25);
    EXPECT_LT(fitted["summary"]["tokens_per_s_per_gpu"]["after"], 0.01);

    const nlohmann::json after = slipwayJson({"plan", config, "--calibration", "mine", "--json"});
    EXPECT_NEAR(after["speed"]["step_s"].get<double>() / before["speed"]["step_s"].get<double>(), 1.3, 0.01);
    EXPECT_EQ(after["origin"]["speed"], "calibrated");
    EXPECT_EQ(after["config"]["calibration"], "mine");
    EXPECT_EQ(slipwayJson({"plan", config, "--calibration", "mine", "--gpu", "l4-24gb", "--json"})["origin"]["speed"],
        "datasheet")
        << "it says nothing of another card";
    const nlohmann::json points = slipwayJson({"sweep", config, "--calibration", "mine", "--grid",
        file("grid.yaml", "micro_batch: [8]\n"), "--json"})["points"];
    EXPECT_DOUBLE_EQ(points[0]["step_s"], after["speed"]["step_s"]);
}

TEST_F(Calibrate, WarnsWhereALogStatesAnotherBatchThanTheConfiguration)
{
    const std::string config = file("run.yaml", kRun);
    const std::string log = "tokens per iteration will be: 491,520\n" + readFile(logOf(config, 1.3)).value();
    const std::string path = file("batch.log", log);
    const auto piped =
        runChild({"sh", "-c", SLIPWAY_PROGRAM " calibrate --log - --config run.yaml --dry-run <batch.log"},
            std::chrono::minutes(5));
    ASSERT_TRUE(piped);
    for (const ChildResult &said : {slipway({"calibrate", "--log", path, "--config", config, "--dry-run"}), *piped})
        EXPECT_THAT(said.err, HasSubstr("the log says 491520 tokens per step, but the configuration has 8192"));
    const ChildResult same = slipway({"calibrate", "--log", logOf(config, 1.3), "--config", config, "--dry-run"});
    EXPECT_THAT(same.err, ::testing::Not(HasSubstr("the log says")));
}

TEST_F(Calibrate, SaysWhatTheRunsLookLikeAndFitsThatOnlyWhereAskedTo)
{
    std::vector<std::string> command{"calibrate", "--as", "mine", "--json"};
    for (const std::string sequences : {"1", "2", "4"}) {
        const std::string config = file("run" + sequences + ".yaml",
            "model: llama-3.2-1b\nlayers: 4\ngpu: a100-sxm-80gb\nprecision: bf16\nseq_len: "
            "4096\nframework: hf-trainer\nattention: flash\nmicro_batch: " +
                sequences + "\n");
        const nlohmann::json truth = slipwayJson({"plan", config, "--framework", "hf-trainer@4.30", "--json"});
        std::string text;
        for (int i = 0; i < 8; ++i)
            text += "step " + std::to_string(i) +
                    " | loss: 4.2 | step time: " + std::to_string(truth["speed"]["step_s"].get<double>() * 1.1) +
                    " s | max_memory_allocated: " +
                    std::to_string(truth["memory"]["peak_allocated_bytes"].get<double>() / (1 << 30)) + " GiB\n";
        command.insert(command.end(), {"--log", file("log" + sequences, text), "--config", config});
    }
    const nlohmann::json as = slipwayJson(command);
    ASSERT_EQ(as["software"].size(), 1U);
    EXPECT_EQ(as["software"][0]["framework"], "hf-trainer");
    EXPECT_EQ(as["software"][0]["candidates"][0]["framework"], "hf-trainer@4.30");
    EXPECT_EQ(as["software"][0]["clear"], true);
    EXPECT_GT(as["summary"]["peak_bytes"]["before"], 0.05) << "fitted as given";

    command.emplace_back("--choose");
    const nlohmann::json chosen = slipwayJson(command);
    EXPECT_LT(chosen["summary"]["peak_bytes"]["before"], 0.001);
    EXPECT_EQ(chosen["software"], as["software"]);
    command.erase(std::find(command.begin(), command.end(), "--json"));
    const std::string text = slipway(command).out;
    EXPECT_NE(text.find("best explained by hf-trainer@4.30"), std::string::npos) << text;
    EXPECT_NE(text.find("Plan with it: --framework hf-trainer@4.30"), std::string::npos) << text;
}

TEST_F(Calibrate, SaysWhichOneItReplaces)
{
    const std::string config = file("run.yaml", kRun);
    const auto kept = [&] {
        return slipway({"calibrate", "--log", logOf(config, 1.3), "--config", config, "--as", "mine"}).out;
    };
    EXPECT_EQ(kept().find("in place of"), std::string::npos);
    EXPECT_NE(kept().find("mine.yaml, replacing the one of 20"), std::string::npos);
}

TEST_F(Calibrate, RemovesWhatWasKept)
{
    const std::string config = file("run.yaml", kRun);
    slipwayJson({"calibrate", "--log", logOf(config, 1.3), "--config", config, "--as", "mine", "--json"});
    expectRefused(slipway({"calibrate", "--remove", "mime"}), 2,
        {"--remove", "unknown calibration 'mime'", "did you mean mine?"});
    expectRefused(slipway({"calibrate", "--remove", "../mine"}), 2, {"--remove", "../mine"});
    EXPECT_EQ(slipway({"calibrate", "--remove", "mine"}).exitStatus, 0);
    expectRefused(slipway({"plan", config, "--calibration", "mine"}), 2, {"there are no calibrations yet"});
    expectRefused(slipway({"calibrate", "--remove", "mine"}), 2, {"none; you have not saved any"});
}

TEST_F(Calibrate, RefusesDataToFitBesideTheNameToRemove)
{
    for (const char *data : {"table.csv", "--log=train.log"})
        expectRefused(
            slipway({"calibrate", data, "--remove", "mine"}), 2, {"--remove", "cannot be combined with data to fit"});
}

TEST_F(Calibrate, ShowsWithoutKeepingWhereAskedTo)
{
    const std::string config = file("run.yaml", kRun);
    const std::string log = logOf(config, 1.2);
    const ChildResult shown = slipway({"calibrate", "--log", log, "--config", config, "--dry-run"});
    EXPECT_EQ(shown.exitStatus, 0) << shown.err;
    EXPECT_NE(shown.out.find("Mean error of tokens/s over 1 row"), std::string::npos) << shown.out;
    EXPECT_FALSE(fs::exists(folder() / "data/slipway/calibrations"));
    expectRefused(slipway({"plan", "--calibration", "mine"}), 2, {"--calibration", "no calibrations yet"});
}

TEST_F(Calibrate, SaysNoWhereTheDataDoNotSupportAConstant)
{
    const std::string config = file("run.yaml", kRun);
    expectRefused(
        slipway({"calibrate", "--log", logOf(config, 1.2), "--config", config, "--fit", "gemm,memory_bandwidth"}), 1,
        {"--fit memory_bandwidth", "one run supports only one constant"});
    expectRefused(slipway({"calibrate", "--log", logOf(config, 1.2), "--config", config, "--fit", "network"}), 1,
        {"--fit network", "has no effect on the step time of these runs"});
    EXPECT_FALSE(fs::exists(folder() / "data/slipway/calibrations"));
}

TEST_F(Calibrate, RefusesWhatItCannotRead)
{
    const std::string config = file("run.yaml", kRun);
    expectRefused(slipway({"calibrate"}), 2, {"a run", "--log"});
    expectRefused(slipway({"calibrate", "no-such-run"}), 2, {"no-such-run"});
    expectRefused(slipway({"calibrate", file("table.csv", "a,b\n1,2\n")}), 2,
        {"table.csv:1", "columns are missing", "pass a training log with --log"});
    expectRefused(slipway({"calibrate", "--log", "none.log"}), 2, {"none.log"});
    expectRefused(
        slipway({"calibrate", "--log", file("empty.log", "loss 3.2\nloss nan\n")}), 2, {"empty.log", "tok/sec"});
    expectRefused(slipway({"calibrate", "--log", folder().string()}), 2, {"is a folder"});
    expectRefused(
        slipway({"calibrate", "--log", logOf(config, 1.2), "--config", config, "--as", "../x"}), 2, {"--as", "../x"});
    expectRefused(
        slipway({"calibrate", "--log", logOf(config, 1.2), "--config", config, "--fit", "gem"}), 2, {"--fit", "gemm"});
    expectRefused(slipway({"calibrate", "--log", logOf(config, 0.1), "--config", config}), 2, {"implies an MFU of"});
    expectRefused(slipway({"calibrate", "--log", logOf(config, 1.2), "--config", config, "--config", config}), 2,
        {"1 logs, but 2 configurations"});
}

TEST_F(Calibrate, NamesAUsersCalibrationThatIsDamaged)
{
    fs::create_directories(folder() / "data/slipway/calibrations");
    std::ofstream(folder() / "data/slipway/calibrations/mine.yaml")
        << "id: mine\nas_of: 2026-01-02\ndevices:\n- gpu: a\n  framework: b\n  gemm: -1\n";
    expectRefused(slipway({"plan"}), 2, {"mine.yaml:4", "'gemm' is -1"});
}

} // namespace
} // namespace slipway::e2e
