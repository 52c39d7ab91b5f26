// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Runs that the predictor makes itself with other software than they are said to have: the choice must find it.
#include "measure/choose_software.h"

#include <algorithm>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "config/settings.h"
#include "support/shipped_catalogue.h"

namespace slipway {
namespace {

ResolvedConfig resolvedWith(SettingTexts settings, const SettingTexts &more)
{
    settings.insert(settings.end(), more.begin(), more.end());
    return resolveConfig(applySettings({}, settings).value(), catalogue()).value();
}

// Three runs that differ in their micro-batch; said to be `given`, made with `truth`, `factor` faster.
std::vector<Observation> runsWith(
    const SettingTexts &base, const SettingTexts &given, const SettingTexts &truth, double factor = 1)
{
    std::vector<Observation> runs;
    for (const char *sequences : {"1", "2", "4"}) {
        SettingTexts settings = base;
        settings.emplace_back("micro_batch", sequences);
        const Assessment a = assess(resolvedWith(settings, truth), catalogue()).value();
        Observation o{.id = sequences, .resolved = resolvedWith(settings, given)};
        o.tokensPerSecondPerGpu = a.speed.tokensPerSecondPerGpu * factor;
        o.reserved = a.memory.peakReserved;
        runs.push_back(std::move(o));
    }
    return runs;
}

const SettingTexts kHalf{
    {"model", "llama-3.2-1b"}, {"gpu", "a100-sxm-80gb"}, {"precision", "bf16"}, {"seq_len", "4096"}, {"layers", "4"}};
const SettingTexts kSharded{{"model", "7B"}, {"gpu", "a100-sxm-80gb"}, {"gpus", "8"}, {"parallel", "fsdp-full"},
    {"recompute", "full"}, {"seq_len", "512"}};

TEST(ChooseSoftware, RunsOfAnOlderVersionAreKnownByTheirMemory)
{
    const std::vector<SoftwareChoice> choices =
        chooseSoftware(runsWith(kHalf, {{"framework", "hf-trainer"}}, {{"framework", "hf-trainer@4.30"}}), catalogue());
    ASSERT_EQ(choices.size(), 1U);
    EXPECT_EQ(choices[0].runs, 3);
    ASSERT_TRUE(choices[0].isClear()) << toText(choices);
    const std::string best = choices[0].candidates.front().software;
    EXPECT_EQ(best, "hf-trainer@4.30"); // the newest before 4.31, which upcasts its logits
    EXPECT_NE(toText(choices).find("--framework " + best), std::string::npos) << toText(choices);
}

TEST(ChooseSoftware, RunsAsGivenChangeNothing)
{
    for (const double factor : {1.0, 0.85, 1.2}) {
        const std::vector<SoftwareChoice> choices = chooseSoftware(
            runsWith(kHalf, {{"framework", "hf-trainer@4.46"}}, {{"framework", "hf-trainer@4.46"}}, factor),
            catalogue());
        for (const SoftwareChoice &choice : choices)
            EXPECT_FALSE(choice.isClear()) << factor << "\n" << toText(choices);
    }
}

TEST(ChooseSoftware, GathersThatAreNotLimitedAreKnownByTheirMemory)
{
    const SettingTexts given{{"framework", "litgpt"}, {"framework_option", "sharder=fsdp1"}},
        truth{{"framework", "litgpt"}, {"framework_option", "sharder=fsdp1,limit_gathers=false"}};
    const std::vector<SoftwareChoice> choices = chooseSoftware(runsWith(kSharded, given, truth), catalogue());
    ASSERT_FALSE(choices.empty());
    EXPECT_EQ(choices[0].candidates.front().option, "limit_gathers=false") << toText(choices);
    EXPECT_TRUE(choices[0].isClear()) << toText(choices);
    EXPECT_NE(toText(choices).find("--framework-option limit_gathers=false"), std::string::npos) << toText(choices);
}

TEST(ChooseSoftware, TheRunsAreThenPlannedAsTheyWere)
{
    const SettingTexts given{{"framework", "hf-trainer"}}, truth{{"framework", "hf-trainer@4.30"}};
    std::vector<Observation> runs = runsWith(kHalf, given, truth);
    const std::vector<SoftwareChoice> choices = chooseSoftware(runs, catalogue());
    runs = withChosenSoftware(std::move(runs), choices, catalogue());
    for (const Observation &run : runs) {
        const Assessment a = assess(run.resolved, catalogue()).value();
        EXPECT_EQ(a.memory.peakReserved, *run.reserved);
        EXPECT_NEAR(a.speed.tokensPerSecondPerGpu / *run.tokensPerSecondPerGpu, 1, 1e-9);
    }
    const nlohmann::ordered_json json = toJson(choices);
    EXPECT_EQ(json[0]["framework"], "hf-trainer");
    EXPECT_EQ(json[0]["clear"], true);
    EXPECT_TRUE(json[0]["candidates"][0]["framework_option"].is_null());
}

TEST(ChooseSoftware, ACalibrationThatKeepsTheChoicePlansTheGivenFrameworkByIt)
{
    const SettingTexts given{{"framework", "hf-trainer"}}, truth{{"framework", "hf-trainer@4.30"}};
    const std::vector<Observation> runs = runsWith(kHalf, given, truth);
    Catalogue own = catalogue();
    own.calibrations.push_back(
        {.id = "mine", .asOf = "2026-11-25", .software = softwareOfRuns(chooseSoftware(runs, catalogue()))});
    const auto planned = [&](const SettingTexts &more) {
        SettingTexts settings = kHalf;
        settings.insert(settings.end(), {{"micro_batch", "1"}, {"calibration", "mine"}});
        settings.insert(settings.end(), more.begin(), more.end());
        return resolveConfig(applySettings({}, settings).value(), own).value();
    };
    const ResolvedConfig resolved = planned(given);
    EXPECT_EQ(resolved.config.software, "hf-trainer@4.30");
    EXPECT_EQ(assess(resolved, own).value().memory.peakReserved, *runs.front().reserved);
    ASSERT_FALSE(resolved.software.empty());
    EXPECT_EQ(resolved.software.front().value, "hf-trainer@4.30");
    EXPECT_EQ(resolved.software.front().origin, FieldOrigin::Measured);
    EXPECT_EQ(planned({{"framework", "hf-trainer@4.57"}}).config.software, "hf-trainer@4.57") << "another was named";
    EXPECT_EQ(planned({{"framework", "hf-trainer"}, {"gpu", "h100-sxm-80gb"}}).config.software, "hf-trainer");
    EXPECT_EQ(planned({{"framework", "hf-trainer"}, {"framework_option", "loss_path=hf"}}).config.simulated.lossPath,
        LossPath::Hf);
}

// Unsloth saves only the layers' inputs.
TEST(ChooseSoftware, RunsOfUnknownSoftwareAreKnownByTheirMemory)
{
    const std::vector<SoftwareChoice> choices =
        chooseSoftware(runsWith(kHalf, {{"framework", "unknown"}}, {{"framework", "unsloth"}}), catalogue());
    ASSERT_EQ(choices.size(), 1U);
    EXPECT_EQ(choices[0].candidates.front().software, "unsloth") << toText(choices);
    EXPECT_TRUE(choices[0].isClear()) << toText(choices);
}

TEST(ChooseSoftware, WithoutAProfileThereIsNothingToChoose)
{
    const std::vector<Observation> runs =
        runsWith(kHalf, {{"framework", "pytorch-eager"}}, {{"framework", "pytorch-compile"}});
    EXPECT_TRUE(chooseSoftware(runs, catalogue()).empty());
    EXPECT_EQ(toText(chooseSoftware({}, catalogue())), "");
}

TEST(ChooseSoftware, AVersionThatWasNamedTakesMoreEvidence)
{
    const SettingTexts truth{{"framework", "hf-trainer@4.30"}};
    const auto oddsWhere = [&](const char *named) {
        const std::vector<SoftwareChoice> choices =
            chooseSoftware(runsWith(kHalf, {{"framework", named}}, truth), catalogue());
        return choices.at(0).candidates.front().odds;
    };
    EXPECT_LT(oddsWhere("hf-trainer@5.23"), oddsWhere("hf-trainer") / 10); // 5.23 is the newest
}

// With attention of 2023, the largest of the runs needs 116 GiB.
TEST(ChooseSoftware, SoftwareThatWouldHaveRunOutOfMemoryIsUnlikely)
{
    const SettingTexts given{{"framework", "hf-trainer@4.46"}}, truth{{"framework", "hf-trainer@4.30"}};
    const auto oddsOn = [&](const char *gpu) {
        SettingTexts base = kHalf;
        base.insert(base.end(), {{"seq_len", "6144"}, {"gpu", gpu}});
        std::vector<Observation> runs = runsWith(base, given, truth);
        for (Observation &run : runs)
            run.reserved.reset(); // only the speed was measured
        const std::vector<SoftwareChoice> choices = chooseSoftware(runs, catalogue());
        const auto &candidates = choices.at(0).candidates;
        const auto truth430 = std::find_if(candidates.begin(), candidates.end(),
            [](const SoftwareCandidate &each) { return each.software == "hf-trainer@4.30"; });
        return truth430 == candidates.end() ? -1 : truth430->odds;
    };
    ASSERT_GE(oddsOn("a100-sxm-80gb"), 0);
    EXPECT_LT(oddsOn("a100-sxm-80gb"), oddsOn("h200-sxm-141gb") / 5);
}

TEST(ChooseSoftware, OneRunSaysLessThanThree)
{
    const SettingTexts given{{"framework", "hf-trainer@4.46"}}, truth{{"framework", "hf-trainer@4.30"}};
    const std::vector<Observation> runs = runsWith(kHalf, given, truth);
    const double three = chooseSoftware(runs, catalogue())[0].candidates.front().odds,
                 one = chooseSoftware({runs.front()}, catalogue())[0].candidates.front().odds;
    EXPECT_LT(one, three);
}

} // namespace
} // namespace slipway
