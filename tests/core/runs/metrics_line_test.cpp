// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/metrics_line.h"

#include <cmath>

#include <gtest/gtest.h>

#include "run_examples.h"

namespace slipway {
namespace {

TEST(MetricsLine, ReadsWhatIsWrittenToTheLastDigit)
{
    StepMetrics metrics = exampleStep(123'456'789);
    metrics.loss = 0.1 + 0.2;
    metrics.evalLoss = 3.25;
    metrics.mfu = 0.41234567890123;
    metrics.allocatedPeak = 85'899'345'920;
    metrics.reservedPeak = 1;
    metrics.deviceUsed = 0;
    metrics.dataWait = 1e-9;
    metrics.forward = 0.1;
    metrics.communicationExposed = 0.2;
    metrics.gpus = {{.utilisation = 97, .powerWatts = 390.5}, {.temperatureC = 61, .used = kGiB}};
    StepMetrics read;
    ASSERT_TRUE(readPlainMetrics(toJsonLine(metrics), read));
    EXPECT_EQ(read, metrics);
}

TEST(MetricsLine, ReadsKeysInAnyOrderAndWithSpaces)
{
    StepMetrics read;
    ASSERT_TRUE(readPlainMetrics(R"( { "loss" : 2.5 , "phases" : { } , "step":7,"gpus":[ ] , "v": 1 } )", read));
    EXPECT_EQ(read.step, 7);
    EXPECT_EQ(read.loss, 2.5);
}

TEST(MetricsLine, LeavesTheUnusualToTheOtherReader)
{
    StepMetrics read;
    for (const char *line : {"", "{", "{}", R"({"step":1})", R"({"loss":1})", R"({"step":1,"loss":"nan"})", R"({"step":1,"loss":nan})", R"({"step":1.5,"loss":1})",
             R"({"step":1,"loss":1,"mfu":null})", R"({"step":1,"loss":1,"new":1})", R"({"v":2,"step":1,"loss":1})", R"({"step":1,"loss":1,"time":"a\nb"})",
             R"({"step":1,"loss":1} x)", R"({"step":1,"loss":1)", R"({"step":99999999999999999999,"loss":1})", R"([1])"})
        EXPECT_FALSE(readPlainMetrics(line, read)) << line;
}

TEST(MetricsLine, BothReadersAgreeOnEveryCutOfALine)
{
    const std::string line = toJsonLine(exampleStep(12));
    for (std::size_t length = 0; length < line.size(); ++length)
        EXPECT_FALSE(stepMetricsFromJson(std::string_view(line).substr(0, length))) << length;
    EXPECT_TRUE(stepMetricsFromJson(line));
}

} // namespace
} // namespace slipway
