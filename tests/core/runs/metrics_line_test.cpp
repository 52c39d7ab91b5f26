// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/metrics_line.h"

#include <bit>
#include <cmath>
#include <random>

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
    metrics.gpus = {{.utilisation = 97, .powerWatts = 390.5}, {.temperatureC = 61, .used = kGiB},
        {.clockMhz = 1410, .clockMaxMhz = 1980, .throttleReasons = 0x24}};
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
    for (const char *line :
        {"", "{", "{}", R"({"step":1})", R"({"loss":1})", R"({"step":1,"loss":"nan"})", R"({"step":1,"loss":nan})",
            R"({"step":1.5,"loss":1})", R"({"step":1,"loss":1,"mfu":null})", R"({"step":1,"loss":1,"new":1})",
            R"({"v":2,"step":1,"loss":1})", R"({"step":1,"loss":1,"time":"a\nb"})", R"({"step":1,"loss":1} x)",
            R"({"step":1,"loss":1)", R"({"step":99999999999999999999,"loss":1})", R"([1])"})
        EXPECT_FALSE(readPlainMetrics(line, read)) << line;
}

TEST(MetricsLine, TakesNullForALossThatIsNoNumber)
{
    const Result<StepMetrics> read = stepMetricsFromJson(R"({"v":1,"step":7,"loss":null,"grad_norm":null,"mfu":null})");
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_TRUE(std::isnan(read->loss));
    EXPECT_TRUE(std::isnan(read->gradNorm));
    EXPECT_FALSE(read->mfu);
}

// What the fast reader takes, the other one takes for the same.
void expectAgreement(const std::string &line)
{
    StepMetrics plain;
    if (!readPlainMetrics(line, plain))
        return;
    const Result<StepMetrics> any = readAnyMetrics(line);
    ASSERT_TRUE(any) << line << "\n" << any.error().message();
    EXPECT_EQ(plain, *any) << line;
}

std::string fullLine()
{
    StepMetrics metrics = exampleStep(12, 3);
    metrics.evalLoss = -0.25;
    metrics.mfu = 0.41234567890123;
    metrics.allocatedPeak = 85'899'345'920;
    metrics.dataWait = 1.5e-9;
    metrics.forward = 0.1;
    metrics.optimizer = 1e22;
    metrics.expertShares = {0.25, 0.12346, 0.6};
    metrics.gpus = {{.utilisation = 97, .powerWatts = 390.5, .temperatureC = 61, .used = kGiB}, {}};
    return toJsonLine(metrics);
}

TEST(MetricsLine, BothReadersAgreeOnHostileLines)
{
    for (const char *line : {R"({"step":01,"loss":1})", R"({"step":1,"loss":1.})", R"({"step":1,"loss":-.5})",
             R"({"step":1,"loss":1.e5})", R"({"step":1,"loss":1e999})", R"({"step":1,"loss":1e-999})",
             R"({"step":-0,"loss":-0})", R"({"step":1,"loss":1,"loss":2})", R"({"step":1,"step":2,"loss":1})",
             R"({"step":1,"loss":+1})", R"({"step":1,"loss":1,"phases":{"forward":1},"phases":{"backward":2}})",
             R"({"step":1,"loss":1,"gpus":[{"util":1}],"gpus":[{"util":2},{}]})",
             R"({"step":1,"loss":123456789012345678901234567890})", R"({"step":9223372036854775807,"loss":1})",
             R"({"step":9223372036854775808,"loss":1})",
             R"({"step":1,"loss":0.1000000000000000055511151231257827021181583404541015625})",
             R"({"step":1,"loss":1,"time":"Zeit ü"})", "{\"step\":1,\"loss\":1,\"time\":\"\xff\"}",
             "{\"step\":1,\"loss\":1,\"time\":\"a\x01\"}", R"({"step":1,"loss":1,"time":"\u00fc"})",
             R"({"step":1,"loss":1,})", R"({"step":1,"loss":1,"gpus":[{},]})",
             R"({"step":1,"loss":1,"gpus":[{}],"gpus":[]})",
             R"({"step":1,"loss":1,"experts":{"shares":[0.5,0.5],"max_over_mean":1}})",
             R"({"step":1,"loss":1,"experts":{"shares":[],"max_over_mean":1}})",
             R"({"step":1,"loss":1,"experts":{"shares":[1],"max_over_mean":1,"x":2}})",
             R"({"step":1,"loss":1,"experts":{"shares":[1],"max_over_mean":1},"experts":{"shares":[2]}})",
             R"({"step":1,"loss":1,"experts":{"shares":["1"]}})", R"({"step":1,"loss":1,"experts":[1]})",
             R"({"step":1,"loss":1,"evals":{"wiki":1},"eval_weights":"ema"})", R"({"step":1,"loss":1,"evals":[1]})",
             R"({"step":1,"loss":1,"attempt":4294967297})", R"({"step":1,"loss":1,"attempt":-1})",
             R"({"step":1,"loss":1,"attempt":2147483647})", R"({"st\u0065p":1,"loss":1})"})
        expectAgreement(line);
}

// Of any length and with the point anywhere: those that are short are read another way than the long ones.
TEST(MetricsLine, BothReadersAgreeOnNumbersToTheLastBit)
{
    std::mt19937 random(7);
    for (int i = 0; i < 20'000; ++i) {
        std::string digits(1 + random() % 24, '0');
        for (char &digit : digits)
            digit = static_cast<char>('0' + random() % 10);
        if (digits[0] == '0') // a whole -0 is 0 to the one and -0 to the other
            digits[0] = '1';
        std::string number = (i % 3 == 0 ? "-" : "") + digits;
        if (i % 7 != 0)
            number.insert(number.size() - random() % digits.size(), i % 11 == 0 ? "" : ".");
        if (number.back() == '.')
            number += '5';
        if (i % 5 == 0)
            number += "e-" + std::to_string(random() % 30);
        const std::string line = R"({"step":1,"tokens":)" + digits.substr(0, 19) + R"(,"loss":)" + number + "}";
        StepMetrics plain;
        const Result<StepMetrics> any = readAnyMetrics(line);
        if (readPlainMetrics(line, plain)) {
            ASSERT_TRUE(any) << line;
            ASSERT_EQ(std::bit_cast<std::uint64_t>(plain.loss), std::bit_cast<std::uint64_t>(any->loss)) << line;
            ASSERT_EQ(plain, *any) << line;
        }
    }
}

TEST(MetricsLine, BothReadersAgreeWhereAnyByteOfALineIsAnother)
{
    const std::string line = fullLine();
    StepMetrics read;
    ASSERT_TRUE(readPlainMetrics(line, read));
    for (std::size_t at = 0; at < line.size(); ++at) {
        for (const char other :
            {'0', '7', '.', '-', '+', 'e', '"', '\\', ',', ':', '{', '}', '[', ']', ' ', '\t', 'n', '\0', '\xfc'}) {
            std::string changed = line;
            changed[at] = other;
            expectAgreement(changed);
            expectAgreement(line.substr(0, at) + other + line.substr(at));
        }
        expectAgreement(line.substr(0, at) + line.substr(at + 1));
    }
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
