// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/run_directory.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/temporary_directory.h"

namespace slipway {
namespace {

StepMetrics fullMetrics()
{
    StepMetrics metrics;
    metrics.attempt = 2;
    metrics.step = 12;
    metrics.tokens = 49152;
    metrics.time = "2026-01-02T03:04:05.678Z";
    metrics.stepSeconds = 0.51;
    metrics.tokensPerSecond = 9.6e4;
    metrics.loss = 4.2000000000000011; // all 17 digits matter
    metrics.evalLoss = 4.5;
    metrics.evalLosses = {{"code", 4.0}, {"wiki", std::numeric_limits<double>::infinity()}};
    metrics.evalWeights = "ema";
    metrics.expertShares = {0.75, 0.25};
    metrics.learningRate = 1e-4;
    metrics.gradNorm = 0.9;
    metrics.mfu = 0.41;
    metrics.allocatedPeak = 123456789012;
    metrics.reservedPeak = 133456789012;
    metrics.deviceUsed = 143456789012;
    metrics.dataWait = 0.001;
    metrics.forward = 0.1;
    metrics.backward = 0.2;
    metrics.optimizer = 0.05;
    metrics.communicationExposed = 0.0;
    metrics.gpus = {GpuSample{.utilisation = 0.98,
                        .powerWatts = 650.5,
                        .temperatureC = 61.0,
                        .used = 80 * kGiB,
                        .clockMhz = 1410,
                        .clockMaxMhz = 1980,
                        .throttleReasons = 4},
        GpuSample{}};
    return metrics;
}

TEST(StepMetricsLine, ReadsBackEqual)
{
    const StepMetrics metrics = fullMetrics();
    const std::string line = toJsonLine(metrics);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const Result<StepMetrics> back = stepMetricsFromJson(line);
    ASSERT_TRUE(back) << back.error().message();
    EXPECT_EQ(*back, metrics);
}

TEST(StepMetricsLine, HasTheKeysOfTheContract)
{
    const std::string line = toJsonLine(fullMetrics());
    for (const char *key : {"\"v\":1", "\"attempt\":2", "\"step\":12", "\"tokens\":49152",
             "\"time\":\"2026-01-02T03:04:05.678Z\"", "\"step_s\":0.51", "\"tokens_per_s\":96000.0",
             "\"loss\":4.200000000000001", "\"lr\":", "\"grad_norm\":0.9", "\"mfu\":0.41",
             "\"allocated_peak\":123456789012", "\"reserved_peak\":", "\"device_used\":", "\"data_wait_s\":0.001",
             "\"evals\":{\"code\":4.0,\"wiki\":\"inf\"}", "\"eval_weights\":\"ema\"",
             "\"experts\":{\"shares\":[0.75,0.25],\"max_over_mean\":1.5}", "\"phases\":{\"forward\":0.1",
             "\"communication_exposed\":0.0",
             "\"gpus\":[{\"util\":0.98,\"power_w\":650.5,\"temp_c\":61.0,\"used\":85899345920,"
             "\"clock_mhz\":1410.0,\"clock_max_mhz\":1980.0,\"throttle_reasons\":4},{}]"})
        EXPECT_NE(line.find(key), std::string::npos) << key << " in " << line;
}

TEST(StepMetricsLine, LeavesOutWhatWasNotMeasured)
{
    StepMetrics metrics;
    metrics.step = 1;
    const std::string line = toJsonLine(metrics);
    for (const char *key :
        {"mfu", "eval_loss", "evals", "eval_weights", "experts", "allocated_peak", "phases", "gpus", "data_wait_s"})
        EXPECT_EQ(line.find(key), std::string::npos) << key << " in " << line;
    EXPECT_EQ(*stepMetricsFromJson(line), metrics);
}

TEST(StepMetricsLine, TellsOfABoundedNumberOfSetsAndExperts)
{
    std::string sets, shares;
    for (int i = 0; i < 1000; ++i) {
        sets += (i > 0 ? ",\"" : "\"") + std::to_string(i) + "\":1";
        shares += i > 0 ? ",0.001" : "0.001";
    }
    const Result<StepMetrics> read = stepMetricsFromJson(
        R"({"step":1,"loss":1,"evals":{)" + sets + R"(},"experts":{"shares":[)" + shares + R"(],"max_over_mean":1}})");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->evalLosses.size(), kMostEvalSets);
    EXPECT_EQ(read->expertShares.size(), kMostExperts);
    StepMetrics many;
    many.step = 1;
    many.expertShares.assign(5000, 0.0002);
    EXPECT_EQ(stepMetricsFromJson(toJsonLine(many))->expertShares.size(), kMostExperts);
}

TEST(StepMetricsLine, KeepsLossesThatAreNotFinite)
{
    StepMetrics metrics;
    metrics.step = 3;
    metrics.loss = std::numeric_limits<double>::quiet_NaN();
    metrics.gradNorm = std::numeric_limits<double>::infinity();
    metrics.learningRate = -std::numeric_limits<double>::infinity();
    const std::string line = toJsonLine(metrics);
    EXPECT_NE(line.find("\"loss\":\"nan\""), std::string::npos) << line;
    const Result<StepMetrics> back = stepMetricsFromJson(line);
    ASSERT_TRUE(back);
    EXPECT_TRUE(std::isnan(back->loss));
    EXPECT_EQ(back->gradNorm, metrics.gradNorm);
    EXPECT_EQ(back->learningRate, metrics.learningRate);
}

TEST(StepMetricsLine, IgnoresKeysOfLaterVersionsOfTheFormat)
{
    const Result<StepMetrics> back = stepMetricsFromJson(R"({"v":1,"step":4,"loss":2.5,"something_new":{"a":[1]}})");
    ASSERT_TRUE(back);
    EXPECT_EQ(back->step, 4);
}

TEST(StepMetricsLine, RefusesWhatItCannotRead)
{
    for (const char *line : {"", "{", "[]", "7", R"({"v":1,"step":4,"lo)", R"({"v":2,"step":4,"loss":1})",
             R"({"v":1,"loss":1})", R"({"v":1,"step":"four","loss":1})", R"({"v":1,"step":4.5,"loss":1})",
             R"({"v":1,"step":4,"loss":"high"})", R"({"v":1,"step":18446744073709551615,"loss":1})",
             R"({"v":1,"step":4,"loss":1,"attempt":9999999999})", R"({"v":1,"step":4,"loss":1,"time":5})"})
        EXPECT_FALSE(stepMetricsFromJson(line)) << line;
}

TEST(StepMetricsLine, IsReadOrRefusedWhereverItIsCut)
{
    const std::string line = toJsonLine(fullMetrics());
    for (std::size_t length = 0; length < line.size(); ++length)
        EXPECT_FALSE(stepMetricsFromJson(line.substr(0, length))) << length;
}

TEST(StepMetricsLine, SurvivesEveryChangedByte)
{
    const std::string line = toJsonLine(fullMetrics());
    for (std::size_t at = 0; at < line.size(); ++at) {
        for (const char byte : {'\0', '"', '{', '9', '-', 'e', '\xff'}) {
            std::string damaged = line;
            damaged[at] = byte;
            if (const Result<StepMetrics> read = stepMetricsFromJson(damaged)) {
                EXPECT_TRUE(stepMetricsFromJson(toJsonLine(*read))); // what is taken can be written again
            }
        }
    }
}

TEST(RunEventLine, RefusesAnAttemptThatHasNoNextOneAsMetricsDo)
{
    const auto metrics = [](const std::string &attempt) {
        return stepMetricsFromJson(R"({"step":1,"loss":1,"attempt":)" + attempt + "}");
    };
    const auto event = [](const std::string &attempt) {
        return runEventFromJson(R"({"kind":"started","attempt":)" + attempt + "}");
    };
    for (const char *attempt : {"-1", "1000001", "2147483647", "2147483648"}) {
        EXPECT_FALSE(metrics(attempt)) << attempt;
        EXPECT_FALSE(event(attempt)) << attempt;
    }
    EXPECT_EQ(metrics("1000000").value().attempt, 1'000'000);
    EXPECT_EQ(event("1000000").value().attempt, 1'000'000);
}

TEST(RunEventLine, ReadsBackEqualWithQuotesAndNewlines)
{
    const RunEvent event{.time = "2026-01-02T03:04:05.678Z",
        .attempt = 1,
        .kind = "fault",
        .message = "said \"no\"\nand \t\\ went: größer",
        .step = 7};
    const std::string line = toJsonLine(event);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_EQ(*runEventFromJson(line), event);
}

TEST(RunEventLine, SurvivesBytesThatAreNoText)
{
    const RunEvent event{.kind = "fault", .message = "bad \xff\xfe byte"};
    const Result<RunEvent> back = runEventFromJson(toJsonLine(event));
    ASSERT_TRUE(back);
    EXPECT_EQ(back->kind, "fault");
}

TEST(Iso8601, HasMillisecondsAndIsUtc)
{
    using namespace std::chrono;
    EXPECT_EQ(toIso8601(sys_days{2026y / 1 / 2} + 3h + 4min + 5s + 678ms), "2026-01-02T03:04:05.678Z");
    EXPECT_EQ(toIso8601(sys_days{1970y / 1 / 1} - 1ms), "1969-12-31T23:59:59.999Z");
    EXPECT_EQ(toIso8601(sys_days{2000y / 2 / 29}), "2000-02-29T00:00:00.000Z");
}

TEST(RunConfigFile, IsPrivateAndReadWithPathsFromTheFolderOfTheRun)
{
    const TemporaryDirectory folder;
    const RunPaths run{folder.path()};
    RunConfig config;
    config.training.data = {{.path = "tokens.bin"}};
    config.training.steps = 5;
    const mode_t usual = ::umask(0);
    ASSERT_TRUE(writeRunConfig(run, config));
    ::umask(usual);
    EXPECT_EQ(static_cast<unsigned>(std::filesystem::status(run.config()).permissions()), 0600U);
    const Result<RunConfig> read = readRunConfig(run);
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(read->training.steps, 5);
    EXPECT_EQ(read->training.data.at(0).path, (folder.path() / "tokens.bin").string());
    std::filesystem::rename(run.config(), folder.path() / "other.yaml");
    std::filesystem::create_symlink("other.yaml", run.config());
    EXPECT_FALSE(readRunConfig(run));
}

} // namespace
} // namespace slipway
