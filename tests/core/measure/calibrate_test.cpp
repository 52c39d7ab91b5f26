// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Runs made by the predictor itself with a constant changed: the fit must give that constant back, and no other.
#include "measure/calibrate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "calibration_fixture.h"
#include "speed/kernel_time.h"

namespace slipway {
namespace {

class OneConstant : public ::testing::TestWithParam<std::pair<Constant, double>> {};

TEST_P(OneConstant, comesBackWithinAHundredthAndAlone)
{
    const auto [constant, value] = GetParam();
    const CalibrationOutcome outcome = outcomeOf(runsOf(truthOf({GetParam()})));
    ASSERT_EQ(outcome.calibration.devices.size(), 1U);
    const DeviceCalibration &device = outcome.calibration.devices[0];
    ASSERT_EQ(device.constants.size(), 1U) << toText(outcome);
    EXPECT_EQ(device.constants[0].constant, constant);
    EXPECT_NEAR(device.constants[0].value / value, 1, 0.01);
    EXPECT_LT(outcome.speed.after, 0.005);
    EXPECT_GT(outcome.speed.before, outcome.speed.after);
}

INSTANTIATE_TEST_SUITE_P(Rates, OneConstant,
    ::testing::Values(std::pair(Constant::Gemm, 0.8), std::pair(Constant::Gemm, 1.15),
        std::pair(Constant::MemoryBandwidth, 0.7), std::pair(Constant::MemoryBandwidth, 1.2),
        std::pair(Constant::Launch, 2.5), std::pair(Constant::Attention, 0.6)));

TEST(Calibration, givesTwoConstantsBackFromRunsThatTellThemApart)
{
    const CalibrationOutcome outcome = outcomeOf(runsOf(truthOf({{Constant::Gemm, 0.8}, {Constant::Launch, 2}})));
    const DeviceCalibration device = outcome.calibration.of("a100-sxm-80gb", "pytorch-eager");
    EXPECT_NEAR(device.factor(Constant::Gemm) / 0.8, 1, 0.01) << toText(outcome);
    EXPECT_NEAR(device.factor(Constant::Launch) / 2, 1, 0.01);
    EXPECT_EQ(device.constants.size(), 2U);
    EXPECT_GT(device.stepP90, 1);
}

// Products that all take 1.3 times what tiles and waves say.
std::vector<MeasuredGemm> slowGemms()
{
    const RunConfig config;
    const DeviceRates rates = deviceRates(catalogue().gpu("a100-sxm-80gb").value(), catalogue(), config);
    std::vector<MeasuredGemm> gemms;
    for (const std::int64_t m : {1024, 8192, 32768}) {
        for (const std::int64_t n : {1024, 4096}) {
            MeasuredGemm gemm{.m = m, .n = n, .k = 2048};
            gemm.seconds = 1.3 * kernelTime(kernelOf(gemm), rates);
            gemms.push_back(gemm);
        }
    }
    return gemms;
}

TEST(Calibration, fitsRunsWithMeasuredGemmsInPlace)
{
    DeviceCalibration truth = truthOf({{Constant::MemoryBandwidth, 0.7}});
    truth.gemms = slowGemms();
    const Result<CalibrationOutcome> outcome = calibrate(runsOf(truth),
        {.id = "mine", .asOf = "2026-01-02", .gemms = {{.gpu = "a100-sxm-80gb", .gemms = truth.gemms}}}, catalogue());
    ASSERT_TRUE(outcome) << outcome.error().message();
    const DeviceCalibration device = outcome->calibration.of("a100-sxm-80gb", "pytorch-eager");
    EXPECT_EQ(device.gemms, truth.gemms);
    ASSERT_EQ(device.constants.size(), 1U) << toText(*outcome);
    EXPECT_NEAR(device.factor(Constant::MemoryBandwidth), 0.7, 0.007);
    EXPECT_LT(outcome->speed.after, 0.005);
    ASSERT_EQ(outcome->gemms.size(), 1U);
    EXPECT_NEAR(outcome->gemms[0].errors.before, 1 - 1 / 1.3, 1e-9);
    EXPECT_NEAR(outcome->gemms[0].errors.after, 0, 1e-9) << "each is told by the others";
}

TEST(Calibration, keepsMeasuredGemmsWithoutAnyRun)
{
    const Result<CalibrationOutcome> outcome = calibrate({},
        {.id = "mine", .asOf = "2026-01-02", .gemms = {{.gpu = "a100-sxm-80gb", .gemms = slowGemms()}}}, catalogue());
    ASSERT_TRUE(outcome) << outcome.error().message();
    EXPECT_TRUE(outcome->calibration.devices.empty());
    EXPECT_TRUE(outcome->calibration.of("a100-sxm-80gb", "megatron").fitsSpeed());
    EXPECT_FALSE(calibrate({}, {.id = "mine", .asOf = "2026-01-02"}, catalogue()));
}

TEST(Calibration, ofASingleRunFitsOneConstantAndRefusesTwo)
{
    const std::vector<Observation> one = runsOf(truthOf({{Constant::Gemm, 0.8}}), 1);
    const CalibrationOutcome outcome = outcomeOf(one);
    ASSERT_EQ(outcome.calibration.devices.size(), 1U);
    EXPECT_EQ(outcome.calibration.devices[0].constants.size(), 1U);
    EXPECT_NEAR(outcome.calibration.devices[0].factor(Constant::Gemm), 0.8, 0.008);
    EXPECT_EQ(outcome.calibration.devices[0].stepP90, 0) << "one run says nothing of others' spread";

    const Result<CalibrationOutcome> two = calibrate(one,
        {.id = "mine", .asOf = "2026-01-02", .wanted = std::vector{Constant::Gemm, Constant::MemoryBandwidth}},
        catalogue());
    ASSERT_FALSE(two);
    EXPECT_NE(
        two.error().message().find(
            "cannot fit the memory bandwidth of a100-sxm-80gb with pytorch-eager: one run supports only one constant"),
        std::string::npos)
        << two.error().message();
}

TEST(Calibration, ofARunFarSlowerThanPredictedSaysThatItsRatesWouldBeTooLow)
{
    const CalibrationOutcome outcome = outcomeOf(runsOf(truthOf({{Constant::Gemm, 0.02}}), 1));
    const auto gemm = std::ranges::find(outcome.refused, Constant::Gemm, &RefusedConstant::constant);
    ASSERT_NE(gemm, outcome.refused.end()) << toText(outcome);
    EXPECT_TRUE(gemm->why.starts_with("would be at most a fifth of the known value")) << gemm->why;
}

TEST(Calibration, ofAFewRunsFarSlowerThanPredictedIsRefused)
{
    DeviceCalibration truth;
    for (const Constant constant : {Constant::Gemm, Constant::Attention, Constant::MemoryBandwidth})
        truth.set(constant, 0.02);
    const CalibrationOutcome outcome = outcomeOf(runsOf(truth, 3));
    EXPECT_FALSE(outcome.calibration.of("a100-sxm-80gb", "pytorch-eager").fitsSpeed());
    ASSERT_FALSE(outcome.refused.empty());
    EXPECT_TRUE(outcome.refused[0].why.starts_with("would be at most a fifth of the known value"))
        << outcome.refused[0].why;
}

// Three runs that agree are believed, three that do not are not: their mean is mostly chance.
TEST(Calibration, ofAFewRunsIsDrawnTowardsWhatWasKnownWhereTheyDisagree)
{
    const auto outcomeWith = [](std::array<double, 3> noise) {
        std::vector<Observation> runs;
        for (std::size_t i = 0; i < noise.size(); ++i)
            runs.push_back(runOf("run-" + std::to_string(i),
                {{"model", "1B"}, {"gpu", "a100-sxm-80gb"}, {"framework", "pytorch-eager"},
                    {"micro_batch", std::to_string(10 + 2 * i)}},
                truthOf({{Constant::Gemm, 0.8}}), noise[i]));
        return outcomeOf(runs);
    };
    const CalibrationOutcome agreed = outcomeWith({0, 0, 0}), disagreed = outcomeWith({-0.15, 0, 0.17});
    EXPECT_GT(agreed.speed.before, 0.1);
    EXPECT_LT(agreed.speed.after, agreed.speed.before / 10);
    const auto factorOf = [](const CalibrationOutcome &outcome) {
        return outcome.rows[1].tokensPerSecondPerGpu->after / outcome.rows[1].tokensPerSecondPerGpu->before;
    };
    EXPECT_GT(factorOf(disagreed), factorOf(agreed) + 0.01) << "the same mean of logs";
    EXPECT_LE(factorOf(disagreed), 1);
}

// A few runs that are slower by a common factor say little of which rate is wrong. So no rate changes by much more than
// the factor, and a run of other sizes is predicted by nearly the same factor.
TEST(Calibration, ofAFewRunsChangesAllRates)
{
    DeviceCalibration truth;
    for (const Constant constant : {Constant::Gemm, Constant::Attention, Constant::MemoryBandwidth})
        truth.set(constant, 0.85);
    const DeviceCalibration device = outcomeOf(runsOf(truth, 3)).calibration.of("a100-sxm-80gb", "pytorch-eager");
    for (const Constant constant : {Constant::Gemm, Constant::Attention, Constant::MemoryBandwidth}) {
        EXPECT_GT(device.factor(constant), 0.82) << titleOf(constant);
        EXPECT_LT(device.factor(constant), 0.92) << titleOf(constant);
    }
    EXPECT_GT(device.factor(Constant::Launch), 1) << "a slower host takes longer to launch a kernel";
}

TEST(Calibration, countsTheSameRunTwiceAsOne)
{
    std::vector<Observation> runs = runsOf(truthOf({{Constant::Gemm, 0.8}}), 1);
    runs.push_back(runs[0]);
    const Result<CalibrationOutcome> two = calibrate(runs,
        {.id = "mine", .asOf = "2026-01-02", .wanted = std::vector{Constant::Gemm, Constant::Launch}}, catalogue());
    ASSERT_FALSE(two);
}

TEST(Calibration, refusesWhatNoStepDependsOn)
{
    const CalibrationOutcome outcome = outcomeOf(runsOf(truthOf({{Constant::Gemm, 0.8}})));
    EXPECT_EQ(refusalOf(outcome, Constant::Network), "has no effect on the step time of these runs");
    EXPECT_EQ(refusalOf(outcome, Constant::NodeLink), "has no effect on the step time of these runs");
    EXPECT_NE(refusalOf(outcome, Constant::Launch).find("is not needed"), std::string::npos)
        << refusalOf(outcome, Constant::Launch);
    const Result<CalibrationOutcome> network = calibrate(
        runsOf({}), {.id = "mine", .asOf = "2026-01-02", .wanted = std::vector{Constant::Network}}, catalogue());
    ASSERT_FALSE(network);
    EXPECT_EQ(network.error().where, "--fit network");
}

TEST(Calibration, refusesConstantsThatTheRunsCannotTellApart)
{
    std::vector<Observation> alike;
    const DeviceCalibration truth = truthOf({{Constant::Gemm, 0.8}});
    for (const char *batch : {"10", "12", "14", "16"}) // all of them fit: what cannot have run is left out
        alike.push_back(runOf(batch,
            {{"model", "1B"}, {"gpu", "a100-sxm-80gb"}, {"framework", "pytorch-eager"}, {"micro_batch", batch}},
            truth));
    const Result<CalibrationOutcome> outcome = calibrate(alike,
        {.id = "mine", .asOf = "2026-01-02", .wanted = std::vector{Constant::Gemm, Constant::MemoryBandwidth}},
        catalogue());
    ASSERT_FALSE(outcome);
    EXPECT_NE(outcome.error().message().find("cannot be distinguished"), std::string::npos)
        << outcome.error().message();
}

TEST(Calibration, isNotMisledByNoiseIntoMoreConstants)
{
    const DeviceCalibration truth = truthOf({{Constant::Gemm, 0.8}});
    std::vector<Observation> runs;
    const double noise[] = {0.01, -0.012, 0.008, -0.005, 0.011, -0.009};
    for (std::size_t i = 0; i < kDifferent.size(); ++i)
        runs.push_back(runOf("run-" + std::to_string(i), kDifferent[i], truth, noise[i]));
    const DeviceCalibration device = outcomeOf(runs).calibration.of("a100-sxm-80gb", "pytorch-eager");
    EXPECT_NEAR(device.factor(Constant::Gemm), 0.8, 0.03);
    for (const FittedConstant &fitted : device.constants) {
        if (fitted.constant != Constant::Gemm) {
            // 1.2 % of noise are 12 % of a constant that makes out a tenth of the step.
            EXPECT_NEAR(fitted.value, 1, 0.12) << enumName(fitted.constant);
        }
    }
}

TEST(Calibration, leavesAloneWhatIsRightAlready)
{
    const CalibrationOutcome outcome = outcomeOf(runsOf({}));
    EXPECT_TRUE(outcome.calibration.devices.empty());
    EXPECT_NE(refusalOf(outcome, Constant::Gemm).find("is not needed"), std::string::npos);
    EXPECT_NE(refusalOf(outcome, Constant::Outside).find("is not needed"), std::string::npos);
}

TEST(Calibration, listsTheRowsOfATableThatItCannotUse)
{
    MeasuredRow full{.id = "full"}, typo{.id = "typo", .skipped = "mine.csv:3: no such GPU"}, empty{.id = "empty"};
    full.measured.tokensPerSecondPerGpu = 4500;
    full.measured.oom = true;
    const std::vector<LeftOutRow> leftOut = leftOutRows({full, typo, empty});
    ASSERT_EQ(leftOut.size(), 3U);
    EXPECT_EQ(leftOut[0].why, "the run was out of memory");
    EXPECT_EQ(leftOut[1].why, "mine.csv:3: no such GPU");
    EXPECT_EQ(leftOut[2].why, "has neither a measured speed of whole steps nor a peak memory");

    const CalibrationRequest request{.id = "mine", .asOf = "2026-01-02", .leftOut = leftOut};
    const Result<CalibrationOutcome> none = calibrate({}, request, catalogue());
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().what, "full: the run was out of memory; 2 further rows cannot be used either");

    const std::vector<Observation> runs = runsOf({}, 1);
    const Result<CalibrationOutcome> some = calibrate(runs, request, catalogue());
    ASSERT_TRUE(some);
    ASSERT_EQ(some->rows.size(), runs.size() + 3);
    EXPECT_EQ(some->rows.back().id, "empty");
    EXPECT_EQ(some->rows.back().skipped, leftOut[2].why);
    EXPECT_EQ(some->speed.rows, static_cast<int>(runs.size())) << "they count for no mean";
}

TEST(Calibration, refusesAConfigurationThatCannotHaveRun)
{
    std::vector<Observation> runs = runsOf({}, 1);
    runs[0].tokensPerSecondPerGpu = *runs[0].tokensPerSecondPerGpu * 8;
    const Result<CalibrationOutcome> outcome = calibrate(runs, {.id = "mine", .asOf = "2026-01-02"}, catalogue());
    ASSERT_FALSE(outcome);
    EXPECT_NE(outcome.error().message().find("implies an MFU of"), std::string::npos) << outcome.error().message();
}

TEST(Calibration, fitsCardsAndFrameworksApart)
{
    std::vector<Observation> runs = runsOf(truthOf({{Constant::Gemm, 0.8}}));
    for (SettingTexts choices : kDifferent) {
        choices[1].second = "h100-sxm-80gb";
        runs.push_back(runOf("h", choices, truthOf({{Constant::Gemm, 0.9}})));
    }
    const Calibration fitted = outcomeOf(runs).calibration;
    EXPECT_NEAR(fitted.of("a100-sxm-80gb", "pytorch-eager").factor(Constant::Gemm), 0.8, 0.008);
    EXPECT_NEAR(fitted.of("h100-sxm-80gb", "pytorch-eager").factor(Constant::Gemm), 0.9, 0.009);
    EXPECT_EQ(fitted.of("h100-sxm-80gb", "megatron").factor(Constant::Gemm), 1) << "nothing is known of it";
}

TEST(Calibration, neverPredictsARowByItself)
{
    std::vector<MeasuredRow> rows(2);
    for (MeasuredRow &row : rows)
        row.resolved = resolvedOf(kDifferent[0]);
    rows[0].id = "fitted";
    rows[1].id = "other";
    Calibration calibration{.id = "mine", .devices = {truthOf({{Constant::Gemm, 0.5}})}};
    calibration.devices[0].gpu = "a100-sxm-80gb";
    calibration.devices[0].framework = "pytorch-eager";
    calibration.devices[0].rows = {"fitted"};
    applyCalibration(rows, calibration);
    EXPECT_EQ(rows[0].resolved.calibration.factor(Constant::Gemm), 1);
    ASSERT_EQ(rows[0].assumed.size(), 1U);
    EXPECT_EQ(rows[1].resolved.calibration.factor(Constant::Gemm), 0.5);
}

TEST(Calibration, isSaidAsJsonWithBeforeAndAfter)
{
    const auto json = toJson(outcomeOf(runsOf(truthOf({{Constant::Gemm, 0.8}}))));
    EXPECT_EQ(json["version"], 1);
    EXPECT_EQ(json["rows"].size(), kDifferent.size());
    EXPECT_NEAR(json["devices"][0]["constants"]["gemm"]["value"].get<double>(), 0.8, 0.008);
    EXPECT_GT(json["summary"]["tokens_per_s_per_gpu"]["before"].get<double>(),
        json["summary"]["tokens_per_s_per_gpu"]["after"].get<double>());
}

TEST(Calibration, SaysBytesAsWholeNumbersAndMeansOfNoRowAsNull)
{
    CalibrationOutcome outcome{.rows = {{.id = "a",
                                   .peak = BeforeAfter{.measured = 7.6e9, .before = 1.5, .after = 2.5e9},
                                   .peakKind = MemoryKind::Allocated}}};
    DeviceCalibration &device = outcome.calibration.devices.emplace_back();
    device.set(Constant::Held, 1e9 + 0.25, 0.5);
    device.set(Constant::Gemm, 1, 0);
    const auto json = toJson(outcome);
    EXPECT_EQ(json["rows"][0]["peak_bytes"].dump(), R"({"measured":7600000000,"before":2,"after":2500000000})");
    EXPECT_EQ(json["devices"][0]["constants"]["held_bytes"]["value"].dump(), "1000000000");
    EXPECT_TRUE(json["devices"][0]["constants"]["gemm"]["value"].is_number_float());
    EXPECT_EQ(json["summary"]["peak_bytes"].dump(), R"({"rows":0,"before":null,"after":null})");
    const std::string table = toText({.rows = {{.id = "tiny", .peak = BeforeAfter{4.7e6, 4.6e6, 4.7e6}}}});
    EXPECT_NE(table.find("4.5 MiB    4.4 MiB   -2.1 %    4.5 MiB   +0.0 %"), std::string::npos) << table;
    const std::string text = toText({.refused = {{.gpu = "x",
                                         .framework = "megatron",
                                         .constant = Constant::Launch,
                                         .why = "has no effect on the step time of these runs"}}});
    EXPECT_NE(text.find("kernel launch time: has no effect on the step time of these runs"), std::string::npos) << text;
}

} // namespace
} // namespace slipway
