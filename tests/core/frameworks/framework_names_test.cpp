// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A framework by its name: aliases, versions and dates.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frameworks/framework_profile.h"
#include "frameworks/framework_versions.h"

namespace slipway {
namespace {

using ::testing::HasSubstr;

const Frameworks &shipped()
{
    static const Frameworks frameworks =
        readFrameworks(std::filesystem::path(std::getenv("SLIPWAY_RESOURCES")) / "frameworks").value();
    return frameworks;
}

FrameworkVersion resolved(std::string_view name) { return shipped().resolve(name).value(); }

TEST(FrameworkNames, TheOnesThatPeopleUseAreKnown)
{
    for (const char *name : {"pytorch", "pytorch-compile", "hf-trainer", "accelerate", "transformers", "deepspeed",
             "torchtitan", "torchtune", "litgpt", "lightning", "thunder", "nanogpt", "build-nanogpt", "modded-nanogpt",
             "nanochat", "llm.c", "megatron-lm", "megatron-core", "nemo", "megatron-deepspeed", "gpt-neox",
             "llm-foundry", "composer", "olmo-core", "fms-fsdp", "nanotron", "internevo", "xtuner", "colossalai",
             "axolotl", "llama-factory", "unsloth", "liger", "flash-attn", "trl", "peft", "ms-swift", "fastchat",
             "openrlhf", "pytorch-ddp", "pytorch-fsdp", "llama-recipes", "nemo-megatron", "megatron-bridge",
             "sft-trainer", "oumi", "verl", "modalities", "lingua", "open_lm", "galvatron", "paddlenlp", "veomni",
             "nemo-automodel", "jax", "flax", "maxtext", "levanter", "llama2.c", "mingpt", "picotron"}) {
        EXPECT_NE(shipped().find(name), nullptr) << name;
        for (const char *month : {"2021-06", "2024-02", "2026-10"})
            EXPECT_TRUE(shipped().resolve(std::string(name) + "@" + month)) << name << " of " << month;
    }
}

TEST(FrameworkNames, AreReadWhateverTheirCaseAndSeparators)
{
    EXPECT_EQ(resolved("LLaMA Factory").id, "llama-factory");
    EXPECT_EQ(resolved("Hugging_Face_Trainer@4.46").id, "hf-trainer");
    EXPECT_EQ(resolved("nanoGPT").id, "nanogpt");
}

TEST(FrameworkNames, AVersionIsTheLastReleaseThatIsNotYounger)
{
    EXPECT_EQ(resolved("hf-trainer@4.46").day, 20241024);
    EXPECT_EQ(resolved("hf-trainer@4.47.1").day, 20241024) << "4.46 is the last that is listed before";
    EXPECT_EQ(resolved("hf-trainer@4.46").torch, "2.5");
    EXPECT_EQ(resolved("megatron-core@0.12").day, 20250506);
    EXPECT_EQ(resolved("pytorch@2.3").torch, "2.3");
    EXPECT_EQ(resolved("hf-trainer").day, 0) << "the newest";
}

TEST(FrameworkNames, AMonthIsADay)
{
    EXPECT_EQ(resolved("torchtitan@2025-03").day, 20250300);
    EXPECT_EQ(resolved("torchtitan@2025-03").torch, "2.6");
    EXPECT_EQ(resolved("llm-foundry@2023-04").torch, "2.0");
    EXPECT_EQ(parseDay("2025-13"), 0);
    EXPECT_EQ(parseDay("2025"), 0);
    EXPECT_EQ(parseDay("1999-12"), 0);
    EXPECT_EQ(parseDay("2000-01"), 20000100);
    EXPECT_EQ(parseDay("2100-12-31"), 21001231);
    EXPECT_EQ(parseDay("2101-01"), 0);
    EXPECT_EQ(parseDay("2025-03-09"), 20250309);
}

TEST(FrameworkNames, WhatNobodyKnowsIsAnsweredWithTheNearest)
{
    EXPECT_THAT(shipped().resolve("torchtitn").error().message(), HasSubstr("did you mean torchtitan?"));
    EXPECT_THAT(shipped().resolve("hf-trainer@newest").error().message(), HasSubstr("neither a version nor a date"));
    EXPECT_FALSE(shipped().resolve(""));
    EXPECT_FALSE(shipped().resolve("@2.0"));
}

TEST(FrameworkNames, AProfileComesAfterWhatItInherits)
{
    const auto line = shipped().lineage("llm-foundry");
    ASSERT_EQ(line.size(), 3U);
    EXPECT_EQ(line[0]->id, "pytorch");
    EXPECT_EQ(line[1]->id, "composer");
    EXPECT_EQ(line[2]->id, "llm-foundry");
}

TEST(FrameworkNames, AVersionAboveTheNewestKnownOneIsPlannedAsThatOneAndSaysSo)
{
    const std::string newest = shipped().find("llama-factory")->releases.back().version;
    EXPECT_EQ(unknownVersionNote(shipped(), "llama-factory@99"),
        "llama-factory 99 is newer than the newest known version " + newest + "; it is planned as " + newest + ".");
    EXPECT_EQ(resolved("llama-factory@99").torch, resolved("llama-factory@" + newest).torch);
    EXPECT_EQ(resolved("pytorch@99").torch, shipped().find("pytorch")->releases.back().version);
    for (const std::string known : {"llama-factory", "llama-factory@2099-01", "pytorch@2.1"})
        EXPECT_EQ(unknownVersionNote(shipped(), known), "") << known;
    EXPECT_EQ(unknownVersionNote(shipped(), "llama-factory@" + newest), "");
    EXPECT_EQ(unknownVersionNote(shipped(), "llama-factory@" + newest + ".0"), "");
}

TEST(FrameworkNames, AVersionBelowTheOldestKnownOneIsSaid)
{
    const std::string oldest = shipped().find("hf-trainer")->releases.front().version;
    EXPECT_EQ(unknownVersionNote(shipped(), "hf-trainer@1.0"),
        "hf-trainer 1.0 is older than the oldest known version " + oldest + "; it is planned as " + oldest + ".");
    EXPECT_EQ(unknownVersionNote(shipped(), "hf-trainer@2019-01"), "") << "a date";
    EXPECT_EQ(unknownVersionNote(shipped(), "megatron-lm@0.12"), "") << "Megatron-LM's numbers began again in 2023";
}

} // namespace
} // namespace slipway
