// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a framework's profile makes of a configuration.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>
#include <utility>
#include <vector>

#include "config/apply_framework.h"
#include "config/settings.h"

namespace slipway {
namespace {

using ::testing::HasSubstr;

const Frameworks &shipped()
{
    static const Frameworks frameworks =
        readFrameworks(std::filesystem::path(std::getenv("SLIPWAY_RESOURCES")) / "frameworks").value();
    return frameworks;
}

using Choices = std::vector<std::pair<std::string_view, std::string_view>>;

RunConfig applied(std::string_view name, const Choices &given = {}, ModelSpec model = {})
{
    RunConfig config = applySetting({}, "framework", name).value();
    for (const auto &[key, value] : given)
        config = applySetting(config, key, value).value();
    const auto fields = applyFramework(config, model, shipped());
    EXPECT_TRUE(fields) << fields.error().message();
    return config;
}

FrameworkField field(std::string key, std::string value)
{
    FrameworkField made;
    made.key = std::move(key);
    made.value = std::move(value);
    return made;
}

TEST(Frameworks, ShippedFieldsNameOptionsThatExist)
{
    const Result<void> checked = checkFrameworks(shipped());
    EXPECT_TRUE(checked) << checked.error().message();
}

TEST(Frameworks, AnOptionThatDoesNotExistIsNamedWithItsPlace)
{
    Frameworks wrong{.profiles = {{.id = "a", .fields = {field("los_path", "hf")}}}};
    wrong.profiles[0].fields[0].where = "a.yaml:3";
    EXPECT_THAT(checkFrameworks(wrong).error().message(), HasSubstr("a.yaml:3: unknown framework option 'los_path'"));
    wrong.profiles[0].fields[0] = field("loss_path", "quick");
    EXPECT_THAT(checkFrameworks(wrong).error().message(), HasSubstr("unknown value 'quick'"));
    wrong.profiles[0].fields[0] = field("learning_rate", "1");
    EXPECT_FALSE(checkFrameworks(wrong)) << "what only a run needs is no option";
    wrong.profiles[0].fields[0] = field("loss_path", "hf");
    wrong.profiles[0].fields[0].when = {{"weather", {"rain"}}};
    EXPECT_THAT(checkFrameworks(wrong).error().message(),
        HasSubstr("'weather' is neither a setting nor a property of the plan"));
}

TEST(Frameworks, AProfileSetsItsEngineAndWhatItsVersionDoes)
{
    const RunConfig spring = applied("torchtitan@2025-03"), autumn = applied("torchtitan@2025-11");
    EXPECT_EQ(spring.framework, Framework::PytorchEager);
    EXPECT_EQ(spring.sharder, Sharder::Fsdp2);
    EXPECT_EQ(spring.torch, "2.6");
    EXPECT_EQ(spring.attentionKernel, AttentionKernel::Flash2);
    EXPECT_EQ(autumn.attentionKernel, AttentionKernel::Cudnn);
    EXPECT_EQ(applied("megatron-core@0.12").framework, Framework::Megatron);
    EXPECT_EQ(applied("megatron-core@0.3").fusedGate, false);
    EXPECT_EQ(applied("nemo@2023-10").fusedGate, false) << "as what it inherits from did at that time";
    EXPECT_EQ(applied("megatron-core@0.5").fusedGate, std::nullopt);
}

TEST(Frameworks, WhatSoftwareOfATimeDoesHoldsForEnginesWithoutAProfile)
{
    ModelSpec model;
    const auto engine = [&](Framework framework, const char *torch) {
        RunConfig config{.framework = framework, .torch = torch};
        EXPECT_TRUE(applyFramework(config, model, shipped()));
        return config;
    };
    EXPECT_TRUE(engine(Framework::PytorchEager, "2.4").olderModels);
    EXPECT_FALSE(engine(Framework::PytorchEager, "2.5").olderModels);
    EXPECT_FALSE(engine(Framework::Megatron, "1.5").fusedSoftmax);
    EXPECT_TRUE(engine(Framework::Megatron, "1.6").fusedSoftmax);
    EXPECT_FALSE(engine(Framework::Megatron, "2.7").weightedExperts);
    EXPECT_TRUE(engine(Framework::Megatron, "2.8").weightedExperts);
    RunConfig plain{.torch = "2.4"};
    settleChoices(plain);
    EXPECT_EQ(engine(Framework::Slipway, "2.4"), plain) << "our own trainer is not simulated";
}

TEST(Frameworks, AProfileCountsOverWhatItsTimeDoes)
{
    EXPECT_TRUE(applied("hf-trainer@4.45").olderModels);
    EXPECT_FALSE(applied("hf-trainer@4.46", {{"torch", "2.4"}}).olderModels) << "its version, not PyTorch's";
    EXPECT_FALSE(applied("megatron-core@0.12", {{"torch", "2.8"}}).weightedExperts);
    EXPECT_TRUE(applied("megatron-core@0.13").weightedExperts);
    EXPECT_TRUE(applied("megatron-core").weightedExperts);
    EXPECT_TRUE(applied("hf-trainer", {{"framework_option", "older_models=true"}}).olderModels) << "what is given";
}

TEST(Frameworks, AConditionComparesNumbersAndNothingElse)
{
    RunConfig config;
    config.microBatch = 4;
    config.attention = Attention::Flash;
    const auto holds = [&](const char *key, const char *accepted) {
        return conditionsHold({{.key = key, .accepted = {accepted}}}, config, {});
    };
    for (const char *accepted : {"4", "!5", ">3", ">=4", "<5", "<=4"})
        EXPECT_TRUE(holds("micro_batch", accepted)) << accepted;
    for (const char *accepted : {"5", "!4", ">4", ">=5", "<4", "<=3", ">many", "<many", ">", "<=", ">=4 or so"})
        EXPECT_FALSE(holds("micro_batch", accepted)) << accepted;
    for (const char *accepted : {">-1", "<1", ">=0", "<=0"})
        EXPECT_FALSE(holds("attention", accepted)) << accepted;
}

TEST(Frameworks, WhatIsGivenCountsOverTheProfile)
{
    EXPECT_EQ(applied("hf-trainer").lossPath, LossPath::Upcast);
    EXPECT_FALSE(applied("hf-trainer").denseMask);
    EXPECT_TRUE(applied("hf-trainer", {{"compile", "true"}}).denseMask) << "traced code cannot look into a mask";
    EXPECT_EQ(applied("hf-trainer@4.53").repeatKv, true);
    EXPECT_EQ(applied("hf-trainer@4.57").repeatKv, std::nullopt);
    EXPECT_EQ(applied("hf-trainer@4.57", {{"compile", "true"}}).repeatKv, true) << "beside a mask";
    EXPECT_FALSE(applied("hf-trainer", {{"compile", "true"}, {"attention_kernel", "flash-2"}}).denseMask);
    EXPECT_EQ(applied("hf-trainer", {{"loss_path", "chunked"}}).lossPath, LossPath::Chunked);
    EXPECT_EQ(applied("hf-trainer", {{"framework_option", "loss_path=auto"}}).lossPath, LossPath::Auto);
    EXPECT_EQ(applied("torchtitan", {{"torch", "2.7"}}).torch, "2.7");
}

TEST(Frameworks, CompilationChangesTheEngineAndItsLoss)
{
    EXPECT_EQ(applied("pytorch@2025-06").framework, Framework::PytorchEager);
    const RunConfig compiled = applied("pytorch@2025-06", {{"compile", "true"}});
    EXPECT_EQ(compiled.framework, Framework::PytorchCompile);
    EXPECT_EQ(compiled.lossPath, LossPath::Bf16) << "a loop's own loss follows the compiled Llama";
    ModelSpec gpt2;
    gpt2.position = Position::Learned;
    EXPECT_EQ(applied("pytorch@2025-06", {{"compile", "true"}}, gpt2).lossPath, LossPath::CompiledOutput);
    EXPECT_EQ(applied("nanochat").lossPath, LossPath::CompiledWhole);
    EXPECT_EQ(applied("nanogpt").framework, Framework::PytorchCompile) << "its default";
    EXPECT_EQ(applied("nanogpt", {{"compile", "false"}}).framework, Framework::PytorchEager);
}

TEST(Frameworks, CompilationOfTheModelLeavesALossOutsideOfItEager)
{
    for (const char *compile : {"false", "true"}) {
        EXPECT_EQ(applied("nemo-automodel", {{"compile", compile}}).lossPath, LossPath::Upcast);
        EXPECT_EQ(applied("nemo-automodel@0.3", {{"compile", compile}}).lossPath, LossPath::Hf) << "keeps the output";
        EXPECT_EQ(applied("verl@0.6", {{"compile", compile}}).lossPath, LossPath::Hf);
        EXPECT_EQ(applied("open-lm", {{"compile", compile}}).lossPath, LossPath::Hf);
    }
}

// Fabric casts what a model returns, also that of a bf16 model.
TEST(Frameworks, LitGptsLossIsThatOfFp32Logits)
{
    for (const char *compile : {"false", "true"}) {
        for (const char *precision : {"bf16", "bf16-mixed"})
            EXPECT_EQ(applied("litgpt", {{"compile", compile}, {"precision", precision}}).lossPath, LossPath::Upcast);
    }
}

// Changing attention changes attention.
TEST(Frameworks, AttentionChangesNothingElse)
{
    for (const char *name : {"hf-trainer", "megatron-core", "torchtitan", "litgpt", "deepspeed"}) {
        const RunConfig flash = applied(name);
        RunConfig vanilla = applied(name, {{"attention", "vanilla"}});
        vanilla.attention = flash.attention;
        EXPECT_EQ(flash, vanilla) << name;
    }
}

// A trainer whose default is full recomputation, and whose loss depends on it.
Frameworks recomputing()
{
    Frameworks made{
        .profiles = {{.id = "thrifty",
            .fields = {field("loss_path", "upcast"), field("recompute", "full"), field("attention", "vanilla")}}}};
    made.profiles[0].fields[0].when = {{.key = "recompute", .accepted = {"full"}}};
    return made;
}

TEST(Frameworks, RecomputationAndAttentionAreTheFrameworksUnlessTheUserSaysOtherwise)
{
    ModelSpec model;
    RunConfig config = applySetting({}, "framework", "thrifty").value();
    const auto fields = applyFramework(config, model, recomputing());
    ASSERT_TRUE(fields) << fields.error().message();
    EXPECT_EQ(fields->size(), 3U);
    EXPECT_EQ(config.recompute, Recompute::Full);
    EXPECT_EQ(config.attention, Attention::Vanilla);

    config = applySetting({}, "framework", "thrifty").value();
    config.recompute = Recompute::None;
    config.attention = Attention::Flash;
    const auto none = applyFramework(config, model, recomputing());
    ASSERT_TRUE(none) << none.error().message();
    EXPECT_THAT(*none, ::testing::IsEmpty()) << "its loss is that of recomputation";
    EXPECT_EQ(config.recompute, Recompute::None);
    EXPECT_EQ(config.attention, Attention::Flash);
}

TEST(Frameworks, ConditionsReadRecomputationOnlyOnceItIsSettled)
{
    ModelSpec model;
    RunConfig config = applySetting({}, "framework", "thrifty").value();
    ASSERT_TRUE(applyFramework(config, model, recomputing()));
    EXPECT_EQ(config.lossPath, LossPath::Upcast) << "the field stands before that of the recomputation";
}

TEST(Frameworks, ConditionsReadTheResolvedModel)
{
    Frameworks made{
        .profiles = {{.id = "sized", .fields = {field("recompute", "full"), field("loss_path", "upcast")}}}};
    made.profiles[0].fields[0].when = {{.key = "model.params", .accepted = {">60e9"}}};
    made.profiles[0].fields[1].when = {{.key = "model", .accepted = {"llama-3-70b"}}};
    ASSERT_TRUE(checkFrameworks(made));
    const auto with = [&](ModelSpec model) {
        RunConfig config = applySetting({}, "framework", "sized").value();
        config.model.name = "meta-llama/Meta-Llama-3-70B"; // as a user may write it
        EXPECT_TRUE(applyFramework(config, model, made));
        return config;
    };
    ModelSpec large;
    large.name = "llama-3-70b";
    large.layers = 80;
    large.hidden = 8192;
    large.mlp.width = 28672;
    large.attention = {.heads = 64, .kvHeads = 8, .headDim = 128};
    ASSERT_GT(parameterCount(large), 60e9);
    EXPECT_EQ(with(large).recompute, Recompute::Full);
    EXPECT_EQ(with(large).lossPath, LossPath::Upcast);
    EXPECT_EQ(with({}).recompute, Recompute::None);
    EXPECT_NE(with({}).lossPath, LossPath::Upcast);
}

TEST(Frameworks, WithoutAProfileAttentionIsFlashAndNothingIsRecomputed)
{
    for (const char *engine : {"slipway", "pytorch-eager", "megatron"}) {
        ModelSpec model;
        RunConfig config = applySetting({}, "framework", engine).value();
        ASSERT_TRUE(applyFramework(config, model, shipped()));
        EXPECT_EQ(config.attention, Attention::Flash) << engine;
        EXPECT_EQ(config.recompute, Recompute::None) << engine;
    }
}

TEST(FrameworkProfiles, LlamaFactoryRecomputesUnlessTold)
{
    EXPECT_EQ(applied("llama-factory").recompute, Recompute::Full);
    EXPECT_EQ(applied("llama-factory").checkpointEarlyStop, false) << "its condition reads recompute";
    EXPECT_EQ(applied("llama-factory", {{"recompute", "none"}}).recompute, Recompute::None);
    EXPECT_EQ(applied("hf-trainer").recompute, Recompute::None);
    EXPECT_EQ(applied("oumi").recompute, Recompute::None) << "although it inherits TRL";
}

TEST(FrameworkProfiles, TransformersBefore436WriteTheScoresOfAttention)
{
    EXPECT_EQ(applied("hf-trainer@4.30").attention, Attention::Vanilla);
    EXPECT_EQ(applied("hf-trainer@4.46").attention, Attention::Flash);
    EXPECT_EQ(applied("hf-trainer@4.30", {{"attention", "flash"}}).attention, Attention::Flash);
    EXPECT_EQ(applied("hf-trainer@4.30", {{"attention_kernel", "flash-2"}}).attention, Attention::Flash)
        << "a kernel of flash attention was named";
}

// trainer.py runs all micro-batches but the last in no_sync, of FSDP as of DDP; DeepSpeed's engine it leaves alone.
TEST(FrameworkProfiles, HuggingFacesMicroBatchesLeaveGradientsUnshardedUnderFsdp)
{
    const Choices fsdp{{"gpus", "8"}, {"parallel", "fsdp-full"}};
    const Choices zero3{{"gpus", "8"}, {"parallel", "fsdp-full"}, {"sharder", "deepspeed"}};
    for (const char *name : {"hf-trainer", "hf-trainer@4.46", "hf-trainer@4.20", "axolotl", "litgpt"}) {
        EXPECT_EQ(applied(name, fsdp).gradReduce, GradReduce::Step) << name;
    }
    EXPECT_EQ(applied("hf-trainer", zero3).gradReduce, GradReduce::Auto);
    EXPECT_EQ(applied("hf-trainer", {{"gpus", "8"}, {"parallel", "ddp"}}).gradReduce, GradReduce::Auto);
    EXPECT_EQ(applied("torchtitan", fsdp).gradReduce, GradReduce::Auto) << "it reduces after each";
}

// Its trainers pin the version of Transformers, or ask for a version of FSDP themselves.
TEST(FrameworkProfiles, HuggingFacesTrainerTakesFsdp2SinceJune2026)
{
    const Choices fsdp{{"gpus", "8"}, {"parallel", "fsdp-full"}};
    for (const char *name : {"hf-trainer@4.46", "hf-trainer@5.0", "axolotl@0.17", "llama-factory", "oumi"})
        EXPECT_EQ(applied(name, fsdp).sharder, Sharder::Fsdp1) << name;
    for (const char *name : {"hf-trainer@5.10", "hf-trainer", "trl", "axolotl"})
        EXPECT_EQ(applied(name, fsdp).sharder, Sharder::Fsdp2) << name;
    EXPECT_EQ(applied("hf-trainer", fsdp).gradientType, GradientType::Half);
}

TEST(FrameworkProfiles, AcceleratesFsdp2ReducesEachMicroBatchUntilOctober2025)
{
    const Choices fsdp2{{"gpus", "8"}, {"parallel", "fsdp-full"}, {"sharder", "fsdp2"}};
    EXPECT_EQ(applied("hf-trainer@4.54", fsdp2).gradReduce, GradReduce::MicroBatch);
    EXPECT_EQ(applied("hf-trainer@5.0", fsdp2).gradReduce, GradReduce::Step);
}

TEST(FrameworkProfiles, TransformersOfEarly2024PassesLlamaAMaskOfAllScores)
{
    EXPECT_FALSE(applied("hf-trainer@4.36").denseMask);
    EXPECT_TRUE(applied("hf-trainer@4.38").denseMask);
    EXPECT_FALSE(applied("hf-trainer@4.38", {{"attention_kernel", "flash-2"}}).denseMask);
    EXPECT_FALSE(applied("hf-trainer@4.40").denseMask);
}

TEST(FrameworkProfiles, FineTunersTakeTheLossInPartsSinceTheVersionThatDoes)
{
    EXPECT_EQ(applied("trl@1.6").lossPath, LossPath::Upcast);
    EXPECT_EQ(applied("trl@1.7").lossPath, LossPath::Fused);
    EXPECT_EQ(applied("oumi@0.9").lossPath, LossPath::Upcast) << "it requires an earlier TRL";
    EXPECT_EQ(applied("unsloth@2024.10").lossPath, LossPath::Compiled);
    EXPECT_EQ(applied("unsloth@2024.11.8").lossPath, LossPath::Fused);
    EXPECT_EQ(applied("verl@0.8").lossPath, LossPath::Compiled);
}

TEST(FrameworkProfiles, HuggingFacesAdamWIsFusedSinceBothVersionsAllowIt)
{
    EXPECT_EQ(applied("hf-trainer@4.53").optimizer, OptimizerKind::AdamWForeach);
    EXPECT_EQ(applied("hf-trainer@4.57").optimizer, OptimizerKind::AdamW);
    EXPECT_EQ(applied("hf-trainer@4.57", {{"torch", "2.7"}}).optimizer, OptimizerKind::AdamWForeach);
}

TEST(FrameworkProfiles, TransformersUpcastsTheLogitsOfHalfModelsSinceJuly2023)
{
    EXPECT_EQ(applied("hf-trainer@4.30", {{"precision", "bf16"}}).lossPath, LossPath::Bf16Released);
    EXPECT_EQ(applied("hf-trainer@4.30").lossPath, LossPath::Upcast) << "autocast's list has the loss";
    EXPECT_EQ(applied("hf-trainer@4.31", {{"precision", "bf16"}}).lossPath, LossPath::Upcast);
}

TEST(FrameworkProfiles, TransformersCopiesItsLogitsBefore449)
{
    const Choices half{{"precision", "bf16"}};
    EXPECT_EQ(applied("hf-trainer@4.30", half).logitsCopy, LogitsCopy::BeforeUpcast);
    EXPECT_EQ(applied("hf-trainer@4.40", half).logitsCopy, LogitsCopy::AfterUpcast);
    EXPECT_EQ(applied("hf-trainer@4.46", half).logitsCopy, LogitsCopy::InLoss);
    EXPECT_EQ(applied("llama-factory@0.9", half).logitsCopy, LogitsCopy::AfterUpcast) << "of September 2024";
    EXPECT_EQ(applied("axolotl@0.5", half).logitsCopy, LogitsCopy::InLoss) << "of November 2024";
    EXPECT_EQ(applied("hf-trainer@4.49", half).logitsCopy, LogitsCopy::None);
    EXPECT_EQ(applied("hf-trainer", half).logitsCopy, LogitsCopy::None);
    EXPECT_EQ(applied("xtuner", half).logitsCopy, LogitsCopy::None);
    EXPECT_EQ(applied("xtuner@2024-05", half).logitsCopy, LogitsCopy::AfterUpcast);
}

TEST(FrameworkProfiles, TorchtunesThirdReleaseChunksItsLossAndFusesItsOptimizer)
{
    const RunConfig second = applied("torchtune@0.2", {{"gpus", "8"}, {"parallel", "fsdp-full"}}),
                    third = applied("torchtune@0.3", {{"gpus", "8"}, {"parallel", "fsdp-full"}});
    EXPECT_EQ(second.sharder, Sharder::Fsdp1);
    EXPECT_EQ(second.optimizer, OptimizerKind::AdamWForeach);
    EXPECT_EQ(second.lossPath, LossPath::UpcastHeld);
    EXPECT_EQ(second.logitsCopy, LogitsCopy::AfterUpcast);
    EXPECT_EQ(third.sharder, Sharder::Fsdp2);
    EXPECT_EQ(third.optimizer, OptimizerKind::AdamW);
    EXPECT_EQ(third.lossPath, LossPath::Chunked);
}

TEST(FrameworkProfiles, TorchtitanTakesCudnnOnBlackwellFirstAndChunksItsLossSinceItsThirdRelease)
{
    EXPECT_EQ(applied("torchtitan@0.1").attentionKernel, AttentionKernel::Flash2);
    EXPECT_EQ(applied("torchtitan@0.1", {{"gpu", "b200-sxm-180gb"}}).attentionKernel, AttentionKernel::Cudnn);
    EXPECT_EQ(applied("torchtitan@0.2.2").lossPath, LossPath::Upcast);
    EXPECT_EQ(applied("torchtitan@0.3").lossPath, LossPath::Fused);
}

// As their sources say: torchtitan 0.2.0, OLMo-core 1.7.0 and 2.0.1, Accelerate 1.13 and 1.14, torchtune 0.6.
TEST(FrameworkProfiles, EmbeddingAndHeadAreUnitsOfTheirOwnFromTheVersionThatSplitsThem)
{
    EXPECT_TRUE(applied("torchtitan@0.2").splitUnits);
    EXPECT_FALSE(applied("olmo-core@1.0").splitUnits);
    EXPECT_TRUE(applied("olmo-core@2.0").splitUnits);
    const Choices fsdp{{"gpus", "8"}, {"parallel", "fsdp-full"}};
    EXPECT_FALSE(applied("torchtune@0.6", fsdp).splitUnits);
    Choices second = fsdp;
    second.emplace_back("sharder", "fsdp2");
    EXPECT_FALSE(applied("hf-trainer@2026-05", second).splitUnits);
    EXPECT_TRUE(applied("hf-trainer@2026-07", second).splitUnits);
    EXPECT_TRUE(applied("axolotl", second).splitUnits) << "as what it inherits from";
    EXPECT_FALSE(applied("hf-trainer@2026-05", fsdp).splitUnits);
}

// Whatever the precision: Trainer runs Transformers' models, whose norms are separate operations.
TEST(FrameworkProfiles, OnlyModelsOfTorchsOwnModulesArePlannedWithThem)
{
    EXPECT_TRUE(applied("torchtitan").torchModules);
    for (const char *precision : {"bf16", "bf16-mixed"})
        EXPECT_FALSE(applied(
            "hf-trainer", {{"gpus", "8"}, {"parallel", "fsdp-full"}, {"sharder", "fsdp2"}, {"precision", precision}})
                .torchModules);
}

// Fused AdamW, gathers that are not limited, and segments that grow: each is a default of a version.
TEST(FrameworkProfiles, DefaultsFollowTheVersionThatHasThem)
{
    const Choices fsdp{{"gpus", "8"}, {"parallel", "fsdp-full"}};
    EXPECT_EQ(applied("hf-trainer@4.31", fsdp).limitGathers, false);
    EXPECT_EQ(applied("hf-trainer@4.40", fsdp).limitGathers, true);
    EXPECT_EQ(applied("composer@0.14", fsdp).limitGathers, false);
    EXPECT_EQ(applied("composer@0.17", fsdp).limitGathers, true);
    EXPECT_EQ(applied("llm-foundry@0.1", fsdp).limitGathers, true) << "its scripts ask for it";
    EXPECT_EQ(applied("composer@0.12", fsdp).gatherType, GradientType::Fp32);
    EXPECT_EQ(applied("composer@0.13", fsdp).gatherType, GradientType::Half);
    EXPECT_TRUE(applied("axolotl@0.5").expandableSegments);
    EXPECT_FALSE(applied("axolotl@0.5", {{"torch", "2.1"}}).expandableSegments);
    EXPECT_TRUE(applied("unsloth").expandableSegments);
    EXPECT_TRUE(applied("llama-factory@0.9.3", fsdp).expandableSegments);
    EXPECT_FALSE(applied("llama-factory@0.8", fsdp).expandableSegments);
}

// Transformers 4.57 and 5.0, modeling_utils.py; TRL 0.26 and 0.27, sft_config.py; torchtitan 0.1 and 0.2.
TEST(FrameworkProfiles, RecomputationRepeatsWholeLayersInTheVersionsThatAskForIt)
{
    const Choices full{{"recompute", "full"}}, compiled{{"recompute", "full"}, {"compile", "true"}};
    EXPECT_FALSE(applied("hf-trainer@4.57", full).checkpointEarlyStop.value_or(true));
    EXPECT_TRUE(applied("hf-trainer@5.0", full).checkpointEarlyStop.value_or(true));
    EXPECT_TRUE(applied("hf-trainer@4.57", compiled).checkpointEarlyStop.value_or(true))
        << "a trace has no reentrant checkpoints";
    EXPECT_TRUE(applied("hf-trainer@4.57").checkpointEarlyStop.value_or(true)) << "nothing is recomputed";
    EXPECT_TRUE(applied("trl@0.27", full).checkpointEarlyStop.value_or(true));
    EXPECT_FALSE(applied("llama-factory@0.9.3", full).checkpointEarlyStop.value_or(true));
    EXPECT_TRUE(applied("torchtitan@0.1", full).checkpointEarlyStop.value_or(true));
    EXPECT_FALSE(applied("torchtitan@0.2", full).checkpointEarlyStop.value_or(true));
}

// Transformers 4.30, training_args.py, NO_PREFETCH; Accelerate, dataclasses.py.
TEST(FrameworkProfiles, TrainerLeavesFsdpsBackwardPrefetchOut)
{
    const Choices fsdp{{"gpus", "8"}, {"parallel", "fsdp-full"}};
    EXPECT_FALSE(applied("hf-trainer@4.46", fsdp).backwardPrefetch.value_or(true));
    EXPECT_FALSE(applied("axolotl@0.5", fsdp).backwardPrefetch.value_or(true));
    EXPECT_TRUE(applied("hf-trainer", fsdp).backwardPrefetch.value_or(true)) << "FSDP2 has no such option";
    EXPECT_TRUE(applied("lightning", fsdp).backwardPrefetch.value_or(true));
    EXPECT_TRUE(applied("pytorch@2024-05", fsdp).backwardPrefetch.value_or(true));
    Choices asked = fsdp;
    asked.emplace_back("backward_prefetch", "true");
    EXPECT_TRUE(applied("hf-trainer@4.46", asked).backwardPrefetch.value_or(false)) << "as its FSDP configuration asks";
    EXPECT_FALSE(applied("pytorch@2023-01", fsdp).backwardPrefetch.value_or(true)) << "the default of PyTorch 1.13";
}

// Composer's device_gpu.py, LitGPT's pretrain.py; allow_tf32_cublas of PyTorch 1.11 and 1.12.
TEST(FrameworkProfiles, Tf32IsOnWhereTheSoftwareTurnsItOn)
{
    const Choices fp32{{"precision", "fp32"}};
    EXPECT_TRUE(applied("composer", fp32).tf32.value_or(false));
    EXPECT_TRUE(applied("litgpt", fp32).tf32.value_or(false));
    EXPECT_FALSE(applied("hf-trainer", fp32).tf32.value_or(false));
    EXPECT_FALSE(applied("pytorch", fp32).tf32.value_or(false));
    EXPECT_TRUE(applied("pytorch", {{"torch", "1.11"}, {"precision", "fp32"}}).tf32.value_or(false));
    EXPECT_FALSE(applied("pytorch", {{"torch", "1.12"}, {"precision", "fp32"}}).tf32.value_or(false));
}

// transformers/integrations/deepspeed.py fills what its third stage's configuration leaves at "auto".
TEST(FrameworkProfiles, HuggingFacesThirdStageSumsAsManyGradientsAsTheHiddenSizeSquared)
{
    const auto bucket = [](std::string_view name, const Choices &given) {
        RunConfig config = applySetting({}, "framework", name).value();
        for (const auto &[key, value] : given)
            config = applySetting(config, key, value).value();
        ModelSpec model;
        model.hidden = 4096;
        EXPECT_TRUE(applyFramework(config, model, shipped()));
        return config.reduceBucket;
    };
    const Choices zero3{{"gpus", "8"}, {"parallel", "fsdp-full"}, {"sharder", "deepspeed"}};
    const Choices zero2{{"gpus", "8"}, {"parallel", "fsdp-grad-op"}, {"sharder", "deepspeed"}};
    EXPECT_EQ(bucket("hf-trainer@4.46", zero3), 4096 * 4096);
    EXPECT_EQ(bucket("llama-factory", zero3), 4096 * 4096) << "it inherits the Trainer";
    EXPECT_EQ(bucket("hf-trainer@4.46", zero2), 500'000'000) << "DeepSpeed's own";
    EXPECT_EQ(bucket("deepspeed", zero3), 500'000'000);
    EXPECT_EQ(bucket("hf-trainer@4.46",
                  {{"gpus", "8"}, {"parallel", "fsdp-full"}, {"sharder", "deepspeed"}, {"reduce_bucket", "1000"}}),
        1000);
}

TEST(FrameworkProfiles, SoftwareThatNobodyKnowsIsPlannedByTheMildestAssumption)
{
    const Choices fsdp{{"gpus", "8"}, {"parallel", "fsdp-full"}};
    EXPECT_EQ(applied("unknown@2023-04", fsdp).limitGathers, true);
    EXPECT_EQ(applied("pytorch@2023-04", fsdp).limitGathers, false) << "the script of one who has said so";
    const Choices kernels{{"gpus", "8"}, {"parallel", "zero1"}, {"fused_kernels", "true"}};
    EXPECT_EQ(applied("unknown@2023-09", kernels).framework, Framework::Megatron);
    EXPECT_EQ(
        applied("unknown@2023-09", {{"gpus", "8"}, {"parallel", "fsdp-full"}, {"fused_kernels", "true"}}).framework,
        Framework::PytorchEager);
    EXPECT_EQ(applied("unknown@2023-09", fsdp).framework, Framework::PytorchEager);
}

TEST(Frameworks, AnEngineStaysAsItIs)
{
    const RunConfig plain = applied("megatron");
    EXPECT_EQ(plain.framework, Framework::Megatron);
    EXPECT_TRUE(plain.software.empty());
    EXPECT_TRUE(plain.torch.empty());
}

TEST(Frameworks, AnOptionOfTheModelSetsWhatTheUserSays)
{
    for (const bool value : {true, false}) {
        ModelSpec model{.dropout = !value};
        RunConfig config =
            applySetting({}, "framework_option", value ? "model.dropout=true" : "model.dropout=false").value();
        ASSERT_TRUE(applyFramework(config, model, shipped()));
        EXPECT_EQ(model.dropout, value);
    }
}

TEST(Frameworks, AnUnknownNameOrOptionIsAnError)
{
    RunConfig config = applySetting({}, "framework", "torchtitn").value();
    ModelSpec model;
    EXPECT_THAT(applyFramework(config, model, shipped()).error().message(), HasSubstr("did you mean torchtitan?"));
    config = applySetting({}, "framework_option", "loss_path").value();
    EXPECT_THAT(applyFramework(config, model, shipped()).error().message(), HasSubstr("has no value"));
    config = applySetting({}, "framework_option", "colour=red").value();
    EXPECT_THAT(applyFramework(config, model, shipped()).error().message(), HasSubstr("unknown framework option"));
    config = applySetting({}, "framework_option", "limit_gather=true").value();
    EXPECT_THAT(applyFramework(config, model, shipped()).error().message(), HasSubstr("did you mean limit_gathers?"));
    EXPECT_FALSE(applySetting({}, "framework", "a/b"));
    EXPECT_FALSE(applySetting({}, "framework", ""));
}

} // namespace
} // namespace slipway
