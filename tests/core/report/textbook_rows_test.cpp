// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "report/textbook_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <regex>
#include <string>

#include "config/settings.h"
#include "predict/predict.h"
#include "support/shipped_catalogue.h"

namespace slipway {
namespace {

Prediction planned(const SettingTexts &choices)
{
    RunConfig config;
    config.gpu = "a100-sxm-80gb";
    for (const auto &[key, value] : choices)
        config = applySetting(config, key, value).value();
    return predict(config, catalogue(), {.suggestions = false, .maxMicroBatch = false}).value();
}

TextbookRow rowOf(const std::vector<TextbookRow> &rows, const std::string &part)
{
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const TextbookRow &row) { return row.part == part; });
    return found == rows.end() ? TextbookRow{} : *found;
}

// Whether the reason says of parameters "take 4.0 bytes per parameter instead of 2" only where they are far from it.
void expectFar(const TextbookRow &row)
{
    static const std::regex words("take ([0-9.]+) bytes per parameter instead of ([0-9]+)");
    for (std::sregex_iterator each(row.why.begin(), row.why.end(), words), end; each != end; ++each) {
        const double simulated = std::stod((*each)[1]), formula = std::stod((*each)[2]);
        EXPECT_GE(std::abs(simulated - formula), 0.15 * formula - 0.05) << row.why;
    }
}

class Textbook : public ::testing::TestWithParam<SettingTexts> {};

TEST_P(Textbook, rowsSumToTheFormulasAndToTheSimulatedPeak)
{
    const Prediction p = planned(GetParam());
    Bytes formula = 0, simulated = 0;
    for (const TextbookRow &row : textbookRows(p)) {
        formula += row.formula;
        simulated += row.simulated;
        const double difference = std::abs(double(row.difference()));
        const bool large =
            difference >= 0.01 * double(p.memory.peak) || (row.formula > 0 && difference >= 0.25 * double(row.formula));
        EXPECT_EQ(row.why.empty(), !large) << row.part;
        expectFar(row);
    }
    EXPECT_NEAR(double(formula), double(p.memory.textbook.peak), 8);
    EXPECT_NEAR(double(simulated) / double(p.memory.peak), 1, 0.002);
}

INSTANTIATE_TEST_SUITE_P(Plans, Textbook,
    ::testing::Values(SettingTexts{{"model", "1B"}}, SettingTexts{{"model", "1B"}, {"framework", "pytorch-eager"}},
        SettingTexts{{"model", "1B"}, {"framework", "pytorch-eager"}, {"attention", "vanilla"}},
        SettingTexts{{"model", "2B"}, {"gpus", "8"}, {"parallel", "fsdp-full"}, {"framework", "pytorch-eager"}},
        SettingTexts{{"model", "1B"}, {"recompute", "full"}},
        SettingTexts{{"model", "1B"}, {"precision", "bf16"}, {"framework", "pytorch-eager"}},
        SettingTexts{{"model", "1B"}, {"gpus", "8"}, {"parallel", "zero1"}, {"framework", "megatron"}},
        SettingTexts{{"model", "2B"}, {"gpus", "4"}, {"pp", "4"}, {"grad_accum", "8"}},
        SettingTexts{{"model", "100M"}, {"gpu", "cpu"}, {"precision", "fp32"}}));

TEST(Textbook, countsTheShardsOfHybridShardingThatTensorParallelismLeaves)
{
    const Prediction p = planned({{"model", "1B"}, {"gpus", "16"}, {"gpus_per_node", "8"}, {"parallel", "hsdp"},
        {"tp", "2"}, {"framework", "pytorch-eager"}});
    // bf16 weights of half the model, on the 4 ranks of a node that tp 2 leaves.
    EXPECT_EQ(rowOf(textbookRows(p), "Weights").formula, static_cast<Bytes>(p.memory.textbook.parameters / 2 * 2 / 4));
}

TEST(TextbookReasons, comeFromThePlansFacts)
{
    const std::vector<TextbookRow> flash = textbookRows(planned({{"model", "1B"}, {"micro_batch", "16"}}));
    EXPECT_NE(
        rowOf(flash, "Activations").why.find("Flash attention does not store the attention scores"), std::string::npos);
    const std::vector<TextbookRow> vanilla =
        textbookRows(planned({{"model", "1B"}, {"micro_batch", "16"}, {"attention", "vanilla"}}));
    EXPECT_EQ(rowOf(vanilla, "Activations").why.find("Flash"), std::string::npos);
    EXPECT_NE(rowOf(textbookRows(planned({{"model", "1B"}, {"framework", "pytorch-eager"}})), "Logits and loss")
                  .why.find("vocabulary size 32000"),
        std::string::npos);
    EXPECT_NE(rowOf(textbookRows(planned({{"model", "1B"}, {"framework", "pytorch-eager"}})), "Weights")
                  .why.find("fp32 and take 4.0 bytes"),
        std::string::npos);
    EXPECT_NE(rowOf(textbookRows(planned({{"model", "1B"}, {"gpus", "64"}, {"parallel", "fsdp-full"},
                        {"micro_batch", "16"}, {"framework", "pytorch-eager"}})),
                  "Weights")
                  .why.find("fp32 and take"),
        std::string::npos)
        << "little of the peak, but twice what the formula says";
    EXPECT_NE(rowOf(textbookRows(planned({{"model", "1B"}, {"optimizer", "adamw"}, {"framework", "pytorch-eager"},
                        {"precision", "fp32"}})),
                  "Master weights and optimizer states")
                  .why.find("Master weights and moments take 8.0 bytes per parameter instead of 12"),
        std::string::npos)
        << "two moments in fp32, and no master weights";
    const auto activations = [](const char *recompute) {
        return rowOf(
            textbookRows(planned({{"model", "1B"}, {"precision", "fp32"}, {"recompute", recompute}})), "Activations")
            .why;
    };
    EXPECT_NE(activations("none").find("fp32 takes twice the bytes"), std::string::npos);
    EXPECT_EQ(activations("full").find("fp32 takes twice the bytes"), std::string::npos);
    Prediction mixtral = planned({{"model", "mixtral-8x7b"}});
    EXPECT_NE(rowOf(textbookRows(mixtral), "Weights").why.find("8 experts, each an MLP"), std::string::npos);
    mixtral.model.experts.count = 1;
    EXPECT_EQ(rowOf(textbookRows(mixtral), "Weights").why.find("experts"), std::string::npos) << "an ordinary MLP";
    EXPECT_NE(rowOf(textbookRows(planned({{"model", "1B"}, {"optimizer", "sgd"}, {"framework", "pytorch-eager"}})),
                  "Master weights and optimizer states")
                  .why.find("SGD has no moments"),
        std::string::npos);
}

} // namespace
} // namespace slipway
