// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A run on real text beside the same model in PyTorch: the same first weights, samples and settings.
#include <gmock/gmock.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "child.h"
#include "data/token_file.h"
#include "python.h"
#include "scratch_folder.h"
#include "tiny_run.h"

namespace slipway {
namespace {

using namespace testing;

constexpr int kVocab = 2048, kSeq = 128, kRows = 4, kSteps = 300;

// Python's own library: real text that every Python brings along. Each file is a document.
void collectText(const std::string &python, const std::filesystem::path &folder)
{
    const Ended lib =
        runProgram({"/usr/bin/env", python, "-c", "import os; print(os.path.dirname(os.__file__), end='')"});
    ASSERT_EQ(lib.status, 0);
    std::vector<std::filesystem::path> files;
    for (const auto &entry : std::filesystem::directory_iterator(lib.out)) {
        if (entry.path().extension() == ".py" && entry.file_size() > 4000)
            files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    ASSERT_GT(files.size(), 50);
    std::filesystem::create_directories(folder);
    for (const std::filesystem::path &file : files)
        std::filesystem::copy_file(file, folder / file.filename());
}

TEST(Yardstick, OnRealTextTheLossIsThatOfPyTorchOnTheSameTokens)
{
    const std::string python = pythonWithTransformers();
    if (python.empty())
        GTEST_SKIP() << kNoTransformers;
    const ScratchFolder folder;
    const std::string hf = folder / "hf", data = folder / "data", script = SLIPWAY_YARDSTICK;
    const RunPaths run{.directory = folder / "r"};
    collectText(python, folder / "text");
    ASSERT_EQ(
        runProgram({SLIPWAY_TRAIN, "tokenize", folder / "text", "--out", data, "--vocab-size", std::to_string(kVocab)})
            .status,
        0);
    ASSERT_EQ(runProgram({"/usr/bin/env", python, script, "init", hf, std::to_string(kVocab)}).status, 0);
    std::filesystem::create_directories(run.directory);
    writeBytes(run.config(),
        fmt::format("model: {}/config.json\ngpu: cpu\ngpus: 1\ndevice: cpu\nprecision: fp32\nmicro_batch: {}\nseq_len: "
                    "{}\ngrad_accum: 1\ndata: {}/tokens.bin\neval_data: {}/eval.bin\n"
                    "tokenizer: {}/tokenizer.model\nsteps: {}\nlearning_rate: 2e-3\nmin_learning_rate: "
                    "2e-4\nwarmup_steps: 30\nschedule: cosine\nweight_decay: 0.1\nbeta1: 0.9\n"
                    "beta2: 0.95\ngrad_clip: 1.0\nseed: 5\neval_every: {}\n",
            hf, kRows, kSeq, data, data, data, kSteps, kSteps));
    ASSERT_EQ(runProgram({SLIPWAY_TRAIN, "import-hf", hf, "--out", run.directory.string()}).status, 0);
    const Ended ours = runProgram({SLIPWAY_TRAIN, "run", run.directory.string(), "--resume", "--threads", "1"});
    ASSERT_EQ(ours.status, 0) << ours.err;

    const Result<TokenFile> heldOut = TokenFile::open(data + "/eval.bin", kVocab);
    ASSERT_TRUE(heldOut);
    const std::int64_t passes = std::clamp<std::int64_t>((heldOut->size() - 1) / kSeq / kRows, 1, 8);
    const Ended theirs = runProgram(
        {"/usr/bin/env", python, script, "train", hf, run.directory.string(), std::to_string(passes * kRows)});
    ASSERT_EQ(theirs.status, 0) << theirs.err;
    const auto json = nlohmann::json::parse(theirs.out);
    const std::vector<StepMetrics> metrics = metricsOf(run);
    ASSERT_EQ(metrics.size(), kSteps);
    double largest = 0;
    for (std::size_t i = 0; i < metrics.size(); ++i)
        largest = std::max(largest, std::abs(metrics[i].loss / json["losses"][i].get<double>() - 1));
    const double first = metrics.front().loss / json["losses"][0].get<double>(),
                 held = *metrics.back().evalLoss / json["eval_loss"].get<double>();
    fmt::print("loss {:.4f} to {:.4f}, of PyTorch {:.4f}; on held-out text {:.4f}, of PyTorch {:.4f} ({:+.4f} %); "
               "steps differ by {:.4f} % at most\n",
        metrics.front().loss, metrics.back().loss, json["losses"].back().get<double>(), *metrics.back().evalLoss,
        json["eval_loss"].get<double>(), 100 * (held - 1), 100 * largest);
    EXPECT_NEAR(first, 1.0, 1e-6);
    EXPECT_LT(metrics.back().loss, 0.7 * metrics.front().loss) << "it learned";
    EXPECT_NEAR(held, 1.0, 0.005);
    EXPECT_LT(largest, 0.005);
}

} // namespace
} // namespace slipway
